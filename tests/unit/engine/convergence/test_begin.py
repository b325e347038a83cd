"""Updates that leave nothing to do end where they begin."""
import pytest

from heat.engine import nested_stack
from heat.engine import stack as stack_module
from heat.engine.convergence import end as traversal_end
from heat.engine.convergence import state as traversal_state
from heat.engine.tasks import group_commit
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import sync_point as sync_point_objects
from heat.objects import transaction
from tests.fakes import stacks

TEMPLATE = """
parameters:
  word: {type: string, default: none}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: word}, polls: 1}}
outputs:
  said: {value: {get_attr: [t, output]}}
"""
OUTER = """
resources:
  n: {type: inner.yaml, properties: {word: one}}
"""
INNER = 'heat_template_version: 2018-08-31' + TEMPLATE


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch, convergence=True)


def row_of(engine, stack):
    return stack_objects.Stack.get_by_id(engine.context, stack.id)


def test_users_see_an_update_all_the_same(engine):
    stack = engine.create(TEMPLATE)
    before = row_of(engine, stack)
    engine.clock.now += 10
    stack = engine.update(stack, TEMPLATE)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert stack.status_reason == 'Stack UPDATE completed successfully'
    assert engine.events(stack)[-2:] == ['st UPDATE_IN_PROGRESS',
                                         'st UPDATE_COMPLETE']
    after = row_of(engine, stack)
    assert after.updated_at is not None
    assert after.current_traversal != before.current_traversal
    assert after.prev_raw_template_id is None
    assert ('update', 't') not in engine.log


def test_it_takes_one_commit(engine):
    # Of what outputs refer to the values are asked for anew.
    text = TEMPLATE.partition('outputs')[0]
    stack = engine.create(text)
    before = transaction.counters()['commits']
    engine.begin_update(stack, text)
    assert engine.reload(stack).state == ('UPDATE', 'COMPLETE')
    engine.pool.run()
    assert transaction.counters()['commits'] - before == 1
    points = sync_point_objects.SyncPoint.get_all_by_traversal(
        engine.context, row_of(engine, stack).current_traversal)
    assert points == []


@pytest.mark.parametrize(('text', 'params', 'same'), [
    (TEMPLATE, {}, True),
    (TEMPLATE, {'word': 'none'}, False),
    # To Python these are equal.
    (TEMPLATE.replace('polls: 1', 'polls: true'), {}, False),
    (TEMPLATE.replace('default: none}', 'default: none, label: x}'), {},
     False)], ids=['same', 'parameter', 'true', 'label'])
def test_a_template_that_is_stored_is_not_stored_again(engine, text, params,
                                                       same):
    stack = engine.create(TEMPLATE)
    before = row_of(engine, stack).raw_template_id
    stack = engine.update(stack, text, params=params)
    assert stack.state[1] == 'COMPLETE'
    row = row_of(engine, stack)
    assert (row.raw_template_id == before) is same
    [resource] = resource_objects.Resource.get_all_by_stack(
        engine.context, stack.id).values()
    assert resource.current_template_id == row.raw_template_id
    # What is not needed any more has gone.
    assert same or engine.update(stack, TEMPLATE).state[1] == 'COMPLETE'


def test_hidden_parameters_are_stored_anew(engine):
    text = TEMPLATE.replace('default: none', 'default: none, hidden: true')
    stack = engine.create(text)
    before = row_of(engine, stack).raw_template_id
    stack = engine.update(stack, text)
    assert row_of(engine, stack).raw_template_id != before


def test_a_failed_stack_is_visited(engine):
    bad = TEMPLATE.replace('polls: 1', 'fail: true')
    stack = engine.create(bad)
    assert stack.state == ('CREATE', 'FAILED')
    before = row_of(engine, stack).raw_template_id
    stack = engine.update(stack, bad)
    assert stack.state == ('UPDATE', 'FAILED')
    assert row_of(engine, stack).raw_template_id != before


def test_stacks_in_stacks_go_on_as_before(engine):
    files = {'inner.yaml': INNER}
    stack = engine.create(OUTER, files=files)
    for word in ('one', 'two', 'two', 'one'):
        stack = engine.update(stack, OUTER.replace('one', word), files=files)
        assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
        row = resource_objects.Resource.get_by_name_and_stack(
            engine.context, 'n', stack.id)
        assert (row.action, row.status, row.engine_id) == (
            'UPDATE', 'COMPLETE', None)
        child = nested_stack.load(engine.context, row.physical_resource_id)
        assert child.state == ('UPDATE', 'COMPLETE')
        assert child.outputs['said'].get_value() == word
        assert child.t.files['inner.yaml'] == INNER
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'COMPLETE')


def test_the_parent_does_not_wait_for_what_has_ended(engine):
    """Time passes in this engine only when somebody waits."""
    files = {'inner.yaml': INNER}
    stack = engine.create(OUTER, files=files)
    began = engine.clock.now
    assert engine.update(stack, OUTER, files=files).state == (
        'UPDATE', 'COMPLETE')
    assert engine.clock.now == began


def test_a_stack_that_was_busy_when_it_was_read(engine):
    stack = engine.stack(TEMPLATE)
    stack.create()
    busy = engine.reload(stack)
    engine.pool.run()
    before = row_of(engine, stack).raw_template_id
    stack = engine.update(busy, TEMPLATE)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert stack.t.id == before


def test_of_two_ends_of_an_operation_one_counts(engine):
    ends = []
    for name, times in (('a', 2), ('b', 1)):
        stack = engine.stack(TEMPLATE, name)
        stack.create()
        state = traversal_state.load(stack_module.Stack, engine.context,
                                     stack.id)
        ends += [traversal_end._End(state, traversal_end.completion(
            state.stack, 'CREATE')) for _time in range(times)]
    before = transaction.counters()['commits']
    group_commit.commit([group_commit.Write(end.write, engine.context)
                         for end in ends])
    assert [end.done for end in ends] == [True, False, True]
    # Nobody has to make the writes of others again.
    assert transaction.counters()['commits'] - before == 1
    assert [event for event in engine.events(ends[0].state.stack)
            if 'COMPLETE' in event] == ['a CREATE_COMPLETE']
