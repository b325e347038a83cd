"""RPC calls about change sets."""
import pytest

from heat.common import change_set_errors
from heat.common import exception
from heat.engine.rpc import change_sets
from heat.engine.rpc import stacks as rpc_stacks
from heat.objects import change_set as change_set_objects
from heat.objects import stack as stack_objects
from tests.fakes import stacks
from tests.unit.engine.rpc import calls


class Door(change_sets.ChangeSetOperations, rpc_stacks.StackOperations):
    """What an engine answers about change sets."""


@pytest.fixture
def operations(engine):
    operations = calls.made(Door, engine)
    operations.pool, operations.engine_id = engine.pool, stacks.ENGINE_ID
    return operations


def template(**resources):
    return {'heat_template_version': '2018-08-31', 'resources': {
        name: {'type': 'Test::Thing', 'properties': {'value': value}}
        for name, value in resources.items()}}


def made(operations, engine, identity=None, name='web', *, resources,
         **options):
    shown = operations.create_change_set(
        engine.context, identity, name, template(**resources), {}, {},
        options.pop('args', {}), **options)
    engine.pool.run()
    return operations.show_change_set(engine.context, shown['id'])


@pytest.fixture
def stack(engine):
    return engine.create("""
resources:
  a: {type: Test::Thing, properties: {value: one}}
  b: {type: Test::Thing, properties: {value: two}}
""", 'web')


def identity(stack):
    return dict(stack.identifier())


def test_creation_is_planned_and_executed(operations, engine):
    shown = made(operations, engine, resources={'a': 'x'}, name='new',
                 description='D')
    assert (shown['action'], shown['status'], shown['stack_id'],
            shown['description']) == ('CREATE', 'AVAILABLE', None, 'D')
    assert shown['counts']['create'] == 1
    assert stack_objects.Stack.get_by_name(engine.context, 'new') is None
    operations.execute_change_set(engine.context, shown['id'])
    engine.pool.run()
    row = stack_objects.Stack.get_by_name(engine.context, 'new')
    assert (row.action, row.status) == ('CREATE', 'COMPLETE')


def test_update_does_what_was_planned(operations, engine, stack):
    shown = made(operations, engine, identity(stack),
                 resources={'a': 'other', 'c': 'x'})
    assert {change['path'][0]: change['action']
            for change in shown['changes']} == {
        'a': 'update', 'b': 'delete', 'c': 'create'}
    assert shown['base'] == [stack.id]
    with stacks.sequence_of(engine) as seen:
        assert operations.execute_change_set(
            engine.context, shown['id'], identity(stack)) == identity(stack)
        engine.pool.run()
    assert sorted(seen) == [('create', 'c'), ('delete', 'b'),
                            ('update', 'a')]
    assert operations.show_change_set(
        engine.context, shown['id'])['status'] == 'EXECUTED'
    with calls.refused(change_set_errors.ChangeSetNotExecutable):
        operations.execute_change_set(engine.context, shown['id'])


def test_stack_that_has_changed_makes_it_stale(operations, engine, stack):
    shown = made(operations, engine, identity(stack), resources={'a': 'x'})
    engine.update(stack, 'resources: {a: {type: Test::Thing}}')
    with calls.refused(change_set_errors.ChangeSetStale, 'web'):
        operations.execute_change_set(engine.context, shown['id'])
    found = operations.show_change_set(engine.context, shown['id'])
    assert found['status'] == 'STALE'
    assert 'has changed' in found['status_reason']
    assert set(engine.reload(stack)) == {'a'}


def test_change_sets_are_listed_and_forgotten(operations, engine, stack):
    one = made(operations, engine, identity(stack), resources={'a': 'x'})
    two = made(operations, engine, name='new', resources={'a': 'x'})
    listed = operations.list_change_sets(engine.context)
    assert {each['id'] for each in listed} == {one['id'], two['id']}
    assert 'changes' not in listed[0]
    assert [each['id'] for each in operations.list_change_sets(
        engine.context, identity(stack))] == [one['id']]
    operations.delete_change_set(engine.context, one['id'], identity(stack))
    for call in (operations.show_change_set, operations.delete_change_set,
                 operations.execute_change_set):
        with calls.refused(change_set_errors.ChangeSetNotFound):
            call(engine.context, one['id'])


def test_that_of_another_project_does_not_exist(operations, engine, stack):
    shown = made(operations, engine, identity(stack), resources={'a': 'x'})
    engine.context.project_id = 'other'
    assert operations.list_change_sets(engine.context) == []
    with calls.refused(change_set_errors.ChangeSetNotFound):
        operations.show_change_set(engine.context, shown['id'])


def test_busy_stack_is_not_planned(operations, engine, stack):
    stack_objects.Stack.update_by_id(engine.context, stack.id,
                                     {'status': 'IN_PROGRESS'})
    with calls.refused(exception.ActionInProgress, 'web'):
        made(operations, engine, identity(stack), resources={'a': 'x'})


@pytest.mark.parametrize('texts', [
    {'name': 'x' * 256}, {'description': 'x' * 4097}])
def test_texts_fit_their_columns(operations, engine, texts):
    with calls.refused(exception.Invalid, 'characters'):
        operations.create_change_set(
            engine.context, None, 'new', template(a='x'), {}, {}, {},
            **texts)


def test_what_is_wrong_is_told_before_anything_is_stored(operations, engine):
    with calls.refused(exception.StackValidationFailed, 'a'):
        operations.create_change_set(
            engine.context, None, 'new',
            {**template(), 'resources': {'a': {'type': 'No::Such'}}}, {}, {},
            {})
    assert operations.list_change_sets(engine.context) == []


def test_drift_of_what_does_not_exist_yet_is_not_reverted(operations, engine):
    with calls.refused(exception.NotSupported, 'drift'):
        operations.create_change_set(
            engine.context, None, 'new', template(a='x'), {}, {}, {},
            revert_drift=True)


def test_whatever_keeps_it_from_being_planned_again_is_told(
        operations, engine, stack):
    found = change_set_objects.ChangeSet.create(engine.context, {
        'stack_name': 'web', 'stack_id': stack.id, 'action': 'UPDATE',
        'status': 'CREATE_IN_PROGRESS', 'planned': 0, 'total': 1,
        'engine_id': stacks.ENGINE_ID, 'base': {}, 'definition': {}})
    change_sets.plan_again(engine.pool, found)
    shown = operations.show_change_set(engine.context, found.id)
    assert (shown['status'], shown['status_reason']) == (
        'FAILED', "'args'")
