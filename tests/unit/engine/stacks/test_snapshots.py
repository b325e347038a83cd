"""Snapshots under the legacy driver: taken, restored, deleted."""
import pytest

from heat.common import current_engine
from heat.common import exception
from heat.engine.drivers import select as stack_driver
from heat.engine.process import recovery
from heat.engine.stacks import snapshots
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import stack_tasks
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack_lock as lock_objects
from tests.fakes import database_faults
from tests.fakes import stacks

CHAIN = """
resources:
  a: {type: Test::Thing, properties: {value: one, fixed: x}}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]}}}
  c: {type: Test::Thing, depends_on: b}
outputs:
  out: {value: {get_attr: [b, output]}}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def take_snapshot(engine, stack):
    snapshot = snapshots.create_row(engine.context, stack, 'before')
    stack.snapshot(snapshot)
    engine.pool.run()
    return snapshot_objects.Snapshot.get_by_id(engine.context, snapshot.id)


def test_snapshot_restore_and_delete(engine):
    stack = engine.create(CHAIN)
    snapshot = take_snapshot(engine, stack)
    assert snapshot.status == 'COMPLETE'
    assert snapshot.data['resources'] == {}
    stack = engine.reload(stack)
    assert stack.state == ('SNAPSHOT', 'COMPLETE')
    data = snapshots.data_of(engine.context, snapshot)
    assert data['resources']['a']['resource_data'] == {'value': 'one'}

    stack = engine.update(stack, """
resources:
  a: {type: Test::Thing, properties: {value: two, fixed: x}}
""")
    stack.restore(snapshot, snapshots.restored_stack(stack, snapshot))
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('RESTORE', 'COMPLETE')
    assert set(engine.rows(stack)) == {'a', 'b', 'c'}
    assert engine.values(stack) == {'out': 'one'}

    stack_driver.of(stack).delete_snapshot(stack, snapshot)
    engine.pool.run()
    assert snapshot_objects.Snapshot.get_by_id(engine.context,
                                               snapshot.id) is None
    assert engine.reload(stack).state == ('RESTORE', 'COMPLETE')


def test_snapshot_whose_end_cannot_be_stored_has_failed(engine):
    stack = engine.create(CHAIN)
    with database_faults.refusal('UPDATE snapshot'):
        snapshot = take_snapshot(engine, stack)
    assert engine.reload(stack).state == ('SNAPSHOT', 'FAILED')
    assert snapshot.status == 'FAILED'
    assert snapshot.status_reason.startswith('Stack SNAPSHOT failed: ')


class DeadListener:
    """Knows that no other engine is there."""

    def is_alive(self, context, engine_id):
        return False


def test_snapshot_is_deleted_though_the_engine_dies(engine):
    stack = engine.create(CHAIN)
    snapshot = take_snapshot(engine, stack)
    stack = engine.reload(stack)
    # What an engine leaves that is killed right after it has answered.
    stack_driver.of(stack).delete_snapshot(stack, snapshot)
    engine.pool = task_pool.InlinePool(engine.pool.group_commit)
    engine.groups = stack_tasks.ThreadGroupManager(engine.pool)
    engine.configure('engine-2', DeadListener())
    recovery.Recovery(current_engine.get().context,
                      current_engine.get()).run_once()
    engine.pool.run()
    assert snapshot_objects.Snapshot.get_by_id(engine.context,
                                               snapshot.id) is None
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                stack.id) is None
    assert engine.reload(stack).state == ('SNAPSHOT', 'COMPLETE')


def test_delete_removes_snapshots(engine):
    stack = engine.create(CHAIN)
    snapshot = take_snapshot(engine, stack)
    stack = engine.delete(engine.reload(stack))
    assert stack.state == ('DELETE', 'COMPLETE')
    assert snapshot_objects.Snapshot.get_by_id(engine.context,
                                               snapshot.id) is None


def test_incomplete_snapshot_cannot_be_restored(engine):
    stack = engine.create(CHAIN)
    snapshot = snapshots.create_row(engine.context, stack, 'x')
    with pytest.raises(exception.NotSupported):
        snapshots.restored_stack(stack, snapshot)
