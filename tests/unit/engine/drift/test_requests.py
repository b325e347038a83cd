"""How many requests the detection of drift takes."""
import json
import math

import pytest

from heat.engine import stack as stack_module
from heat.engine.comparison import live
from heat.engine.drift import tree
from heat.engine.resources.openstack.nova import server_attributes
from heat.objects import resource as resource_objects
from heat.objects import resource_properties_data as properties_objects
from tests.fakes import database
from tests.fakes.services import paged
from tests.unit.engine.resources import conftest as fixtures

cloud_engine = fixtures.cloud_engine
#: A detection does not know which driver a stack has.
pytestmark = pytest.mark.parametrize('cloud_engine', ['convergence'],
                                     indirect=True)
#: What is asked for once, however much there is: names of things.
DISCOVERY = {
    'network GET /security-groups/web', 'network GET /security-groups',
    'network GET /networks', 'network GET /networks/*',
    'compute GET /flavors/detail'}


#: What all that is compared is read by.
LISTS = {'network GET /ports', 'network GET /floatingips',
         'storage GET /volumes/detail', 'compute GET /servers/detail'}
GROUP = """
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 100, resource_def: {type: OS::Nova::Server}}
"""


@pytest.fixture
def cloud(cloud_engine):
    return paged.Cloud(cloud_engine)


def things_of(cloud, number):
    """Return {name: (id, properties)} of a server's things in the cloud."""
    compute, network, storage = cloud.compute, cloud.network, cloud.storage
    port, own = (network.has('/ports', network_id='net', tags=['blue'],
                             project_id=paged.PROJECT, name=name,
                             security_groups=['web-id'])
                 for name in (f'port{number}', f'own{number}'))
    volume = storage.has('/volumes', size=1, name=f'volume{number}',
                         description=None, metadata={})
    server = compute.has(
        '/servers', name=f'server{number}', tags=['blue'],
        metadata={'role': 'web'}, flavor={'original_name': 'small'},
        image={'id': 'cirros-id'}, **{paged.VOLUMES: [{'id': volume}]})
    for each in (port, own):
        network.things['/ports'][each]['device_id'] = server
    address = network.has('/floatingips', port_id=port,
                          floating_network_id='outside')
    return {
        f'port{number}': (port, {
            'network': 'net', 'security_groups': ['web'], 'tags': ['blue'],
            'name': f'port{number}'}),
        f'server{number}': (server, {
            'flavor': 'small', 'image': 'cirros', 'tags': ['blue'],
            'name': f'server{number}', 'metadata': {'role': 'web'},
            'networks': [{'port': port}, {'network': 'net'}]}),
        f'volume{number}': (volume, {'size': 1, 'name': f'volume{number}'}),
        f'attachment{number}': (volume, {
            'instance_uuid': server, 'volume_id': volume}),
        f'ip{number}': (address, {'floating_network': 'outside',
                                  'port_id': port}),
        f'association{number}': (f'association{number}', {
            'floatingip_id': address, 'port_id': port})}


TYPES = {'port': 'OS::Neutron::Port', 'server': 'OS::Nova::Server',
         'volume': 'OS::Cinder::Volume', 'ip': 'OS::Neutron::FloatingIP',
         'attachment': 'OS::Cinder::VolumeAttachment',
         'association': 'OS::Neutron::FloatingIPAssociation'}


def stack_of(engine, things, **options):
    """Return a stack whose resources are recorded as created."""
    text = 'resources: %s' % json.dumps({
        name: {'type': TYPES[name.rstrip('0123456789')], 'properties': given}
        for name, (_id, given) in things.items()})
    stack = stack_module.Stack(
        engine.context, database.free_name(engine.context),
        engine.template(text), convergence=engine.convergence,
        **options)
    stack.store()
    for name, (its_id, given) in things.items():
        record(engine, stack, name, its_id, given)
    return stack


def record(engine, stack, name, its_id, given):
    context = engine.context
    resource_objects.Resource.create(context, {
        'name': name, 'stack_id': stack.id, 'root_stack_id': stack.id,
        'physical_resource_id': its_id, 'action': 'CREATE',
        'status': 'COMPLETE', 'rsrc_prop_data_id':
            properties_objects.ResourcePropertiesData.create(context, given)})


def whole(cloud, number):
    """Return the things of so many servers."""
    return {name: thing for each in range(number)
            for name, thing in things_of(cloud, each).items()}


def detected(engine, cloud, stack, total):
    """Return what is found in a stack by an engine that knows nothing."""
    cloud.forget()
    engine.context._clients = None
    report = tree.Report()
    seen = live.LiveState(total, twice=True)
    for _step in tree.steps(report, engine.reload(stack), seen):
        pass
    assert report.examined() == total
    return report


def check_counts(cloud, number):
    """Check how often each kind of request was made for so many servers."""
    counted = cloud.counted()
    most = math.ceil(number / 50)
    assert {kind: times for kind, times in counted.items()
            if times > (1 if kind in DISCOVERY else most)} == {}
    return counted


def test_hundred_servers_in_sync(cloud_engine, cloud):
    stack = stack_of(cloud_engine, whole(cloud, 100))
    report = detected(cloud_engine, cloud, stack, 600)
    assert report.counts == {'IN_SYNC': 600, 'MODIFIED': 0, 'DELETED': 0,
                             'UNSUPPORTED': 0}
    # One list each serves all that is compared with it.
    assert set(check_counts(cloud, 100)) - DISCOVERY == LISTS


