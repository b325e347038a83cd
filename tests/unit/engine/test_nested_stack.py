"""Stacks in stacks: template resources and OS::Heat::Stack."""
import json

from oslo_config import cfg
import pytest

from heat.common import exception
from heat.common import request_budget
from heat.engine import nested_stack
from heat.engine import stack as stack_module
from heat.engine.drivers import select as stack_driver
from heat.engine.resources import template_resource
from heat.engine.stacks import snapshots
from heat.engine.stacks import template_store
from heat.objects import resource as resource_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from tests.fakes import stacks

INNER = """
heat_template_version: 2018-08-31
parameters:
  word: {type: string, default: none}
  words: {type: comma_delimited_list, default: ''}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: word}}}
outputs:
  said: {value: {get_attr: [t, output]}}
  inner_ref: {value: {get_resource: t}}
"""
OUTER = """
resources:
  n: {type: inner.yaml, properties: {word: one}}
outputs:
  said: {value: {get_attr: [n, said]}}
  ref: {value: {get_resource: n}}
"""


def child_of(engine, stack, name='n'):
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, name, stack.id)
    return nested_stack.load(engine.context, row.physical_resource_id)


FILES = {'inner.yaml': INNER}


def test_an_exhausted_budget_makes_no_type(set_limits):
    # Another request may have read the text.
    nested_stack.read_template(INNER)
    set_limits(output_size=-1)
    with request_budget.of_request(), pytest.raises(request_budget.Exceeded):
        template_resource.generate_class_from_template('T', INNER, None)
    set_limits()
    made = template_resource.generate_class_from_template('T', INNER, None)
    assert list(made.properties_schema) == ['word', 'words']


def test_nested_stacks_are_not_kept_for_being_counted(engine):
    stack = engine.reload(engine.create(OUTER, files=FILES))
    resource = stack['n']
    resource.validate_nested_stack()
    assert resource._nested is None
    # Nor is one that was there dropped.
    child = resource.nested()
    resource.validate_nested_stack()
    assert resource.nested() is child


def test_create_makes_a_child_stack(engine):
    stack = engine.create(OUTER, files=FILES)
    assert stack.state == ('CREATE', 'COMPLETE')
    child = child_of(engine, stack)
    assert child.state == ('CREATE', 'COMPLETE')
    assert child.owner_id == stack.id
    assert child.nested_depth == 1
    assert child.parent_resource_name == 'n'
    assert child.disable_rollback
    assert child.user_creds_id == stack.user_creds_id
    assert child.root_stack_id() == stack.id
    assert child.name.startswith('st-n-')
    values = engine.values(stack)
    assert values['said'] == 'one'
    assert values['ref'] == child.identifier().arn()
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, 't', child.id)
    assert row.root_stack_id == stack.id


