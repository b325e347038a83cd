import json
import pathlib

import pytest

from heat.common import exception
from heat.engine import nested_stack
from heat.engine.resources.openstack.heat import resource_group
from heat.objects import resource as resource_objects
from heat.scaling import template as scl_template
from tests.fakes import stacks

FACTS = pathlib.Path(__file__).parents[5] / 'facts'

GROUP = """
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 3
      resource_def:
        type: Test::Thing
        properties: {value: 'v%index%'}
outputs:
  all: {value: {get_attr: [g, output]}}
  one: {value: {get_attr: [g, resource.1.output]}}
  refs: {value: {get_attr: [g, refs]}}
  first: {value: {get_attr: [g, refs, 0]}}
  map: {value: {get_attr: [g, refs_map]}}
  by_name: {value: {get_attr: [g, attributes, output]}}
  removed: {value: {get_attr: [g, removed_rsrc_list]}}
"""
EMPTY = GROUP.replace('count: 3', 'count: 0').replace(
    'resource.1.output', 'output')


def members(engine, stack):
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, 'g', stack.id)
    child = nested_stack.load(engine.context, row.physical_resource_id)
    return {name: child[name].data().get('value') for name in sorted(child)}


def test_members_are_numbered_copies(engine):
    stack = engine.create(GROUP)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert members(engine, stack) == {'0': 'v0', '1': 'v1', '2': 'v2'}


def test_attributes(engine):
    stack = engine.create(GROUP)
    values = engine.values(stack)
    assert values['all'] == ['v0', 'v1', 'v2']
    assert values['one'] == 'v1'
    assert list(values['map']) == ['0', '1', '2']
    assert values['refs'] == list(values['map'].values())
    assert values['first'] == values['refs'][0]
    assert values['by_name'] == {'0': 'v0', '1': 'v1', '2': 'v2'}
    assert values['removed'] == []


def test_attributes_nobody_referred_to_are_read_live(engine):
    stack = engine.create(GROUP.partition('outputs:')[0])
    group = stack['g']
    assert group.get_attribute('output') == ['v0', 'v1', 'v2']
    assert group.get_attribute('resource.2.output') == 'v2'
    assert group.get_attribute('attributes', 'output')['1'] == 'v1'
    assert len(group.get_attribute('refs')) == 3
    assert set(group.get_attribute('refs_map')) == {'0', '1', '2'}
    assert group.get_attribute('refs', 7) is None
    with pytest.raises(exception.InvalidTemplateAttribute):
        group.get_attribute('attributes')
    with pytest.raises(exception.InvalidTemplateAttribute):
        group.get_attribute('resource.9.output')


def test_grow_and_shrink(engine):
    stack = engine.create(GROUP)
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, GROUP.replace('count: 3', 'count: 5'))
    assert [what for what, _name in seen] == ['create', 'create']
    assert list(members(engine, stack)) == ['0', '1', '2', '3', '4']
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, GROUP.replace('count: 3', 'count: 2'))
    assert {name for _what, name in seen} == {'2', '3', '4'}
    assert list(members(engine, stack)) == ['0', '1']


def test_empty_group(engine):
    stack = engine.create(EMPTY)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert engine.values(stack)['all'] == []
    engine.delete(stack)


def test_removal_policies_name_members(engine):
    stack = engine.create(GROUP)
    text = GROUP.replace('count: 3', """count: 2
      removal_policies: [{resource_list: ['1']}]""").replace(
          'resource.1.output', 'resource.0.output')
    stack = engine.update(stack, text)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert members(engine, stack) == {'0': 'v0', '2': 'v2'}
    assert engine.values(stack)['removed'] == ['1']
    # A removed number is not used again.
    stack = engine.update(stack, text.replace('count: 2', 'count: 3'))
    assert list(members(engine, stack)) == ['0', '2', '3']


def test_removal_by_reference_id_and_reuse_of_numbers(engine):
    stack = engine.create(GROUP)
    ref = engine.values(stack)['refs'][0]
    text = GROUP.replace('count: 3', f"""count: 2
      removal_policies: [{{resource_list: ['{ref}']}}]""")
    stack = engine.update(stack, text)
    assert list(members(engine, stack)) == ['1', '2']
    stack = engine.update(stack, text.replace(
        f"[{{resource_list: ['{ref}']}}]",
        "[{resource_list: ['2']}]\n"
        "      removal_policies_mode: update"))
    assert list(members(engine, stack)) == ['0', '1']
    assert engine.values(stack)['removed'] == ['2']


ROLLING = GROUP.replace('    properties:\n      count', """\
    update_policy:
      rolling_update: {max_batch_size: 2, min_in_service: 1, pause_time: 10}
    properties:
      count""")


