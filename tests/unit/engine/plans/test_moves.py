"""The effect of moves on a tree, in memory and in the database."""
import pytest
import sqlalchemy as sa

from heat.common import change_set_errors
from heat.common import exception
from heat.db import models
from heat.db import session
from heat.engine.plans import moves
from heat.engine.plans import requested
from heat.engine.stacks import store as stack_store
from heat.objects import raw_template
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from tests.fakes import stacks

THING = '{type: Test::Thing, properties: {value: x}}'
BEFORE = """
resources:
  a: %s
  u: {type: Test::Thing, properties: {value: {get_resource: a}}}
outputs:
  o: {value: {get_attr: [a, output]}}
""" % THING
AFTER = """
resources:
  b: %s
  u: {type: Test::Thing, properties: {value: {get_resource: b}}}
""" % THING
INNER = """
heat_template_version: 2018-08-31
resources:
  i: %s
""" % THING
NESTED = """
resources:
  a: %s
  n: {type: inner.yaml}
""" % THING


def move(source, target, lasting=False):
    return requested.moves_of([{'from': source, 'to': target}],
                              lasting=lasting)


def goal(engine, current, text, files=None, **env):
    wanted = stack_store.wanted_stack(current, engine.template(
        text, None, files, **env))
    wanted.validate()
    return wanted


def row_of(engine, stack, name):
    return resource_objects.Resource.get_by_name_and_stack(
        engine.context, name, stack.id)


def test_nothing_is_written_before_the_update_begins(engine):
    stack = engine.create(BEFORE)
    before = row_of(engine, stack, 'a')
    templates = len(raw_template.RawTemplate.get_many(
        engine.context, range(99)))
    moved = moves.of_update(stack, goal(engine, stack, AFTER),
                            move('a', 'b'))
    assert moved
    assert moved.origins == {('b',): ('a',)}
    assert moved.origin_of(('b',)) == ('a',)
    assert moved.origin_of(('b', 'x')) == ('a', 'x')
    assert moved.origin_of(('u',)) is None
    assert moved.row_ids == {before.id}
    assert not moved.is_one_way
    assert sorted(stack) == ['b', 'u']
    assert stack['b'].resource_id == before.physical_resource_id
    assert stack.t.t['outputs'] == {
        'o': {'value': {'get_attr': ['b', 'output']}}}
    assert row_of(engine, stack, 'a') == before
    assert len(raw_template.RawTemplate.get_many(
        engine.context, range(99))) == templates


def test_an_update_begins_with_the_moves(engine):
    stack = engine.create(BEFORE)
    before, old_id = row_of(engine, stack, 'a'), stack.t.id
    engine.log.clear()
    wanted = goal(engine, stack, AFTER)
    moves.update(stack, wanted, moves.of_update(stack, wanted,
                                                move('a', 'b')))
    engine.pool.run()
    after = row_of(engine, stack, 'b')
    assert (after.id, after.uuid, after.physical_resource_id) == (
        before.id, before.uuid, before.physical_resource_id)
    assert row_of(engine, stack, 'a') is None
    assert not [entry for entry in engine.log if 'a' in entry or
                'b' in entry]
    assert engine.reload(stack).state == ('UPDATE', 'COMPLETE')
    assert raw_template.RawTemplate.get_by_id(engine.context, old_id) is None


def test_moves_leave_no_template_behind(engine):
    stack = engine.create(BEFORE)
    for text, source, target in ((AFTER, 'a', 'b'), (BEFORE, 'b', 'a')):
        wanted = goal(engine, stack, text)
        moves.update(stack, wanted, moves.of_update(
            stack, wanted, move(source, target)))
        engine.pool.run()
        stack = engine.reload(stack)
        assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    engine.delete(stack)
    row = stack_objects.Stack.get_by_id(engine.context, stack.id,
                                        show_deleted=True)
    with session.reader() as connection:
        kept = set(connection.scalars(sa.select(models.RAW_TEMPLATE.c.id)))
    assert kept <= {row.raw_template_id, row.prev_raw_template_id}


def test_an_update_that_does_not_begin_leaves_no_template(engine,
                                                          monkeypatch):
    stack = engine.create(BEFORE)
    wanted = goal(engine, stack, AFTER)
    moved = moves.of_update(stack, wanted, move('a', 'b'))

    def refuse(new_stack, action):
        raise exception.ActionInProgress(stack_name='s', action='UPDATE')

    monkeypatch.setattr(stack, 'update', refuse)
    count = len(raw_template.RawTemplate.get_many(engine.context, range(99)))
    with pytest.raises(exception.ActionInProgress):
        moves.update(stack, wanted, moved)
    engine.pool.run()
    assert len(raw_template.RawTemplate.get_many(
        engine.context, range(99))) == count
    assert row_of(engine, stack, 'a') is not None


