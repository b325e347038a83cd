"""Stacks that another region's orchestration service has."""
import contextlib
import json

import pytest

from tests.acceptance import cloud
from tests.acceptance import deployment as deployment_module
from tests.acceptance import leaks
from tests.acceptance import regions
from tests.acceptance import templates

NET = {'type': 'OS::Neutron::Net'}


@pytest.fixture(scope='module')
def leak_check(project, far, hidden):
    """What there is besides the regions."""
    return leaks.Check(project)


@pytest.fixture(scope='module')
def far(tmp_path_factory, project):
    """Yield a service of another region: (deployment, name)."""
    one = deployment_module.Deployment(
        tmp_path_factory.mktemp('far'), engines=1,
        sections={'DEFAULT': {
            'region_name_for_services': f'{project.tag}-far'}})
    try:
        with regions.region(project, 'far', {
                ('orchestration', 'public'): one.url + '/%(project_id)s',
                ('network', 'public'): regions.url_of(project, 'network'),
                ('identity', 'public'): regions.url_of(project, 'identity'),
                }) as name:
            one.start()
            one.wait_until_up(project.session('admin'), project.project_id)
            yield one, name
    finally:
        one.stop()


def remote(inner, where, **more):
    """Return a template with a stack that is elsewhere."""
    return templates.hot({'remote': {
        'type': 'OS::Heat::Stack', 'properties': {
            'context': where, 'template': json.dumps(inner), **more}}},
        {'remote': templates.attr('remote', 'outputs')})


def inner(**properties):
    return {**templates.hot(
        {'net': {**NET, 'properties': {
            'value_specs': {'description': {'get_param': 'text'}},
            **properties}}},
        {'net': templates.ref('net')}),
        'parameters': {'text': {'type': 'string', 'default': 'none'}}}


def in_far(far, tenant, user='member'):
    """Return the stacks of a user in the other region, and their paths."""
    stacks = far[0].stacks(tenant.session(user), tenant.project_id)
    return stacks, ['/stacks/{stack_name}/{id}'.format(**one)
                    for one in stacks.get('/stacks')['stacks']]


def test_in_another_region(far, stacks, tenant):
    where = {'region_name': far[1]}
    path = stacks.create(f'{tenant.tag}-near', remote(
        inner(), where, parameters={'text': 'one'}))
    there, [distant] = in_far(far, tenant)
    shown = there.show(distant)
    assert shown['id'] == stacks.physical_ids(path)['remote']
    net = stacks.outputs(path)['remote']['net']
    network = tenant.connection('member').network
    assert network.get_network(net).description == 'one'
    stacks.update(path, remote(inner(), where, parameters={'text': 'two'}))
    assert there.show(distant)['stack_status'] == 'UPDATE_COMPLETE'
    assert network.get_network(net).description == 'two'
    stacks.act(path, 'check')
    stacks.act(path, 'suspend')
    assert there.show(distant)['stack_status'] == 'SUSPEND_COMPLETE'
    stacks.act(path, 'resume')
    stacks.delete(path)
    assert in_far(far, tenant)[1] == []


def test_failure_in_another_region(far, stacks, tenant):
    bad = inner(no_such_property='any')
    answer = stacks.ask('POST', '/stacks', {
        'stack_name': f'{tenant.tag}-bad',
        'template': remote(bad, {'region_name': far[1]})})
    assert answer.status_code == 400
    message = answer.json()['error']['message']
    assert 'no_such_property' in message
    assert far[1] in message


@contextlib.contextmanager
def secret(tenant, value):
    """Yield the id of a secret."""
    manager = tenant.connection('member').key_manager
    made = manager.create_secret(
        name=f'{tenant.tag}-secret', payload=json.dumps(value),
        payload_content_type='text/plain')
    yield made.id.rpartition('/')[2]
    manager.delete_secret(made.id.rpartition('/')[2])


def test_with_the_credentials_of_another(far, stacks, tenant):
    """The stack is in a project that its maker does not know."""
    other = cloud.Tenant()
    credentials = {'auth_type': 'v3password', 'auth': {
        'auth_url': cloud.auth_url() + '/v3',
        'user_id': other.users['member'], 'password': other.password,
        'project_id': other.project_id}}
    with contextlib.closing(Removing(other)), secret(
            tenant, credentials) as secret_id:
        where = {'region_name': far[1], 'credential_secret_id': secret_id}
        path = stacks.create(f'{tenant.tag}-other', remote(inner(), where))
        assert in_far(far, tenant)[1] == []
        _stacks, [distant] = in_far(far, other)
        assert distant.endswith(stacks.physical_ids(path)['remote'])
        found = other.connection('member').network.get_network(
            stacks.outputs(path)['remote']['net'])
        assert found.project_id == other.project_id
        stacks.delete(path)
        assert in_far(far, other)[1] == []


def test_wrong_credentials(far, stacks, tenant):
    credentials = {'auth_type': 'v3password', 'auth': {
        'auth_url': cloud.auth_url() + '/v3', 'user_id': 'nobody',
        'password': 'wrong-password', 'project_id': tenant.project_id}}
    with secret(tenant, credentials) as secret_id:
        answer = stacks.ask('POST', '/stacks', {
            'stack_name': f'{tenant.tag}-wrong', 'template': remote(
                inner(), {'region_name': far[1],
                          'credential_secret_id': secret_id})})
    assert answer.status_code == 400
    assert '401' in answer.json()['error']['message']
    assert 'wrong-password' not in answer.text


class Removing:
    """Removes a tenant at the end."""

    def __init__(self, tenant):
        self.close = tenant.remove


# -- by TLS -----------------------------------------------------------------


@pytest.fixture(scope='module')
def hidden(tmp_path_factory, project, far):
    """Yield the region whose service has TLS: (its authority, name)."""
    authority = regions.Authority(tmp_path_factory.mktemp('authority'))
    with regions.TLSProxy(far[0].url, authority.context()) as made:
        with regions.region(project, 'hidden', {
                ('orchestration', 'public'):
                    made.url + '/%(project_id)s'}) as name:
            yield authority, name


@pytest.mark.parametrize('insecure', [False, True])
def test_with_a_certificate(far, hidden, stacks, tenant, insecure):
    authority, name = hidden
    trust = {'insecure': True}
    if not insecure:
        with open(authority.file) as file:
            trust = {'ca_cert': file.read()}
    path = stacks.create(f'{tenant.tag}-tls', remote(
        inner(), {'region_name': name, **trust}))
    assert len(in_far(far, tenant)[1]) == 1
    stacks.delete(path)
    assert in_far(far, tenant)[1] == []


def test_with_the_certificate_of_a_stranger(hidden, stacks, tenant,
                                            tmp_path):
    with open(regions.Authority(tmp_path, 'stranger').file) as file:
        stranger = file.read()
    for trust in ({}, {'ca_cert': stranger}):
        answer = stacks.ask('POST', '/stacks', {
            'stack_name': f'{tenant.tag}-stranger', 'template': remote(
                inner(), {'region_name': hidden[1], **trust})})
        assert answer.status_code == 400
        assert 'certificate' in answer.json()['error']['message'].lower()
