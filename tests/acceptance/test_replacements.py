"""Replacements of things whose names the service gives only once."""
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
    assert 'needs another name' in reason
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
