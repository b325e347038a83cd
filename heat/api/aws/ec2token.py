"""Filter: requests with the signature of an EC2 credential.

Keystone knows the secrets, so Keystone checks the signatures and answers
with a token. https://docs.openstack.org/api-ref/identity/v3 (ec2tokens)
"""
from collections.abc import Callable
import dataclasses
import functools
import hashlib
import re
from typing import Any
from wsgiref import types as wsgi_types

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import loading
from oslo_config import cfg
from oslo_log import log as logging
from oslo_serialization import jsonutils
import webob

from heat.api.aws import exception
from heat.api.aws import signature_form
from heat.api.aws import utils
from heat.common import endpoint_utils
from heat.common import exception as heat_exception
from heat.common import identity_headers
from heat.common import opts_auth
from heat.common import wsgi
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

GROUP = opts_auth.EC2_GROUP
opts_auth.register(GROUP)
_V4_CREDENTIAL = re.compile(r'Credential=([^/,\s]+)/')
_V4_SIGNATURE = re.compile(r'Signature=([^,\s]+)')


@dataclasses.dataclass(frozen=True, slots=True)
class Claim:
    """The identity that a request claims, and its proof."""

    access: str | None
    signature: str | None

    @classmethod
    def of(cls, request: webob.Request, params: Any) -> 'Claim':
        """Read the claim from the query, else from the header."""
        header = request.headers.get('Authorization', '')
        access = (params.get('AWSAccessKeyId') or
                  params.get('X-Amz-Credential', '').partition('/')[0])
        signature = (params.get('Signature') or
                     params.get('X-Amz-Signature'))
        return cls(access or _first(_V4_CREDENTIAL, header),
                   signature or _first(_V4_SIGNATURE, header))


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found.group(1) if found else None


class EC2Token(wsgi.Middleware):
    """Exchanges the signature of a request for a token.

    A request with a user name or a token is checked by a filter below. If
    there is none, the context filter has the token checked here.
    """

    def __init__(self, application: wsgi_types.WSGIApplication,
                 conf: Any = None, clouds: Any = None) -> None:
        super().__init__(application, conf)
        self._clouds = clouds or configured_clouds()

    def process_request(self, request: webob.Request) -> Any:
        """Put the identity into the headers that the context is made of."""
        identity_headers.remove(request.environ)
        if 'X-Auth-Token' in request.headers:
            request.environ[identity_headers.TOKEN_CHECK] = functools.partial(
                self._refusal, self._check_token)
            return None
        if 'X-Auth-User' in request.headers:
            return None
        return self._refusal(self._authenticate, request)

    @staticmethod
    def _refusal(authenticate: Callable[..., Any], request: webob.Request
                 ) -> Any:
        """Return the answer to a request that is not let in, or None."""
        try:
            authenticate(request)
        except (exception.HeatAPIException,
                heat_exception.RequestLimitExceeded) as error:
            return exception.map_remote_error(error)
        return None

    def _authenticate(self, request: webob.Request) -> None:
        params = utils.params_of(request)
        claim = Claim.of(request, params)
        if claim.access is None:
            raise exception.HeatMissingAuthenticationTokenError()
        if claim.signature is None:
            raise exception.HeatIncompleteSignatureError()
        signature_form.check(params, request.headers)
        credentials = _credentials(request, params, claim)
        refusal = exception.HeatAccessDeniedError()
        for cloud in self._clouds:
            try:
                token = cloud.exchange(credentials)
            except exception.HeatAPIException as error:
                refusal = error
                continue
            _identify(request, cloud, token)
            request.environ[identity_headers.EC2_CREDENTIALS] = (
                jsonutils.dumps({'ec2Credentials': {
                    'access': claim.access, 'signature': claim.signature}}))
            return
        raise refusal

    def _check_token(self, request: webob.Request) -> None:
        """Have the Keystone of a token say whose it is.

        Of several, the request names it: others must not see the token.
        """
        clouds = self._clouds
        if len(clouds) > 1:
            named = identity_headers.claim(request.environ, 'X-Auth-Url')
            clouds = [cloud for cloud in clouds if named is not None and
                      cloud.auth_url == named.rstrip('/')]
        if not clouds:
            raise exception.HeatAccessDeniedError(
                _('X-Auth-Url has to name the Keystone of the token, one of '
                  'those that are configured.'))
        [cloud] = clouds
        _identify(request, cloud,
                  cloud.checked(request.headers['X-Auth-Token']))


def _credentials(request: webob.Request, params: Any, claim: Claim
                 ) -> dict[str, Any]:
    """Return what Keystone checks the signature with."""
    params = {name: value for name, value in params.items()
              if name not in ('Signature', 'X-Amz-Signature')}
    # A client may have signed those that have been removed, too.
    headers = dict(request.headers.items()) | {
        name.removeprefix('HTTP_').replace('_', '-').title(): value
        for name, value in request.environ[identity_headers.CLAIMS].items()}
    authorization = request.headers.get('Authorization', '')
    v4 = signature_form.is_version_4(params, authorization)
    if not authorization.startswith(signature_form.ALGORITHM):
        # Keystone takes any other one for a broken signature of version 4.
        headers.pop('Authorization', None)
    return {
        'access': claim.access,
        'signature': claim.signature,
        'host': request.host,
        'verb': request.method,
        'path': (request.environ.get('SCRIPT_NAME', '') +
                 request.path_info),
        # The body of a version 4 request is no part of its query.
        'params': (dict(request.GET) if v4 else params),
        'headers': headers,
        'body_hash': (request.headers.get('X-Amz-Content-SHA256') or
                      hashlib.sha256(request.body).hexdigest()),
    }


