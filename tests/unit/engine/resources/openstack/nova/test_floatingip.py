"""Floating IPs as Nova once had them."""
from openstack import exceptions
import pytest

from heat.engine import environment
from heat.engine.resources.openstack.nova import floatingip
from tests.fakes import cloud

ADDRESS = """
resources:
  it:
    type: OS::Nova::FloatingIP
    properties: {%s}
outputs:
  ip: {value: {get_attr: [it, ip]}}
  pool: {value: {get_attr: [it, pool]}}
"""
ASSOCIATION = """
resources:
  it:
    type: OS::Nova::FloatingIPAssociation
    properties: {server_id: %s, floating_ip: %s}
"""


@pytest.fixture
def network(world):
    """Return the network service, with an external network and addresses.
    """
    service = world.network
    service.create_network(id='public-id', name='public',
                           is_router_external=True)
    service.networks = lambda **query: [
        cloud.Thing(each) for each in service.of('network')
        if query.items() <= each.items()]
    service.ips = lambda **query: [
        cloud.Thing(each) for each in service.of('ip')
        if query.items() <= each.items()]
    for name in ('one', 'two'):
        service.create_ip(id=name, port_id=None)
    return service


@pytest.fixture
def engine(world, network):
    env = environment.global_env()
    for name in ('NovaFloatingIp', 'NovaFloatingIpAssociation'):
        cls = getattr(floatingip, name)
        env.register_class(cls.type_name, cls)
    return world.engine


@pytest.mark.parametrize('pool', ['pool: public', 'pool: public-id', ''])
def test_life_of_an_address(engine, network, pool):
    network.log.clear()
    stack = engine.create(ADDRESS % pool)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    body = network.body('create')
    assert body['floating_network_id'] == 'public-id'
    made = stack['it'].resource_id
    network.things['ip', made]['floating_ip_address'] = '172.24.4.9'
    stack = engine.reload(stack)
    assert engine.values(stack) == {'ip': '172.24.4.9', 'pool': 'public-id'}
    engine.delete(stack)
    assert ('ip', made) not in network.things


def test_no_external_network(engine, network):
    network.delete_network('public-id')
    stack = engine.create(ADDRESS % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'No external network' in stack.status_reason


def test_address_that_is_gone_is_deleted(engine, network):
    stack = engine.create(ADDRESS % '')
    network.delete_ip(stack['it'].resource_id)
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def leads_to(network, floating_ip):
    return network.things['ip', floating_ip]['port_id']


def test_address_leads_to_a_server(engine, world, network):
    port = world.port()
    server = world.server(networks=[{'port': port}])['server'].resource_id
    stack = engine.create(ASSOCIATION % (server, 'one'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert leads_to(network, 'one') == port
    stack = engine.update(stack, ASSOCIATION % (server, 'two'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert (leads_to(network, 'one'), leads_to(network, 'two')) == (
        None, port)
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    network.update_ip('two', port_id=None)
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'FAILED')
    engine.delete(stack)
    assert leads_to(network, 'two') is None


def test_association_of_an_address_that_is_gone(engine, world, network):
    server = world.server(networks=[{'port': world.port()}])[
        'server'].resource_id
    stack = engine.create(ASSOCIATION % (server, 'one'))
    network.delete_ip('one')
    with pytest.raises(exceptions.NotFoundException):
        network.get_ip('one')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
