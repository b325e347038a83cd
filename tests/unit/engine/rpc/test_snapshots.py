"""RPC calls about snapshots."""
from oslo_config import cfg
import pytest

from heat.common import exception
from heat.common import policy
from heat.engine.rpc import snapshots
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from tests.unit.engine.rpc import calls

TEXT = """
parameters: {p: {type: string, hidden: true, default: d}}
resources: {a: {type: Test::Thing, properties: {value: {get_param: p}}}}
"""


@pytest.fixture
def operations(engine):
    return calls.made(snapshots.SnapshotOperations, engine)


@pytest.fixture
def stack(engine):
    return engine.create(TEXT, 'web', params={'p': 'open-sesame'})


def taken(operations, engine, stack, name='before'):
    shown = operations.stack_snapshot(engine.context,
                                      dict(stack.identifier()), name)
    engine.pool.run()
    return shown


def test_snapshot_is_begun_shown_and_listed(operations, engine, stack):
    identity = dict(stack.identifier())
    begun = taken(operations, engine, stack)
    assert (begun['name'], begun['status']) == ('before', 'IN_PROGRESS')
    shown = operations.show_snapshot(engine.context, identity, begun['id'])
    assert shown['status'] == 'COMPLETE'
    assert set(shown['data']['resources']) == {'a'}
    assert operations.stack_list_snapshots(engine.context, identity) == [
        shown]


def test_hidden_values_do_not_show(operations, engine, stack):
    begun = taken(operations, engine, stack)
    shown = operations.show_snapshot(
        engine.context, dict(stack.identifier()), begun['id'])
    assert 'sesame' not in str(shown)


def test_snapshot_is_of_its_stack_only(operations, engine, stack):
    begun = taken(operations, engine, stack)
    other = dict(engine.create('resources: {}', 'other').identifier())
    for call in (operations.show_snapshot, operations.delete_snapshot,
                 operations.stack_restore):
        with calls.refused(exception.SnapshotNotFound, begun['id']):
            call(engine.context, other, begun['id'])


def test_stack_is_restored(operations, engine, stack, monkeypatch):
    monkeypatch.setattr(policy, 'type_guard',
                        lambda _context: lambda _name: True)
    begun = taken(operations, engine, stack)
    identity = dict(stack.identifier())
    stack = engine.update(engine.reload(stack), TEXT.replace('a:', 'b:'))
    assert set(stack) == {'b'}
    assert operations.stack_restore(engine.context, identity,
                                    begun['id']) == identity
    engine.pool.run()
    found = engine.reload(stack)
    assert found.state == ('RESTORE', 'COMPLETE')
    assert set(found) == {'a'}


def test_snapshot_is_deleted(operations, engine, stack):
    begun = taken(operations, engine, stack)
    operations.delete_snapshot(engine.context, dict(stack.identifier()),
                               begun['id'])
    engine.pool.run()
    assert snapshot_objects.Snapshot.get_by_id(engine.context,
                                               begun['id']) is None


def test_snapshot_that_is_being_taken_is_not_deleted(operations, engine,
                                                     stack):
    begun = operations.stack_snapshot(engine.context,
                                      dict(stack.identifier()), None)
    with calls.refused(exception.NotSupported, 'in-progress'):
        operations.delete_snapshot(engine.context, dict(stack.identifier()),
                                   begun['id'])
    with calls.refused(exception.ActionInProgress):
        operations.stack_snapshot(engine.context, dict(stack.identifier()),
                                  'another')
    engine.pool.run()


@pytest.mark.parametrize(('name', 'error'), [
    ('x' * 255, None), ('x' * 256, exception.Invalid)])
def test_names_fit_the_column(operations, engine, stack, name, error):
    if error is None:
        assert taken(operations, engine, stack, name)['name'] == name
    else:
        with calls.refused(error, '255'):
            taken(operations, engine, stack, name)


def test_a_stack_has_so_many_snapshots_and_no_more(operations, engine,
                                                   stack):
    cfg.CONF.set_override('max_snapshots_per_stack', 1)
    try:
        taken(operations, engine, stack)
        with calls.refused(exception.RequestLimitExceeded, '1'):
            taken(operations, engine, stack)
    finally:
        cfg.CONF.clear_override('max_snapshots_per_stack')
    assert len(snapshot_objects.Snapshot.get_all_by_stack(
        engine.context, stack.id)) == 1


def test_snapshot_that_could_not_begin_is_withdrawn(operations, engine,
                                                    stack, monkeypatch):
    def fail(self, snapshot):
        raise ConnectionError

    monkeypatch.setattr(type(stack), 'snapshot', fail)
    with pytest.raises(ConnectionError):
        operations.stack_snapshot(engine.context, dict(stack.identifier()),
                                  'x')
    engine.pool.run()
    assert snapshot_objects.Snapshot.get_all_by_stack(engine.context,
                                                      stack.id) == []
    assert stack_objects.Stack.get_status(
        engine.context, stack.id)[:2] == ('CREATE', 'COMPLETE')
