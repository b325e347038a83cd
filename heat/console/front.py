"""The console in front of the REST API: static files below /console.

The pages take everything from the REST API of the same origin. Paths outside
/console reach the API unchanged.
"""
import functools
from typing import Any
from wsgiref import types as wsgi_types

import webob
import webob.exc

from heat.common import local_requests
from heat.common.i18n import _
from heat.console import assets
from heat.console import session

PATH = '/console'
#: Below PATH: who is logged in.
SESSION = '/session'
#: The Content-Security-Policy: same origin only, no inline scripts or styles,
#: no framing.
POLICY = '; '.join((
    "default-src 'none'", "script-src 'self'", "style-src 'self'",
    "connect-src 'self'", "img-src 'self' data:", "font-src 'self'",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "object-src 'none'"))
HEADERS = {
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
}
_METHODS = ('GET', 'HEAD')


class Console:
    """The WSGI application that serves the console, or asks the API.

    :param application: the API
    :param sessions: who is logged in; None if the API asks nobody for
        credentials. Then the host that requests name has to be this
        machine's.
    """

    def __init__(self, application: Any,
                 sessions: session.Sessions | None) -> None:
        self._application = application
        self._sessions = sessions

    @functools.cached_property
    def _files(self) -> dict[str, assets.Asset]:
        """The files, read when a browser asks for the first one."""
        return assets.load()

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Any:
        path = environ.get('PATH_INFO', '')
        if path != PATH and not path.startswith(f'{PATH}/'):
            return self._forward(environ, start_response)
        request = webob.Request(environ)
        try:
            response = self._answer(request, path[len(PATH):])
        except webob.exc.HTTPException as error:
            # In the form of errors of the API, which the pages read.
            response = webob.Response(
                json={'error': {'message': error.detail}},
                status=error.status)
            if 'Allow' in error.headers:
                response.headers['Allow'] = error.headers['Allow']
        response.headers.update(HEADERS)
        return response(environ, start_response)

    def _forward(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Any:
        """Ask the API, with the token of the session if there is one."""
        request = webob.Request(environ)
        login = None
        if (self._sessions is not None and session.HEADER in request.headers
                and 'X-Auth-Token' not in request.headers):
            login = self._sessions.find(request)
        if self._sessions is None or login is None:
            return self._application(environ, start_response)
        request.headers['X-Auth-Token'] = login.token
        # Before the API moves parts of the path to SCRIPT_NAME, which is the
        # path of the cookie.
        renewed = self._sessions.renewed(request, login)
        ended = session.ended(request)
        # The API has no business with it.
        environ.pop('HTTP_COOKIE', None)

        def start(status: str, headers: list[tuple[str, str]],
                  *rest: Any) -> Any:
            cookie = ended if status.startswith('401') else renewed
            if cookie is not None:
                headers = [*headers, ('Set-Cookie', cookie)]
            return start_response(status, headers, *rest)

        return self._application(environ, start)

    def _answer(self, request: webob.Request, path: str) -> webob.Response:
        """Return the response to a request below /console."""
        if self._sessions is None:
            local_requests.refuse_foreign_host(request)
        if path == SESSION and self._sessions is not None:
            return self._sessions.answer(request)
        if request.method not in _METHODS:
            raise webob.exc.HTTPMethodNotAllowed(
                _('The console serves GET and HEAD only.'),
                headers={'Allow': ', '.join(_METHODS)})
        if not path:
            return webob.Response(
                status=308, location=f'{request.script_name}{PATH}/',
                conditional_response=False)
        if path == SESSION:
            return _json({'authentication': 'none'})
        found = self._files.get(path[1:] or assets.INDEX)
        if found is None:
            raise webob.exc.HTTPNotFound(
                _('The console has no such file.'))
        return _file(request, found)


def _json(content: Any) -> webob.Response:
    """Return an answer to a script of the pages."""
    response = webob.Response(json=content)
    response.headers['Cache-Control'] = 'no-store'
    return response


def _file(request: webob.Request, asset: assets.Asset) -> webob.Response:
    """Return a file, compressed where the client takes that."""
    is_compressed = bool(
        'Accept-Encoding' in request.headers and
        request.accept_encoding.acceptable_offers(['gzip']))
    response = webob.Response(
        body=asset.compressed if is_compressed else asset.body,
        conditional_response=True)
    response.headers['Content-Type'] = asset.content_type
    if is_compressed:
        response.headers['Content-Encoding'] = 'gzip'
    # The two forms differ byte by byte.
    response.etag = asset.etag + ('-gzip' if is_compressed else '')
    response.headers['Vary'] = 'Accept-Encoding'
    # Browsers ask each time, so that an upgrade shows at once.
    response.headers['Cache-Control'] = 'no-cache'
    return response
