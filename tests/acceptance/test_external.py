"""Things that were there before the stack, and are there after it."""
import pytest

from tests.acceptance import leaks
from tests.acceptance import shared
from tests.acceptance import templates
from tests.acceptance.templates import attr
from tests.acceptance.templates import hot
from tests.acceptance.templates import ref

#: What a resource stands for whose template says nothing else of it.
TYPES = {'net': 'OS::Neutron::Net', 'volume': 'OS::Cinder::Volume',
         'server': 'OS::Nova::Server'}


@pytest.fixture(scope='module')
def things(project):
    """Yield the ids of a network, of a volume, and of a server."""
    member = project.connection('member')
    image = next(member.image.images(name=templates.IMAGE))
    flavor = next(one for one in member.compute.flavors()
                  if one.name == 'm1.nano')
    server = member.compute.create_server(
        name=f'{project.tag}-there', flavor_id=flavor.id, image_id=image.id,
        networks='none')
    volume = member.block_storage.create_volume(
        size=1, name=f'{project.tag}-there')
    net = shared.thing(project, 'net')
    member.compute.wait_for_server(server, interval=0.5)
    member.block_storage.wait_for_status(volume, 'available', interval=0.5)
    yield {'net': net, 'volume': volume.id, 'server': server.id}
    member.compute.delete_server(server)
    member.block_storage.delete_volume(volume)
    member.compute.wait_for_delete(server, interval=0.5)
    member.block_storage.wait_for_delete(volume, interval=0.5)
    shared.remove(project)


@pytest.fixture(scope='module')
def leak_check(project, things):
    """What there is besides the things."""
    return leaks.Check(project)


def standing_for(ids, **more):
    """Return a template with the things; more are keys of resources."""
    return hot(
        {name: {'type': TYPES[name], 'external_id': its_id,
                **more.get(name, {})} for name, its_id in ids.items()},
        {**{name: ref(name) for name in ids},
         'net_name': attr('net', 'name'),
         'volume_size': attr('volume', 'size'),
         'volume_status': attr('volume', 'status'),
         'server_name': attr('server', 'name'),
         'server_show': attr('server', 'show', 'status')})


def unchanged(tenant, things):
    """Require that all is as it was made; return it."""
    member = tenant.connection('member')
    volume = member.block_storage.get_volume(things['volume'])
    server = member.compute.get_server(things['server'])
    net = member.network.get_network(things['net'])
    assert (volume.size, volume.status) == (1, 'available')
    assert volume.name == server.name == f'{tenant.tag}-there'
    assert (server.status, server.metadata) == ('ACTIVE', {})
    assert net.name == f'{tenant.tag}-net'
    assert net.is_admin_state_up
    return net, volume, server


def counts(tenant):
    member = tenant.connection('member')
    return [len(list(listed)) for listed in (
        member.network.networks(project_id=tenant.project_id),
        member.block_storage.volumes(), member.compute.servers())]


def test_things_that_exist(stacks, tenant, things):
    before = counts(tenant)
    path = stacks.create(f'{tenant.tag}-there', standing_for(things))
    assert stacks.physical_ids(path) == things
    assert counts(tenant) == before
    told = stacks.outputs(path)
    assert {name: told[name] for name in things} == things
    assert told['net_name'] == f'{tenant.tag}-net'
    assert told['server_name'] == f'{tenant.tag}-there'
    assert told['server_show'] == 'ACTIVE'
    assert (told['volume_size'], told['volume_status']) == (
        '1', 'available')
    # What is asked for are the things as they are by now.
    block_storage = tenant.connection('member').block_storage
    block_storage.set_volume_metadata(things['volume'], colour='red')
    shown = stacks.resource(path, 'volume', with_attr='metadata_values')
    assert shown['attributes']['metadata_values'] == {'colour': 'red'}
    stacks.act(path, 'check')
    # Properties are neither checked nor made true.
    stacks.update(path, standing_for(
        things, net={'properties': {'name': 'any', 'admin_state_up': False}},
        volume={'properties': {'size': 5, 'image': 'none of ours'}},
        server={'properties': {'metadata': {'a': 'b'}, 'flavor': 'none'}}))
    assert stacks.physical_ids(path) == things
    unchanged(tenant, things)
    # Not even the policy of a template makes it the stack's to delete.
    stacks.update(path, standing_for(
        things, volume={'deletion_policy': 'Delete'}))
    stacks.delete(path)
    unchanged(tenant, things)


def test_other_things(stacks, tenant, things):
    """One thing does not become another one."""
    ids = {name: things[name] for name in ('net', 'volume', 'server')}
    path = stacks.create(f'{tenant.tag}-other', standing_for(ids))
    other = tenant.connection('member').network.create_network(
        name=f'{tenant.tag}-other')
    stacks.update(path, standing_for({**ids, 'net': other.id}), wait=False)
    stacks.wait(path, 'UPDATE_FAILED')
    reason = stacks.resource(path, 'net')['resource_status_reason']
    assert 'Changing the external_id of resource "net"' in reason
    assert stacks.physical_ids(path)['net'] == things['net']
    stacks.update(path, standing_for(ids))
    # What the template has no more stays where it is, too.
    stacks.update(path, hot({'net': {
        'type': TYPES['net'], 'external_id': things['net']}}))
    unchanged(tenant, things)
    stacks.delete(path)
    tenant.connection('member').network.delete_network(other)
    unchanged(tenant, things)


@pytest.mark.parametrize('name', sorted(TYPES))
def test_thing_that_does_not_exist(stacks, tenant, name):
    missing = '00000000-0000-0000-0000-000000000000'
    answer = stacks.ask('POST', '/stacks', {
        'stack_name': f'{tenant.tag}-none', 'template': hot({
            'it': {'type': TYPES[name], 'external_id': missing}})})
    assert answer.status_code == 400, answer.text
    assert answer.json()['error']['type'] == 'StackValidationFailed'
    assert missing in answer.json()['error']['message']


def test_dependency_of_a_thing(stacks, tenant, things):
    answer = stacks.ask('POST', '/stacks', {
        'stack_name': f'{tenant.tag}-none', 'template': hot({
            'other': {'type': 'OS::Heat::None'},
            'it': {'type': TYPES['volume'], 'depends_on': 'other',
                   'external_id': things['volume']}})})
    assert answer.status_code == 400
    assert 'resources.it' in answer.json()['error']['message']
