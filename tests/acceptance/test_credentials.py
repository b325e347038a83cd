"""In whose name the engine acts: trusts, and the users of stacks."""
import time

import requests
import sqlalchemy as sa

_GROUP = {
    'heat_template_version': 'wallaby',
    'resources': {
        'group': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 0, 'max_size': 2, 'desired_capacity': 0,
            'resource': {'type': 'OS::Neutron::Net'}}},
        'grow': {'type': 'OS::Heat::ScalingPolicy', 'properties': {
            'auto_scaling_group_id': {'get_resource': 'group'},
            'adjustment_type': 'change_in_capacity',
            'scaling_adjustment': 1}}},
    'outputs': {
        'url': {'value': {'get_attr': ['grow', 'alarm_url']}},
        'size': {'value': {'get_attr': ['group', 'current_size']}}},
}


def _value(text):
    return {'heat_template_version': 'wallaby', 'resources': {
        'it': {'type': 'OS::Heat::Value', 'properties': {'value': text}}}}


def _trusts(tenant):
    """Return the trusts that users of the tenant have given."""
    identity = tenant.admin.identity
    return [identity.get_trust(trust.id) for trust in identity.trusts()
            if trust.trustor_user_id in tenant.users.values()]


def _stored(deployment, path):
    """Return the row of credentials of a stack."""
    engine = sa.create_engine(deployment.database, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return connection.execute(sa.text(
            'SELECT user_creds.* FROM user_creds JOIN stack ON '
            'stack.user_creds_id = user_creds.id WHERE stack.id = :stack'),
            {'stack': path.rpartition('/')[2]}).mappings().one()


def test_a_stack_has_a_trust_of_who_made_it(deployment, stacks, tenant):
    path = stacks.create(f'{tenant.tag}-trust', _value('any'))
    [trust] = _trusts(tenant)
    assert trust.trustor_user_id == tenant.users['member']
    assert trust.project_id == tenant.project_id
    assert trust.is_impersonation
    assert {'member', 'heat_stack_owner'} <= {
        role['name'] for role in trust.roles}
    trustee = tenant.admin.identity.get_user(trust.trustee_user_id)
    assert trustee.name == 'heat'
    row = _stored(deployment, path)
    assert row['trustor_user_id'] == tenant.users['member']
    assert row['password'] is None
    assert trust.id not in row['trust_id']
    assert row['decrypt_method']
    stacks.delete(path)
    assert not _trusts(tenant)


def test_a_stack_of_another_user_is_theirs_to_delete(deployment, stacks,
                                                     tenant):
    path = stacks.create(f'{tenant.tag}-others', _value('any'))
    other = deployment.stacks(tenant.session('admin'), tenant.project_id)
    other.delete(path)
    assert not _trusts(tenant)


def test_who_updates_a_stack_is_trusted_from_then_on(deployment, stacks,
                                                     tenant):
    path = stacks.create(f'{tenant.tag}-rotated', _value('one'))
    [old] = _trusts(tenant)
    stacks.update(path, _value('two'))
    assert [trust.id for trust in _trusts(tenant)] == [old.id]
    other = deployment.stacks(tenant.session('admin'), tenant.project_id)
    other.update(path, _value('three'))
    [new] = _trusts(tenant)
    assert new.trustor_user_id == tenant.users['admin']
    row = _stored(deployment, path)
    assert row['trustor_user_id'] == tenant.users['admin']
    stacks.delete(path)
    assert not _trusts(tenant)


def test_signals_are_acted_on_without_a_token(deployment, stacks, tenant):
    session = tenant.session('member')
    maker = deployment.stacks(session, tenant.project_id)
    path = maker.create(f'{tenant.tag}-deferred', _GROUP)
    url = maker.outputs(path)['url']
    assert url.startswith(deployment.cfn_url)
    token = session.get_token()
    tenant.admin.session.delete(
        '/v3/auth/tokens', endpoint_filter={'service_type': 'identity'},
        headers={'X-Subject-Token': token})
    assert requests.post(url, timeout=60).status_code == 200
    stacks.wait_output(path, 'size', 1)
    network = tenant.connection('member').network
    end = time.monotonic() + 240
    while not list(network.networks(project_id=tenant.project_id)):
        assert time.monotonic() < end
        time.sleep(0.5)
    wrong = url.replace('Signature=', 'Signature=A')
    assert requests.post(wrong, timeout=60).status_code == 403
    stacks.delete(path)


def test_users_of_a_stack_live_in_the_domain_of_stacks(stacks, tenant):
    identity = tenant.admin.identity
    path = stacks.create(f'{tenant.tag}-users', {
        'heat_template_version': 'wallaby', 'resources': {
            'handle': {'type': 'OS::Heat::WaitConditionHandle',
                       'properties': {'signal_transport': 'TOKEN_SIGNAL'}}},
        'outputs': {'token': {'value': {
            'get_attr': ['handle', 'token']}}}})
    [domain] = identity.domains(name='heat')
    [project] = [one for one in identity.projects(domain_id=domain.id)
                 if tenant.project_id in one.name]
    [user] = [one for one in identity.users(domain_id=domain.id)
              if tenant.tag in one.name]
    assert user.default_project_id == project.id
    assigned = identity.role_assignments(user_id=user.id,
                                         include_names=True)
    assert {one.role['name'] for one in assigned} == {'heat_stack_user'}
    token = stacks.outputs(path)['token']
    answer = requests.get(stacks.url + '/stacks', timeout=60,
                          headers={'X-Auth-Token': token})
    assert answer.status_code == 403
    stacks.delete(path)
    assert user.id not in [one.id for one in
                           identity.users(domain_id=domain.id)]
    assert project.id not in [one.id for one in
                              identity.projects(domain_id=domain.id)]