def test_update_goes_down(engine):
    stack = engine.create(OUTER, files=FILES)
    child_id = child_of(engine, stack).id
    stack = engine.update(stack, OUTER.replace('one', 'two'), files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE')
    child = child_of(engine, stack)
    assert child.id == child_id
    assert child.state == ('UPDATE', 'COMPLETE')
    assert engine.values(stack)['said'] == 'two'


def test_changed_inner_template_is_noticed(engine):
    stack = engine.create(OUTER, files=FILES)
    changed = INNER.replace('{get_param: word}', 'fixed')
    stack = engine.update(stack, OUTER, files={'inner.yaml': changed})
    assert engine.values(stack)['said'] == 'fixed'


def test_what_stays_as_it_is_is_not_validated_again(engine, monkeypatch):
    stack = engine.create(OUTER, files=FILES)
    validated, validate = [], nested_stack.validate

    def counting(child, parent, current=None):
        validated.append(child.name)
        validate(child, parent, current)

    monkeypatch.setattr(nested_stack, 'validate', counting)
    stack = engine.update(stack, OUTER + '# the same', files=FILES)
    assert validated == []
    assert child_of(engine, stack).state == ('UPDATE', 'COMPLETE')
    stack = engine.update(stack, OUTER.replace('one', 'two'), files=FILES)
    assert len(validated) == 1
    bad = INNER.replace('{value: {get_param: word}}', '{fail: true}')
    stack = engine.update(stack, OUTER, files={'inner.yaml': bad})
    assert stack.state == ('UPDATE', 'FAILED')
    assert len(validated) == 2
    # A stack that failed is validated again.
    engine.update(stack, OUTER + '# again', files={'inner.yaml': bad})
    assert len(validated) == 3


MIDDLE = """
heat_template_version: 2018-08-31
parameters:
  word: {type: string}
resources:
  n: {type: inner.yaml, properties: {word: {get_param: word}}}
"""


@pytest.mark.parametrize('registry', [
    {}, {'inner.yaml': 'inner.yaml'}, {'Own::Type': 'inner.yaml'}])
def test_stacks_that_nest_others_are_not_validated_again(
        engine, monkeypatch, registry):
    """The stored registry has the files that are types, the new one not."""
    outer = OUTER.replace('inner.yaml', 'middle.yaml').partition('outputs')[0]
    given = {'files': {'middle.yaml': MIDDLE, **FILES},
             'env': {'resource_registry': registry}}
    stack = engine.create(outer, **given)
    validated, validate = [], nested_stack.validate

    def counting(child, parent, current=None):
        validated.append(child.name)
        validate(child, parent, current)

    monkeypatch.setattr(nested_stack, 'validate', counting)
    stack = engine.update(stack, outer + '# the same', **given)
    assert validated == []
    assert stack.state == ('UPDATE', 'COMPLETE')
    given['files'] = {**given['files'], 'inner.yaml': INNER.replace(
        '{get_param: word}', 'fixed')}
    engine.update(stack, outer, **given)
    assert len(validated) == 2


def test_inner_stacks_are_validated_with_the_root_and_when_they_begin(
        engine, monkeypatch):
    """The stack in between does not validate them again."""
    outer = OUTER.replace('inner.yaml', 'middle.yaml').partition('outputs')[0]
    files = {'middle.yaml': MIDDLE, **FILES}
    validated = []
    monkeypatch.setattr(stacks.Thing, 'validate',
                        lambda thing: validated.append(thing.stack.name))
    stack = engine.create(outer, name='s', files=files)
    assert stack.state == ('CREATE', 'COMPLETE')
    middle = child_of(engine, stack)
    assert validated == ['s-n-n', child_of(engine, middle).name]
    del validated[:]
    stack = engine.update(stack, outer.replace('one', 'two'), files=files)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert validated == ['s-n-n', child_of(engine, middle).name]


def test_members_are_validated_when_they_begin(engine):
    """The conditions in a member can depend on its index."""
    group = """
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 3
      resource_def: {type: middle.yaml, properties: {word: '%index%'}}
"""
    middle = MIDDLE.replace('resources:', """conditions:
  odd: {equals: [{get_param: word}, '1']}
resources:
  wrong: {type: inner.yaml, condition: odd, properties: {x: 1}}""")
    stack = engine.create(group, files={'middle.yaml': middle, **FILES})
    assert stack.state == ('CREATE', 'FAILED')
    assert 'resources[1].resources.wrong' in stack.status_reason
    assert 'Unknown Property x' in stack.status_reason


def test_what_a_signal_adds_is_validated_as_a_whole(engine, monkeypatch):
    """Nothing has validated it before."""
    stack = engine.create(OUTER, files=FILES)
    resource = stack['n']
    asked = []
    monkeypatch.setattr(
        stack_module.Stack, 'validate',
        lambda child, *_args: asked.append(child.validates_nested))
    nested_stack.validate(resource.nested(), resource.stack)
    assert asked == [True]


def test_a_type_mapped_to_itself_is_no_file(engine):
    """It is not replaced by what a wildcard maps other types to."""
    registry = {'Test::*': 'OS::Heat::None', 'Test::Thing': 'Test::Thing'}
    outer = OUTER.partition('outputs')[0]
    inner = {'inner.yaml': INNER.partition('outputs')[0]}
    stack = engine.create(outer, files=inner,
                          env={'resource_registry': dict(registry)})
    assert child_of(engine, stack)['t'].type() == 'Test::Thing'
    before = child_of(engine, stack).t.env.env_as_dict()
    del registry['Test::Thing']
    stack = engine.update(stack, outer, files=inner,
                          env={'resource_registry': registry})
    template_store.forget_all()
    after = child_of(engine, stack).t.env.env_as_dict()
    assert (before['resource_registry'].keys() -
            after['resource_registry'].keys()) == {'Test::Thing'}


def test_immutable_parameter_of_an_inner_template(engine):
    files = {'inner.yaml': INNER.replace(
        'default: none', 'default: none, immutable: true')}
    stack = engine.create(OUTER, files=files)
    stack = engine.update(stack, OUTER.replace('one', 'two'), files=files)
    assert stack.state == ('UPDATE', 'FAILED')
    assert 'word' in stack.status_reason
    assert 'immutable' in stack.status_reason
    child = child_of(engine, stack)
    assert child.outputs['said'].get_value() == 'one'
    # With the value it had before all is well again.
    stack = engine.update(stack, OUTER, files=files)
    assert stack.state == ('UPDATE', 'COMPLETE')
    # What the template no longer calls immutable may change.
    stack = engine.update(stack, OUTER.replace('one', 'two'), files=FILES)
    assert engine.values(stack)['said'] == 'two'


def test_delete_goes_down(engine):
    stack = engine.create(OUTER, files=FILES)
    child_id = child_of(engine, stack).id
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'COMPLETE')
    assert stack_objects.Stack.get_by_id(engine.context, child_id) is None
    assert ('delete', 't') in engine.log


