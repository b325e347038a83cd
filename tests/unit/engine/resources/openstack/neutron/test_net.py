"""The network, and with it all that declared resources have in common."""
from openstack import exceptions
import pytest

from heat.engine.resources.openstack.neutron import address_scope
from heat.engine.resources.openstack.neutron import net
from tests.fakes import cloud

NET = """
resources:
  net:
    type: OS::Neutron::Net
    properties: {%s}
outputs:
  id: {value: {get_resource: net}}
  status: {value: {get_attr: [net, status]}}
  shown: {value: {get_attr: [net, show]}}
"""


def text(properties=''):
    return NET % properties


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(net.Net, address_scope.AddressScope)


def test_network_is_created_waited_for_and_deleted(engine, network):
    network.script['network'] = ['BUILD', 'BUILD', 'ACTIVE']
    stack = engine.create(text('shared: true'))
    assert stack.state == ('CREATE', 'COMPLETE')
    body = network.body('create')
    assert body == {'admin_state_up': True, 'shared': True,
                    'name': stack['net'].physical_resource_name()}
    assert stack['net'].resource_id in [
        key[1] for key in network.things]
    assert engine.values(stack)['id'] == stack['net'].resource_id
    assert engine.values(stack)['status'] == 'ACTIVE'
    assert engine.values(stack)['shown']['shared'] is True
    engine.delete(stack)
    assert not network.things


def test_failed_network_fails_the_stack_with_the_reason(engine, network):
    network.script['network'] = ['BUILD', 'ERROR']
    stack = engine.create(text())
    assert stack.state == ('CREATE', 'FAILED')
    assert 'ERROR' in stack.status_reason


def test_network_without_its_tags_is_made_anew(engine, network, monkeypatch):
    def fail(*_arguments):
        raise exceptions.HttpException('no tags today')

    with monkeypatch.context() as broken:
        broken.setattr(network, 'set_tags', fail)
        stack = engine.create(text('tags: [a]'))
    assert stack.state == ('CREATE', 'FAILED')
    first = stack['net'].resource_id
    stack = engine.update(stack, text('tags: [a]'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert engine.reload(stack)['net'].resource_id != first
    assert network.body('tag') == ['a']


def test_update_changes_what_differs_in_place(engine, network):
    stack = engine.create(text('name: one, value_specs: {mtu: 1400}'))
    assert network.body('create')['mtu'] == 1400
    network.log.clear()
    stack = engine.update(stack, text(
        'name: two, value_specs: {mtu: 1400, x: 1}, tags: [a]'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert network.body('update') == {'name': 'two', 'x': 1}
    assert network.body('tag') == ['a']
    assert 'create network' not in network.requests()


def test_name_that_is_taken_away_is_made_up_again(engine, network):
    stack = engine.create(text('name: one'))
    stack = engine.update(stack, text())
    assert network.body('update') == {
        'name': stack['net'].physical_resource_name()}


def test_other_owner_needs_another_network(engine, network):
    stack = engine.create(text())
    before = stack['net'].resource_id
    stack = engine.update(stack, text('tenant_id: other'))
    assert stack['net'].resource_id != before
    assert [key[1] for key in network.things] == [stack['net'].resource_id]


def test_names_become_ids(engine, network):
    policy = network.create_qos_policy(name='gold')
    engine.create(text('qos_policy: gold'))
    assert network.body('create')['qos_policy_id'] == policy.id
    assert network.requests('find') == ['find qos_policy'], (
        'what was found once is not asked for again')


def test_unknown_name_is_an_error_of_the_template(engine, network):
    with pytest.raises(Exception, match='silver'):
        engine.create(text('qos_policy: silver'))
    assert not network.requests('create')


def test_what_is_gone_already_is_deleted(engine, network):
    stack = engine.create(text())
    network.things.clear()
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_check_finds_what_is_gone(engine, network):
    stack = engine.create(text())
    network.things.clear()
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'FAILED')


def test_error_of_the_service_is_told(engine, network):
    network.trouble['create_network'] = [exceptions.ForbiddenException(
        'Quota exceeded for resources: network')]
    stack = engine.create(text())
    assert stack.state == ('CREATE', 'FAILED')
    assert 'Quota exceeded' in stack.status_reason


@pytest.mark.parametrize(('why', 'tries'), [
    ("Quota exceeded for resources: ['network'].", 1),
    ('The segment is in use.', 2)])
def test_only_a_conflict_that_may_pass_is_tried_again(engine, network, why,
                                                      tries):
    network.trouble['create_network'] = [cloud.refusal(
        409, {'NeutronError': {'message': why}})]
    stack = engine.create(text())
    assert stack.status == ('FAILED' if tries == 1 else 'COMPLETE')
    assert len(network.of('network')) == tries - 1


def test_value_specs_may_not_set_the_owner(engine, network):
    with pytest.raises(Exception, match='tenant_id'):
        engine.create(text('value_specs: {tenant_id: other}'))
    assert not network.log


def test_declaration_is_enough(engine, network):
    stack = engine.create("""
resources:
  scope: {type: OS::Neutron::AddressScope, properties: {ip_version: 6}}
""")
    assert network.body('create') == {
        'ip_version': 6, 'shared': False,
        'name': stack['scope'].physical_resource_name()}