def change_some(cloud, things):
    """Change and delete things of each kind; return what should be found.
    """
    found = {}
    for number in range(0, 100, 10):
        server = things[f'server{number}'][0]
        cloud.compute.things['/servers'][server]['metadata'] = {}
        cloud.network.things['/ports'][things[f'port{number}'][0]][
            'tags'] = []
        cloud.storage.things['/volumes'][things[f'volume{number}'][0]][
            'name'] = 'renamed'
        cloud.network.things['/floatingips'][things[f'ip{number}'][0]][
            'port_id'] = None
        found.update(dict.fromkeys(
            (f'{kind}{number}' for kind in (
                'server', 'port', 'volume', 'ip', 'association')),
            'MODIFIED'))
    for number in range(5, 100, 10):
        server, volume, port, address = (
            things[f'{kind}{number}'][0]
            for kind in ('server', 'volume', 'port', 'ip'))
        del cloud.compute.things['/servers'][server]
        del cloud.storage.things['/volumes'][volume]
        del cloud.network.things['/ports'][port]
        del cloud.network.things['/floatingips'][address]
        found.update(dict.fromkeys(
            (f'{kind}{number}' for kind in TYPES), 'DELETED'))
    for number in range(7, 100, 10):
        cloud.compute.lose(*(things[f'{kind}{number}'][0]
                             for kind in ('server', 'volume')))
        found[f'attachment{number}'] = 'DELETED'
    return found


def drifted(report):
    """Return {name: status} of what is not in sync."""
    return {each['path'][-1]: each['status']
            for each in report.shown()['resources']
            if each['status'] != 'IN_SYNC'}


def test_what_was_changed_and_deleted_takes_a_second_list(cloud_engine,
                                                          cloud):
    things = whole(cloud, 100)
    stack = stack_of(cloud_engine, things)
    expected = change_some(cloud, things)
    assert drifted(detected(cloud_engine, cloud, stack, 600)) == expected
    assert set(check_counts(cloud, 100)) - DISCOVERY == LISTS


def test_a_list_of_many_pages(cloud_engine, cloud):
    """Nova answers with pages as short as its operator wants them."""
    things = whole(cloud, 250)
    stack = stack_of(cloud_engine, things)
    for service in (cloud.compute, cloud.network, cloud.storage):
        service.longest = 125
    last = things['server249'][0]
    cloud.compute.things['/servers'][last]['tags'] = []
    report = detected(cloud_engine, cloud, stack, 1500)
    assert drifted(report) == {'server249': 'MODIFIED'}
    counted = check_counts(cloud, 250)
    assert counted['compute GET /servers/detail'] == 2
    assert counted['compute GET /servers/*'] == 1


def test_group_of_hundred_servers(cloud_engine, cloud):
    things = {name: thing for name, thing in whole(cloud, 100).items()
              if name.startswith('server')}
    outer = stack_module.Stack(
        cloud_engine.context, database.free_name(cloud_engine.context),
        cloud_engine.template(GROUP), convergence=cloud_engine.convergence)
    outer.store()
    inner = stack_of(cloud_engine, things, owner_id=outer.id,
                     parent_resource='group', nested_depth=1)
    record(cloud_engine, outer, 'group', inner.id, {'count': 100})
    gone = [f'server{number}' for number in range(0, 100, 3)]
    for name in gone:
        del cloud.compute.things['/servers'][things[name][0]]
    report = detected(cloud_engine, cloud, outer, 101)
    assert drifted(report) == dict.fromkeys(gone, 'DELETED')
    counted = check_counts(cloud, 100)
    assert counted['compute GET /servers/detail'] == 2


def test_one_that_is_gone_is_asked_for_itself(cloud_engine, cloud):
    """One request instead of a list that may be long."""
    things = whole(cloud, 30)
    stack = stack_of(cloud_engine, things)
    del cloud.storage.things['/volumes'][things['volume3'][0]]
    report = detected(cloud_engine, cloud, stack, 180)
    assert drifted(report) == {'volume3': 'DELETED'}
    counted = cloud.counted()
    assert counted['storage GET /volumes/detail'] == 1
    assert counted['storage GET /volumes/' + things['volume3'][0]] == 1


def test_lists_that_do_not_prove_anything(cloud_engine, cloud):
    """An old Nova leaves out servers whose database it cannot reach."""
    things = whole(cloud, 30)
    stack = stack_of(cloud_engine, things)
    hidden = {things[f'server{number}'][0] for number in range(3)}
    cloud.compute.hidden = hidden
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_attributes, '_LISTS_ALL', '10.0')
        report = detected(cloud_engine, cloud, stack, 180)
    assert drifted(report) == {}
    assert drifted(detected(cloud_engine, cloud, stack, 180)) == {
        f'{kind}{number}': 'DELETED' for number in range(3)
        for kind in ('server', 'attachment')}


def test_server_whose_database_is_away_is_not_compared(cloud_engine, cloud):
    things = whole(cloud, 30)
    stack = stack_of(cloud_engine, things)
    server = things['server3'][0]
    cloud.compute.things['/servers'][server] = {
        'id': server, 'status': 'UNKNOWN', 'tenant_id': paged.PROJECT,
        '_next': []}
    report = detected(cloud_engine, cloud, stack, 180)
    assert drifted(report) == {'server3': 'UNSUPPORTED',
                               'attachment3': 'UNSUPPORTED'}