def test_a_row_that_has_changed_since_is_not_moved(engine):
    stack = engine.create(BEFORE)
    wanted = goal(engine, stack, AFTER)
    moved = moves.of_update(stack, wanted, move('a', 'b'))
    row = row_of(engine, stack, 'a')
    resource_objects.Resource.update_by_id(
        engine.context, row.id, {'atomic_key': (row.atomic_key or 0) + 5})
    with pytest.raises(exception.ActionInProgress):
        moves.update(stack, wanted, moved)
    assert row_of(engine, stack, 'a') is not None
    assert row_of(engine, stack, 'b') is None


def test_moves_between_stacks_go_one_way(engine):
    files = {'inner.yaml': INNER}
    stack = engine.create(NESTED, files=files)
    child_id = stack['n'].resource_id
    before = row_of(engine, stack, 'a')
    wanted = goal(engine, stack, """
resources:
  n: {type: inner.yaml}
""", {'inner.yaml': INNER + '  a: %s\n' % THING})
    wanted.disable_rollback = False
    moved = moves.of_update(stack, wanted, move('a', 'n/a'))
    assert moved.is_one_way
    assert moved.is_inside(('n',))
    assert not moved.is_inside(('a',))
    assert wanted.disable_rollback
    assert sorted(stack['n'].nested()) == ['a', 'i']
    moves.update(stack, wanted, moved)
    engine.pool.run()
    after = resource_objects.Resource.get_obj(engine.context, before.id)
    assert after.stack_id == child_id
    assert after.physical_resource_id == before.physical_resource_id
    stored = stack_objects.Stack.get_by_id(engine.context, stack.id)
    if not engine.convergence:
        previous = raw_template.RawTemplate.get_by_id(
            engine.context, stored.prev_raw_template_id)
        assert 'a' not in previous.template['resources']
    assert {row.id for row in raw_template.RawTemplate.get_many(
        engine.context, range(99))} <= {
            stored.raw_template_id, stored.prev_raw_template_id,
            stack_objects.Stack.get_by_id(
                engine.context, child_id).raw_template_id,
            stack_objects.Stack.get_by_id(
                engine.context, child_id).prev_raw_template_id}
    assert (stored.action, stored.status) == ('UPDATE', 'COMPLETE')


def test_entries_for_a_resource_follow_it(engine):
    registry = {'resource_registry': {'resources': {
        'a': {'hooks': 'pre-delete'}}}}
    stack = engine.create(BEFORE, env=registry)
    moves.of_update(stack, goal(engine, stack, AFTER), move('a', 'b'))
    assert stack.env.env_as_dict()['resource_registry']['resources'] == {
        'b': {'hooks': 'pre-delete'}}


def test_a_busy_resource_is_not_moved(engine):
    stack = engine.create(BEFORE)
    resource_objects.Resource.update_by_id(
        engine.context, row_of(engine, stack, 'a').id,
        {'status': 'IN_PROGRESS'})
    stack = engine.reload(stack)
    with pytest.raises(exception.ActionInProgress):
        moves.of_update(stack, goal(engine, stack, AFTER), move('a', 'b'))


def test_a_stack_in_progress_is_left_alone(engine):
    stack = engine.create(BEFORE)
    stack.status = 'IN_PROGRESS'
    with pytest.raises(exception.ActionInProgress):
        moves.of_update(stack, goal(engine, stack, AFTER), move('a', 'b'))


@pytest.mark.parametrize(('text', 'some'), [
    ("""
resources:
  b: %s
  n: {type: inner.yaml}
""" % THING, ('a', 'b')),
    ("""
resources:
  a: %s
  m: {type: inner.yaml}
""" % THING, ('n', 'm'))])
def test_what_signals_name_keeps_its_name(engine, monkeypatch, text, some):
    monkeypatch.setattr(stacks.Thing, 'has_stack_user', True, raising=False)
    monkeypatch.setattr(stacks.Thing, 'data',
                        lambda self: {'user_id': 'someone'})
    files = {'inner.yaml': INNER}
    stack = engine.create(NESTED, files=files)
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        moves.of_update(stack, goal(engine, stack, text, files), move(*some))
    assert 'signal URL' in str(raised.value)


def test_moves_of_an_environment_that_are_done(engine):
    stack = engine.create(AFTER)
    wanted = goal(engine, stack, AFTER,
                  moves=[{'from': 'a', 'to': 'b'}, {'from': 'x/y', 'to': 'z'}])
    assert not moves.of_update(stack, wanted)
    with pytest.raises(change_set_errors.MoveNotPossible):
        moves.of_update(stack, wanted, move('a', 'b'))
