"""Containers of Zun."""
from openstack import proxy
import pytest

from heat.common import exception
from heat.engine.clients.os import cinder
from heat.engine.clients.os import neutron
from heat.engine.clients.os import zun
from heat.engine.resources.openstack.zun import container
from tests.fakes import cloud
from tests.fakes import rest_service

BOX = """
resources:
  box:
    type: OS::Zun::Container
    properties: {name: box, image: cirros%s}
outputs:
  addresses: {value: {get_attr: [box, addresses]}}
"""


class Containers(rest_service.RestService):
    """Zun in memory: each network gives a port of its name."""

    COLLECTIONS = {'/containers': (None, 'containers', 'uuid')}
    READY = 'Running'

    def new(self, collection, values):
        return {**values, 'addresses': {
            net['network']: [_address(net['network'])]
            for net in values.get('nets', ()) if 'network' in net}}

    def act(self, method, path, body, query):
        found = self.match('/containers/[^/]+/(network_.*)', path)
        if found is None:
            return None
        addresses = self.only('/containers')['addresses']
        if found[1] == 'network_list':
            return self.ok({'networks': [
                {'port_id': each['port']} for ports in addresses.values()
                for each in ports]})
        if found[1] == 'network_detach':
            for name in [name for name, ports in addresses.items()
                         if ports[0]['port'] == query['port']]:
                del addresses[name]
        else:
            addresses[query['network']] = [_address(query['network'])]
        return self.ok(status=202)


def _address(network):
    return {'addr': '10.0.0.1', 'port': 'port of ' + network}


@pytest.fixture
def containers():
    return Containers()


@pytest.fixture
def engine(cloud_engine, containers):
    network, volumes = cloud.FakeService(), cloud.FakeService()
    for name in ('one', 'two'):
        network.create_network(id=name + '-id', name=name)
    volumes.create_volume(id='volume-id', name='data')
    cloud_engine.use(network, neutron.NeutronClientPlugin)
    cloud_engine.use(volumes, cinder.CinderClientPlugin)
    cloud_engine.use_rest(containers, zun.ZunClientPlugin, proxy.Proxy,
                          container)
    return cloud_engine


def test_life_of_a_container(engine, containers):
    containers.script.update({
        '/containers': ['Creating', 'Creating', 'Running'],
        '/containers going': ['Deleting', 'Deleting']})
    stack = engine.create(BOX % (
        ', command: sleep 9, cpu: 0.5, memory: 512, environment: {A: b}, '
        'restart_policy: "on-failure:3", '
        'networks: [{network: one, fixed_ip: 10.0.0.1}], '
        'mounts: [{volume_size: 1, mount_path: /new},'
        ' {volume_id: volume-id, mount_path: /data}]'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [body] = containers.bodies('POST', '/containers')
    assert body == {
        'name': 'box', 'image': 'cirros', 'command': 'sleep 9', 'cpu': 0.5,
        'memory': '512', 'environment': {'A': 'b'}, 'security_groups': [],
        'restart_policy': {'Name': 'on-failure', 'MaximumRetryCount': '3'},
        'nets': [{'network': 'one-id', 'v4-fixed-ip': '10.0.0.1'}],
        'mounts': [{'size': '1', 'destination': '/new'},
                   {'source': 'volume-id', 'destination': '/data'}]}
    assert {'run': 'true'} in containers.queries
    assert engine.values(stack)['addresses'] == {
        'one-id': [{'addr': '10.0.0.1', 'port': 'port of one-id'}]}
    engine.delete(stack)
    assert {'stop': 'true'} in containers.queries
    assert not containers.things['/containers']


def test_container_changes_in_place(engine, containers):
    given = ', cpu: %s, memory: %s, networks: [{network: %s}]'
    stack = engine.create(BOX % (given % (1, 512, 'one')))
    before = stack['box'].resource_id
    stack = engine.update(stack, BOX % (given % (2, 1024, 'two')))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['box'].resource_id == before
    assert containers.bodies('PATCH', '/containers/' + before) == [
        {'cpu': 2, 'memory': '1024'}]
    assert set(containers.only('/containers')['addresses']) == {'two-id'}


def test_another_image_is_another_container(engine, containers):
    stack = engine.create(BOX % '')
    before = stack['box'].resource_id
    stack = engine.update(stack, (BOX % '').replace('cirros', 'fedora'))
    assert stack['box'].resource_id != before
    assert containers.only('/containers')['image'] == 'fedora'


def test_terminal_takes_a_newer_version(engine, containers):
    stack = engine.create(BOX % ', tty: true, command: "echo \'a b\'"')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [body] = containers.bodies('POST', '/containers')
    assert body['command'] == ['echo', 'a b']
    assert containers.microversions == {'1.36'}


@pytest.mark.parametrize(('given', 'state'), [
    ('', 'Error'), ('', 'Dead'), ('', 'Unheard'),
    (', interactive: true', 'Stopped')])
def test_container_in_a_wrong_state_fails(engine, containers, given, state):
    containers.script['/containers'] = ['Creating', state]
    stack = engine.create(BOX % given)
    assert stack.state == ('CREATE', 'FAILED')
    assert state in stack.status_reason


def test_command_may_have_ended(engine, containers):
    containers.script['/containers'] = ['Creating', 'Stopped']
    assert engine.create(BOX % '').state == ('CREATE', 'COMPLETE')


@pytest.mark.parametrize(('given', 'words'), [
    (', mounts: [{mount_path: /a}]', 'volume_id'),
    (', mounts: [{mount_path: /a, volume_size: 1, volume_id: volume-id}]',
     'volume_id'),
    (', networks: [{fixed_ip: 10.0.0.1}]', '"network" or "port"'),
    (', restart_policy: "on-failure:often"', 'must be a number')])
def test_properties_that_do_not_fit(engine, given, words):
    with pytest.raises(exception.StackValidationFailed, match=words):
        engine.create(BOX % given)


def test_what_is_gone(engine, containers):
    stack = engine.create(BOX % '')
    containers.things['/containers'].clear()
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'FAILED')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
