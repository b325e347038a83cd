"""Replacements of things that others refer to, by name or by URL."""
import requests

from tests.acceptance import looks
from tests.acceptance import templates


def test_flavor_of_the_same_name(admin_stacks, tenant):
    """It is told why that cannot be, and what there was stays."""
    def flavor(name, ram):
        return templates.hot({'it': {'type': 'OS::Nova::Flavor',
                                     'properties': {
                                         'name': f'{tenant.tag}-{name}',
                                         'ram': ram, 'vcpus': 1}}})

    path = admin_stacks.create(f'{tenant.tag}-flavor', flavor('one', 64))
    before = admin_stacks.physical_ids(path)['it']
    admin_stacks.update(path, flavor('one', 128), wait=False)
    admin_stacks.wait(path, 'UPDATE_FAILED')
    reason = admin_stacks.resource(path, 'it')['resource_status_reason']
    assert 'the service compute answered 409 to POST' in reason
    assert f'Flavor with name {tenant.tag}-one already exists' in reason
    assert 'requires another name' in reason
    assert tenant.admin.compute.get_flavor(before).ram == 64
    admin_stacks.update(path, flavor('two', 128))
    live = tenant.admin.compute.get_flavor(
        admin_stacks.physical_ids(path)['it'])
    assert (live.name, live.ram) == (f'{tenant.tag}-two', 128)
    admin_stacks.delete(path)


def test_key_pair_of_the_same_name(stacks, tenant):
    """The one that is replaced gives up its name."""
    def key(**properties):
        return templates.hot({'it': {'type': 'OS::Nova::KeyPair',
                                     'properties': {
                                         'name': f'{tenant.tag}-key',
                                         **properties}}})

    path = stacks.create(f'{tenant.tag}-key', key())
    compute = tenant.connection('member').compute
    before = compute.get_keypair(f'{tenant.tag}-key').fingerprint
    stacks.update(path, key(save_private_key=True))
    after = compute.get_keypair(f'{tenant.tag}-key').fingerprint
    assert after != before
    stacks.delete(path)
    assert not list(compute.keypairs())


def test_policy_of_another_group(stacks, tenant):
    """Whoever was told the URL of the one before has no power any more."""
    def template(group):
        def policy(kind, *names):
            return {'type': kind, 'properties': dict(zip(
                names, (templates.ref(group), kind.startswith('AWS') and
                        'ChangeInCapacity' or 'change_in_capacity', 1),
                strict=True))}

        group_of_texts = {
            'type': 'OS::Heat::AutoScalingGroup', 'properties': {
                'min_size': 0, 'max_size': 3,
                'resource': {'type': 'OS::Heat::RandomString'}}}
        return templates.hot({
            'one': group_of_texts, 'other': group_of_texts,
            'own': policy('OS::Heat::ScalingPolicy', 'auto_scaling_group_id',
                          'adjustment_type', 'scaling_adjustment'),
            'aws': policy('AWS::AutoScaling::ScalingPolicy',
                          'AutoScalingGroupName', 'AdjustmentType',
                          'ScalingAdjustment')},
            {'own': templates.attr('own', 'alarm_url'),
             'aws': templates.attr('aws', 'AlarmUrl'),
             'one': templates.attr('one', 'current_size'),
             'other': templates.attr('other', 'current_size')})

    path = stacks.create(f'{tenant.tag}-policies', template('one'))
    old = stacks.outputs(path)
    assert requests.post(old['own'], timeout=60).status_code == 200
    stacks.wait_output(path, 'one', 1)
    users = [stacks.physical_ids(path)[name] for name in ('own', 'aws')]
    stacks.update(path, template('other'))
    new = stacks.outputs(path)
    for name in ('own', 'aws'):
        assert new[name] != old[name]
        assert requests.post(old[name], timeout=60).status_code in (403, 404)
    for number, name in enumerate(('own', 'aws'), 1):
        assert requests.post(new[name], timeout=60).status_code == 200
        stacks.wait_output(path, 'other', number)
    assert stacks.outputs(path)['one'] == 1
    # The users in whose names the old URLs were signed are gone.
    for user in users:
        assert looks.get(tenant, 'identity', f'/v3/users/{user}') is None
    stacks.delete(path)
