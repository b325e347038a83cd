"""Stacks that give resources to another one: both change, or neither."""
import dataclasses

import pytest

from heat.common import change_set_errors
from heat.common import exception
from heat.db import purge
from heat.engine.plans import givers
from heat.engine.plans import moves
from heat.engine.plans import requested
from heat.engine.stacks import lock as stack_lock
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import raw_template
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from heat.objects import stack_protection
from tests.fakes import database_faults
from tests.fakes import stacks

THING = '{type: Test::Thing, properties: {value: x}}'
GIVER = """
resources:
  a: {type: Test::Thing, properties: {value: x}, depends_on: s}
  s: %s
""" % THING
GIVER_AFTER = """
resources:
  s: %s
""" % THING
RECEIVER = """
resources:
  own: %s
""" % THING
RECEIVER_AFTER = RECEIVER + '  b: %s\n' % THING
INNER = """
heat_template_version: 2018-08-31
resources:
  d: {type: deep.yaml}
"""
DEEP = """
heat_template_version: 2018-08-31
resources:
  i: %s
""" % THING
FILES = {'inner.yaml': INNER, 'deep.yaml': DEEP}


@pytest.fixture
def legacy(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def pair(engine):
    return engine.create(GIVER), engine.create(RECEIVER)


def goal(engine, current, text, files=None):
    wanted = stack_store.wanted_stack(current, engine.template(
        text, None, files))
    wanted.validate()
    return wanted


def out_of(stack, source, target):
    return requested.moves_of([{
        'from': {'stack': stack.id, 'resource': source}, 'to': target}])


def prepared(engine, pair, text=RECEIVER_AFTER, source='a', target='b',
             files=None):
    """Return (the receiver, its goal, what moves)."""
    giver, receiver = pair
    wanted = goal(engine, receiver, text, files)
    return receiver, wanted, moves.of_update(
        receiver, wanted, out_of(giver, source, target))


def names(engine, stack):
    """Return {name: row id} of a stack."""
    return {name: row.id for name, row in
            resource_objects.Resource.get_all_by_stack(
                engine.context, stack.id).items()}


def in_effect(engine, stack):
    """Return the names of resources in the stored template of a stack."""
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    return set(raw_template.RawTemplate.get_by_id(
        engine.context, row.raw_template_id).template['resources'])


def agree(engine, pair):
    """Return whether the resource is in the receiver; else in the giver.

    Templates and rows of both stacks have to say the same.
    """
    giver, receiver = pair
    has_moved = 'b' in names(engine, receiver)
    assert ('a' in names(engine, giver)) != has_moved
    assert ('a' in in_effect(engine, giver)) != has_moved
    # The update may not have come to it.
    assert ('b' in in_effect(engine, receiver)) == has_moved
    return has_moved


def test_stacks_are_named_by_id_from_then_on(engine, pair):
    giver, receiver = pair
    rows = {each.name: stack_objects.Stack.get_by_id(engine.context, each.id)
            for each in pair}
    given = [{'from': {'stack': giver.name, 'resource': 'a'}, 'to': 'b'},
             {'from': {'stack': receiver.name, 'resource': 'c'}, 'to': 'd'},
             {'from': 'e', 'to': 'f'}]
    found = givers.resolved(rows[receiver.name], given, rows.get)
    assert found == [
        {'from': {'stack': giver.id, 'resource': 'a'}, 'to': 'b'},
        {'from': 'c', 'to': 'd'}, {'from': 'e', 'to': 'f'}]
    assert givers.ids_of(found) == [giver.id]
    assert givers.resolved(rows[receiver.name], None, rows.get) is None
    with pytest.raises(exception.EntityNotFound):
        givers.resolved(rows[receiver.name], given[:1], {}.get)
    other = dataclasses.replace(rows[giver.name], tenant='other')
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        givers.resolved(rows[receiver.name], given[:1],
                        {giver.name: other}.get)
    assert 'another project' in str(raised.value)


@pytest.mark.parametrize(('values', 'error', 'text'), [
    ({'tenant': 'other'}, exception.EntityNotFound, 'could not be found'),
    ({'owner_id': 'x'}, change_set_errors.MoveNotPossible, 'nested'),
    ({'status': 'IN_PROGRESS'}, exception.ActionInProgress, ''),
    ({'status': 'FAILED'}, change_set_errors.MoveNotPossible,
     'CREATE_FAILED'),
    ({'action': 'SUSPEND'}, change_set_errors.MoveNotPossible,
     'SUSPEND_COMPLETE'),
    ({'action': 'DELETE'}, change_set_errors.MoveNotPossible,
     'DELETE_COMPLETE')])
def test_what_gives_nothing(engine, pair, values, error, text):
    giver, receiver = pair
    stack_objects.Stack.update_by_id(engine.context, giver.id, values)
    [move] = out_of(giver, 'a', 'b')
    with pytest.raises(error) as raised:
        givers.load(receiver, move)
    assert text in str(raised.value)


def test_stacks_of_two_drivers(engine, pair):
    giver, receiver = pair
    engine.convergence = not engine.convergence
    [move] = out_of(giver, 'a', 'b')
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        givers.load(engine.create(RECEIVER), move)
    assert 'convergence' in str(raised.value)


def test_policy_of_the_giver(engine, pair):
    giver, receiver = pair
    stack_protection.StackProtection.set(engine.context, giver.id, {
        'policy': {'Statement': [
            {'Effect': 'Allow', 'Action': 'Update:Modify',
             'Resource': '*'}]}})
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        prepared(engine, pair)
    assert 'Update:Delete of a' in str(raised.value)


def test_both_stacks_are_described_anew(engine, pair):
    giver, receiver = pair
    before = names(engine, giver)
    _receiver, wanted, moved = prepared(engine, pair)
    assert moved.is_one_way
    assert wanted.disable_rollback
    assert moved.origins == {('b',): ('a',)}
    assert moved.origin_of(('b', 'x')) == ('a', 'x')
    assert moved.giver_of(('b', 'x')).stack.id == giver.id
    assert moved.giver_of(('own',)) is None
    assert not moved.is_inside(('a',))
    assert moved.row_ids == {before['a']}
    assert sorted(receiver) == ['b', 'own']
    assert sorted(moved.givers[giver.id].stack) == ['s']
    assert moved.givers[giver.id].lost == [('a',)]
    # Nothing is written yet.
    assert not agree(engine, pair)


def test_both_change_in_one_transaction(engine, pair):
    giver, receiver = pair
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, 'a', giver.id)
    prepare = prepared(engine, pair)
    engine.log.clear()
    seen = []
    with database_faults.after_commits(
            lambda: seen.append(agree(engine, pair))):
        moves.update(*prepare)
        engine.pool.run()
    assert seen[0] is False
    assert seen[-1] is True
    assert seen == sorted(seen)
    assert engine.log == []
    after = resource_objects.Resource.get_obj(engine.context, row.id)
    assert (after.name, after.stack_id, after.root_stack_id) == (
        'b', receiver.id, receiver.id)
    assert (after.uuid, after.physical_resource_id, after.requires,
            after.rsrc_prop_data_id) == (
                row.uuid, row.physical_resource_id, [],
                row.rsrc_prop_data_id)
    assert engine.reload(receiver).state == ('UPDATE', 'COMPLETE')
    assert engine.reload(giver).state == ('CREATE', 'COMPLETE')
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                giver.id) is None
    for stack, text in ((giver, GIVER_AFTER), (receiver, RECEIVER_AFTER)):
        engine.update(engine.reload(stack), text)
    assert engine.log == []


