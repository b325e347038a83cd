"""In whose name the engine acts: trusts, and the users of stacks."""
import sqlalchemy as sa


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
