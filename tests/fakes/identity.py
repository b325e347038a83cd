"""Keystone and an object store, as far as clients need them, over HTTP.

Every password is right, every token is good: what is real here are the ways
in which clients find out where things are.
"""
import contextlib
import hashlib
import json
import urllib.parse
import uuid
from wsgiref import simple_server

import webob

from tests import serving

USER, PASSWORD = 'anna', 'secret'


class _Quiet(simple_server.WSGIRequestHandler):
    def log_message(self, *_arguments):
        """Say nothing on the terminal."""


@contextlib.contextmanager
def listening(application):
    """Serve an application; give its URL."""
    server = simple_server.make_server('127.0.0.1', 0, application,
                                       handler_class=_Quiet)
    with serving.serving(server, 0.02):
        yield 'http://127.0.0.1:%d' % server.server_port


class Cloud:
    """What answers at one port: /v3 is Keystone, /store keeps objects.

    :param orchestration: URL of the service under test.
    :param projects: {name: id}.
    """

    def __init__(self, orchestration, projects):
        self.url = None
        self.objects = {}
        self._account = {}
        self._orchestration = orchestration
        self._projects = projects

    @contextlib.contextmanager
    def served(self):
        """Answer during a with block."""
        with listening(self) as self.url:
            yield self

    def options(self, project):
        """Return what leads the command line client here."""
        return ('--os-auth-type', 'password', '--os-auth-url',
                f'{self.url}/v3', '--os-username', USER, '--os-password',
                PASSWORD, '--os-project-name', project,
                '--os-user-domain-id', 'default',
                '--os-project-domain-id', 'default')

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        step, _, rest = request.path_info.lstrip('/').partition('/')
        answer = {'v3': self._identity, 'store': self._store,
                  '': self._versions}.get(step, self._nothing)
        return answer(request, rest)(environ, start_response)

    @staticmethod
    def _nothing(_request, _path):
        return webob.Response(status=404)

    def _version(self):
        return {'id': 'v3.14', 'status': 'stable', 'links': [
            {'rel': 'self', 'href': f'{self.url}/v3/'}]}

    def _versions(self, _request, _path):
        return webob.Response(status=300, json={
            'versions': {'values': [self._version()]}})

    # -- Keystone -----------------------------------------------------------

    def _identity(self, request, path):
        if not path:
            return webob.Response(json={'version': self._version()})
        if path == 'auth/tokens' and request.method == 'POST':
            return self._token(json.loads(request.body))
        if path.startswith('domains'):
            domain = {'id': 'default', 'name': 'Default', 'links': {}}
            return webob.Response(json={'domain': domain,
                                        'domains': [domain], 'links': {}})
        if path.startswith('projects'):
            return self._project(request, path.partition('/')[2])
        return webob.Response(status=404)

    def _token(self, body):
        name = body['auth']['scope']['project']['name']
        if name not in self._projects:
            return webob.Response(status=401, json={'error': {
                'code': 401, 'title': 'Unauthorized',
                'message': f'There is no project {name}.'}})
        domain = {'id': 'default', 'name': 'Default'}
        response = webob.Response(status=201, json={'token': {
            'methods': ['password'], 'user': {
                'id': USER, 'name': USER, 'domain': domain},
            'project': {'id': self._projects[name], 'name': name,
                        'domain': domain},
            'issued_at': '2026-01-01T00:00:00.000000Z',
            'expires_at': '2099-01-01T00:00:00.000000Z',
            'roles': [{'id': 'm', 'name': 'member'}],
            'catalog': self._catalog(self._projects[name])}})
        response.headers['X-Subject-Token'] = 'tok'
        return response

    def _catalog(self, project):
        return [{'type': kind, 'id': kind, 'name': kind, 'endpoints': [{
            'id': f'{kind}-{interface}', 'interface': interface,
            'region': 'here', 'region_id': 'here', 'url': url}
            for interface in ('public', 'internal', 'admin')]}
            for kind, url in (
                ('identity', f'{self.url}/v3'),
                ('orchestration', f'{self._orchestration}/v1/{project}'),
                ('object-store', f'{self.url}/store/v1/AUTH_{project}'))]

    def _project(self, request, project):
        found = [{'id': each, 'name': name, 'domain_id': 'default',
                  'enabled': True, 'links': {}}
                 for name, each in self._projects.items()]
        if project:
            [*found] = [each for each in found if each['id'] == project]
            return webob.Response(status=200 if found else 404, json={
                'project': found[0]} if found else {'error': {
                    'code': 404, 'message': 'No such project.'}})
        name = request.GET.get('name')
        return webob.Response(json={'links': {}, 'projects': [
            each for each in found if name in (None, each['name'])]})

    # -- the object store ---------------------------------------------------

    def _store(self, request, path):
        if request.method == 'PUT':
            self.objects[urllib.parse.unquote(path)] = request.body
            return webob.Response(status=201, headers={
                'ETag': hashlib.md5(request.body).hexdigest()})
        if request.method == 'POST':
            self._account.update(
                (key, value) for key, value in request.headers.items()
                if key.lower().startswith('x-account-meta'))
        response = webob.Response(status=204)
        response.headers.update(self._account)
        return response


def projects(*names):
    """Return projects that nobody else uses."""
    return {name: uuid.uuid4().hex for name in names}
