"""Pre-signed URLs allow one method on one resource, as they were made."""
import datetime
import json
from urllib import parse

import pytest
import webob

from heat.common import ec2_signature
from heat.engine import stack as stack_module
from tests.fakes import stack as fake_stack
from tests.functional import rest
from tests.functional.templates import hot
from tests.security import keystone as keystone_module

HANDLE = {'type': 'AWS::CloudFormation::WaitConditionHandle'}
TEMPLATE = hot({
    'one': HANDLE, 'two': HANDLE, 'thing': {'type': 'Test::Thing'},
    'config': {'type': 'OS::Heat::SoftwareConfig', 'properties': {
        'config': 'echo'}},
    'deployment': {'type': 'OS::Heat::SoftwareDeployment', 'properties': {
        'config': {'get_resource': 'config'}, 'server': 'x',
        'signal_transport': 'CFN_SIGNAL'}}},
    outputs={name: {'value': {'get_resource': name}}
             for name in ('one', 'two')})
DATA = {'Status': 'SUCCESS', 'UniqueId': 'u', 'Data': 'd', 'Reason': 'r'}


class Signed:
    """The parts of a signed URL, to be put together in another way."""

    def __init__(self, url, method):
        parts = parse.urlsplit(url)
        self.method, self.host = method, parts.netloc
        self.path = parts.path
        self.params = dict(parse.parse_qsl(parts.query))

    def url(self, **changed):
        """Return the path with parameters; None drops one."""
        params = {**self.params, **changed}
        return self.path + '?' + parse.urlencode(
            {name: value for name, value in params.items()
             if value is not None})


@pytest.fixture(scope='module')
def stack(victim):
    made = victim.api.create('signed', TEMPLATE)

    def is_offered():
        return victim.api.get('software_deployments', server_id='x')[
            'software_deployments']
    rest.wait_for(is_offered, 'the deployment')
    rest.wait_for(lambda: made.states().get('two') == 'CREATE_COMPLETE',
                  'the handles')
    return made


@pytest.fixture(scope='module')
def other(victim):
    """Return another stack of the project that has the same resources."""
    return victim.api.created('other', hot({
        'one': HANDLE, 'deployment': HANDLE}))


def loaded(stack, victim):
    return stack_module.Stack.load(
        fake_stack.context(project_id=victim.id), stack_id=stack.id)


def url_of(stack, victim, name):
    return loaded(stack, victim)[name].data()['ec2_signed_url']


@pytest.fixture
def put(stack, victim):
    """Return the URL that takes the data of a wait condition."""
    return Signed(url_of(stack, victim, 'one'), 'PUT')


@pytest.fixture
def post(stack, victim):
    """Return the URL that takes the signal of a deployment."""
    return Signed(url_of(stack, victim, 'deployment'), 'POST')


@pytest.fixture
def send(world):
    """Return a function that sends a request to the cfn API."""
    def send(method, path, body=DATA, host='cfn.test:8000', **headers):
        request = webob.Request.blank(path, base_url=f'http://{host}',
                                      headers=headers)
        request.method = method
        request.body = json.dumps(body).encode()
        request.content_type = ''
        return world.send_cfn(request)
    return send


def signals(stack, victim, name):
    """Return what has come to a resource."""
    return loaded(stack, victim)[name].metadata_get()


@pytest.fixture
def nothing_comes(stack, victim):
    """See that a test changes no resource."""
    def state():
        now = loaded(stack, victim)
        return ([dict(now[name].metadata_get()) for name in (
            'one', 'two', 'thing')], [
            (each['status'], each['output_values']) for each in
            victim.api.get('software_deployments', server_id='x')[
                'software_deployments']],
            len(stack.get('events')['events']))
    before = state()
    yield
    assert state() == before


def test_as_it_was_made(send, put, stack, victim):
    answer = send('PUT', put.url())
    assert answer.status == 200, answer
    assert signals(stack, victim, 'one')['u']['Data'] == 'd'
    assert signals(stack, victim, 'two') == {}


