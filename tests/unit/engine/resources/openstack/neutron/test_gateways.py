"""Firewalls and gateways, which openstacksdk has no words for."""
import types

import pytest

from heat.engine.clients.os.neutron import extensions
from heat.engine.resources.openstack.neutron import firewall
from heat.engine.resources.openstack.neutron import l2_gateway
from heat.engine.resources.openstack.neutron import network_gateway

FIREWALL = """
resources:
  rule:
    type: OS::Neutron::FirewallRule
    properties: {protocol: %s, action: allow}
  policy:
    type: OS::Neutron::FirewallPolicy
    properties: {firewall_rules: [{get_resource: rule}]}
  firewall:
    type: OS::Neutron::Firewall
    properties: {firewall_policy_id: {get_resource: policy}}
"""
L2 = """
resources:
  gateway:
    type: OS::Neutron::L2Gateway
    properties:
      name: gw
      devices: [{device_name: switch, interfaces: [{name: eth%d}]}]
  connection:
    type: OS::Neutron::L2GatewayConnection
    properties: {l2_gateway_id: {get_resource: gateway}, network_id: net,
                 segmentation_id: 7}
"""
GATEWAY = """
resources:
  gateway:
    type: OS::Neutron::NetworkGateway
    properties:
      devices: [{id: switch, interface_name: eth0}]
      connections: [%s]
"""
VLAN = '{%s: %s, segmentation_type: vlan, segmentation_id: %d}'


@pytest.fixture(autouse=True)
def known(engine, network, monkeypatch):
    engine.register(firewall.Firewall, firewall.FirewallPolicy,
                    firewall.FirewallRule, l2_gateway.L2Gateway,
                    l2_gateway.L2GatewayConnection,
                    network_gateway.NetworkGateway)
    # What the service does with the paths, not with the classes.
    real = {verb: getattr(network, '_' + verb)
            for verb in ('create', 'get', 'update', 'delete')}
    for verb, request in real.items():
        monkeypatch.setattr(network, '_' + verb, named(request))


def named(request):
    def by_path(kind, *args, **given):
        return request(getattr(kind, 'base_path', kind), *args, **given)
    return by_path


def test_firewall_with_policy_and_rule(engine, network):
    network.script['/fw/firewalls'] = ['PENDING_CREATE', 'ACTIVE']
    network.script['/fw/firewalls going'] = ['PENDING_DELETE']
    stack = engine.create(FIREWALL % 'any')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert network.of('/fw/firewall_rules')[0]['protocol'] is None
    assert network.of('/fw/firewall_policies')[0]['firewall_rules'] == [
        stack['rule'].resource_id]
    assert network.of('/fw/firewalls')[0]['firewall_policy_id'] == (
        stack['policy'].resource_id)
    stack = engine.update(stack, FIREWALL % 'tcp')
    assert network.body('update') == {'protocol': 'tcp'}


def test_gateway_of_hardware(engine, network):
    net = network.create_network(name='net')
    stack = engine.create(L2 % 0)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert network.of('/l2-gateways')[0]['devices'] == [
        {'device_name': 'switch', 'interfaces': [{'name': 'eth0'}]}]
    connection = network.of('/l2-gateway-connections')[0]
    assert connection['network_id'] == net.id
    assert connection['l2_gateway_id'] == stack['gateway'].resource_id
    stack = engine.update(stack, L2 % 1)
    assert network.body('update') == {'devices': [
        {'device_name': 'switch', 'interfaces': [{'name': 'eth1'}]}]}
    engine.delete(stack)
    assert not network.of('/l2-gateways')


class Wire:
    """A session that notes what is sent.

    :ivar sent: (path, body) in order.
    """

    def __init__(self):
        self.sent = []

    def put(self, path, json):
        self.sent.append((path, json))
        return types.SimpleNamespace(status_code=200)


@pytest.fixture
def wire(network, monkeypatch):
    """Return the session to which gateways connect and disconnect."""
    wire = Wire()
    network.put = wire.put

    def get(kind, thing_id):
        return kind(id=thing_id)

    monkeypatch.setattr(network, '_get', get)
    return wire


@pytest.mark.filterwarnings('ignore:The _compute_attributes method')
def test_networks_are_connected_one_by_one(engine, network, wire):
    one, two = (network.create_network(name=name).id
                for name in ('one', 'two'))
    stack = engine.create(GATEWAY % (VLAN % ('network', 'one', 1)))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert 'connections' not in network.of('/network-gateways')[0]
    place = 'network-gateways/%s/' % (
        stack['gateway'].resource_id.strip('/'))

    def body(network_id, vlan):
        return {'network_id': network_id, 'segmentation_type': 'vlan',
                'segmentation_id': vlan}

    assert wire.sent == [(place + 'connect_network', body(one, 1))]
    del wire.sent[:]
    stack = engine.update(stack, GATEWAY % (
        VLAN % ('network_id', 'two', 2)))
    assert wire.sent == [(place + 'disconnect_network', body(one, 1)),
                         (place + 'connect_network', body(two, 2))]
    del wire.sent[:]
    engine.delete(stack)
    assert wire.sent == [(place + 'disconnect_network', body(two, 2))]
    assert not network.of('/network-gateways')


@pytest.mark.parametrize(('wrong', 'reason'), [
    ('{network: one, segmentation_type: vlan}', 'requires a segmentation_id'),
    ('{network: one, segmentation_id: 3}', 'has no segmentation_id'),
])
def test_connections_that_cannot_be(engine, network, wrong, reason):
    network.create_network(name='one')
    with pytest.raises(Exception, match=reason):
        engine.create(GATEWAY % wrong)


def test_each_has_a_path_of_its_own():
    paths = {extensions.resource_class(noun).base_path
             for noun in extensions.NOUNS}
    assert len(paths) == len(extensions.NOUNS) == 6
