"""Subnets."""
import pytest

from heat.engine.resources.openstack.neutron import net
from heat.engine.resources.openstack.neutron import subnet

SUBNET = """
resources:
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {%s}
outputs:
  network: {value: {get_attr: [subnet, network_id]}}
  cidr: {value: {get_attr: [subnet, cidr]}}
"""
INSIDE = 'network: {get_resource: net}, '
CIDR = INSIDE + 'cidr: 192.0.2.0/24, '


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(net.Net, subnet.Subnet)


def test_subnet_is_created_in_its_network(engine, network):
    stack = engine.create(SUBNET % (CIDR + 'gateway_ip: ""'))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert network.body('create') == {
        'name': stack['subnet'].physical_resource_name(),
        'network_id': stack['net'].resource_id, 'cidr': '192.0.2.0/24',
        'enable_dhcp': True, 'ip_version': 4, 'dns_nameservers': [],
        'gateway_ip': None}
    assert engine.values(stack) == {'network': stack['net'].resource_id,
                                    'cidr': '192.0.2.0/24'}
    engine.delete(stack)
    assert not network.things


def test_old_name_of_the_network_still_works(engine, network):
    stack = engine.create(SUBNET % (
        'network_id: {get_resource: net}, cidr: 192.0.2.0/24'))
    assert network.body('create')['network_id'] == stack['net'].resource_id


def test_names_of_pool_and_segment_become_ids(engine, network):
    pool = network.create_subnet_pool(name='pool')
    segment = network.create_segment(name='rack')
    engine.create(SUBNET % (
        INSIDE + 'subnetpool: pool, prefixlen: 26, segment: rack'))
    body = network.body('create')
    assert body['subnetpool_id'] == pool.id
    assert body['segment_id'] == segment.id


def test_what_is_taken_away_is_emptied_in_place(engine, network):
    stack = engine.create(SUBNET % (
        CIDR + 'dns_nameservers: [192.0.2.1], host_routes: '
        '[{destination: 10.0.0.0/8, nexthop: 192.0.2.9}], '
        'allocation_pools: [{start: 192.0.2.2, end: 192.0.2.7}]'))
    stack = engine.update(stack, SUBNET % CIDR)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert network.body('update') == {
        'dns_nameservers': [], 'host_routes': [], 'allocation_pools': []}


@pytest.mark.parametrize(('wrong', 'reason'), [
    (INSIDE, 'cidr, subnetpool'),
    (CIDR + 'subnetpool: pool', 'cidr, subnetpool'),
    (CIDR + 'prefixlen: 26', 'prefixlen'),
    (CIDR + 'ipv6_ra_mode: slaac', 'ip_version'),
    (CIDR + 'ip_version: 6, ipv6_ra_mode: slaac, '
     'ipv6_address_mode: dhcpv6-stateful', 'must be equal'),
    (CIDR + 'gateway_ip: nowhere', 'nowhere'),
])
def test_what_does_not_fit_together_is_refused(engine, network, wrong,
                                               reason):
    network.create_subnet_pool(name='pool')
    network.log.clear()
    with pytest.raises(Exception, match=reason):
        engine.create(SUBNET % wrong)
    assert not network.requests('create')
