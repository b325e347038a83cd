"""Ports."""
import pytest

from heat.engine.resources.openstack.neutron import floatingip
from heat.engine.resources.openstack.neutron import net
from heat.engine.resources.openstack.neutron import port
from heat.engine.resources.openstack.neutron import security_group
from heat.engine.resources.openstack.neutron import subnet

PORT = """
resources:
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}
  port:
    type: OS::Neutron::Port
    properties: {network: {get_resource: net}, %s}
outputs:
  network: {value: {get_attr: [port, network, id]}}
  id: {value: {get_attr: [port, network_id]}}
  cidr: {value: {get_attr: [port, subnets, 0, cidr]}}
"""
FIXED = 'fixed_ips: [{subnet: {get_resource: subnet}, ip_address: %s}]'


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(net.Net, subnet.Subnet, port.Port)


def test_port_waits_for_the_subnets_of_its_network(engine, network):
    network.script['port'] = ['BUILD', 'DOWN']
    stack = engine.create(PORT % '')
    assert stack.state == ('CREATE', 'COMPLETE')
    required = {needed.name for needed in stack.dependencies.requires(
        stack['port'])}
    assert required == {'net', 'subnet'}
    assert network.body('create') == {
        'name': stack['port'].physical_resource_name(),
        'network_id': stack['net'].resource_id, 'admin_state_up': True,
        'binding:vnic_type': 'normal', 'device_id': '', 'device_owner': ''}
    engine.delete(stack)
    assert not network.things


def test_addresses_are_told_and_shown(engine, network):
    stack = engine.create(PORT % (
        FIXED % '10.0.0.7' + ', allowed_address_pairs: '
        '[{ip_address: 10.0.0.9}]'))
    body = network.body('create')
    assert body['fixed_ips'] == [
        {'subnet_id': stack['subnet'].resource_id, 'ip_address': '10.0.0.7'}]
    assert body['allowed_address_pairs'] == [{'ip_address': '10.0.0.9'}]
    net_id = stack['net'].resource_id
    assert engine.values(stack) == {
        'network': net_id, 'id': net_id, 'cidr': '10.0.0.0/24'}


def test_old_names_still_work(engine, network):
    stack = engine.create(PORT.replace(
        'network: {get_resource: net}, %s',
        'network_id: {get_resource: net}, '
        'fixed_ips: [{subnet_id: {get_resource: subnet}}]'))
    body = network.body('create')
    assert body['network_id'] == stack['net'].resource_id
    assert body['fixed_ips'] == [{'subnet_id': stack['subnet'].resource_id}]


def test_port_without_addresses_gets_some(engine, network):
    stack = engine.create(PORT % 'no_fixed_ips: true')
    assert network.body('create')['fixed_ips'] == []
    engine.update(stack, PORT % '')
    assert network.body('update') == {
        'fixed_ips': [{'subnet_id': stack['subnet'].resource_id}]}


def test_groups_are_found_and_fall_back_to_the_default(engine, network):
    web = network.create_security_group(name='web')
    default = network.create_security_group(name='default')
    stack = engine.create(PORT % 'security_groups: [web]')
    assert network.body('create')['security_groups'] == [web.id]
    stack = engine.update(stack, PORT % 'security_groups: []')
    assert network.body('update') == {'security_groups': []}
    engine.update(stack, PORT % '')
    assert network.body('update') == {'security_groups': [default.id]}


def test_port_that_is_not_secure_gives_up_its_groups(engine, network):
    default = network.create_security_group(name='default')
    stack = engine.create(PORT % '')
    stack = engine.update(stack, PORT % 'port_security_enabled: false')
    assert network.body('update') == {
        'port_security_enabled': False, 'security_groups': []}
    stack = engine.update(stack, PORT % 'port_security_enabled: true')
    assert network.body('update') == {
        'port_security_enabled': True, 'security_groups': [default.id]}
    stack = engine.update(stack, PORT % 'port_security_enabled: false')
    network.update_network(stack['net'].resource_id,
                           is_port_security_enabled=False)
    engine.update(stack, PORT % '')
    assert network.body('update') == {
        'port_security_enabled': False, 'security_groups': []}


def test_what_the_stack_has_made_is_not_looked_for(engine, network):
    engine.register(floatingip.FloatingIP, security_group.SecurityGroup)
    engine.create("""
resources:
  net: {type: OS::Neutron::Net}
  group: {type: OS::Neutron::SecurityGroup}
  port:
    type: OS::Neutron::Port
    properties:
      network: {get_resource: net}
      security_groups: [{get_resource: group}]
  ip:
    type: OS::Neutron::FloatingIP
    properties:
      floating_network: {get_resource: net}
      port_id: {get_resource: port}
""")
    assert network.requests('create')[-1] == 'create ip'
    assert network.requests('find') == []


def test_same_name_elsewhere_does_not_hide_our_group(engine, network):
    network.create_security_group(name='web', project_id='others')
    stack = engine.create(PORT % '')
    ours = network.create_security_group(
        name='web', project_id=stack.context.tenant_id)
    stack = engine.update(stack, PORT % 'security_groups: [web]')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert network.body('update') == {'security_groups': [ours.id]}


def test_replacement_may_have_the_same_address(engine, network):
    stack = engine.create(PORT % (FIXED % '10.0.0.7'))
    network.log.clear()
    engine.update(stack, PORT % (
        FIXED % '10.0.0.7' + ', mac_address: "fa:16:3e:00:00:01"'))
    assert network.requests('create', 'update', 'delete') == [
        'update port', 'create port', 'delete port']
    assert network.body('update') == {'fixed_ips': []}
    assert len(network.of('port')) == 1


def test_address_comes_back_when_the_replacement_fails(engine, network):
    stack = engine.create(PORT % (FIXED % '10.0.0.7'))
    before = stack['port'].resource_id
    network.trouble['create_port'] = [RuntimeError('no such address')]
    stack = engine.update(stack, PORT % (
        FIXED % '10.0.0.7' + ', mac_address: "fa:16:3e:00:00:01"'),
        disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert stack['port'].resource_id == before
    assert [each['ip_address'] for each in
            network.of('port')[0]['fixed_ips']] == ['10.0.0.7']


def test_replacement_policy(engine, network):
    always = 'replacement_policy: REPLACE_ALWAYS, '
    stack = engine.create(PORT % always)
    before = stack['port'].resource_id
    stack = engine.update(stack, PORT % (always + 'name: other'))
    assert stack['port'].resource_id != before


def test_port_is_not_asked_for_what_the_service_has_told(engine, network):
    engine.create(PORT.partition('outputs')[0] % '')
    assert 'get port' not in network.requests()
    network.script['port'] = ['BUILD', 'DOWN']
    engine.create(PORT.partition('outputs')[0] % '', name='later')
    assert network.requests().count('get port') == 1
