"""Ways to authenticate, and to go on when the token has expired.

Each configuration is a deployment of its own.
"""
import contextlib
from urllib import parse

from keystoneauth1 import session as ks_session
from keystoneauth1.identity import v3
import pytest
import requests

from tests.acceptance import cloud
from tests.acceptance import deployment as deployment_module
from tests.acceptance import templates
from tests.acceptance import test_credentials as credentials
from tests.acceptance import test_signals as signals

NET = {'type': 'OS::Neutron::Net'}
ONE_NET = {'heat_template_version': 'wallaby', 'resources': {'net': NET}}
HANDLE = {'heat_template_version': 'wallaby', 'resources': {
    'handle': {'type': 'OS::Heat::WaitConditionHandle'}}}
#: A network is made only after something from outside has happened.
LATER = templates.hot({
    'handle': {'type': 'OS::Heat::WaitConditionHandle',
               'properties': {'signal_transport': 'TOKEN_SIGNAL'}},
    'condition': {'type': 'OS::Heat::WaitCondition', 'properties': {
        'handle': templates.ref('handle'), 'timeout': 120}},
    'inside': {'type': 'OS::Heat::ResourceGroup', 'depends_on': 'condition',
               'properties': {'count': 1, 'resource_def': NET}}})


def revoke(tenant, session):
    """Make the token of a session worthless, as if it had expired."""
    tenant.admin.session.delete(
        '/v3/auth/tokens', endpoint_filter={'service_type': 'identity'},
        headers={'X-Subject-Token': session.get_token()})


def trusts(tenant):
    """Return the trusts of the users of a tenant as Keystone shows them."""
    shown = tenant.admin.session.get('/v3/OS-TRUST/trusts', endpoint_filter={
        'service_type': 'identity'}).json()['trusts']
    return [tenant.admin.session.get(
        '/v3/OS-TRUST/trusts/' + each['id'], endpoint_filter={
            'service_type': 'identity'}).json()['trust']
        for each in shown
        if each['trustor_user_id'] in tenant.users.values()]


def begin_and_revoke(deployment, tenant):
    """Create a stack, and revoke the token before it is complete."""
    session = tenant.session('member')
    path = deployment.stacks(session, tenant.project_id).create(
        f'{tenant.tag}-later', LATER, wait=False)
    stacks = deployment.stacks(tenant.session('member'), tenant.project_id)
    attributes = signals.handle_of(stacks, path)
    revoke(tenant, session)
    signals.sent_token(tenant, attributes)
    return stacks, path


# -- trusts that outlast tokens ---------------------------------------------


@pytest.fixture(scope='module')
def lasting(tmp_path_factory, project):
    """A deployment that authenticates again by trusts."""
    with deployment_module.running(
            tmp_path_factory.mktemp('lasting'), project, sections={
                'DEFAULT': {'reauthentication_auth_method': 'trusts',
                            'trusts_delegated_roles': 'member',
                            'allow_trusts_redelegation': True}}) as one:
        yield one


def test_an_operation_outlasts_its_token(lasting, tenant):
    stacks, path = begin_and_revoke(lasting, tenant)
    stacks.wait(path, 'CREATE_COMPLETE')
    stacks.delete(path)
    assert 'Traceback' not in lasting.log_text()


def test_without_that_it_ends_with_its_token(deployment, tenant):
    stacks, path = begin_and_revoke(deployment, tenant)
    shown = stacks.wait(path, 'CREATE_FAILED')
    assert '401' in shown['stack_status_reason']
    stacks.delete(path)


