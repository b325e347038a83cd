"""VPN services, taps, service chains and metering."""
import pytest

from heat.engine.resources.openstack.neutron import metering
from heat.engine.resources.openstack.neutron import sfc
from heat.engine.resources.openstack.neutron import taas
from heat.engine.resources.openstack.neutron import vpnservice

VPN = """
resources:
  service:
    type: OS::Neutron::VPNService
    properties: {router: r, subnet_id: s}
  ike: {type: OS::Neutron::IKEPolicy, properties: {lifetime: {value: 60}}}
  ipsec: {type: OS::Neutron::IPsecPolicy}
  connection:
    type: OS::Neutron::IPsecSiteConnection
    properties:
      vpnservice_id: {get_resource: service}
      ikepolicy_id: {get_resource: ike}
      ipsecpolicy_id: {get_resource: ipsec}
      peer_address: 192.0.2.1
      peer_id: 192.0.2.1
      peer_cidrs: [10.0.0.0/8]
      psk: very secret
      dpd: {actions: restart}
"""
TAPS = """
resources:
  service: {type: OS::Neutron::TaaS::TapService, properties: {port: out}}
  flow:
    type: OS::Neutron::TaaS::TapFlow
    properties: {port: in, tap_service: {get_resource: service},
                 direction: IN}
"""
CHAIN = """
resources:
  pair: {type: OS::Neutron::PortPair, properties: {ingress: in, egress: out}}
  group:
    type: OS::Neutron::PortPairGroup
    properties: {port_pairs: [{get_resource: pair}]}
  flow:
    type: OS::Neutron::FlowClassifier
    properties: {protocol: tcp, logical_source_port: in}
  chain:
    type: OS::Neutron::PortChain
    properties: {port_pair_groups: [{get_resource: group}],
                 flow_classifiers: [{get_resource: flow}]%s}
"""
METER = """
resources:
  label: {type: OS::Neutron::MeteringLabel}
  rule:
    type: OS::Neutron::MeteringRule
    properties: {metering_label_id: {get_resource: label},
                 remote_ip_prefix: 10.0.0.0/8}
"""


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(
        vpnservice.VPNService, vpnservice.IPsecSiteConnection,
        vpnservice.IKEPolicy, vpnservice.IPsecPolicy, taas.TapService,
        taas.TapFlow, sfc.PortPair, sfc.PortPairGroup, sfc.FlowClassifier,
        sfc.PortChain, metering.MeteringLabel, metering.MeteringRule)


@pytest.fixture(autouse=True)
def ports(network):
    return {name: network.create_port(name=name).id
            for name in ('in', 'out')}


def test_vpn_connection_with_all_it_needs(engine, network):
    router = network.create_router(name='r')
    subnet = network.create_subnet(name='s')
    network.script.update(
        vpn_service=['PENDING_CREATE'],
        vpn_ipsec_site_connection=['PENDING_CREATE', 'DOWN'])
    stack = engine.create(VPN)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    service = network.of('vpn_service')[0]
    assert (service['router_id'], service['subnet_id']) == (router.id,
                                                            subnet.id)
    connection = network.of('vpn_ipsec_site_connection')[0]
    assert connection['dpd'] == {'action': 'restart', 'interval': 30,
                                 'timeout': 120}
    assert connection['vpnservice_id'] == service['id']
    assert network.of('vpn_ike_policy')[0]['lifetime'] == {
        'units': 'seconds', 'value': 60}
    engine.delete(stack)
    assert not [kind for kind, _id in network.things
                if kind.startswith('vpn')]


def test_taps_are_waited_for_until_they_are_gone(engine, network, ports):
    network.script['tap_flow'] = ['PENDING_CREATE', 'ACTIVE']
    stack = engine.create(TAPS)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    service, flow = network.of('tap_service')[0], network.of('tap_flow')[0]
    assert service['port_id'] == ports['out']
    assert (flow['source_port'], flow['tap_service_id']) == (
        ports['in'], service['id'])
    engine.delete(stack)
    assert not network.of('tap_flow')


def test_chain_of_service_functions(engine, network, ports):
    stack = engine.create(CHAIN % '')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    chain = network.of('sfc_port_chain')[0]
    assert chain['port_pair_groups'] == [stack['group'].resource_id]
    assert chain['flow_classifiers'] == [stack['flow'].resource_id]
    assert chain['chain_parameters'] == {'correlation': 'mpls'}
    pair = network.of('sfc_port_pair')[0]
    assert (pair['ingress'], pair['egress']) == (ports['in'], ports['out'])
    stack = engine.update(stack, CHAIN % ', name: other')
    assert network.body('update') == {'name': 'other'}
    engine.delete(stack)
    assert not [kind for kind, _id in network.things
                if kind.startswith('sfc')]


def test_metering(engine, network):
    stack = engine.create(METER)
    assert network.of('metering_label_rule')[0]['metering_label_id'] == (
        stack['label'].resource_id)
    engine.delete(stack)
    assert not network.of('metering_label')
