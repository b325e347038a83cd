"""Filter: authenticate by the user name and password of the request.

For a standalone service, whose clients have no token of its Keystone.
"""
from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import session
from keystoneauth1.identity import generic
from oslo_log import log as logging
import webob.exc

from heat.common import config
from heat.common import endpoint_utils
from heat.common import identity_headers
from heat.common import wsgi
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

_IDENTITY_HEADERS = (
    ('X-User-Id', 'user_id'),
    ('X-User-Name', 'username'),
    ('X-User-Domain-Id', 'user_domain_id'),
    ('X-User-Domain-Name', 'user_domain_name'),
    ('X-Project-Id', 'project_id'),
    ('X-Project-Name', 'project_name'),
    ('X-Project-Domain-Id', 'project_domain_id'),
    ('X-Project-Domain-Name', 'project_domain_name'),
)


class KeystonePasswordAuthProtocol(wsgi.Middleware):
    """Gets a token for the project that the path names."""

    def process_request(self, request):
        """Put who the user is into headers, or refuse."""
        environ = request.environ
        identity_headers.remove(environ)
        username = request.headers.get('X-Auth-User')
        password = request.headers.get('X-Auth-Key')
        auth_url = environ.get(identity_headers.AUTH_URL)
        if not username or not password:
            return self._reject(request, auth_url)
        keystone = session.Session(**config.get_ssl_options('keystone'))
        plugin = generic.Password(
            auth_url=auth_url, username=username, password=password,
            project_id=_project_of(request.readable_path()),
            # Keystone checks it with the name and the password.
            user_domain_id=identity_headers.claim(
                environ, 'X-User-Domain-Id') or 'default')
        try:
            access = plugin.get_access(keystone)
        except (ks_exceptions.Unauthorized, ks_exceptions.Forbidden,
                ks_exceptions.NotFound,
                ks_exceptions.AuthorizationFailure):
            return self._reject(request, auth_url)
        except ks_exceptions.ClientException as exc:
            LOG.error('Keystone at %s cannot authenticate: %s', auth_url,
                      exc)
            return webob.exc.HTTPServiceUnavailable(
                _('The identity service is not available.'))
        self._set_identity(request, access)
        environ['keystone.token_auth'] = plugin
        if identity_headers.claim(environ, 'X-Region-Name'):
            environ[identity_headers.REGIONS] = identity_headers.regions_of(
                access.service_catalog.catalog)
        return None

    @staticmethod
    def _set_identity(request, access):
        headers = request.headers
        headers['X-Identity-Status'] = 'Confirmed'
        headers['X-Auth-Token'] = access.auth_token
        headers['X-Roles'] = ','.join(access.role_names)
        for header, attribute in _IDENTITY_HEADERS:
            value = getattr(access, attribute)
            if value:
                headers[header] = value

    @staticmethod
    def _reject(request, auth_url):
        realm = auth_url or endpoint_utils.get_auth_uri(v3=False) or ''
        return webob.exc.HTTPUnauthorized(
            _('Authentication required'),
            [('WWW-Authenticate', "Keystone uri='%s'" % realm)])


def _project_of(path):
    """Return the project in a path, which has no version in front."""
    return path.lstrip('/').split('/', 1)[0] or None


def filter_factory(global_conf, **local_conf):
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(app):
        return KeystonePasswordAuthProtocol(app, conf)
    return make
