"""Provider networks, segments, trunks, static routes."""
import pytest

from heat.engine.resources.openstack.neutron import extraroute
from heat.engine.resources.openstack.neutron import provider_net
from heat.engine.resources.openstack.neutron import router
from heat.engine.resources.openstack.neutron import segment
from heat.engine.resources.openstack.neutron import subnet
from heat.engine.resources.openstack.neutron import trunk

NET = """
resources:
  net:
    type: OS::Neutron::ProviderNet
    properties: {%s}
"""
TRUNK = """
resources:
  trunk:
    type: OS::Neutron::Trunk
    properties: {port: parent, sub_ports: [%s]}
"""
SUB = '{port: %s, segmentation_id: %d, segmentation_type: vlan}'
ROUTES = """
resources:
  router: {type: OS::Neutron::Router}
  interface:
    type: OS::Neutron::RouterInterface
    properties: {router: {get_resource: router}, subnet: inside}
  routes:
    type: OS::Neutron::ExtraRouteSet
    properties: {router: {get_resource: router}, routes: [%s]}
"""
ROUTE = '{destination: 10.%d.0.0/16, nexthop: 192.0.2.1}'


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(
        provider_net.ProviderNet, segment.Segment, trunk.Trunk,
        router.Router, router.RouterInterface, extraroute.ExtraRouteSet,
        extraroute.ExtraRoute, subnet.Subnet)


def test_provider_network_is_told_as_the_extension_wants(engine, network):
    stack = engine.create(NET % (
        'network_type: vlan, physical_network: phys, segmentation_id: 7, '
        'router_external: true'))
    assert network.body('create') == {
        'name': stack['net'].physical_resource_name(),
        'admin_state_up': True, 'shared': True, 'router:external': True,
        'provider:network_type': 'vlan', 'provider:segmentation_id': '7',
        'provider:physical_network': 'phys'}
    engine.update(stack, NET % (
        'network_type: vlan, physical_network: phys, segmentation_id: 8, '
        'router_external: true'))
    assert network.body('update') == {'provider:segmentation_id': '8'}


@pytest.mark.parametrize(('wrong', 'reason'), [
    ('network_type: vlan', 'physical_network'),
    ('network_type: flat, physical_network: p, segmentation_id: 7',
     'segmentation_id'),
])
def test_provider_networks_that_cannot_be(engine, network, wrong, reason):
    with pytest.raises(Exception, match=reason):
        engine.create(NET % wrong)
    assert not network.log


def test_segment_of_a_network(engine, network):
    net = network.create_network(name='net')
    engine.create("""
resources:
  segment:
    type: OS::Neutron::Segment
    properties: {network: net, network_type: vlan, segmentation_id: 9}
""")
    assert network.body('create')['network_id'] == net.id


def test_trunk_changes_its_sub_ports_one_by_one(engine, network):
    parent, one, two, three = (network.create_port(name=name).id for name in
                               ('parent', 'one', 'two', 'three'))
    stack = engine.create(TRUNK % (
        SUB % ('one', 1) + ', ' + SUB % ('two', 2)))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert network.body('create')['port_id'] == parent
    assert network.body('create')['sub_ports'] == [
        {'port_id': one, 'segmentation_id': 1, 'segmentation_type': 'vlan'},
        {'port_id': two, 'segmentation_id': 2, 'segmentation_type': 'vlan'}]
    engine.update(stack, TRUNK % (
        SUB % ('two', 4) + ', ' + SUB % ('one', 1) + ', ' +
        SUB % ('three', 3)))
    assert network.body('drop') == [{'port_id': two}]
    assert [(each['port_id'], each['segmentation_id'])
            for each in network.body('carry')] == [(two, 4), (three, 3)]
    assert 'update trunk' not in network.requests()


def test_degraded_trunk_fails(engine, network):
    network.create_port(name='parent')
    network.script['trunk'] = ['BUILD', 'DEGRADED']
    stack = engine.create(TRUNK % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'DEGRADED' in stack.status_reason


def test_routes_leave_those_of_others_alone(engine, network):
    network.create_subnet(name='inside')
    stack = engine.create(ROUTES % (ROUTE % 1 + ', ' + ROUTE % 2))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert 'interface' in [needed.name for needed in
                           stack.dependencies.requires(stack['routes'])]
    kept = network.of('router')[0]
    other = {'destination': '10.9.0.0/16', 'nexthop': '192.0.2.9'}
    kept['routes'].append(other)

    def ways():
        return [route['destination'].split('.')[1]
                for route in kept['routes']]

    stack = engine.update(stack, ROUTES % (ROUTE % 2 + ', ' + ROUTE % 3))
    assert ways() == ['2', '9', '3']
    engine.update(stack, (ROUTES % '').rpartition('  routes:')[0])
    assert kept['routes'] == [other]


def test_route_is_given_once(engine, network):
    network.create_subnet(name='inside')
    with pytest.raises(Exception, match='twice'):
        engine.create(ROUTES % (ROUTE % 1 + ', ' + ROUTE % 1))


def test_single_route(engine, network):
    text = """
resources:
  router: {type: OS::Neutron::Router}
  route:
    type: OS::Neutron::ExtraRoute
    properties: {router_id: {get_resource: router},
                 destination: 10.1.0.0/16, nexthop: 192.0.2.1}
"""
    stack = engine.create(text)
    kept = network.of('router')[0]
    assert kept['routes'] == [{'destination': '10.1.0.0/16',
                               'nexthop': '192.0.2.1'}]
    engine.update(stack, text.partition('  route:')[0])
    assert kept['routes'] == []
