"""Networks, addresses and security groups of EC2 are those of Neutron."""
import pytest

from heat.common import exception
from heat.engine.clients.os import cinder
from heat.engine.clients.os import neutron
from heat.engine.clients.os import nova
from heat.engine.resources.aws.ec2 import eip
from heat.engine.resources.aws.ec2 import internet_gateway
from heat.engine.resources.aws.ec2 import network_interface
from heat.engine.resources.aws.ec2 import route_table
from heat.engine.resources.aws.ec2 import security_group
from heat.engine.resources.aws.ec2 import subnet
from heat.engine.resources.aws.ec2 import volume
from heat.engine.resources.aws.ec2 import vpc
from tests.fakes import cloud
from tests.fakes import network as fake_network

NETWORK = """
resources:
  vpc: {type: AWS::EC2::VPC, properties: {CidrBlock: 10.0.0.0/16}}
  subnet:
    type: AWS::EC2::Subnet
    properties:
      VpcId: {get_resource: vpc}
      CidrBlock: 10.0.1.0/24
      AvailabilityZone: nova
%s
outputs:
  zone: {value: {get_attr: [subnet, AvailabilityZone]}}
"""
WAY_OUT = """
  gateway: {type: AWS::EC2::InternetGateway}
  table:
    type: AWS::EC2::RouteTable
    properties: {VpcId: {get_resource: vpc}}
  association:
    type: AWS::EC2::SubnetRouteTableAssociation
    properties:
      {RouteTableId: {get_resource: table}, SubnetId: {get_resource: subnet}}
  attachment:
    type: AWS::EC2::VPCGatewayAttachment
    properties:
      VpcId: {get_resource: vpc}
      InternetGatewayId: {get_resource: gateway}
"""


class Network(fake_network.FakeNetwork):
    """With what the service says of routers and floating IPs."""

    def create_router(self, **values):
        return self._create('router', external_gateway_info=None, **values)

    def create_ip(self, **values):
        return super().create_ip(floating_ip_address='172.24.4.9', **values)


@pytest.fixture
def network():
    service = Network()
    service.create_network(id='outside', name='public',
                           is_router_external=True)
    service.log.clear()
    return service


class Compute(cloud.FakeService):
    """Servers, each with a port of the network service."""

    def server_interfaces(self, server_id):
        return [cloud.Thing({'port_id': 'port-of-' + server_id})]


@pytest.fixture
def compute():
    service = Compute()
    for name in ('one', 'two'):
        service.create_server(id=name, name=name)
    return service


@pytest.fixture
def engine(cloud_engine, network, compute):
    cloud_engine.use(network, neutron.NeutronClientPlugin, vpc, subnet,
                     route_table, internet_gateway, network_interface,
                     security_group)
    cloud_engine.use(compute, nova.NovaClientPlugin, eip)
    return cloud_engine


def interfaces(network):
    """Return {router name: subnets that it is attached to}."""
    return {router['id']: [
        port['fixed_ips'][0]['subnet_id'] for port in network.of('port')
        if port.get('device_id') == router['id']]
        for router in network.of('router')}


def test_network_with_its_router(engine, network):
    stack = engine.create(NETWORK % '')
    assert stack.state == ('CREATE', 'COMPLETE')
    [router] = network.of('router')
    network_id = stack['vpc'].resource_id
    assert network.things['network', network_id]['name'] == router['name']
    made = network.things['subnet', stack['subnet'].resource_id]
    assert (made['network_id'], made['cidr']) == (network_id, '10.0.1.0/24')
    assert interfaces(network) == {
        router['id']: [stack['subnet'].resource_id]}
    assert engine.values(stack) == {'zone': 'nova'}
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    engine.delete(stack)
    assert [each['id'] for each in network.of('network')] == ['outside']
    for noun in ('router', 'subnet', 'port'):
        assert not network.of(noun)


