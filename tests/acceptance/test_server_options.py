"""Servers with small disks, trunks, files, consoles, and other images."""
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


# -- what an update does ----------------------------------------------------


@pytest.fixture(scope='module')
def image(tenant):
    """Yield the id of an image of the project."""
    images = tenant.connection('member').image
    made = images.post('/images', json={
        'name': f'{tenant.tag}-image', 'disk_format': 'raw',
        'container_format': 'bare'}).json()['id']
    answer = images.put(
        f'/images/{made}/file', data=b'0' * 1024,
        headers={'Content-Type': 'application/octet-stream'})
    assert answer.status_code == 204, answer.text
    yield made
    images.delete_image(made)


def test_update_policies(stacks, tenant, live, image):
    """What becomes of a server with another image, or another flavor."""
    def template(**properties):
        return hot({'server': server(NONE, **properties)})

    def actions(path):
        """Return what was done to a server, the last first."""
        return list(tenant.connection('member').compute.server_actions(
            live(path)))

    path = stacks.create(f'{tenant.tag}-policies', template())
    first = live(path)
    stacks.update(path, template(image=image, image_update_policy='REBUILD'))
    rebuilt = live(path)
    assert (rebuilt.id, rebuilt.image.id) == (first.id, image)
    assert actions(path)[0].action == 'rebuild'
    stacks.update(path, template(image_update_policy='REPLACE'))
    replaced = live(path)
    assert replaced.id != first.id
    assert replaced.image.id == first.image.id
    stacks.update(path, template(flavor='m1.micro',
                                 flavor_update_policy='REPLACE'))
    larger = live(path)
    assert larger.id != replaced.id
    assert larger.flavor.original_name == 'm1.micro'
    assert [each.id for each in tenant.connection('member').compute.servers()
            ] == [larger.id]
    # What keeps a disk is a matter of the hypervisor: most of them refuse.
    stacks.update(path, template(
        flavor='m1.micro', image=image,
        image_update_policy='REBUILD_PRESERVE_EPHEMERAL'), wait=False)
    stacks.until(lambda: stacks.show(path)['stack_status'] in (
        'UPDATE_COMPLETE', 'UPDATE_FAILED'))
    assert live(path).id == larger.id
    done = actions(path)[0]
    assert done.action == 'rebuild'
    shown = stacks.show(path)
    if shown['stack_status'] == 'UPDATE_FAILED':
        assert 'preserving ephemeral' in shown['stack_status_reason']
    else:
        assert live(path).image.id == image
    stacks.delete(path)


def test_files_and_consoles(stacks, tenant, live):
    files = {'/etc/motd': 'hello', '/etc/issue': 'there'}
    path = stacks.create(f'{tenant.tag}-files', hot(
        {'server': server(NONE, personality=files)},
        {'console': attr('server', 'console_urls', 'novnc'),
         'consoles': attr('server', 'console_urls')}))
    assert live(path).status == 'ACTIVE'
    told = stacks.outputs(path)
    assert told['console'].startswith('http')
    assert told['consoles']['novnc'].startswith('http')
    shown = stacks.resource(path, 'server', with_attr='console_urls')
    consoles = shown['attributes']['console_urls']
    assert consoles['novnc'].startswith('http')
    # Why there is none of another kind is told instead.
    assert set(consoles) >= {'novnc', 'spice-html5', 'serial'}
    # That files get to Nova is seen by what it does not take.
    stacks.update(path, hot({'other': server(
        NONE, personality={'/' + 'x' * 300: 'hello'})}), wait=False)
    shown = stacks.wait(path, 'UPDATE_FAILED')
    assert 'the service compute answered' in shown['stack_status_reason']
    assert 'personality' in shown['stack_status_reason'].lower()
    stacks.delete(path)


def test_network_that_nova_chooses(stacks, tenant, live):
    """The only one there is; and none if none is wanted."""
    base = templates.network()

    def template(word):
        return hot({**base, 'server': {
            **server({'allocate_network': word}),
            'depends_on': 'net-subnet'}},
            {'networks': attr('server', 'networks'),
             'first': attr('server', 'first_address')})

    path = stacks.create(f'{tenant.tag}-auto', template('auto'))
    net = stacks.physical_ids(path)['net']
    told = stacks.outputs(path)
    [address] = told['networks'][net]
    assert address.startswith('10.77.0.')
    assert told['first'] == address
    made = live(path).id
    stacks.update(path, template('none'))
    assert live(path).id == made
    assert stacks.outputs(path)['networks'] == {}
    network = tenant.connection('member').network
    assert not list(network.ports(device_id=made))
    stacks.delete(path)