def refused(answer):
    assert answer.status in (400, 403, 404, 405), answer
    assert 'UniqueId' not in answer.text


def changes_of(params):
    """Yield sets of parameters that differ from what was signed."""
    for name, value in params.items():
        yield {name: None}
        yield {name: ''}
        yield {name: value + 'x'}
        yield {name: value[:-1]}
        yield {name: value.swapcase()}
        yield {name: ' ' + value}
    yield {'More': 'x'}
    yield {'AWSAccessKeyId': '../' + params['AWSAccessKeyId']}
    yield {'SignatureVersion': '0'}
    yield {'SignatureVersion': '1'}
    yield {'SignatureVersion': '4'}
    yield {'SignatureMethod': 'HmacSHA1'}
    yield {'SignatureMethod': 'none'}
    yield {'Signature': params['Signature'][:10]}
    yield {'Signature': params['Signature'].rstrip('=')}
    yield {'Signature': '='}
    yield {'Signature': 'é'}
    yield {'Timestamp': '2099-01-01T00:00:00Z'}
    yield {'Expires': '2099-01-01T00:00:00Z'}
    yield {'X-Amz-Credential': params['AWSAccessKeyId'],
           'X-Amz-Signature': params['Signature'], 'Signature': None,
           'AWSAccessKeyId': None}
    yield {'X-Auth-Token': 'x', 'Action': 'ListStacks'}


@pytest.mark.parametrize('kind', ['put', 'post'])
def test_every_parameter(request, send, nothing_comes, kind):
    signed = request.getfixturevalue(kind)
    for changed in changes_of(signed.params):
        if all(signed.params.get(name) == value
               for name, value in changed.items()):
            continue
        refused(send(signed.method, signed.url(**changed)))
    refused(send(signed.method, signed.path))


@pytest.mark.parametrize('kind', ['put', 'post'])
def test_parameters_twice(request, send, nothing_comes, kind):
    """Neither of two values can stand in for the signed one unseen."""
    signed = request.getfixturevalue(kind)
    for name in signed.params:
        for value in ('x', '', signed.params[name]):
            more = parse.urlencode({name: value})
            base = signed.url()
            for url in (f'{base}&{more}', base.replace('?', f'?{more}&')):
                refused(send(signed.method, url))


@pytest.mark.parametrize('method', ['GET', 'POST', 'DELETE', 'PATCH',
                                    'HEAD', 'put'])
def test_other_methods(send, put, nothing_comes, method):
    answer = send(method, put.url())
    assert answer.status in (400, 403, 404, 405), answer


def test_method_override(send, put, post, nothing_comes):
    for name in ('X-HTTP-Method-Override', 'X-Method-Override'):
        refused(send('POST', put.url(), **{name: 'PUT'}))
        refused(send('PUT', post.url(), **{name: 'POST'}))


def other_paths(signed, stack, other):
    """Return paths that the signature was not made for."""
    path = parse.unquote(signed.path)
    name = path.rpartition('/')[2]
    changed = {
        'other resource': path.replace(f'/{name}', '/two'),
        'resource without a user': path.replace(f'/{name}', '/thing'),
        'upper case': path.replace(f'/{name}', f'/{name.upper()}'),
        'slash at the end': path + '/', 'blank': path + ' ',
        'up': path.replace('/v1/', '/v1/../v1/'),
        'up in the name': path.replace(':stacks/', ':stacks/../stacks/'),
        'two names': path + '/two', 'no name': path.rpartition('/')[0],
        'id in upper case': path.replace(stack.id, stack.id.upper()),
        'other stack': path.replace(stack.id, other.id),
        'other name': path.replace('/signed/', f'/{other.name}/'),
        'other stack and name': path.replace(stack.id, other.id).replace(
            '/signed/', f'/{other.name}/'),
        'action': path.replace('/waitcondition/', '/signal/') if (
            '/waitcondition/' in path) else path.replace(
                '/signal/', '/waitcondition/'),
        'version': path.replace('/v1/', '/v2/'),
        'version twice': path.replace('/v1/', '/v1/v1/'),
        'slashes': path.replace(':stacks/', ':stacks//'),
    }
    found = {way: parse.quote(each, ':/') for way, each in changed.items()}
    found['encoded twice'] = parse.quote(signed.path)
    return found


