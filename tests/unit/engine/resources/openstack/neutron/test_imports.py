"""Networks that exist become resources of a stack."""
import pytest

from heat.common import change_set_errors
from heat.engine.plans import moves
from heat.engine.plans import requested
from heat.engine.plans import tree
from heat.engine.resources.openstack.neutron import net
from heat.engine.resources.openstack.neutron import subnet
from heat.engine.stacks import store as stack_store

NET = """
resources:
  net: {type: OS::Neutron::Net, properties: {name: %s, shared: false}}
  subnet:
    type: OS::Neutron::Subnet
    properties:
      network: {get_resource: net}
      cidr: %s
"""


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(net.Net, subnet.Subnet)


@pytest.fixture
def made(engine, network):
    """Return the ids of a network and its subnet that nobody owns."""
    network.create_network(name='mine', shared=False, admin_state_up=True)
    [net_id] = [key[1] for key in network.things]
    network.create_subnet(network_id=net_id, cidr='10.0.0.0/24',
                          ip_version=4, enable_dhcp=True)
    [subnet_id] = [key[1] for key in network.things if key[1] != net_id]
    return {'net': net_id, 'subnet': subnet_id}


def taken(engine, text, ids):
    """Return (stack, goal, what is imported, {name: change})."""
    stack = engine.create('resources: {}')
    goal = stack_store.wanted_stack(stack, engine.template(text))
    moved = moves.of_update(stack, goal, (), requested.imports_of(
        [{'resource': name, 'id': thing_id}
         for name, thing_id in ids.items()]))
    plan = tree.Plan()
    for _step in tree.update_steps(plan, stack, goal, moved):
        pass
    assert not plan.errors
    return stack, goal, moved, {
        change['path'][-1]: change for change in plan.changes}


def test_what_is_as_the_template_says_is_kept(engine, network, made):
    stack, goal, moved, changes = taken(
        engine, NET % ('mine', '10.0.0.0/24'), made)
    assert {name: (change['action'], change['after_import'])
            for name, change in changes.items()} == {
                'net': ('import', 'keep'), 'subnet': ('import', 'keep')}
    things = dict(network.things)
    moves.update(stack, goal, moved)
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert {name: stack[name].resource_id for name in stack} == made
    assert network.things == things
    engine.delete(stack)
    assert not network.things


def test_differences_lead_to_updates_and_replacements(engine, made):
    _stack, _goal, _moved, changes = taken(
        engine, NET % ('other', '10.1.0.0/24'), made)
    assert changes['net']['after_import'] == 'update'
    assert [(each['property'], each['before'], each['after'])
            for each in changes['net']['causes']] == [
                ('name', 'mine', 'other')]
    assert changes['subnet']['after_import'] == 'replace'
    assert ('cidr', '10.0.0.0/24', '10.1.0.0/24', True) in [
        (each['property'], each['before'], each['after'],
         each['forces_replacement']) for each in changes['subnet']['causes']]


def test_a_network_is_no_subnet(engine, made):
    with pytest.raises(change_set_errors.ImportNotPossible) as raised:
        taken(engine, NET % ('mine', '10.0.0.0/24'),
              {'subnet': made['net']})
    assert 'no such OS::Neutron::Subnet' in str(raised.value)
