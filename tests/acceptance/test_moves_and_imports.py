"""Resources that get other names and places, and things taken over."""
import json

from openstack import exceptions
import pytest

from tests.acceptance import leaks
from tests.acceptance import proxy
from tests.acceptance import templates
from tests.acceptance.templates import hot
from tests.acceptance.templates import ref

NET, SUBNET = 'OS::Neutron::Net', 'OS::Neutron::Subnet'
WRITES = ('POST', 'PUT', 'PATCH', 'DELETE')
PROXIED = ('network', 'block-storage', 'compute')


@pytest.fixture(scope='module')
def region(project):
    """A region whose services count requests: ({type: proxy}, name)."""
    known = {one.type for one in project.admin.identity.services()}
    kinds = ['volumev3' if kind not in known else kind for kind in PROXIED]
    with proxy.region(project, kinds) as made:
        yield made


@pytest.fixture(scope='module')
def leak_check(project, region):
    """What there is when the first test begins, that region included."""
    return leaks.Check(project)


@pytest.fixture
def counted(deployment, region, tenant):
    """Stacks whose resources are made in that region."""
    session = tenant.session('member')
    session.additional_headers['X-Region-Name'] = region[1]
    own = deployment.stacks(session, tenant.project_id)
    yield own
    own.delete_all()


def writes(region):
    """Return how many requests changed something so far."""
    return sum(number for one in region[0].values()
               for (method, _path), number in one.counts.items()
               if method in WRITES)


def net(name, **more):
    return {'type': NET, 'properties': {'name': name, **more}}


def subnet(of):
    return {'type': SUBNET, 'properties': {
        'network': of, 'cidr': '10.9.0.0/24', 'name': 'acceptance'}}


def planned(stacks, path, template, **body):
    found = stacks.call('POST', path + '/change_sets', {
        'template': template, **body}, expect=201)['change_set']
    assert found['status'] == 'AVAILABLE', found['status_reason']
    return found


def executed(stacks, path, found):
    stacks.call('POST', '%s/change_sets/%s/execute' % (path, found['id']),
                expect=202)
    stacks.wait(path, 'UPDATE_COMPLETE')


def actions(found):
    return {'/'.join(each['path']): each['action']
            for each in found['changes']}


def test_moves_change_nothing_in_the_cloud(counted, region, tenant):
    name = f'{tenant.tag}-moved'
    inner = {'rack.yaml': json.dumps(hot({
        'inner': net(f'{name}-inner')}))}
    path = counted.create(name, hot({
        'net': net(name), 'subnet': subnet(ref('net')),
        'rack': {'type': 'rack.yaml'}}), files=inner)
    before = counted.physical_ids(path)
    count = writes(region)
    found = planned(counted, path, hot({
        'lan': net(name), 'subnet': subnet(ref('lan')),
        'inner': net(f'{name}-inner'), 'rack': {'type': 'rack.yaml'}}),
        files={'rack.yaml': json.dumps(hot({
            'none': {'type': 'OS::Heat::None'}}))},
        moves=[{'from': 'net', 'to': 'lan'},
               {'from': 'rack/inner', 'to': 'inner'}])
    assert actions(found)['lan'] == actions(found)['inner'] == 'move'
    executed(counted, path, found)
    after = counted.physical_ids(path)
    assert after['lan'] == before['net']
    assert after['subnet'] == before['subnet']
    assert writes(region) == count
    counted.delete(path)


def test_moves_between_stacks_change_nothing_in_the_cloud(
        counted, region, tenant):
    name = f'{tenant.tag}-other'
    inner = {'rack.yaml': json.dumps(hot({
        'inner': net(f'{name}-inner')}))}
    giver = counted.create(f'{name}-giver', hot({
        'net': net(name), 'subnet': subnet(ref('net')),
        'rack': {'type': 'rack.yaml'},
        'stays': {'type': 'OS::Heat::None'}}), files=inner)
    path = counted.create(name, hot({'first': {'type': 'OS::Heat::None'}}))
    before = counted.physical_ids(giver)
    count = writes(region)
    goal = hot({
        'first': {'type': 'OS::Heat::None'}, 'lan': net(name),
        'subnet': subnet(ref('lan')), 'rack': {'type': 'rack.yaml'}})
    found = planned(counted, path, goal, files=inner, moves=[
        {'from': {'stack': f'{name}-giver', 'resource': source},
         'to': target} for source, target in (
             ('net', 'lan'), ('subnet', 'subnet'), ('rack', 'rack'))])
    assert actions(found) == {
        'first': 'keep', 'lan': 'move', 'subnet': 'move', 'rack': 'move',
        'rack/inner': 'keep'}
    executed(counted, path, found)
    after = counted.physical_ids(path)
    assert after['lan'] == before['net']
    assert after['subnet'] == before['subnet']
    assert after['rack'] == before['rack']
    assert list(counted.physical_ids(giver)) == ['stays']
    counted.delete(giver)
    assert writes(region) == count
    assert tenant.connection('member').network.get_network(
        after['lan']).name == name
    counted.delete(path)


def test_what_was_made_by_hand(stacks, tenant):
    member = tenant.connection('member')
    name = f'{tenant.tag}-hand'
    image = next(member.image.images(name=templates.IMAGE))
    flavor = next(one for one in member.compute.flavors()
                  if one.name == 'm1.nano')
    made_net = member.network.create_network(name=name)
    volume = member.block_storage.create_volume(size=1, name=name)
    server = member.compute.create_server(
        name=name, flavor_id=flavor.id, image_id=image.id, networks='none')
    member.block_storage.wait_for_status(volume, 'available', interval=0.5)
    member.compute.wait_for_server(server, interval=0.5)
    path = stacks.create(name, hot({'first': {'type': 'OS::Heat::None'}}))
    ids = {'net': made_net.id, 'volume': volume.id, 'server': server.id}
    found = planned(stacks, path, hot({
        'first': {'type': 'OS::Heat::None'},
        'net': net(name),
        'volume': {'type': 'OS::Cinder::Volume', 'properties': {
            'size': 1, 'name': f'{name}-new'}},
        'server': {'type': 'OS::Nova::Server', 'properties': {
            'name': name, 'flavor': 'm1.nano', 'image': image.id}}}),
        imports=[{'resource': resource, 'id': its_id}
                 for resource, its_id in ids.items()])
    changes = {each['path'][-1]: each for each in found['changes']}
    assert {resource: changes[resource]['action'] for resource in ids} == (
        dict.fromkeys(ids, 'import'))
    assert changes['volume']['after_import'] == 'update'
    assert changes['net']['after_import'] == 'keep'
    assert changes['server']['after_import'] == 'keep'
    executed(stacks, path, found)
    after = stacks.physical_ids(path)
    assert {resource: after[resource] for resource in ids} == ids
    assert member.block_storage.get_volume(volume).name == f'{name}-new'
    stacks.delete(path)
    for get, its_id in ((member.network.get_network, made_net.id),
                        (member.block_storage.get_volume, volume.id),
                        (member.compute.get_server, server.id)):
        with pytest.raises(exceptions.NotFoundException):
            get(its_id)
