"""A Keystone over HTTP that knows few users, and notes what it is asked."""
import json

import webob

from tests.fakes import identity

PROJECT, OTHER_PROJECT = 'a' * 32, 'b' * 32
USER, PASSWORD, USER_ID = 'anna', 'secret', 'anna-id'
TOKEN, SERVICE_TOKEN = 'token-of-anna', 'token-of-the-service'
ACCESS = 'access-key'
DOMAIN = {'id': 'default', 'name': 'Default'}
REGION = 'here'
SERVICE_USER = 'heat'
#: Passwords that no tenant may ever see.
ADMIN_PASSWORD, TRUSTEE_PASSWORD = 'of-the-administrator', 'of-the-trustee'


class Keystone:
    """Answers at /v3, while it is served.

    :ivar asked: [(method, path, body)] of all requests.
    """

    def __init__(self):
        self.url = None
        self.asked = []

    def served(self):
        """Return what answers during a with block, and gives the URL."""
        return identity.listening(self)

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        self.asked.append((request.method, request.path_info,
                           request.body.decode()))
        return self._answer(request)(environ, start_response)

    def _answer(self, request):
        path = request.path_info.rstrip('/')
        version = {'id': 'v3.14', 'status': 'stable', 'links': [
            {'rel': 'self', 'href': request.host_url + '/v3/'}]}
        if path == '':
            return webob.Response(status=300, json={
                'versions': {'values': [version]}})
        if path == '/v3':
            return webob.Response(json={'version': version})
        if path == '/v3/auth/tokens' and request.method == 'POST':
            return self._authenticated(request)
        if path == '/v3/auth/tokens':
            token = request.headers.get('X-Subject-Token')
            if token != TOKEN:
                return _refused(404)
            return _token(request, TOKEN, PROJECT, USER_ID)
        if path == '/v3/ec2tokens':
            asked = json.loads(request.body)['ec2Credentials']
            if asked['access'] != ACCESS:
                return _refused(401)
            return _token(request, TOKEN, PROJECT, USER_ID)
        if path.startswith('/v3/OS-TRUST/trusts'):
            return _trusted(request)
        if path == '/v3/projects':
            return webob.Response(status=201, json={'project': {
                'id': 'project-of-a-stack', 'domain_id': 'heat',
                'name': 'x', 'enabled': True}})
        return _refused(404)

    def _authenticated(self, request):
        auth = json.loads(request.body)['auth']
        password = auth['identity'].get('password', {}).get('user', {})
        scope = auth.get('scope', {})
        if password.get('password') in (ADMIN_PASSWORD, TRUSTEE_PASSWORD):
            return _token(request, SERVICE_TOKEN, 'service', 'service-id')
        project = scope.get('project', {}).get('id')
        known = (password.get('password') == PASSWORD and
                 (password.get('id') == USER_ID or
                  (password.get('name') == USER and
                   password.get('domain', {}).get('id') == 'default')))
        known = known or auth['identity'].get(
            'token', {}).get('id') == TOKEN
        if not known or project not in (None, PROJECT):
            return _refused(401)
        return _token(request, TOKEN, PROJECT, USER_ID)


def _trusted(request):
    """Answer what is asked about trusts."""
    if request.method == 'DELETE':
        return webob.Response(status=204)
    return webob.Response(status=201, json={'trust': {
        'id': 'trust', 'trustor_user_id': USER_ID,
        'trustee_user_id': 'service-id', 'project_id': PROJECT,
        'impersonation': True, 'roles': [{'id': 'm', 'name': 'member'}]}})


def _refused(status):
    return webob.Response(status=status, json={'error': {
        'code': status, 'title': 'No', 'message': 'No.'}})


def _token(request, token, project, user_id):
    """Return the answer with a token of a member of a project."""
    endpoints = [{'id': interface, 'interface': interface, 'region': REGION,
                  'region_id': REGION, 'url': request.host_url + '/v3'}
                 for interface in ('public', 'internal', 'admin')]
    return webob.Response(
        status=200 if request.method == 'GET' else 201,
        headers=[('X-Subject-Token', token)],
        json={'token': {
            'methods': ['password'],
            'user': {'id': user_id, 'name': USER, 'domain': DOMAIN},
            'project': {'id': project, 'name': 'garden', 'domain': DOMAIN},
            'issued_at': '2026-01-01T00:00:00.000000Z',
            'expires_at': '2099-01-01T00:00:00.000000Z',
            'roles': [{'id': 'm', 'name': 'member'}],
            'catalog': [{'type': 'identity', 'id': 'k', 'name': 'keystone',
                         'endpoints': endpoints}]}})


class Attacker:
    """A server of a tenant; it must never be asked anything."""

    def __init__(self):
        self.asked = []

    def served(self):
        """Return what answers during a with block, and gives the URL."""
        return identity.listening(self)

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        self.asked.append((request.method, request.url,
                           dict(request.headers), request.body))
        return _refused(401)(environ, start_response)