def _identify(request: webob.Request, cloud: Any, token: Any) -> None:
    """Let the filters below see the user of a token."""
    headers, body = request.headers, token.body['token']
    project = body.get('project') or {}
    headers['X-Identity-Status'] = 'Confirmed'
    headers['X-Auth-Token'] = token.id
    headers['X-User-Id'] = body['user']['id']
    headers['X-User-Name'] = body['user']['name']
    headers['X-User-Domain-Id'] = body['user']['domain']['id']
    if project:
        headers['X-Project-Id'] = project['id']
        headers['X-Project-Name'] = project['name']
        headers['X-Project-Domain-Id'] = project['domain']['id']
    headers['X-Roles'] = ','.join(role['name']
                                  for role in body.get('roles', ()))
    request.environ[identity_headers.AUTH_URL] = cloud.auth_url
    request.environ['keystone.token_info'] = token.body


@dataclasses.dataclass(frozen=True, slots=True)
class Token:
    """A token that a signature was exchanged for."""

    id: str
    body: dict


class Cloud:
    """A Keystone that may know the secret behind a signature."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._session: Any = None

    @property
    def auth_url(self) -> str:
        """Return the URL of the v3 API."""
        url = (self._option('endpoint_override') or
               self._option('auth_url') or endpoint_utils.get_auth_uri())
        if not url:
            LOG.error('It is not configured which Keystone checks EC2 '
                      'signatures: [%s] auth_url', self._group)
            raise exception.HeatInternalFailureError()
        url = url.rstrip('/')
        return url if url.endswith('/v3') else url + '/v3'

    def _option(self, name: str) -> Any:
        return getattr(cfg.CONF[self._group], name, None)

    def _connected(self) -> Any:
        if self._session is None:
            self._session = loading.load_session_from_conf_options(
                cfg.CONF, self._group, auth=_configured_auth(self._group))
        return self._session

    def exchange(self, credentials: dict[str, Any]) -> Token:
        """Return the Token that a signature is good for.

        :raises HeatAPIException: Keystone does not accept it.
        """
        try:
            session = self._connected()
            response = session.post(
                self.auth_url + '/ec2tokens',
                json={'ec2Credentials': credentials},
                authenticated=session.auth is not None)
        except ks_exceptions.HttpError as error:
            raise _refusal(error) from error
        except (ks_exceptions.ClientException, cfg.Error) as error:
            LOG.error('Keystone cannot be asked about an EC2 signature: %s',
                      type(error).__name__)
            raise exception.HeatServiceUnavailableError() from error
        return Token(response.headers['X-Subject-Token'], response.json())

    def checked(self, token: str) -> Token:
        """Return the Token of a client, with what Keystone says of it.

        It is shown by itself: the filter may have no account of its own.

        :raises HeatAPIException: Keystone does not know it.
        """
        try:
            response = self._connected().get(
                self.auth_url + '/auth/tokens', authenticated=False,
                headers={'X-Auth-Token': token, 'X-Subject-Token': token})
        except ks_exceptions.HttpError as error:
            if error.http_status >= 500:
                raise _refusal(error) from error
            raise exception.HeatInvalidClientTokenIdError(
                _('The token is not valid.')) from error
        except (ks_exceptions.ClientException, cfg.Error) as error:
            LOG.error('Keystone cannot be asked about a token: %s',
                      type(error).__name__)
            raise exception.HeatServiceUnavailableError() from error
        return Token(token, response.json())


def _configured_auth(group: str, conf: Any = cfg.CONF) -> Any:
    """Return the keystoneauth plugin of a group, None if it names none.

    The options of one plugin are registered at the start, and those of
    another may have the same names.
    """
    group = conf[group].auth_section or group
    kind = conf[group].auth_type
    if not kind:
        return None

    def value(option: Any) -> Any:
        try:
            conf.register_opt(
                option._to_oslo_opt(),  # noqa: SLF001 (keystoneauth's)
                group)
        except cfg.DuplicateOptError:
            LOG.debug('Option %s of [%s] is known', option.dest, group)
        return conf[group][option.dest]

    return loading.get_plugin_loader(kind).load_from_options_getter(value)


def _refusal(error: Any) -> Any:
    """Return what to answer when Keystone did not accept a signature."""
    text = str(error.message or '')
    if error.http_status >= 500:
        LOG.error('Keystone failed on an EC2 signature: %s',
                  error.http_status)
        return exception.HeatServiceUnavailableError()
    if 'signature not supplied' in text.lower():
        return exception.HeatSignatureError()
    if 'access key not found' in text.lower():
        return exception.HeatInvalidClientTokenIdError()
    if 'signature' in text.lower():
        return exception.HeatSignatureError()
    return exception.HeatAccessDeniedError()


def register_groups(conf: Any = cfg.CONF) -> list[str]:
    """Register the options of each cloud that is configured by name."""
    group = conf[GROUP]
    names = group.clouds if group.multi_cloud else []
    groups = [f'{GROUP}.{name}' for name in names] or [GROUP]
    for name in groups:
        loading.register_session_conf_options(conf, name)
        loading.register_adapter_conf_options(conf, name)
        loading.register_auth_conf_options(conf, name)
    return groups


def configured_clouds() -> Any:
    """Return a Cloud for each Keystone that may check signatures."""
    return [Cloud(group) for group in register_groups()]


def EC2Token_filter_factory(global_conf: Any, **local_conf: str
                            ) -> Callable[[wsgi_types.WSGIApplication], Any]:  # noqa: N802
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(application: wsgi_types.WSGIApplication) -> Any:
        return EC2Token(application, conf)
    return make
