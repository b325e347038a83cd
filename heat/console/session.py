"""Logging in to the console with Keystone.

The token never reaches a script of the pages: the browser keeps it encrypted
in a cookie that only the service reads. The cookie counts only together with
a header that pages of other sites cannot send.
"""
import dataclasses
from http import cookies
from typing import Any

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import session as ks_session
from keystoneauth1.identity import v3
from oslo_log import log as logging
from oslo_serialization import jsonutils
import webob
import webob.exc

from heat.common import config
from heat.common import crypt
from heat.common import endpoint_utils
from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

COOKIE = 'heat-console'
#: A page of another site cannot send it without asking first.
HEADER = 'X-Heat-Console'
#: The fields of a session that the pages may read.
_SHOWN = ('user', 'project_id', 'project_name')
_KIND = 'console session'
_LARGEST_BODY = 16384
#: Seconds after which an answer renews the time of the last use.
_RENEWAL = 60
_TEXTS = ('user', 'password', 'user_domain', 'project', 'project_domain',
          'application_credential_id', 'application_credential_secret')


@dataclasses.dataclass(frozen=True, slots=True)
class Login:
    """One session: the token and whom it stands for."""

    token: str
    user: str
    project_id: str
    project_name: str
    seen: float

    def sealed(self) -> str:
        """Return the session as the browser keeps it."""
        text = jsonutils.dumps({'kind': _KIND, **dataclasses.asdict(self)})
        method, data = crypt.encrypt(text)
        return f'{method}.{data}'


def opened(sealed: str) -> Login | None:
    """Return the session that a browser has kept, None if it is none."""
    method, _dot, data = sealed.partition('.')
    try:
        facts = jsonutils.loads(crypt.decrypt(method, data))
        if facts.pop('kind', None) != _KIND:
            return None
        return Login(**facts)
    except (exception.HeatException, exception.Error, ValueError, TypeError,
            AttributeError):
        # Another key, another program, or nonsense: nobody is logged in.
        return None


class Sessions:
    """Logs users in and out, and knows who sends a request.

    :param idle_time: seconds without a request after which a session ends
    """

    def __init__(self, idle_time: int) -> None:
        self._idle_time = idle_time

    def answer(self, request: webob.Request) -> webob.Response:
        """Answer a request to the address of the session."""
        if request.method == 'GET':
            return self._show(request)
        _refuse_foreign(request)
        if request.method == 'POST':
            return self._log_in(request)
        if request.method == 'DELETE':
            return self._log_out(request)
        raise webob.exc.HTTPMethodNotAllowed(
            _('A session is read, begun or ended.'),
            headers={'Allow': 'GET, POST, DELETE'})

    def find(self, request: webob.Request) -> Login | None:
        """Return the session of a request, None if it has none or is old."""
        sealed = request.cookies.get(COOKIE)
        login = opened(sealed) if sealed else None
        if login is None or (
                timeutils.wallclock() - login.seen > self._idle_time):
            return None
        return login

    def renewed(self, request: webob.Request, login: Login) -> str | None:
        """Return the header that keeps a session from ending, if due."""
        now = timeutils.wallclock()
        if now - login.seen < _RENEWAL:
            return None
        return _cookie(request, dataclasses.replace(login, seen=now).sealed())

    def _show(self, request: webob.Request) -> webob.Response:
        login = self.find(request)
        return _json({'authentication': 'keystone', **(
            {name: getattr(login, name) for name in _SHOWN}
            if login else {})})

    def _log_in(self, request: webob.Request) -> webob.Response:
        form = _form(request)
        keystone = _keystone()
        try:
            access = _plugin(form).get_access(keystone)
        except (ks_exceptions.Unauthorized, ks_exceptions.Forbidden,
                ks_exceptions.NotFound, ks_exceptions.BadRequest):
            raise webob.exc.HTTPUnauthorized(
                _('Keystone does not accept these credentials for the '
                  'project.')) from None
        except ks_exceptions.ClientException as error:
            LOG.error('Keystone cannot authenticate a user of the console: '
                      '%s', error)
            raise webob.exc.HTTPServiceUnavailable(
                _('The identity service is not available.')) from None
        if not access.project_id:
            raise webob.exc.HTTPUnauthorized(
                _('The credentials are not those of a project.'))
        login = Login(token=access.auth_token, user=access.username,
                      project_id=access.project_id,
                      project_name=access.project_name,
                      seen=timeutils.wallclock())
        response = _json({name: getattr(login, name) for name in _SHOWN})
        response.headers.add('Set-Cookie', _cookie(request, login.sealed()))
        return response

    def _log_out(self, request: webob.Request) -> webob.Response:
        login = self.find(request)
        if login is not None:
            _revoke(login.token)
        response = webob.Response(status=204)
        response.headers.add('Set-Cookie', ended(request))
        return response