def test_rolling_update_goes_in_batches(engine):
    stack = engine.create(ROLLING.replace('count: 3', 'count: 5'))
    began = engine.clock.now
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, ROLLING.replace(
            'count: 3', 'count: 5').replace('v%index%', 'w%index%'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert sorted(seen) == [('update', name) for name in '01234']
    assert members(engine, stack) == {
        name: 'w' + name for name in '01234'}
    # Three batches, two pauses.
    assert engine.clock.now - began >= 20


def test_rolling_update_keeps_members_in_service(engine):
    text = ROLLING.replace('min_in_service: 1', 'min_in_service: 3')
    stack = engine.create(text)
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, text.replace('v%index%', 'w%index%'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    # Two more exist meanwhile, and go again.
    assert [step for step in seen if step[0] == 'create'] == [
        ('create', '3'), ('create', '4')]
    assert members(engine, stack) == {'0': 'w0', '1': 'w1', '2': 'w2'}


def test_batched_creation(engine):
    text = GROUP.replace('    properties:\n      count', """\
    update_policy:
      batch_create: {max_batch_size: 2, pause_time: 5}
    properties:
      count""")
    began = engine.clock.now
    stack = engine.create(text)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert members(engine, stack) == {'0': 'v0', '1': 'v1', '2': 'v2'}
    assert engine.clock.now - began >= 5


def test_pauses_must_fit_into_the_time(engine):
    text = GROUP.replace('    properties:\n      count', """\
    update_policy:
      batch_create: {max_batch_size: 1, pause_time: 3000}
    properties:
      count""")
    stack = engine.create(text)
    assert stack.state == ('CREATE', 'FAILED')
    assert 'timeout' in stack.status_reason


def test_index_variable_can_be_another_text(engine):
    stack = engine.create("""
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      index_var: <i>
      resource_def: {type: Test::Thing, properties: {value: 'x<i>%index%'}}
""")
    assert members(engine, stack) == {'0': 'x0%index%', '1': 'x1%index%'}


def test_group_of_groups(engine):
    stack = engine.create("""
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      index_var: '%i%'
      resource_def:
        type: OS::Heat::ResourceGroup
        properties:
          count: 2
          index_var: '%j%'
          resource_def: {type: Test::Thing, properties: {value: '%i%.%j%'}}
outputs:
  all: {value: {get_attr: [g, output]}}
""")
    assert stack.state == ('CREATE', 'COMPLETE')
    assert engine.values(stack)['all'] == [['0.0', '0.1'], ['1.0', '1.1']]


def test_unknown_member_type_is_found_before_anything_is_made(engine):
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.stack(GROUP.replace('Test::Thing', 'Test::Nothing'))
    assert 'Test::Nothing' in str(caught.value)
    engine.stack(EMPTY.replace('Test::Thing', 'Test::Nothing'), 'empty')


def test_wrong_member_property_is_found(engine):
    with pytest.raises(exception.StackValidationFailed,
                       match='Unknown Property valu'):
        engine.stack(GROUP.replace('value:', 'valu:', 1))


def test_failed_member_fails_the_group(engine):
    stack = engine.create(GROUP.replace(
        "{value: 'v%index%'}", "{value: 'v%index%', fail: true}"))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'resources.g.resources' in stack.status_reason


def test_schema_equals_the_facts():
    facts = json.loads((FACTS / 'resource_types.json').read_text())
    recorded = facts['types']['OS::Heat::ResourceGroup']
    group = resource_group.ResourceGroup
    assert set(group.properties_schema) == set(recorded['properties'])
    for name, schema in group.properties_schema.items():
        wanted = recorded['properties'][name]
        assert schema.update_allowed == wanted['update_allowed']
        assert schema.required == wanted['required']
        assert schema.default == wanted.get('default')
    assert set(group.attributes_schema) - {'show'} == (
        set(recorded['attributes']) - {'show'})
    policy = recorded['update_policy']
    for name, schema in group.update_policy_schema.items():
        assert set(schema.schema) == set(policy[name]['schema'])


BATCHES = GROUP.replace('    properties:\n      count', """\
    update_policy: {batch_create: {max_batch_size: 1}}
    properties:
      count""", 1)


def test_creation_in_batches_is_carried_on(engine):
    stack = engine.create(BATCHES)
    group = stack['g']
    # As if the engine had gone after the first batch.
    group.update_with_template(group._with_outputs(
        scl_template.make_template([('0', group.build_resource_definition(
            '0', group.get_resource_def()))])), {})
    engine.pool.run()
    assert set(members(engine, stack)) == {'0'}
    rounds = 0
    while not group.check_create_complete(group.resource_id):
        engine.pool.run()
        rounds += 1
    assert set(members(engine, stack)) == {'0', '1', '2'}
    assert rounds == 2


def test_creation_in_one_go_is_carried_on(engine):
    stack = engine.create(GROUP)
    assert stack['g'].check_create_complete(stack['g'].resource_id)
