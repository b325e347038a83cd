"""The options that the console reads, and a Keystone over HTTP."""
import json
from wsgiref import simple_server

# Declares the options of [keystone_authtoken] when it is imported.
import keystonemiddleware.auth_token  # noqa: F401
from oslo_config import cfg
import pytest
import webob

from heat.common import config
from tests import serving


class _Quiet(simple_server.WSGIRequestHandler):
    def log_message(self, *_arguments):
        """Say nothing on the terminal."""


class Keystone:
    """Knows bob's password, and remembers which tokens were revoked."""

    def __init__(self):
        self.revoked = []
        self.asked = []

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        if (request.method, request.path_info) == (
                'DELETE', '/v3/auth/tokens'):
            self.revoked.append(request.headers['X-Subject-Token'])
            response = webob.Response(status=204)
        elif request.method == 'POST':
            response = self._log_in(json.loads(request.body)['auth'])
        else:
            response = webob.Response(status=404)
        return response(environ, start_response)

    def _log_in(self, auth):
        self.asked.append(auth)
        identity = auth['identity']
        if identity['methods'] == ['application_credential']:
            is_right = identity['application_credential'] == {
                'id': 'ac', 'secret': 'right'}
        else:
            is_right = identity['password']['user']['password'] == 'right'
        if not is_right:
            return webob.Response(status=401, json={'error': {
                'code': 401, 'title': 'Unauthorized', 'message': 'no'}})
        domain = {'id': 'default', 'name': 'Default'}
        response = webob.Response(status=201, json={'token': {
            'methods': identity['methods'],
            'user': {'id': 'b', 'name': 'bob', 'domain': domain},
            'project': {'id': 'p1', 'name': 'shop', 'domain': domain},
            'issued_at': '2026-01-01T00:00:00.000000Z',
            'expires_at': '2099-01-01T00:00:00.000000Z',
            'roles': [], 'catalog': []}})
        response.headers['X-Subject-Token'] = 'the-secret-token'
        return response


@pytest.fixture(autouse=True)
def _options():
    config.register_opts()
    cfg.CONF.set_override('auth_encryption_key', 'k' * 32)
    yield
    cfg.CONF.clear_override('auth_encryption_key')


@pytest.fixture
def keystone():
    """Return a Keystone that the options name."""
    own = Keystone()
    server = simple_server.make_server('127.0.0.1', 0, own,
                                       handler_class=_Quiet)
    cfg.CONF.set_override('www_authenticate_uri',
                          f'http://127.0.0.1:{server.server_port}/v3',
                          'keystone_authtoken')
    with serving.serving(server, 0.05):
        yield own
    cfg.CONF.clear_override('www_authenticate_uri', 'keystone_authtoken')
