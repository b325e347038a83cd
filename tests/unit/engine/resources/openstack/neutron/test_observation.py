"""Updates that look at what is really there."""
from oslo_config import cfg
import pytest

from heat.engine.resources.openstack.neutron import extraroute
from heat.engine.resources.openstack.neutron import net
from heat.engine.resources.openstack.neutron import router
from heat.engine.resources.openstack.neutron import subnet
from heat.engine.resources.openstack.neutron import trunk

TEXT = """
resources:
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: 10.0.0.0/24%s}
  router:
    type: OS::Neutron::Router
    properties: {external_gateway_info: {network: public}}
  routes:
    type: OS::Neutron::ExtraRouteSet
    properties:
      router: {get_resource: router}
      routes: [{destination: 10.1.0.0/16, nexthop: 192.0.2.1}]
  trunk:
    type: OS::Neutron::Trunk
    properties:
      port: one
      sub_ports: [{port: two, segmentation_id: 2, segmentation_type: vlan}]
"""
OTHER = {'destination': '10.9.0.0/16', 'nexthop': '192.0.2.9'}


@pytest.fixture
def stack(engine, network):
    engine.register(net.Net, subnet.Subnet, router.Router,
                    extraroute.ExtraRouteSet, trunk.Trunk)
    cfg.CONF.set_override('observe_on_update', True)
    network.create_network(name='public')
    for name in ('one', 'two', 'three'):
        network.create_port(name=name)
    stack = engine.create(TEXT % '')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    # What the service adds of its own accord.
    network.of('subnet')[0].update(
        gateway_ip='10.0.0.1', host_routes=[], allocation_pools=[
            {'start': '10.0.0.2', 'end': '10.0.0.254'}])
    found = network.of('router')[0]
    found['routes'].append(OTHER)
    found['external_gateway_info'].update(enable_snat=True)
    network.log.clear()
    yield stack
    cfg.CONF.clear_override('observe_on_update')


def test_what_the_service_chose_is_no_difference(engine, network, stack):
    stack = engine.update(stack, TEXT % ', name: other')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert network.requests('update', 'carry', 'drop') == ['update subnet']
    assert network.body('update') == {'name': 'other'}
    assert OTHER in network.of('router')[0]['routes']


def test_what_somebody_changed_is_changed_back(engine, network, stack):
    found = network.of('router')[0]
    found['routes'] = [OTHER]
    found['external_gateway_info'] = {'network_id': 'elsewhere'}
    three = network.of('port')[2]['id']
    network.of('trunk')[0]['sub_ports'][0]['port_id'] = three
    stack = engine.update(stack, TEXT % ', name: other')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert [route['destination'] for route in found['routes']] == [
        '10.9.0.0/16', '10.1.0.0/16']
    assert found['external_gateway_info'] == {
        'network_id': network.of('network')[0]['id']}
    assert network.body('drop') == [{'port_id': three}]
    assert network.body('carry')[0]['port_id'] == (
        network.of('port')[1]['id'])
