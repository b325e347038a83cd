"""Signed requests become requests of the user whose key signed them."""
import contextlib
import json
import threading
from wsgiref import simple_server

from botocore import auth as boto_auth
from botocore import awsrequest
from botocore import credentials as boto_credentials
from keystoneauth1 import loading
from oslo_config import cfg
import pytest
import webob

from heat.api.aws import ec2token

TOKEN = {'token': {
    'user': {'id': 'anna-id', 'name': 'anna', 'domain': {'id': 'default'}},
    'project': {'id': 'p1', 'name': 'garden', 'domain': {'id': 'default'}},
    'roles': [{'id': '1', 'name': 'member'}, {'id': '2', 'name': 'reader'}]}}


class Keystone:
    """Knows access keys; notes what it is asked."""

    def __init__(self):
        self.known = {'key'}
        self.asked = []
        self.failure = None

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        asked = json.loads(request.body)['ec2Credentials']
        self.asked.append((request.path, asked))
        if self.failure is not None:
            status, text = self.failure
            response = webob.Response(status=status, json={
                'error': {'code': status, 'message': text, 'title': 'No'}})
        elif asked['access'] not in self.known:
            response = webob.Response(status=401, json={'error': {
                'code': 401, 'message': 'EC2 access key not found.'}})
        else:
            response = webob.Response(json=TOKEN)
            response.headers['X-Subject-Token'] = 'tok'
        return response(environ, start_response)


class _Quiet(simple_server.WSGIRequestHandler):
    def log_message(self, *_arguments):
        """Say nothing on the terminal."""