def test_network_that_is_gone(engine, network):
    stack = engine.create(NETWORK % '')
    for key in list(network.things):
        if key[1] != 'outside':
            del network.things[key]
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_route_table_with_a_way_out(engine, network):
    stack = engine.create(NETWORK % WAY_OUT)
    assert stack.state == ('CREATE', 'COMPLETE')
    table = stack['table'].resource_id
    found = interfaces(network)
    assert found.pop(table) == [stack['subnet'].resource_id]
    assert list(found.values()) == [[]]
    assert network.things['router', table]['external_gateway_info'] == {
        'network_id': 'outside'}
    # What is taken away leads to how it was.
    stack = engine.update(stack, NETWORK % '')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert list(interfaces(network).values()) == [
        [stack['subnet'].resource_id]]
    engine.delete(stack)
    assert not network.of('router')


TWO_NETWORKS = """
resources:
  one: {type: AWS::EC2::VPC}
  two: {type: AWS::EC2::VPC}
  table_one:
    type: AWS::EC2::RouteTable
    properties: {VpcId: {get_resource: one}}
  table_two:
    type: AWS::EC2::RouteTable
    properties: {VpcId: {get_resource: two}}
  attachment:
    type: AWS::EC2::VPCGatewayAttachment
    properties: {VpcId: {get_resource: %s}, InternetGatewayId: %s}
%s
"""
TWO_TABLES = """
  one:
    type: AWS::EC2::RouteTable
    properties: {VpcId: {get_resource: vpc}}
  two:
    type: AWS::EC2::RouteTable
    properties: {VpcId: {get_resource: vpc}}
  association:
    type: AWS::EC2::SubnetRouteTableAssociation
    properties:
      {RouteTableId: {get_resource: %s}, SubnetId: {get_resource: subnet}}
  gateway:
    type: AWS::EC2::VPCGatewayAttachment
    depends_on: association
    properties: {VpcId: {get_resource: vpc}%s}
"""


def attached(network, stack):
    """Return the names of what the subnet is attached to."""
    names = {stack[name].resource_id: name for name in ('one', 'two')}
    return [names.get(router, 'usual')
            for router, subnets in interfaces(network).items()
            if stack['subnet'].resource_id in subnets]


def test_another_route_table_of_a_subnet(engine, network):
    stack = engine.create(NETWORK % (TWO_TABLES % ('one', '')))
    assert attached(network, stack) == ['one']
    stack = engine.update(stack, NETWORK % (TWO_TABLES % ('two', '')))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert attached(network, stack) == ['two']
    stack = engine.update(stack, NETWORK % '')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert list(interfaces(network).values()) == [
        [stack['subnet'].resource_id]]


