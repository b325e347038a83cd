"""Servers with small disks, and with trunks."""
import pytest

from tests.acceptance import templates
from tests.acceptance.templates import attr
from tests.acceptance.templates import hot
from tests.acceptance.templates import ref
from tests.acceptance.templates import server

NONE = {'allocate_network': 'none'}


@pytest.fixture
def live(stacks, tenant):
    """Return a function that shows a server of a stack by Nova."""
    def show(path):
        return tenant.connection('member').compute.get_server(
            stacks.physical_ids(path)['server'])
    return show


@pytest.fixture
def flavor(tenant):
    """Return the name of a flavor with all sorts of disks."""
    compute = tenant.admin.compute
    made = compute.create_flavor(
        name=f'{tenant.tag}-disks', ram=64, vcpus=1, disk=1, ephemeral=2,
        swap=64)
    yield made.name
    compute.delete_flavor(made)


def test_small_disks(stacks, tenant, live, flavor):
    path = stacks.create(f'{tenant.tag}-disks', hot({'server': server(
        NONE, flavor=flavor, block_device_mapping_v2=[
            {'ephemeral_size': 1, 'ephemeral_format': 'ext4'},
            {'swap_size': 64}])}))
    assert live(path).status == 'ACTIVE'
    stacks.delete(path)


def test_too_large_a_disk(stacks, tenant, flavor):
    """It is Nova that knows; the reason is told as Nova tells it."""
    path = stacks.create(f'{tenant.tag}-large', hot({'server': server(
        NONE, flavor=flavor, block_device_mapping_v2=[
            {'ephemeral_size': 50}])}), wait=False)
    shown = stacks.wait(path, 'CREATE_FAILED')
    assert 'the service compute answered 400' in shown['stack_status_reason']
    assert 'phemeral' in shown['stack_status_reason']
    stacks.delete(path)


def test_trunk(stacks, tenant):
    """A server carries the networks of the ports of a trunk, too."""
    template = hot({
        **templates.network(), **templates.network('inner', '10.78.0.0/24'),
        'parent': templates.port(), 'child': templates.port('inner'),
        'trunk': {'type': 'OS::Neutron::Trunk', 'properties': {
            'port': ref('parent'), 'sub_ports': [
                {'port': ref('child'), 'segmentation_type': 'vlan',
                 'segmentation_id': 101}]}},
        'server': {**server({'port': ref('parent')}),
                   'depends_on': 'trunk'}},
        {'addresses': attr('server', 'addresses')})
    path = stacks.create(f'{tenant.tag}-trunk', template)
    ids = stacks.physical_ids(path)
    network = tenant.connection('member').network
    assert network.get_port(ids['parent']).device_id == ids['server']
    [trunk] = network.trunks(project_id=tenant.project_id)
    assert [each['port_id'] for each in trunk.sub_ports] == [ids['child']]
    [own] = stacks.outputs(path)['addresses'][ids['net']]
    assert own['port'] == ids['parent']
    stacks.delete(path)
