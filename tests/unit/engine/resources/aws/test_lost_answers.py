"""Services that make what EC2 asks for, but whose answers are lost."""
from keystoneauth1 import exceptions as ks_exceptions
import pytest

from heat.engine.clients.os import neutron
from heat.engine.clients.os import nova
from heat.engine.resources.aws.ec2 import eip
from heat.engine.resources.aws.ec2 import network_interface
from heat.engine.resources.aws.ec2 import route_table
from heat.engine.resources.aws.ec2 import security_group
from heat.engine.resources.aws.ec2 import subnet
from heat.engine.resources.aws.ec2 import vpc
from tests.fakes import cloud
from tests.fakes import network as fake_network

# {noun of the service: a type that is one of these}
THINGS = {
    'network': 'AWS::EC2::VPC',
    'router': 'AWS::EC2::RouteTable, properties: {VpcId: its-network}',
    'ip': 'AWS::EC2::EIP',
    'port': 'AWS::EC2::NetworkInterface, properties: {SubnetId: its-subnet}',
    'subnet': ('AWS::EC2::Subnet, '
               'properties: {VpcId: its-network, CidrBlock: 10.0.0.0/24}'),
    'security_group': ('AWS::EC2::SecurityGroup, '
                       'properties: {GroupDescription: g}'),
}


class Lossy(fake_network.FakeNetwork):
    """Loses answers to requests that create, if they name nobody.

    :ivar loses: the noun whose answers are lost.
    :ivar unseen: how often what was made is not found at first.
    """

    loses, unseen = None, 0

    def _create(self, entity, *parents, **values):
        if entity == 'ip':
            values['floating_ip_address'] = '172.24.4.9'
        made = super()._create(entity, *parents, **values)
        if entity == self.loses:
            raise ks_exceptions.ConnectFailure('closed')
        return made

    def _is_late(self, entity):
        late = entity == self.loses and self.unseen
        self.unseen -= bool(late)
        return late

    def _find(self, entity, name_or_id, **options):
        if self._is_late(entity):
            return None
        return super()._find(entity, name_or_id, **options)

    def _all(self, entity, filters):
        return ([] if self._is_late(entity)
                else super()._all(entity, filters))


@pytest.fixture
def network(cloud_engine):
    service = Lossy()
    service.create_network(id='outside', is_router_external=True)
    service.create_network(id='its-network', name='n')
    service.create_subnet(id='its-subnet', network_id='its-network')
    cloud_engine.use(service, neutron.NeutronClientPlugin, vpc, subnet,
                     network_interface, route_table, security_group)
    cloud_engine.use(cloud.FakeService(), nova.NovaClientPlugin, eip)
    return service


def things(network):
    """Return what there is, but for the rules that groups take along."""
    return {key for key in network.things
            if key[0] != 'security_group_rule'}


@pytest.mark.parametrize('noun', THINGS)
def test_what_was_made_is_found(cloud_engine, network, noun):
    before = things(network)
    network.loses = noun
    stack = cloud_engine.create('resources: {it: {type: %s}}' % THINGS[noun])
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert (noun, stack['it'].resource_id) in network.things
    cloud_engine.delete(stack)
    assert things(network) == before


@pytest.mark.parametrize('noun', THINGS)
def test_what_shows_late_goes_with_the_stack(cloud_engine, network, noun):
    before = things(network)
    network.loses, network.unseen = noun, 1
    stack = cloud_engine.create('resources: {it: {type: %s}}' % THINGS[noun])
    assert stack.state == ('CREATE', 'FAILED')
    assert things(network) != before
    cloud_engine.delete(stack)
    assert things(network) == before
