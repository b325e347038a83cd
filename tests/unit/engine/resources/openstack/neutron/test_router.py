"""Routers, their interfaces and gateways."""
import pytest

from heat.engine.resources.openstack.neutron import net
from heat.engine.resources.openstack.neutron import router
from heat.engine.resources.openstack.neutron import subnet

NETS = """
resources:
  public: {type: OS::Neutron::Net}
  public_subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: public}, cidr: 192.0.2.0/24}
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}
  router:
    type: OS::Neutron::Router
    properties: {%s}
"""
GATEWAY = 'external_gateway_info: {network: {get_resource: public}%s}'
INTERFACE = """
  interface:
    type: OS::Neutron::RouterInterface
    properties: {router: {get_resource: router}, %s}
"""


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(net.Net, subnet.Subnet, router.Router,
                    router.RouterInterface, router.RouterGateway)


def test_gateway_waits_for_the_subnets_outside(engine, network):
    stack = engine.create(NETS % (GATEWAY % ', enable_snat: false'))
    assert stack.state == ('CREATE', 'COMPLETE')
    required = [needed.name for needed in stack.dependencies.requires(
        stack['router'])]
    assert sorted(required) == ['public', 'public_subnet']
    assert network.of('router')[0]['external_gateway_info'] == {
        'network_id': stack['public'].resource_id, 'enable_snat': False}
    engine.delete(stack)
    assert not network.things


def test_addresses_outside_are_told_by_ids(engine, network):
    outside = network.create_subnet(name='outside')
    engine.create(NETS % (GATEWAY % (
        ', external_fixed_ips: [{subnet: outside, '
        'ip_address: 192.0.2.7}]')))
    assert network.of('router')[0]['external_gateway_info'][
        'external_fixed_ips'] == [
            {'subnet_id': outside.id, 'ip_address': '192.0.2.7'}]


def test_gateway_is_taken_away_in_place(engine, network):
    stack = engine.create(NETS % (GATEWAY % ''))
    before = stack['router'].resource_id
    stack = engine.update(stack, NETS % '')
    assert stack['router'].resource_id == before
    assert network.body('update') == {'external_gateway_info': {}}


def test_agents_are_changed_one_by_one(engine, network):
    stack = engine.create(NETS % 'ha: true, l3_agent_ids: [a, b]')
    assert list(network.agents.values()) == [['a', 'b']]
    engine.update(stack, NETS % 'ha: true, l3_agent_ids: [b, c]')
    assert list(network.agents.values()) == [['b', 'c']]


def test_old_name_of_the_agent_still_works(engine, network):
    engine.create(NETS % 'l3_agent_id: a')
    assert list(network.agents.values()) == [['a']]
    assert 'l3_agent_id' not in network.of('router')[0]


@pytest.mark.parametrize(('wrong', 'reason'), [
    ('l3_agent_id: a, l3_agent_ids: [b]', 'l3_agent_id'),
    ('l3_agent_ids: [a, b]', '"ha"'),
])
def test_agents_that_cannot_be(engine, network, wrong, reason):
    with pytest.raises(Exception, match=reason):
        engine.create(NETS % wrong)
    assert not network.requests('create')


@pytest.mark.parametrize('where', ['subnet: {get_resource: subnet}',
                                   'subnet_id: {get_resource: subnet}'])
def test_interface_attaches_and_detaches(engine, network, where):
    stack = engine.create(NETS % '' + INTERFACE % where)
    assert stack.state == ('CREATE', 'COMPLETE')
    ids = stack['router'].resource_id, stack['subnet'].resource_id
    assert stack['interface'].resource_id == '%s:subnet_id=%s' % ids
    assert ('attach', *ids) in network.log
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    stack = engine.update(stack, NETS % '')
    assert ('detach', *ids) in network.log
    assert not network.of('port')


def test_interface_that_is_gone_is_noticed(engine, network):
    stack = engine.create(NETS % '' + INTERFACE % (
        'subnet: {get_resource: subnet}'))
    network.remove_interface_from_router(
        stack['router'].resource_id, subnet=stack['subnet'].resource_id)
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'FAILED')


@pytest.mark.parametrize('wrong', ['', 'subnet: a, port: b',
                                   'subnet_id: a, port: b'])
def test_interface_has_a_subnet_or_a_port(engine, network, wrong):
    network.create_subnet(name='a')
    network.create_port(name='b')
    network.log.clear()
    with pytest.raises(Exception, match='subnet, port'):
        engine.create(NETS % '' + INTERFACE % wrong)
    assert not network.requests('create')


def test_gateway_of_its_own(engine, network):
    text = NETS % '' + INTERFACE % 'subnet: {get_resource: subnet}' + """
  gateway:
    type: OS::Neutron::RouterGateway
    properties: {router_id: {get_resource: router},
                 network: {get_resource: public}}
"""
    stack = engine.create(text)
    assert stack.state == ('CREATE', 'COMPLETE')
    required = {needed.name for needed in stack.dependencies.requires(
        stack['gateway'])}
    assert required == {'router', 'public', 'public_subnet', 'interface'}
    assert network.body('update') == {'external_gateway_info': {
        'network_id': stack['public'].resource_id}}
    engine.delete(stack)
    assert network.body('update') == {'external_gateway_info': {}}


def test_gateway_of_a_replacement_stays(engine, network):
    other = network.create_network(name='other').id
    text = NETS % '' + """
  gateway:
    type: OS::Neutron::RouterGateway
    properties: {router_id: {get_resource: router}, network: %s}
"""
    stack = engine.create(text % '{get_resource: public}')
    stack = engine.update(stack, text % 'other')
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert network.of('router')[0]['external_gateway_info'] == {
        'network_id': other}


OTHER = """
  other: {type: OS::Neutron::Router}
  interface:
    type: OS::Neutron::RouterInterface
    properties: {router: {get_resource: %s}, subnet: {get_resource: subnet}}
%s
"""


def holder(network, stack):
    """Return which router the subnet is attached to, and no other."""
    [found] = [port['device_id'] for port in network.of('port')]
    return next(name for name in ('router', 'other')
                if stack[name].resource_id == found)


def test_subnet_moves_to_another_router(engine, network):
    stack = engine.create(NETS % '' + OTHER % ('router', ''))
    stack = engine.update(stack, NETS % '' + OTHER % ('other', ''))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert holder(network, stack) == 'other'
    engine.delete(stack)
    assert not network.things


def test_subnet_comes_back_if_nothing_comes_of_it(engine, network):
    stack = engine.create(NETS % '' + OTHER % ('router', ''))
    network.trouble['create_network'] = [ValueError('broken')]
    stack = engine.update(stack, NETS % '' + OTHER % ('other', """
  broken: {type: OS::Neutron::Net, depends_on: interface}
"""), disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert holder(network, stack) == 'router'
