"""Filter: which Keystone a request is to be authenticated with."""
from oslo_config import cfg
from webob import exc

from heat.common import endpoint_utils
from heat.common import identity_headers
from heat.common import wsgi
from heat.common.i18n import _


class AuthUrlFilter(wsgi.Middleware):
    """Sets the header X-Auth-Url.

    The URL is the one configured; what a client sends is ignored, unless
    [auth_password] multi_cloud lets requests choose among the allowed ones.
    """

    def __init__(self, app, conf):
        super().__init__(app, conf)
        self._auth_url = None

    @property
    def auth_url(self):
        """The URL that is configured, looked up once."""
        if not self._auth_url:
            self._auth_url = (self.conf.get('auth_uri') or
                              endpoint_utils.get_auth_uri(v3=False))
        return self._auth_url

    @staticmethod
    def _validate_auth_url(auth_url):
        if not auth_url:
            raise exc.HTTPBadRequest(_('Header X-Auth-Url not provided.'))
        if auth_url not in cfg.CONF.auth_password.allowed_auth_uris:
            raise exc.HTTPUnauthorized(
                _('Header X-Auth-Url "%s" is not one of the allowed ones.')
                % auth_url)

    def process_request(self, request):
        """Say which Keystone it is to the filters below."""
        identity_headers.remove(request.environ)
        auth_url = self.auth_url
        if cfg.CONF.auth_password.multi_cloud:
            auth_url = identity_headers.claim(request.environ, 'X-Auth-Url')
            try:
                self._validate_auth_url(auth_url)
            except exc.HTTPError as error:
                return error
        if auth_url:
            # The header is for filters of others.
            request.headers['X-Auth-Url'] = auth_url
            request.environ[identity_headers.AUTH_URL] = auth_url
        return None


def filter_factory(global_conf, **local_conf):
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(app):
        return AuthUrlFilter(app, conf)
    return make
