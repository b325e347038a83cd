"""What could not be begun leaves nothing behind once the database is back."""
import pytest

from heat.engine.stacks import snapshots
from heat.engine.stacks import template_store
from heat.objects import raw_template
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from tests.fakes import database_faults
from tests.fakes import stacks

TEMPLATE = 'resources: {a: {type: Test::Thing}}'


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def withdrawal(engine):
    """Return a stack, a snapshot of it and the task that withdraws that."""
    stack = engine.create(TEMPLATE)
    row = snapshots.create_row(engine.context, stack, 'one')
    return stack, row, snapshots.withdraw(stack, row)


def names(engine, stack):
    return [row.name for row in snapshot_objects.Snapshot.get_all_by_stack(
        engine.context, stack.id)]


def test_snapshot_that_was_not_begun_is_deleted(engine, withdrawal):
    stack, _row, task = withdrawal
    engine.pool.spawn(task, 'withdraw')
    engine.pool.run()
    assert names(engine, stack) == []


def test_snapshot_is_deleted_though_that_fails_at_first(engine, withdrawal):
    stack, _row, task = withdrawal
    with database_faults.refusal('DELETE FROM snapshot'):
        engine.pool.spawn(task, 'withdraw')
        engine.pool.run()
    assert names(engine, stack) == []


def test_snapshot_that_was_begun_after_all_stays(engine, withdrawal):
    stack, row, task = withdrawal
    assert next(task)
    stack.snapshot(row)
    # It is asked again as long as the operation lasts.
    assert next(task)
    engine.pool.run()
    with pytest.raises(StopIteration):
        next(task)
    assert names(engine, stack) == ['one']
    assert stack_objects.Stack.get_status(
        engine.context, stack.id)[:2] == ('SNAPSHOT', 'COMPLETE')


def test_templates_are_deleted_though_that_fails_at_first(engine):
    stack = engine.create(TEMPLATE)
    unused = raw_template.RawTemplate.create(engine.context, {
        'template': {}}).id
    with database_faults.refusal('DELETE FROM raw_template', 2):
        engine.pool.spawn(template_store.delete_unused_task(
            engine.context, {unused, stack.t.id}), 'tidy up')
        engine.pool.run()
    for template_id, stays in ((unused, False), (stack.t.id, True)):
        assert stays == (raw_template.RawTemplate.get_by_id(
            engine.context, template_id) is not None)
