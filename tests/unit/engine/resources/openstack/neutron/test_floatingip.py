"""Floating IPs, their associations and forwarded port numbers."""
import pytest

from heat.engine.resources.openstack.neutron import floatingip
from heat.engine.resources.openstack.neutron import net
from heat.engine.resources.openstack.neutron import port
from heat.engine.resources.openstack.neutron import router
from heat.engine.resources.openstack.neutron import subnet

TEXT = """
resources:
  public: {type: OS::Neutron::Net}
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}
  router:
    type: OS::Neutron::Router
    properties: {external_gateway_info: {network: {get_resource: public}}}
  interface:
    type: OS::Neutron::RouterInterface
    properties: {router: {get_resource: router},
                 subnet: {get_resource: subnet}}
  port:
    type: OS::Neutron::Port
    properties: {network: {get_resource: net}, %s}
  other:
    type: OS::Neutron::Port
    properties: {network: {get_resource: net}}
  ip:
    type: OS::Neutron::FloatingIP
    properties: {floating_network: {get_resource: public}, %s}
"""
ASSOCIATION = """
  association:
    type: OS::Neutron::FloatingIPAssociation
    properties: {floatingip_id: {get_resource: ip}, %s}
"""
FORWARD = """
  forward:
    type: OS::Neutron::FloatingIPPortForward
    properties: {floating_ip: {get_resource: ip}, protocol: tcp,
                 external_port: %d, internal_port: {get_resource: port},
                 internal_port_number: 22, internal_ip_address: 10.0.0.7}
"""
TO_PORT = 'port_id: {get_resource: port}'
TO_OTHER = 'port_id: {get_resource: other}'


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(
        net.Net, subnet.Subnet, port.Port, router.Router,
        router.RouterInterface, floatingip.FloatingIP,
        floatingip.FloatingIPAssociation, floatingip.FloatingIPPortForward)


def required(stack, name):
    return {needed.name for needed in stack.dependencies.requires(
        stack[name])}


@pytest.mark.parametrize('fixed', [
    '', 'fixed_ips: [{subnet: {get_resource: subnet}}]'])
def test_address_waits_for_the_way_to_the_port(engine, network, fixed):
    stack = engine.create(TEXT % (fixed, TO_PORT))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert required(stack, 'ip') == {'public', 'router', 'interface', 'port'}
    assert network.of('ip')[0]['floating_network_id'] == (
        stack['public'].resource_id)
    engine.delete(stack)
    assert not network.things


def test_address_moves_to_another_port(engine, network):
    stack = engine.create(TEXT % ('', TO_PORT + (
        ', fixed_ip_address: 10.0.0.7')))
    stack = engine.update(stack, TEXT % ('', TO_PORT + (
        ', fixed_ip_address: 10.0.0.8')))
    assert network.body('update') == {
        'port_id': stack['port'].resource_id,
        'fixed_ip_address': '10.0.0.8'}
    stack = engine.update(stack, TEXT % ('', TO_OTHER))
    assert network.body('update') == {
        'port_id': stack['other'].resource_id}
    engine.update(stack, TEXT % ('', ''))
    assert network.body('update') == {'port_id': None}


def test_association_comes_and_goes_without_the_address(engine, network):
    stack = engine.create(TEXT % ('', '') + ASSOCIATION % TO_PORT)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert required(stack, 'association') == {'ip', 'port', 'interface'}
    assert network.body('update') == {'port_id': stack['port'].resource_id}
    stack = engine.update(stack, TEXT % ('', '') + ASSOCIATION % TO_OTHER)
    assert network.body('update') == {'port_id': stack['other'].resource_id}
    before = stack['ip'].resource_id
    stack = engine.update(stack, TEXT % ('', ''))
    assert network.body('update') == {'port_id': None}
    assert stack['ip'].resource_id == before


def test_association_moves_to_another_address(engine, network):
    first = network.create_ip(port_id=None)
    second = network.create_ip(port_id=None)
    text = TEXT % ('', '') + (ASSOCIATION % TO_PORT).replace(
        '{get_resource: ip}', '%s')
    stack = engine.create(text % first.id)
    engine.update(stack, text % second.id)
    assert [each['port_id'] for each in network.of('ip')[:2]] == [
        None, stack['port'].resource_id]


def test_port_may_be_named(engine, network):
    port_id = network.create_port(name='web').id
    engine.create(TEXT % ('', 'port_id: web'))
    assert network.of('ip')[0]['port_id'] == port_id


def test_forwarding_is_a_part_of_the_address(engine, network):
    stack = engine.create(TEXT % ('', '') + FORWARD % 2222)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert network.body('create') == {
        'protocol': 'tcp', 'external_port': 2222, 'internal_port': 22,
        'internal_port_id': stack['port'].resource_id,
        'internal_ip_address': '10.0.0.7'}
    stack = engine.update(stack, TEXT % ('', '') + FORWARD % 2200)
    assert network.body('update') == {'external_port': 2200}
    engine.delete(stack)
    assert not network.things


def test_another_address_of_a_port(engine, network):
    stack = engine.create(TEXT % ('', TO_PORT))
    before = stack['ip'].resource_id
    stack = engine.update(stack, TEXT % (
        '', TO_PORT + ', floating_ip_address: 172.24.4.9'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['ip'].resource_id != before
    assert [each['port_id'] for each in network.of('ip')] == [
        stack['port'].resource_id]


def test_address_that_is_not_replaced_after_all(engine, network):
    stack = engine.create(TEXT % ('', TO_PORT))
    network.trouble['create_subnet'] = [ValueError('broken')]
    stack = engine.update(stack, TEXT % (
        '', TO_PORT + ', floating_ip_address: 172.24.4.9') + """
  broken:
    type: OS::Neutron::Subnet
    depends_on: ip
    properties: {network: {get_resource: more}, cidr: 10.0.1.0/24}
  more: {type: OS::Neutron::Net}
""", disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert [(each['id'], each['port_id']) for each in network.of('ip')] == [
        (stack['ip'].resource_id, stack['port'].resource_id)]