@pytest.mark.parametrize('number', [1, 2, 3, 4])
def test_an_answer_to_a_commit_that_is_lost(engine, pair, number):
    prepare = prepared(engine, pair)
    engine.log.clear()
    with database_faults.lost_answer(number):
        moves.update(*prepare)
        engine.pool.run()
    assert agree(engine, pair)
    assert engine.log == []


def test_a_connection_that_is_lost_before_the_commit(engine, pair):
    prepare = prepared(engine, pair)
    with database_faults.lost_connection():
        moves.update(*prepare)
    engine.pool.run()
    assert agree(engine, pair)


@pytest.mark.parametrize('statement', [
    'UPDATE stack', 'UPDATE resource', 'INSERT INTO event'])
def test_an_error_in_the_transaction_moves_nothing(engine, pair, statement):
    giver, receiver = pair
    before = names(engine, giver)
    prepare = prepared(engine, pair)
    with database_faults.refusal(statement), pytest.raises(
            database_faults.Refused):
        moves.update(*prepare)
    engine.pool.run()
    assert not agree(engine, pair)
    assert names(engine, giver) == before
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                giver.id) is None
    # Neither stack is any the worse for it.
    moves.update(*prepared(engine, [engine.reload(each) for each in pair]))
    engine.pool.run()
    assert agree(engine, pair)


def test_what_has_changed_the_giver_since(engine, pair):
    giver, receiver = pair
    prepare = prepared(engine, pair)
    engine.update(engine.reload(giver), GIVER.replace(
        '{value: x}', '{value: y}', 1))
    with pytest.raises(exception.ActionInProgress):
        moves.update(*prepare)
    engine.pool.run()
    assert not agree(engine, pair)