def test_all_operations_by_the_trust(lasting, tenant):
    stacks = lasting.stacks(tenant.session('member'), tenant.project_id)
    path = stacks.create(f'{tenant.tag}-all', ONE_NET)
    [trust] = trusts(tenant)
    assert [role['name'] for role in trust['roles']] == ['member']
    assert trust['redelegation_count'] > 0
    stacks.act(path, 'check')
    stacks.act(path, 'suspend')
    stacks.act(path, 'resume')
    stacks.update(path, templates.hot({'net': NET, 'other': NET}))
    assert [each['id'] for each in trusts(tenant)] == [trust['id']]
    # Who was trusted before is so no more when somebody else takes over.
    other = lasting.stacks(tenant.session('admin'), tenant.project_id)
    other.update(path, ONE_NET)
    [trust] = trusts(tenant)
    assert trust['trustor_user_id'] == tenant.users['admin']
    stacks.delete(path)
    assert not trusts(tenant)
    assert 'Traceback' not in lasting.log_text()


def test_roles_that_nobody_has_are_told(tmp_path_factory, tenant):
    with deployment_module.running(
            tmp_path_factory.mktemp('roles'), tenant, engines=1, sections={
                'DEFAULT': {'trusts_delegated_roles':
                            'member,gardener'}}) as one:
        answer = one.stacks(tenant.session('member'), tenant.project_id).ask(
            'POST', '/stacks', {'stack_name': f'{tenant.tag}-roles',
                                'template': ONE_NET})
        assert answer.status_code == 400
        assert 'gardener' in answer.json()['error']['message']


# -- passwords that are kept ------------------------------------------------


@pytest.fixture(scope='module')
def keeping(tmp_path_factory, project):
    """A deployment that keeps the passwords of its users."""
    with deployment_module.running(
            tmp_path_factory.mktemp('keeping'), project, engines=1,
            sections={'DEFAULT': {
                'deferred_auth_method': 'password'}}) as one:
        yield one


def with_password(deployment, tenant, user='member'):
    """Return stacks of a user who says the password in each request."""
    session = tenant.session(user)
    session.additional_headers.update({
        'X-Auth-User': f'{tenant.tag}-{user}',
        'X-Auth-Key': tenant.password})
    return session, deployment.stacks(session, tenant.project_id)


def test_a_password_is_kept_for_later(keeping, tenant):
    session, stacks = with_password(keeping, tenant)
    path = stacks.create(f'{tenant.tag}-kept', credentials._GROUP)
    row = credentials._stored(keeping, path)
    assert row['username'] == f'{tenant.tag}-member'
    assert row['trust_id'] is None
    assert row['decrypt_method']
    assert tenant.password not in row['password']
    assert not trusts(tenant)
    url = stacks.outputs(path)['url']
    revoke(tenant, session)
    assert requests.post(url, timeout=60).status_code == 200
    _session, stacks = with_password(keeping, tenant)
    stacks.wait_output(path, 'size', 1)
    network = tenant.connection('member').network
    stacks.until(lambda: list(network.networks(
        project_id=tenant.project_id)))
    # Another one takes over, with another password.
    _session, other = with_password(keeping, tenant, 'admin')
    other.update(path, credentials._GROUP)
    row = credentials._stored(keeping, path)
    assert row['username'] == f'{tenant.tag}-admin'
    stacks.delete(path)
    assert tenant.password not in keeping.log_text()


def test_without_a_password_there_is_nothing_to_keep(keeping, tenant):
    stacks = keeping.stacks(tenant.session('member'), tenant.project_id)
    answer = stacks.ask('POST', '/stacks', {
        'stack_name': f'{tenant.tag}-nothing',
        'template': credentials._GROUP})
    assert answer.status_code == 400
    assert 'X-Auth-Key' in answer.json()['error']['message']


# -- clouds elsewhere -------------------------------------------------------


@pytest.fixture(scope='module')
def standalone(tmp_path_factory, project):
    """A deployment that clouds elsewhere authenticate the users of."""
    one = deployment_module.Deployment(
        tmp_path_factory.mktemp('standalone'), engines=1, sections={
            'paste_deploy': {'flavor': 'standalone'},
            'auth_password': {'multi_cloud': True,
                              'allowed_auth_uris': _cloud_url()}})
    try:
        one.start()
        session = project.session('admin')
        session.additional_headers.update(
            _headers(project, 'admin'))
        one.wait_until_up(session, project.project_id)
        yield one
    finally:
        one.stop()


