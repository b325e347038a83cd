"""Signed requests become requests of the user whose key signed them."""
import contextlib
import json
from wsgiref import simple_server

from botocore import auth as boto_auth
from botocore import awsrequest
from botocore import credentials as boto_credentials
from keystoneauth1 import loading
from oslo_config import cfg
import pytest
import webob

from heat.api.aws import ec2token
from heat.common import identity_headers
from tests import serving

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
    with serving.serving(server):
        yield 'http://127.0.0.1:%d' % server.server_port


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
        '?AWSAccessKeyId=key&Signature=s&SignatureVersion=2',
        method='POST', body=b'{}')
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
    (query(AWSAccessKeyId='other', Signature='s', SignatureVersion='2'), 403,
     'InvalidClientTokenId'),
    ('/v1/?Action=%ff', 400, 'InvalidParameterValue'),
])
def test_bad_credentials_are_refused(keystone, path, status, code):
    response = ask(path)
    assert response.status_int == status
    assert f'<Code>{code}</Code>' in response.text


@pytest.mark.parametrize(('changes', 'status', 'code'), [
    ({'SignatureVersion': '0'}, 400, 'InvalidParameterValue'),
    ({'SignatureVersion': '3'}, 400, 'InvalidParameterValue'),
    ({'SignatureVersion': '4'}, 400, 'InvalidParameterValue'),
    ({'SignatureVersion': 'x'}, 400, 'InvalidParameterValue'),
    ({'SignatureVersion': ''}, 400, 'InvalidParameterValue'),
    ({'SignatureVersion': None}, 400, 'MissingParameter'),
    ({'SignatureMethod': 'HmacMD5'}, 400, 'InvalidParameterValue'),
    ({'X-Amz-Algorithm': 'x'}, 400, 'InvalidParameterCombination'),
])
def test_malformed_signatures_are_not_asked_about(keystone, changes, status,
                                                  code):
    params = {'AWSAccessKeyId': 'key', 'Signature': 's',
              'SignatureVersion': '2', **changes}
    response = ask(query(**{name: value for name, value in params.items()
                            if value is not None}))
    assert response.status_int == status
    assert f'<Code>{code}</Code>' in response.text
    assert not keystone.asked


CREDENTIAL = 'key/20261123/here/cloudformation/aws4_request'
HEADER = (f'AWS4-HMAC-SHA256 Credential={CREDENTIAL}, '
          'SignedHeaders=host;x-amz-date, Signature=abc')
DATE = '20261123T101112Z'


@pytest.mark.parametrize(('header', 'date', 'status'), [
    (HEADER, DATE, 200),
    (HEADER.replace(', ', ','), DATE, 200),
    (HEADER, None, 400), (HEADER, 'yesterday', 400),
    (HEADER, '20261124T101112Z', 403),
    (HEADER.replace('/20261123', ''), DATE, 400),
    (HEADER.replace('/aws4_request', ''), DATE, 400),
    (HEADER.replace('SignedHeaders', 'Signed'), DATE, 400),
    (HEADER.replace('SHA256', 'SHA2560'), DATE, 400),
    (HEADER.replace('SHA256', 'SHA1'), DATE, 400),
    (HEADER.replace('abc', ''), DATE, 400),
    ('Basic eDp5', DATE, 403),
])
def test_form_of_version_4_in_the_header(keystone, header, date, status):
    headers = {'Authorization': header}
    if date is not None:
        headers['X-Amz-Date'] = date
    response = ask('/v1/', headers=headers)
    assert response.status_int == status, response.text
    assert bool(keystone.asked) == (status == 200)


@pytest.mark.parametrize(('changes', 'status'), [
    ({}, 200), ({'X-Amz-Expires': None}, 200),
    ({'X-Amz-Algorithm': None}, 400), ({'X-Amz-Algorithm': 'x'}, 400),
    ({'X-Amz-Credential': 'key'}, 400), ({'X-Amz-Date': None}, 400),
    ({'X-Amz-Date': 'x'}, 400), ({'X-Amz-Date': '20200101T000000Z'}, 403),
    ({'X-Amz-SignedHeaders': None}, 400), ({'X-Amz-Signature': None}, 400),
    ({'SignatureVersion': '0'}, 400),
])
def test_form_of_version_4_in_the_query(keystone, changes, status):
    params = {'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
              'X-Amz-Credential': CREDENTIAL, 'X-Amz-Date': DATE,
              'X-Amz-SignedHeaders': 'host', 'X-Amz-Expires': '60',
              'X-Amz-Signature': 'abc', **changes}
    response = ask(
        query(**{name: value for name, value in params.items()
                 if value is not None}),
        # It belongs to something else, and Keystone fails on it.
        headers={'Authorization': 'Basic eDp5'})
    assert response.status_int == status, response.text
    assert bool(keystone.asked) == (status == 200)
    if keystone.asked:
        assert 'Authorization' not in keystone.asked[0][1]['headers']


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


def check(url, token, clouds):
    """Have a token checked; return the identity, or the status."""
    request = webob.Request.blank('/v1/', headers={
        'X-Auth-Token': token, **({'X-Auth-Url': url} if url else {})})
    request.get_response(ec2token.EC2Token(
        lambda environ, start_response:
        webob.Response()(environ, start_response), clouds=clouds))
    refusal = request.environ[identity_headers.TOKEN_CHECK](request)
    return (refusal.status_int if refusal is not None else
            request.environ[identity_headers.AUTH_URL])


class Cloud:
    """A Keystone that knows one token."""

    def __init__(self, name):
        self.auth_url = f'http://{name}/v3'
        self.shown = []

    def checked(self, token):
        self.shown.append(token)
        return ec2token.Token(token, TOKEN)


def test_token_is_shown_to_its_own_keystone_alone():
    one, two = Cloud('one'), Cloud('two')
    assert check(None, 't', [one]) == 'http://one/v3'
    assert check('http://far/v3', 't', [one]) == 'http://one/v3'
    assert check('http://two/v3/', 't', [one, two]) == 'http://two/v3'
    assert check('http://far/v3', 't', [one, two]) == 403
    assert check(None, 't', [one, two]) == 403
    assert (one.shown, two.shown) == (['t', 't'], ['t'])


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