def test_operations_that_know_the_giver_of_before_do_not_begin(engine, pair):
    giver, receiver = pair
    stale = [engine.reload(giver) for _number in range(3)]
    assert all('a' in each for each in stale)
    assert all(each['a'].resource_id for each in stale)
    moves.update(*prepared(engine, pair))
    engine.pool.run()
    engine.log.clear()
    with pytest.raises(exception.ActionInProgress):
        engine.update(stale[0], GIVER_AFTER)
    with pytest.raises(exception.ActionInProgress):
        stale[1].suspend()
    # A deletion begins with the stack as it is now, or not.
    try:
        stale[2].delete()
    except exception.ActionInProgress:
        engine.reload(giver).delete()
    engine.pool.run()
    assert engine.log == [('delete', 's')]
    assert 'b' in names(engine, receiver)


def test_a_giver_that_another_engine_works_on(legacy):
    pair = giver, _receiver = legacy.create(GIVER), legacy.create(RECEIVER)
    prepare = prepared(legacy, pair)
    lock = stack_lock.StackLock(legacy.context, giver.id, 'engine-2')
    assert lock.try_acquire() is None
    with pytest.raises(exception.ActionInProgress):
        moves.update(*prepare)
    assert not agree(legacy, pair)
    assert lock_objects.StackLock.get_engine_id(
        legacy.context, giver.id) == 'engine-2'
    lock.release()
    moves.update(*prepared(legacy, [legacy.reload(each) for each in pair]))
    assert agree(legacy, pair)


def test_a_lock_that_was_taken_away(legacy):
    giver = legacy.create(GIVER)
    with legacy.reload(giver).held() as release:
        lock_objects.StackLock.steal(legacy.context, giver.id,
                                     stacks.ENGINE_ID, 'engine-2')
        with pytest.raises(exception.ActionInProgress):
            release()
    assert lock_objects.StackLock.get_engine_id(
        legacy.context, giver.id) == 'engine-2'


def test_a_lock_that_is_taken_away_while_both_begin(legacy):
    pair = giver, receiver = legacy.create(GIVER), legacy.create(RECEIVER)
    receiver, wanted, moved = prepared(legacy, pair)
    wanted.warrant = stack_warrant.Warrant(
        '', is_open=True, on_begin=lambda _id: lock_objects.StackLock.steal(
            legacy.context, giver.id, stacks.ENGINE_ID, 'engine-2'))
    with pytest.raises(exception.ActionInProgress):
        moves.update(receiver, wanted, moved)
    assert not agree(legacy, pair)


def test_a_nested_stack_belongs_to_the_tree_of_the_receiver(engine):
    giver = engine.create(GIVER_AFTER + '  n: {type: inner.yaml}\n',
                          files=FILES)
    receiver = engine.create(RECEIVER)
    stack_objects.Stack.update_by_id(engine.context, receiver.id, {
        'stack_user_project_id': 'users'})
    receiver = engine.reload(receiver)
    children = [giver['n'].nested(), giver['n'].nested()['d'].nested()]
    text = RECEIVER + '  k: {type: inner.yaml}\n'
    moves.update(*prepared(engine, (giver, receiver), text, 'n', 'k', FILES))
    engine.pool.run()
    assert giver.total_resources() == 1
    assert receiver.total_resources() == 4
    rows = [stack_objects.Stack.get_by_id(engine.context, child.id)
            for child in children]
    assert [row.owner_id for row in rows] == [receiver.id, rows[0].id]
    assert rows[0].name.startswith(receiver.name + '-k-')
    assert rows[0].parent_resource_name == 'k'
    assert {row.user_creds_id for row in rows} == {receiver.user_creds_id}
    assert {row.stack_user_project_id for row in rows} == {'users'}
    assert stack_objects.Stack.get_root_id(
        engine.context, rows[1].id) == receiver.id
    engine.log.clear()
    engine.update(engine.reload(receiver), text, files=FILES)
    engine.delete(engine.reload(giver))
    assert engine.log == [('delete', 's')]
    assert engine.reload(receiver)['k'].nested()['d'].nested()[
        'i'].resource_id
    engine.delete(engine.reload(receiver))
    assert ('delete', 'i') in engine.log


def test_values_outlast_the_giver(engine, pair):
    giver, receiver = pair
    moves.update(*prepared(engine, pair))
    engine.pool.run()
    engine.delete(engine.reload(giver))
    purge.purge_deleted(engine.context, 0)
    assert stack_objects.Stack.get_by_id(engine.context, giver.id,
                                         show_deleted=True) is None
    engine.log.clear()
    engine.update(engine.reload(receiver), RECEIVER_AFTER)
    assert engine.log == []
    assert engine.reload(receiver)['b'].frozen_definition().properties(
        stacks.Thing.properties_schema)['value'] == 'x'


def test_what_stays_requires_nothing_that_left(engine, pair):
    giver, receiver = pair
    ids = names(engine, giver)
    resource_objects.Resource.update_by_id(
        engine.context, ids['s'], {'requires': [ids['a']]})
    pair = engine.reload(giver), receiver
    moves.update(*prepared(engine, pair))
    assert resource_objects.Resource.get_obj(
        engine.context, ids['s']).requires == []