def _cloud_url():
    return cloud.auth_url() + '/v3'


def _headers(tenant, user='member', **more):
    return {'X-Auth-User': f'{tenant.tag}-{user}',
            'X-Auth-Key': tenant.password, 'X-Auth-Url': _cloud_url(),
            **more}


class NoToken(v3.Password):
    """Of no use to get a token: requests have none."""

    def get_headers(self, session, **kwargs):
        return {}


def by_password(standalone, tenant, **headers):
    """Return stacks of a user without any token."""
    session = ks_session.Session(auth=NoToken(_cloud_url(), password=''))
    session.additional_headers.update(_headers(tenant, **headers))
    return standalone.stacks(session, tenant.project_id)


def test_a_stack_in_a_cloud_elsewhere(standalone, tenant):
    stacks = by_password(standalone, tenant)
    path = stacks.create(f'{tenant.tag}-elsewhere', ONE_NET)
    [net] = tenant.connection('member').network.networks(
        project_id=tenant.project_id)
    assert net.id == stacks.physical_ids(path)['net']
    row = credentials._stored(standalone, path)
    assert row['auth_url'] == _cloud_url()
    [trust] = trusts(tenant)
    assert trust['trustor_user_id'] == tenant.users['member']
    stacks.act(path, 'check')
    stacks.delete(path)
    assert not trusts(tenant)
    assert 'Traceback' not in standalone.log_text()


def test_signals_need_a_token_of_the_project(standalone, tenant):
    """The pipeline has no filter for tokens; Keystone is asked all the same.
    """
    stacks = by_password(standalone, tenant)
    path = stacks.create(f'{tenant.tag}-signalled', HANDLE)
    arn = parse.quote(
        f'arn:openstack:heat::{tenant.project_id}:{path.lstrip("/")}'
        '/resources/handle', safe='')
    url = f'{standalone.cfn_url}/waitcondition/{arn}'
    body = {'status': 'SUCCESS', 'id': '1', 'data': 'd', 'reason': 'r'}

    def status(**headers):
        return requests.put(url, json=body, timeout=60, headers={
            name.replace('_', '-'): value
            for name, value in headers.items()}).status_code

    own = tenant.session('member').get_token()
    assert status(X_Auth_Token=own) == 200
    assert status(X_Auth_Token='junk') == 403
    assert status(X_Auth_Token='junk', X_Tenant=tenant.project_id) == 403
    assert status(X_Auth_User='x', X_Project_Id=tenant.project_id) == 403
    stranger = cloud.Tenant()
    with contextlib.closing(_Removed(stranger)):
        foreign = stranger.session('member').get_token()
        assert status(X_Auth_Token=foreign) in (400, 403)
        assert status(X_Auth_Token=foreign,
                      X_Tenant=tenant.project_id) in (400, 403)
    stacks.delete(path)


@pytest.mark.parametrize(('headers', 'status'), [
    ({'X-Auth-Key': 'wrong'}, 401),
    ({'X-Auth-User': 'nobody'}, 401),
    ({'X-Auth-Url': 'http://127.0.0.1:9/v3'}, 401),
    ({'X-Auth-Url': ''}, 400)])
def test_who_is_not_let_in(standalone, tenant, headers, status):
    answer = requests.get(
        f'{standalone.url}/{tenant.project_id}/stacks', timeout=60,
        headers=_headers(tenant, **headers))
    assert answer.status_code == status, answer.text


def test_a_project_of_others(standalone, tenant):
    stranger = cloud.Tenant()
    with contextlib.closing(_Removed(stranger)):
        answer = requests.get(
            f'{standalone.url}/{stranger.project_id}/stacks', timeout=60,
            headers=_headers(tenant))
        assert answer.status_code == 401


class _Removed:
    def __init__(self, tenant):
        self.close = tenant.remove