def ended(request: webob.Request) -> str:
    """Return the header that makes a browser forget its session."""
    return _cookie(request, '', seconds=0)


def _cookie(request: webob.Request, value: str, *,
            seconds: int | None = None) -> str:
    jar: cookies.SimpleCookie = cookies.SimpleCookie()
    jar[COOKIE] = value
    own = jar[COOKIE]
    own['path'] = f'{request.script_name}/'
    own['httponly'] = True
    own['samesite'] = 'Strict'
    if request.scheme == 'https':
        own['secure'] = True
    if seconds is not None:
        own['max-age'] = seconds
    return own.OutputString()


def _refuse_foreign(request: webob.Request) -> None:
    """Refuse a request that a page of another site may have caused."""
    site = request.headers.get('Sec-Fetch-Site', 'same-origin')
    if HEADER not in request.headers or site != 'same-origin':
        raise webob.exc.HTTPForbidden(
            _('The request does not come from the console.'))


def _form(request: webob.Request) -> dict[str, str]:
    """Return what a user has entered.

    :raises HTTPBadRequest: it is no map of texts.
    """
    if (request.content_length or 0) > _LARGEST_BODY:
        raise webob.exc.HTTPRequestEntityTooLarge(
            _('The request is too large.'))
    try:
        body = jsonutils.loads(request.body)
    except ValueError:
        body = None
    if not isinstance(body, dict) or not all(
            name in _TEXTS and isinstance(value, str)
            for name, value in body.items()):
        raise webob.exc.HTTPBadRequest(
            _('The body must be a map of texts; possible are: %s.')
            % ', '.join(_TEXTS))
    return {name: value for name, value in body.items() if value}


def _plugin(form: dict[str, str]) -> Any:
    """Return how to authenticate with what a user has entered.

    :raises HTTPBadRequest: something is missing.
    """
    url = endpoint_utils.service_auth_uri()
    credential = form.get('application_credential_id')
    needed = (('application_credential_secret',) if credential else
              ('user', 'password', 'project'))
    missing = [name for name in needed if name not in form]
    if missing:
        raise webob.exc.HTTPBadRequest(
            _('The body lacks: %s.') % ', '.join(missing))
    if credential:
        return v3.ApplicationCredential(
            url, application_credential_id=credential,
            application_credential_secret=form[
                'application_credential_secret'])
    domain = form.get('user_domain', 'Default')
    return v3.Password(
        url, username=form['user'], password=form['password'],
        user_domain_name=domain, project_name=form['project'],
        project_domain_name=form.get('project_domain', domain))


def _keystone() -> Any:
    return ks_session.Session(**config.get_ssl_options('keystone'),
                              connect_retries=1)


def _revoke(token: str) -> None:
    """Have Keystone forget a token; it may be away."""
    url = endpoint_utils.service_auth_uri()
    try:
        _keystone().delete(
            f'{url.rstrip("/").removesuffix("/v3")}/v3/auth/tokens',
            headers={'X-Auth-Token': token, 'X-Subject-Token': token},
            authenticated=False)
    except ks_exceptions.ClientException as error:
        LOG.warning('Keystone cannot revoke a token of the console: %s',
                    error)


def _json(content: dict[str, Any]) -> webob.Response:
    response = webob.Response(json=content)
    response.headers['Cache-Control'] = 'no-store'
    return response
