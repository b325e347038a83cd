"""An identity service and a network service over HTTP, with state.

Tokens and trusts are checked, so that what is revoked is of no use.
"""
import contextlib
import json
import re
import socketserver
import uuid
from wsgiref import simple_server

import webob

from tests import serving

PROJECT, USER, PASSWORD = 'p' * 32, 'u' * 32, 'password-of-the-user'
SERVICE_USER, SERVICE_PASSWORD = 's' * 32, 'password-of-the-service'
_DOMAIN = {'id': 'default', 'name': 'Default'}
_ROLES = [{'id': name, 'name': name} for name in (
    'admin', 'member', 'reader')]
_ONE = re.compile(r'/v2\.0/networks/(?P<id>[^/]+)(?P<rest>/.*)?')


class _Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class _Quiet(simple_server.WSGIRequestHandler):
    def log_message(self, *_arguments):
        """Say nothing on the terminal."""


@contextlib.contextmanager
def listening(application):
    """Serve an application with a thread for each connection; give its port.

    An application that waits does not keep others from being answered.
    """
    server = simple_server.make_server('127.0.0.1', 0, application, _Server,
                                       _Quiet)
    with serving.serving(server, 0.05):
        yield server.server_port


def _answer(body, status=200, **headers):
    return webob.Response(status=status, json=body, headers=[
        (name.replace('_', '-'), value) for name, value in headers.items()])


def _refuse(status):
    return _answer({'error': {'code': status, 'title': 'No',
                              'message': 'No.'}}, status)


class Keystone:
    """Users, their tokens, and trusts.

    :ivar urls: {service type: URL} of the catalogue
    :ivar trusts: {id: whether it is good}
    """

    def __init__(self):
        self.urls = {}
        self.trusts = {}
        self._tokens = {}

    def token(self):
        """Return a token of the user."""
        return self._issue(USER, PROJECT)[0]

    @contextlib.contextmanager
    def revoked(self):
        """Refuse all trusts, and their tokens, during the context."""
        known = list(self.trusts)
        self.trusts.update(dict.fromkeys(known, False))
        try:
            yield
        finally:
            self.trusts.update((trust, True) for trust in known
                               if trust in self.trusts)

    def is_good(self, token):
        """Return whether a token is good."""
        body = self._tokens.get(token)
        return body is not None and self.trusts.get(
            body.get('OS-TRUST:trust', {}).get('id'), True)

    def _issue(self, user, project, trust=None):
        token = uuid.uuid4().hex
        body = {'methods': ['password'],
                'user': {'id': user, 'name': user[0], 'domain': _DOMAIN},
                'project': {'id': project, 'name': project[0],
                            'domain': _DOMAIN},
                'issued_at': '2026-01-01T00:00:00.000000Z',
                'expires_at': '2099-01-01T00:00:00.000000Z',
                'roles': _ROLES, 'catalog': [
                    {'type': kind, 'id': kind, 'name': kind, 'endpoints': [
                        {'id': f'{kind}-{interface}', 'url': url,
                         'interface': interface, 'region': 'here',
                         'region_id': 'here'}
                        for interface in ('public', 'internal', 'admin')]}
                    for kind, url in self.urls.items()]}
        if trust:
            body['OS-TRUST:trust'] = {
                'id': trust, 'impersonation': True,
                'trustor_user': {'id': USER},
                'trustee_user': {'id': SERVICE_USER}}
        self._tokens[token] = body
        return token, body

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        return self._respond(request)(environ, start_response)

    def _respond(self, request):
        path, method = request.path_info.rstrip('/'), request.method
        version = {'id': 'v3.14', 'status': 'stable', 'links': [
            {'rel': 'self', 'href': self.urls['identity'] + '/'}]}
        if not path:
            return _answer({'versions': {'values': [version]}}, 300)
        if path == '/v3':
            return _answer({'version': version})
        if path == '/v3/auth/tokens' and method == 'POST':
            return self._authenticate(request.json['auth'])
        if path == '/v3/auth/tokens':
            token = request.headers.get('X-Subject-Token')
            return _answer({'token': self._tokens[token]},
                           X_Subject_Token=token) if (
                self.is_good(token)) else _refuse(404)
        if path.startswith('/v3/OS-TRUST/trusts'):
            return self._trust(request, path)
        return _refuse(404)

    def _authenticate(self, asked):
        user = asked['identity'].get('password', {}).get('user', {})
        trust = asked.get('scope', {}).get('OS-TRUST:trust', {}).get('id')
        if user.get('password') != SERVICE_PASSWORD:
            return _refuse(401)
        if trust is None:
            token, body = self._issue(SERVICE_USER, 'service')
        elif self.trusts.get(trust):
            token, body = self._issue(USER, PROJECT, trust)
        else:
            return _refuse(401)
        return _answer({'token': body}, 201, X_Subject_Token=token)

    def _trust(self, request, path):
        if not self.is_good(request.headers.get('X-Auth-Token')):
            return _refuse(401)
        if request.method == 'POST':
            trust = uuid.uuid4().hex
            self.trusts[trust] = True
            return _answer({'trust': {
                **request.json['trust'], 'id': trust}}, 201)
        found = self.trusts.pop(path.rpartition('/')[2], None)
        return webob.Response(status=404 if found is None else 204)


class Neutron:
    """Networks that users with a good token keep.

    :ivar networks: {id: attributes}
    :ivar trouble: a status that all requests are answered with; a function
        that waits and returns one; or None
    """

    def __init__(self, keystone):
        self.networks = {}
        self.trouble = None
        self._keystone = keystone

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        trouble = self.trouble
        if callable(trouble):
            trouble = trouble()
        response = (_refuse(trouble) if isinstance(trouble, int)
                    else self._respond(request))
        return response(environ, start_response)

    def _respond(self, request):
        path, method = request.path_info.rstrip('/'), request.method
        if path in ('', '/v2.0'):
            return _answer({'versions': [{
                'id': 'v2.0', 'status': 'CURRENT', 'links': [
                    {'rel': 'self', 'href': request.host_url + '/v2.0/'}]}]})
        if not self._keystone.is_good(request.headers.get('X-Auth-Token')):
            return _refuse(401)
        if path == '/v2.0/networks':
            if method == 'POST':
                return self._create(request.json['network'])
            return _answer({'networks': [
                each for each in list(self.networks.values())
                if all(str(each.get(key)) == value for key, value in
                       request.GET.items() if key in each)]})
        one = _ONE.fullmatch(path)
        if one is None or one['rest']:
            return _answer({'extensions': []}) if (
                path == '/v2.0/extensions') else _refuse(404)
        return self._one(method, one['id'], request)

    def _create(self, wanted):
        made = {'id': str(uuid.uuid4()), 'status': 'ACTIVE', 'tags': [],
                'subnets': [], 'project_id': PROJECT, 'tenant_id': PROJECT,
                **wanted}
        self.networks[made['id']] = made
        return _answer({'network': made}, 201)

    def _one(self, method, network_id, request):
        if network_id not in self.networks:
            return _refuse(404)
        if method == 'DELETE':
            self.networks.pop(network_id, None)
            return webob.Response(status=204)
        if method == 'PUT':
            self.networks[network_id].update(
                json.loads(request.body)['network'])
        return _answer({'network': self.networks[network_id]})