@contextlib.contextmanager
def listening(application):
    server = simple_server.make_server('127.0.0.1', 0, application,
                                       handler_class=_Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield 'http://127.0.0.1:%d' % server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def keystone():
    """Return the Keystone that the filter is configured to ask."""
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    keystone = Keystone()
    with listening(keystone) as url:
        ec2token.register_groups()
        cfg.CONF.set_override('endpoint_override', url,
                              group=ec2token.GROUP)
        yield keystone
        cfg.CONF.clear_override('endpoint_override', group=ec2token.GROUP)


def identity(request):
    """Answer with the headers that the context would be made of."""
    headers = webob.Request(request).headers
    names = ('X-User-Id', 'X-Project-Id', 'X-Roles', 'X-Auth-Token')
    return webob.Response(json={name: headers.get(name) for name in names})


def ask(path='/v1/', **kwargs):
    def application(environ, start_response):
        return identity(environ)(environ, start_response)

    request = webob.Request.blank(path, **kwargs)
    return request.get_response(ec2token.EC2Token(application))


def query(**params):
    return '/v1/?' + '&'.join('='.join(pair) for pair in params.items())


SIGNED = query(Action='ListStacks', AWSAccessKeyId='key', Signature='sig',
               SignatureVersion='2')


def test_identity_is_that_of_the_key(keystone):
    assert ask(SIGNED, headers={'X-Roles': 'admin'}).json == {
        'X-User-Id': 'anna-id', 'X-Project-Id': 'p1',
        'X-Roles': 'member,reader', 'X-Auth-Token': 'tok'}
    (path, asked), = keystone.asked
    assert path == '/v3/ec2tokens'
    assert asked['signature'] == 'sig'
    assert asked['params'] == {'Action': 'ListStacks',
                               'AWSAccessKeyId': 'key',
                               'SignatureVersion': '2'}
    assert (asked['verb'], asked['path']) == ('GET', '/v1/')


def test_path_is_checked_as_it_was_meant(keystone):
    ask('/v1/signal/arn%3Aopenstack%3Aheat%3A%3Ap%3Astacks%2Fa%2Fb'
        '?AWSAccessKeyId=key&Signature=s', method='POST', body=b'{}')
    assert keystone.asked[0][1]['path'] == (
        '/v1/signal/arn:openstack:heat::p:stacks/a/b')


def test_version_4_is_read_from_the_header(keystone):
    signed = awsrequest.AWSRequest(
        'POST', 'http://localhost/v1/', data='Action=ListStacks',
        headers={'Content-Type': 'application/x-www-form-urlencoded'})
    boto_auth.SigV4Auth(boto_credentials.Credentials('key', 'secret'),
                        'cloudformation', 'here').add_auth(signed)
    headers = {name: value.decode() if isinstance(value, bytes) else value
               for name, value in signed.headers.items()}
    assert ask('/v1/', method='POST', body=b'Action=ListStacks',
               headers=headers).status_int == 200
    asked = keystone.asked[0][1]
    assert asked['access'] == 'key'
    assert asked['signature'] in headers['Authorization']
    assert asked['params'] == {}
    assert asked['headers']['X-Amz-Date'] == headers['X-Amz-Date']
    assert len(asked['body_hash']) == 64


@pytest.mark.parametrize(('path', 'status', 'code'), [
    ('/v1/?Action=ListStacks', 403, 'MissingAuthenticationToken'),
    (query(AWSAccessKeyId='key'), 400, 'IncompleteSignature'),
    (query(AWSAccessKeyId='other', Signature='s'), 403,
     'InvalidClientTokenId'),
    ('/v1/?Action=%ff', 400, 'InvalidParameterValue'),
])
def test_bad_credentials_are_refused(keystone, path, status, code):
    response = ask(path)
    assert response.status_int == status
    assert f'<Code>{code}</Code>' in response.text


@pytest.mark.parametrize(('failure', 'status', 'code'), [
    ((401, 'EC2 signature not supplied.'), 403, 'SignatureDoesNotMatch'),
    ((401, 'Invalid EC2 signature.'), 403, 'SignatureDoesNotMatch'),
    ((403, 'No.'), 403, 'AccessDenied'),
    ((500, 'http://10.0.0.1 is broken'), 503, 'ServiceUnavailable'),
])
def test_answers_of_keystone_are_translated(keystone, failure, status, code):
    keystone.failure = failure
    response = ask(SIGNED)
    assert response.status_int == status
    assert f'<Code>{code}</Code>' in response.text
    assert '10.0.0.1' not in response.text


def test_request_with_a_token_goes_on_without_an_identity(keystone):
    found = ask('/v1/', headers={'X-Auth-Token': 't', 'X-Roles': 'admin',
                                 'X-Project-Id': 'p'}).json
    assert found == {'X-Auth-Token': 't', 'X-Roles': None,
                     'X-Project-Id': None, 'X-User-Id': None}
    assert not keystone.asked


def test_each_cloud_is_asked_in_turn(keystone):
    other = Keystone()
    with listening(other) as url:
        cfg.CONF.set_override('multi_cloud', True, group=ec2token.GROUP)
        cfg.CONF.set_override('clouds', ['a', 'b'], group=ec2token.GROUP)
        first, second = ec2token.register_groups()
        cfg.CONF.set_override('endpoint_override', url, group=first)
        cfg.CONF.set_override(
            'endpoint_override', cfg.CONF.ec2authtoken.endpoint_override,
            group=second)
        other.known = set()
        try:
            assert ask(SIGNED).json['X-User-Id'] == 'anna-id'
        finally:
            for name in ('multi_cloud', 'clouds'):
                cfg.CONF.clear_override(name, group=ec2token.GROUP)
    assert len(other.asked) == len(keystone.asked) == 1


@pytest.mark.parametrize('kind', ['password', 'v3password'])
def test_service_proves_who_it_is(kind):
    # Options of one plugin are known from the start, with the same names.
    conf = cfg.ConfigOpts()
    conf([])
    loading.register_auth_conf_options(conf, ec2token.GROUP)
    conf.register_opts(loading.get_auth_plugin_conf_options('v3password'),
                       group=ec2token.GROUP)
    for name, value in (('auth_type', kind), ('project_id', 'service'),
                        ('auth_url', 'http://keystone/v3')):
        conf.set_override(name, value, group=ec2token.GROUP)
    auth = ec2token._configured_auth(ec2token.GROUP, conf)
    assert auth.auth_url == 'http://keystone/v3'
    assert (getattr(auth, 'project_id', None) or
            auth._project_id) == 'service'