def test_route_table_that_is_not_replaced_after_all(engine, network):
    stack = engine.create(NETWORK % (TWO_TABLES % ('one', '')))
    network.trouble['update_router'] = [ValueError('broken')]
    stack = engine.update(
        stack, NETWORK % (TWO_TABLES % ('two', ', InternetGatewayId: g')),
        disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert attached(network, stack) == ['one']


BROKEN = """
  broken:
    type: AWS::EC2::Subnet
    depends_on: attachment
    properties: {VpcId: {get_resource: one}, CidrBlock: 10.0.1.0/24}
"""


def ways_out(network, stack, *tables):
    """Return which of the route tables have a gateway."""
    return [name for name in tables if network.things[
        'router', stack[name].resource_id]['external_gateway_info']]


def test_gateway_of_another_network(engine, network):
    stack = engine.create(TWO_NETWORKS % ('one', 'g', ''))
    assert ways_out(network, stack, 'table_one', 'table_two') == [
        'table_one']
    stack = engine.update(stack, TWO_NETWORKS % ('two', 'g', ''))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert ways_out(network, stack, 'table_one', 'table_two') == [
        'table_two']
    engine.delete(stack)
    assert not network.of('router')


def test_another_gateway_of_the_same_network(engine, network):
    stack = engine.create(TWO_NETWORKS % ('one', 'g', ''))
    before = stack['attachment'].uuid
    stack = engine.update(stack, TWO_NETWORKS % ('one', 'h', ''))
    assert stack['attachment'].uuid != before
    assert ways_out(network, stack, 'table_one', 'table_two') == [
        'table_one']


def test_gateway_that_is_not_replaced_after_all(engine, network):
    stack = engine.create(TWO_NETWORKS % ('one', 'g', ''))
    network.trouble['create_subnet'] = [ValueError('broken')]
    stack = engine.update(stack, TWO_NETWORKS % ('one', 'h', BROKEN),
                          disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert ways_out(network, stack, 'table_one', 'table_two') == [
        'table_one']
    stack = engine.update(stack, TWO_NETWORKS % ('two', 'g', ''))
    assert ways_out(network, stack, 'table_one', 'table_two') == [
        'table_two']


def test_route_table_that_comes_after_the_gateway(engine, network):
    more = """
  more:
    type: AWS::EC2::RouteTable
    properties: {VpcId: {get_resource: one}}
"""
    stack = engine.create(TWO_NETWORKS % ('one', 'g', ''))
    stack = engine.update(stack, TWO_NETWORKS % ('one', 'g', more))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert ways_out(network, stack, 'table_one', 'table_two', 'more') == [
        'table_one', 'more']
    stack = engine.update(stack, TWO_NETWORKS % ('two', 'g', more))
    assert ways_out(network, stack, 'table_one', 'table_two', 'more') == [
        'table_two']


def test_addresses_wait_for_the_way_out(engine):
    stack = engine.create(NETWORK % (WAY_OUT + """
  server_address: {type: AWS::EC2::EIP, properties: {InstanceId: one}}
  address: {type: AWS::EC2::EIP}
  leads:
    type: AWS::EC2::EIPAssociation
    properties:
      AllocationId: {get_attr: [address, AllocationId]}
      NetworkInterfaceId: {get_resource: port}
  port:
    type: AWS::EC2::NetworkInterface
    properties: {SubnetId: {get_resource: subnet}}
"""))
    assert stack.state == ('CREATE', 'COMPLETE')
    for name in ('server_address', 'leads'):
        assert {'attachment', 'association'} <= {
            each.name for each in stack.dependencies.requires(stack[name])}
    assert not list(stack.dependencies.requires(stack['address']))


@pytest.mark.parametrize('number', [0, 2])
def test_no_one_way_out(engine, network, number):
    if number:
        network.create_network(id='more', is_router_external=True)
    else:
        network.things.clear()
    stack = engine.create(NETWORK % WAY_OUT)
    assert stack.state == ('CREATE', 'FAILED')
    assert '%d were found' % number in stack.status_reason


INTERFACE = """
  group:
    type: AWS::EC2::SecurityGroup
    properties: {GroupDescription: g}
  it:
    type: AWS::EC2::NetworkInterface
    properties: {SubnetId: {get_resource: subnet}, %s}
"""


def test_interface(engine, network):
    network.create_security_group(id='default-id', name='default')
    stack = engine.create(NETWORK % INTERFACE % (
        'PrivateIpAddress: 10.0.1.7, Description: d, '
        'GroupSet: [{get_resource: group}]'))
    assert stack.state == ('CREATE', 'COMPLETE')
    port = network.things['port', stack['it'].resource_id]
    subnet_id = stack['subnet'].resource_id
    assert port['fixed_ips'] == [{'subnet_id': subnet_id,
                                  'ip_address': '10.0.1.7'}]
    assert port['network_id'] == stack['vpc'].resource_id
    assert port['description'] == 'd'
    assert port['security_groups'] == [stack['group'].resource_id]
    assert stack['it'].FnGetAtt('PrivateIpAddress') == '10.0.1.7'
    stack = engine.update(stack, NETWORK % INTERFACE % (
        'PrivateIpAddress: 10.0.1.7, Description: d'))
    assert network.things['port', stack['it'].resource_id][
        'security_groups'] == ['default-id']
    engine.delete(stack)
    assert ('port', port['id']) not in network.things


GROUP = """
resources:
  it:
    type: AWS::EC2::SecurityGroup
    properties: {GroupDescription: d, %s}
"""


def rules(network, stack):
    return sorted((each['direction'], each.get('protocol'),
                   each.get('port_range_min'), each.get('port_range_max'),
                   each.get('remote_ip_prefix'), each['ethertype'])
                  for each in network.rules(stack['it'].resource_id))


def test_rules_of_a_group(engine, network):
    stack = engine.create(GROUP % (
        'SecurityGroupIngress: ['
        '{IpProtocol: tcp, FromPort: "22", ToPort: "22",'
        ' CidrIp: 0.0.0.0/0}, '
        '{IpProtocol: icmp, FromPort: "-1", ToPort: "-1",'
        ' CidrIp: "::/0"}]'))
    assert stack.state == ('CREATE', 'COMPLETE')
    everything_out = [('egress', None, None, None, None, 'IPv4'),
                      ('egress', None, None, None, None, 'IPv6')]
    assert rules(network, stack) == [
        *everything_out, ('ingress', 'icmp', None, None, '::/0', 'IPv6'),
        ('ingress', 'tcp', 22, 22, '0.0.0.0/0', 'IPv4')]
    before = {each['id'] for each in network.of('security_group_rule')}
    stack = engine.update(stack, GROUP % (
        'SecurityGroupIngress: ['
        '{IpProtocol: tcp, FromPort: "22", ToPort: "22",'
        ' CidrIp: 0.0.0.0/0}], '
        'SecurityGroupEgress: [{IpProtocol: "-1", CidrIp: 10.0.0.0/8}]'))
    assert rules(network, stack) == [
        ('egress', None, None, None, '10.0.0.0/8', 'IPv4'),
        ('ingress', 'tcp', 22, 22, '0.0.0.0/0', 'IPv4')]
    after = {each['id'] for each in network.of('security_group_rule')}
    assert len(before & after) == 1, 'what stays is not touched'
    engine.delete(stack)
    assert not network.of('security_group')


def test_rule_about_a_group(engine, network):
    network.create_security_group(id='other-id', name='other')
    stack = engine.create(GROUP % (
        'SecurityGroupIngress: [{IpProtocol: tcp, FromPort: "1", '
        'ToPort: "2", SourceSecurityGroupName: other}]'))
    assert 'other-id' in [each.get('remote_group_id') for each in
                          network.rules(stack['it'].resource_id)]


def test_rule_with_a_port_that_is_none(engine):
    stack = engine.create(GROUP % (
        'SecurityGroupIngress: [{IpProtocol: tcp, FromPort: ssh}]'))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'ssh' in stack.status_reason


ADDRESS = """
resources:
  it: {type: AWS::EC2::EIP, properties: {%s}}
%s
outputs:
  address: {value: {get_resource: it}}
  id: {value: {get_attr: [it, AllocationId]}}
"""


def test_address_of_a_server(engine, network):
    stack = engine.create(ADDRESS % ('InstanceId: one', ''))
    assert stack.state == ('CREATE', 'COMPLETE')
    [found] = network.of('ip')
    assert found['floating_network_id'] == 'outside'
    assert found['port_id'] == 'port-of-one'
    assert engine.values(stack) == {'address': '172.24.4.9',
                                    'id': found['id']}
    stack = engine.update(stack, ADDRESS % ('InstanceId: two', ''))
    assert found['port_id'] == 'port-of-two'
    stack = engine.update(stack, ADDRESS % ('', ''))
    assert found['port_id'] is None
    engine.delete(stack)
    assert not network.of('ip')


def test_another_address_of_a_server(engine, network):
    stack = engine.create(ADDRESS % ('InstanceId: one', ''))
    before = stack['it'].resource_id
    stack = engine.update(stack, ADDRESS % ('InstanceId: one, Domain: vpc',
                                            ''))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id != before
    assert [each['port_id'] for each in network.of('ip')] == ['port-of-one']


def test_address_that_is_not_replaced_after_all(engine, network):
    stack = engine.create(ADDRESS % ('InstanceId: one', ''))
    before = stack['it'].resource_id
    network.trouble['create_subnet'] = [ValueError('broken')]
    stack = engine.update(stack, ADDRESS % (
        'InstanceId: one, Domain: vpc', """
  broken:
    type: AWS::EC2::Subnet
    depends_on: it
    properties: {VpcId: outside, CidrBlock: 10.0.1.0/24}
"""), disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert [(each['id'] == before, each['port_id'])
            for each in network.of('ip')] == [
                (stack['it'].resource_id == before, 'port-of-one')]


ASSOCIATION = """
  other: {type: AWS::EC2::EIP}
  association:
    type: AWS::EC2::EIPAssociation
    properties: {%s}
"""


def test_association_by_address(engine, network, monkeypatch):
    monkeypatch.setattr(network, '_all', lambda entity, filters: [
        cloud.Thing(each) for each in network.of(entity)][:1]
        if entity == 'ip' else fake_network.FakeNetwork._all(
            network, entity, filters))
    text = ADDRESS % ('', ASSOCIATION % (
        'EIP: {get_resource: it}, InstanceId: %s'))
    stack = engine.create(text % 'one')
    assert stack.state == ('CREATE', 'COMPLETE')
    found = network.of('ip')[0]
    assert found['port_id'] == 'port-of-one'
    stack = engine.update(stack, text % 'two')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert found['port_id'] == 'port-of-two'
    stack = engine.update(stack, ADDRESS % ('', ''))
    assert found['port_id'] is None


def test_association_with_a_port(engine, network):
    made = engine.create(NETWORK % '', name='net')
    network.create_port(id='p', network_id=made['vpc'].resource_id,
                        device_id='one')
    text = ADDRESS % ('', ASSOCIATION % (
        'AllocationId: {get_attr: [%s, AllocationId]}, %s'))
    stack = engine.create(text % ('it', 'NetworkInterfaceId: p'))
    assert stack.state == ('CREATE', 'COMPLETE')
    one = network.things['ip', stack['it'].resource_id]
    other = network.things['ip', stack['other'].resource_id]
    assert one['port_id'] == 'p'
    # The way to the port leads through the router of its network.
    [router] = network.of('router')
    assert router['external_gateway_info'] == {'network_id': 'outside'}
    before = stack['association'].uuid
    stack = engine.update(stack, text % ('other', 'NetworkInterfaceId: p'))
    assert (one['port_id'], other['port_id']) == (None, 'p')
    assert stack['association'].uuid == before
    stack = engine.update(stack, text % ('it', 'InstanceId: one'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert one['port_id'] == 'p'
    assert stack['association'].uuid != before, 'all of it is another'
    # It leads to where it led if nothing comes of another one.
    network.trouble['create_subnet'] = [ValueError('broken')]
    text = text.replace('outputs:', """
  broken:
    type: AWS::EC2::Subnet
    depends_on: association
    properties: {VpcId: outside, CidrBlock: 10.0.1.0/24}
outputs:""")
    stack = engine.update(stack, text % ('other', 'NetworkInterfaceId: p'),
                          disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert (one['port_id'], other['port_id']) == ('p', None)


@pytest.mark.parametrize(('given', 'error'), [
    ('EIP: 10.0.0.1', exception.PropertyUnspecifiedError),
    ('InstanceId: one', exception.PropertyUnspecifiedError),
    ('EIP: 10.0.0.1, AllocationId: x, InstanceId: one',
     exception.ResourcePropertyConflict),
    ('EIP: 10.0.0.1, NetworkInterfaceId: x',
     exception.StackValidationFailed)])
def test_association_that_makes_no_sense(engine, given, error):
    with pytest.raises(error):
        engine.create(ADDRESS % ('', ASSOCIATION % given))


VOLUME = """
resources:
  it:
    type: AWS::EC2::Volume
    properties: {AvailabilityZone: nova, %s}
"""


@pytest.fixture
def storage(cloud_engine):
    service = cloud.FakeService()
    cloud_engine.use(service, cinder.CinderClientPlugin, volume)
    return service


def test_volume(cloud_engine, storage):
    storage.script['volume'] = ['creating', 'creating', 'available']
    stack = cloud_engine.create(VOLUME % (
        'Size: 7, Tags: [{Key: a, Value: b}]'))
    assert stack.state == ('CREATE', 'COMPLETE')
    body = storage.body('create')
    assert (body['size'], body['availability_zone'], body['metadata']) == (
        7, 'nova', {'a': 'b'})
    cloud_engine.delete(stack)
    assert not storage.things


def test_volume_of_no_size(cloud_engine, storage):
    with pytest.raises(exception.PropertyUnspecifiedError):
        cloud_engine.create(VOLUME % '')