def test_failure_inside_shows_the_whole_path(engine):
    bad = INNER.replace('{value: {get_param: word}}', '{fail: true}')
    stack = engine.create(OUTER, files={'inner.yaml': bad})
    assert stack.state == ('CREATE', 'FAILED')
    assert stack.status_reason == (
        'Resource CREATE failed: ValueError: resources.n.resources.t: '
        'Thing failed t')
    # A failed child is updated, not replaced.
    child_id = child_of(engine, stack).id
    stack = engine.update(stack, OUTER, files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert child_of(engine, stack).id == child_id


def test_suspend_resume_and_check_go_down(engine):
    stack = engine.create(OUTER, files=FILES)
    for verb, action in (('suspend', 'SUSPEND'), ('resume', 'RESUME'),
                         ('check', 'CHECK')):
        getattr(engine.reload(stack), verb)()
        engine.pool.run()
        assert engine.reload(stack).state == (action, 'COMPLETE')
        assert child_of(engine, stack).state == (action, 'COMPLETE')


def test_removed_nested_resource_takes_its_stack_along(engine):
    stack = engine.create(OUTER, files=FILES)
    child_id = child_of(engine, stack).id
    stack = engine.update(stack, 'resources: {}', files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert stack_objects.Stack.get_by_id(engine.context, child_id) is None


def test_nested_types_by_registry(engine):
    stack = engine.create(
        'resources: {n: {type: My::Inner, properties: {word: x}}}',
        files={'file:///inner.yaml': INNER},
        env={'resource_registry': {'My::Inner': 'file:///inner.yaml'}})
    assert stack.state == ('CREATE', 'COMPLETE')
    assert stack['n'].get_attribute('said') == 'x'
    assert stack['n'].get_attribute('resource.t.output') == 'x'
    assert stack['n'].get_attribute('resource.t') == (
        child_of(engine, stack)['t'].resource_id)
    with pytest.raises(exception.InvalidTemplateAttribute):
        stack['n'].get_attribute('unknown')


def test_output_stands_for_the_resource(engine):
    inner = INNER + '  OS::stack_id: {value: {get_resource: t}}\n'
    stack = engine.create(OUTER, files={'inner.yaml': inner})
    child = child_of(engine, stack)
    assert engine.values(stack)['ref'] == child['t'].resource_id


def test_parameters_reach_the_child_in_their_form(engine):
    stack = engine.create("""
resources:
  n:
    type: inner.yaml
    properties: {word: x, words: [a, b]}
""", files=FILES)
    assert child_of(engine, stack).parameters['words'] == ['a', 'b']


def test_error_inside_names_resource_and_template(engine):
    inner = INNER.replace('Test::Thing', 'Test::Thin')
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.stack(OUTER, files={'inner.yaml': inner})
    assert 'resources.n<inner.yaml>.resources.t' in str(caught.value)


def test_missing_template_is_a_validation_error(engine):
    with pytest.raises(exception.HeatException) as caught:
        engine.stack(OUTER)
    assert 'inner.yaml' in str(caught.value)


def test_nesting_has_a_limit(engine):
    files = {'l0.yaml': INNER}
    for level in range(1, cfg.CONF.max_nested_stack_depth + 1):
        files[f'l{level}.yaml'] = f"""
heat_template_version: 2018-08-31
resources: {{n: {{type: l{level - 1}.yaml}}}}
"""
    top = cfg.CONF.max_nested_stack_depth
    text = 'resources: {n: {type: l%d.yaml}}'
    engine.stack(text % (top - 1), files=files)
    with pytest.raises(exception.RequestLimitExceeded):
        engine.stack(text % top, 'other', files=files)


def test_a_template_is_not_made_of_itself(engine):
    files = {'a.yaml': """
heat_template_version: 2018-08-31
resources: {n: {type: a.yaml}}
"""}
    with pytest.raises(exception.HeatException):
        engine.stack('resources: {n: {type: a.yaml}}', files=files)


def test_tree_has_a_limit_of_resources(engine, monkeypatch):
    cfg.CONF.set_override('max_resources_per_stack', 3)
    try:
        text = """
resources:
  n: {type: inner.yaml}
  m: {type: inner.yaml, depends_on: n}
"""
        stack = engine.create(text, files=FILES)
        assert stack.state == ('CREATE', 'FAILED')
        assert 'exceeded' in stack.status_reason
    finally:
        cfg.CONF.clear_override('max_resources_per_stack')


def test_preview_shows_the_tree(engine):
    stack = stack_module.Stack(engine.context, 'p',
                               engine.template(OUTER, files=FILES))
    stack.validate()
    [inside] = stack.preview_resources()
    assert [res.name for res in inside] == ['t']
    assert stack.id is None


def test_adopt_goes_down(engine):
    stack = engine.create(OUTER, files=FILES)
    data = stack.prepare_abandon()
    assert data['resources']['n']['resources']['t']['resource_data'] == {
        'value': 'one'}
    physical = child_of(engine, stack)['t'].resource_id
    adopted = engine.stack(OUTER, 'adopted', files=FILES,
                           adopt_stack_data=json.loads(json.dumps(data)))
    before = list(engine.log)
    adopted.adopt()
    engine.pool.run()
    adopted = engine.reload(adopted)
    assert adopted.state == ('ADOPT', 'COMPLETE')
    assert child_of(engine, adopted)['t'].resource_id == physical
    assert engine.log == before


def test_abandon_goes_down(engine):
    stack = engine.create(OUTER, files=FILES)
    child_id = child_of(engine, stack).id
    before = list(engine.log)
    stack_driver.of(stack).abandon(stack)
    engine.pool.run()
    assert engine.log == before
    assert stack_objects.Stack.get_by_id(engine.context, stack.id) is None
    assert stack_objects.Stack.get_by_id(engine.context, child_id) is None


def test_cancelling_the_parent_stops_the_child(engine):
    slow = INNER.replace('{value: {get_param: word}}', '{polls: 100000}')
    stack = engine.stack(OUTER, files={'inner.yaml': slow})
    stack.create()
    for _step in range(30):
        engine.pool.step()
    engine.reload(stack).delete()
    engine.pool.run()
    assert engine.reload(stack).state == ('DELETE', 'COMPLETE')
    assert stack_objects.Stack.get_all_by_owner_id(engine.context,
                                                   stack.id) == []


def test_facade_must_offer_what_the_type_offers(engine):
    # The template stands in for Test::Thing without its attribute.
    with pytest.raises(exception.StackValidationFailed,
                       match='Attribute output'):
        engine.stack('resources: {a: {type: Test::Thing}}', files={
            'f.yaml': """
heat_template_version: 2018-08-31
parameters: {value: {type: string, default: ''}}
"""}, env={'resource_registry': {'Test::Thing': 'f.yaml'}})


# -- OS::Heat::Stack --------------------------------------------------------

STACK = """
resources:
  s:
    type: OS::Heat::Stack
    properties:
      template: {get_file: inner.yaml}
      parameters: {word: one}
outputs:
  said: {value: {get_attr: [s, outputs, said]}}
  name: {value: {get_attr: [s, stack_name]}}
  id: {value: {get_resource: s}}
"""


def test_stack_resource_lives_and_dies(engine):
    stack = engine.create(STACK, files=FILES)
    assert stack.state == ('CREATE', 'COMPLETE')
    child = child_of(engine, stack, 's')
    assert engine.values(stack) == {'said': 'one', 'name': child.name,
                                    'id': child.id}
    stack = engine.update(stack, STACK.replace('one', 'two'), files=FILES)
    assert engine.values(stack)['said'] == 'two'
    engine.delete(stack)
    assert stack_objects.Stack.get_by_id(engine.context, child.id) is None


def test_stack_resource_is_a_stack_of_its_own(engine):
    stack = engine.create(STACK, files=FILES)
    child = child_of(engine, stack, 's')
    assert child.owner_id is None
    assert child.nested_depth == 0
    assert child.user_creds_id not in (None, stack.user_creds_id)
    assert {row.name for row in stack_objects.Stack.get_all(
        engine.context)} == {'st', child.name}
    assert not stack['s'].has_nested()
    assert stack['s'].get_attribute('show', 'stack_name') == child.name


def test_stack_resource_has_snapshots(engine):
    stack = engine.create(STACK, files=FILES)
    snapshot = snapshots.create_row(engine.context, stack, 'before')
    stack.snapshot(snapshot)
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('SNAPSHOT', 'COMPLETE')
    child = child_of(engine, stack, 's')
    assert child.state == ('SNAPSHOT', 'COMPLETE')
    stack = engine.update(stack, STACK.replace('one', 'two'), files=FILES)
    snapshot = snapshot_objects.Snapshot.get_by_id(engine.context,
                                                   snapshot.id)
    stack.restore(snapshot, snapshots.restored_stack(stack, snapshot))
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('RESTORE', 'COMPLETE')
    assert engine.values(stack)['said'] == 'one'
    stack_driver.of(stack).delete_snapshot(stack, snapshot)
    engine.pool.run()
    assert snapshot_objects.Snapshot.get_all_by_stack(
        engine.context, child.id) == []


@pytest.mark.parametrize('action', ['DELETE', 'UPDATE'])
def test_snapshot_of_a_stack_that_is_being_deleted(engine, action,
                                                   monkeypatch):
    stack = engine.create(STACK, files=FILES)
    snapshot = snapshots.create_row(engine.context, stack, 'before')
    stack.snapshot(snapshot)
    engine.pool.run()
    child = child_of(engine, stack, 's')
    [row] = snapshot_objects.Snapshot.get_all_by_stack(
        engine.context, child.id)
    stack_objects.Stack.update_by_id(engine.context, child.id, {
        'action': action, 'status': 'IN_PROGRESS'})

    def is_busy(_stack, _row):
        raise exception.ActionInProgress(stack_name='s', action=action)

    monkeypatch.setattr(type(stack_driver.of(child)), 'delete_snapshot',
                        lambda self, *args: is_busy(*args))
    if action == 'DELETE':
        nested_stack.delete_snapshot(engine.context, child.id, row.id)
    else:
        with pytest.raises(exception.ActionInProgress):
            nested_stack.delete_snapshot(engine.context, child.id, row.id)


def test_stack_elsewhere_needs_a_client(engine):
    with pytest.raises(exception.StackValidationFailed, match='client'):
        engine.stack(STACK.replace(
            'parameters: {word', 'context: {region_name: far}\n'
            '      parameters: {word'), files=FILES)


def test_the_end_of_a_child_wakes_its_parent(engine):
    before = engine.clock.now
    stack = engine.create("""
resources:
  a: {type: inner.yaml}
  b: {type: inner.yaml, depends_on: a}
""", files=FILES)
    assert stack.state == ('CREATE', 'COMPLETE')
    engine.delete(stack)
    # Nobody waited for the next look.
    assert engine.clock.now - before < 1