@pytest.mark.parametrize('kind', ['put', 'post'])
def test_other_paths(request, send, stack, other, nothing_comes, kind):
    signed = request.getfixturevalue(kind)
    query = parse.urlencode(signed.params)
    for way, path in other_paths(signed, stack, other).items():
        for method in ('PUT', 'POST'):
            answer = send(method, f'{path}?{query}')
            # What is no version is answered by those that there are.
            assert answer.status in (300, 400, 403, 404, 405), (way, answer)


def test_other_host(send, put, nothing_comes):
    for host in ('cfn.test:8001', 'cfn.test', 'evil.test:8000'):
        refused(send('PUT', put.url(), host=host))


def signed_again(world, signed, **changed):
    """Return the URL with a right signature over changed parameters."""
    params = {**signed.params, **changed}
    params.pop('Signature')
    _user, key = world.keystone.keys[params['AWSAccessKeyId']]
    params['Signature'] = ec2_signature.sign_v2(key.secret, {
        'host': signed.host, 'verb': signed.method,
        'path': parse.unquote(signed.path), 'params': params})
    return signed.path + '?' + parse.urlencode(params)


def test_expired(world, send, put, nothing_comes):
    """It is Keystone that decides for how long a signature is good."""
    then = datetime.datetime.now(datetime.UTC) - datetime.timedelta(
        seconds=keystone_module.SIGNATURE_LIFETIME + 60)
    old = then.strftime('%Y-%m-%dT%H:%M:%SZ')
    refused(send('PUT', signed_again(world, put, Timestamp=old)))


def test_key_of_another_resource(world, send, put, stack, victim,
                                 nothing_comes):
    """A right signature by a key that is not the resource's."""
    other = Signed(url_of(stack, victim, 'two'), 'PUT')
    refused(send('PUT', signed_again(
        world, put, AWSAccessKeyId=other.params['AWSAccessKeyId'])))


@pytest.mark.parametrize('who', ['member', 'admin', 'stack user'])
def test_key_of_another_project(world, attacker, send, put, post,
                                nothing_comes, who):
    key = world.keystone.add_key(attacker.users[who])
    for signed in (put, post):
        refused(send(signed.method, signed_again(
            world, signed, AWSAccessKeyId=key.access)))


def test_token_of_another_project(attacker, treasure, send, put, post,
                                  nothing_comes):
    """A token instead of a signature opens nothing foreign either."""
    for who in ('member', 'admin', 'stack user'):
        for signed in (put, post):
            for url in (signed.path, signed.url()):
                answer = send(signed.method, url, **{
                    'X-Auth-Token': attacker.tokens[who]})
                refused(answer)


def test_after_the_resource_is_gone(world, victim, send):
    stack = victim.api.created('gone', hot({'one': HANDLE}))
    signed = Signed(url_of(stack, victim, 'one'), 'PUT')
    stack.deleted()
    refused(send('PUT', signed.url()))


def test_signature_is_no_login(world, put, send, nothing_comes):
    """What signs a signal is good for no action and no other API."""
    for path in ('/v1/', '/v1'):
        for action in ('ListStacks', 'DescribeStacks', 'GetTemplate',
                       'DeleteStack'):
            answer = send('GET', '%s?%s' % (path, parse.urlencode({
                **put.params, 'Action': action, 'StackName': 'signed'})))
            refused(answer)
    client = rest.Client(world.rest, 'p')
    assert client.request('GET', '/v1/p/stacks?' + parse.urlencode(
        put.params)).status == 401
