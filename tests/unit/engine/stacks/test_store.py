"""What is stored of a stack that begins."""
import pytest

from heat.common import exception
from heat.engine import status
from heat.engine.stacks import store as stack_store
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.fakes import stacks

CHAIN = stacks.CHAIN


def test_stack_that_was_stored_before_the_connection_was_lost(
        engine, monkeypatch):
    """The transaction is repeated then, and finds its own row."""
    run = transaction.run

    def run_twice(context, write, **options):
        if not transaction.in_transaction():
            run(context, write, **options)
        return run(context, write, **options)

    with monkeypatch.context() as patch:
        patch.setattr(stack_store.transaction, 'run', run_twice)
        stack = engine.stack(CHAIN, 'web', tags=['t'])
    [row] = stack_objects.Stack.get_all(engine.context, eager_load=True)
    assert (stack.id, stack.t.id, stack.user_creds_id, stack.created_time,
            stack.tags) == (
        row.id, row.raw_template_id, row.user_creds_id, row.created_at,
        row.tags)
    stack.create()
    engine.pool.run()
    assert engine.reload(stack).status == status.StackStatus.COMPLETE


def test_name_that_a_deleted_stack_holds_is_released(engine):
    """As engines of the previous release leave it."""
    first = engine.stack(CHAIN, 'web')
    stack_objects.Stack.update_by_id(engine.context, first.id, {
        'deleted_at': first.created_time})
    assert engine.stack(CHAIN, 'web').id != first.id
    with pytest.raises(exception.StackExists):
        engine.stack(CHAIN, 'web')


def test_store_sets_what_interrupted_creation_looks_like(engine):
    stack = engine.stack(CHAIN)
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert (row.action, row.status) == ('CREATE', 'IN_PROGRESS')
    assert stack_store.is_convergent(stack) == engine.convergence
