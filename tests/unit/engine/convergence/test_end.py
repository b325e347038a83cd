"""An operation comes to its end, whatever fails on the way."""
import pytest

from heat.common import context as heat_context
from heat.common import current_engine
from heat.engine.convergence import driver as convergence_driver
from heat.engine.process import recovery
from heat.engine.stacks import credentials
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.objects import service as service_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from tests.fakes import stacks

GOOD = """
resources:
  one: {type: Test::Thing, properties: {value: v}}
"""
BAD = """
resources:
  bad: {type: Test::Thing, properties: {fail: true}}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch, convergence=True)


def refuse(*_args, **_kwargs):
    raise KeyError('what is not there')


def state(engine, stack):
    return stack_objects.Stack.get_status(engine.context, stack.id)[:3]


def test_rollback_that_cannot_begin_is_the_end(engine, monkeypatch):
    monkeypatch.setattr(convergence_driver.ConvergenceDriver, '_rollback_of',
                        refuse)
    stack = engine.create(BAD, disable_rollback=False)
    action, status, reason = state(engine, stack)
    assert (action, status) == ('CREATE', 'FAILED')
    assert 'Thing failed bad' in reason
    assert reason.endswith('; the rollback cannot begin: KeyError')


def test_delete_that_cannot_be_completed_has_failed(engine, monkeypatch):
    stack = engine.create(GOOD)
    with monkeypatch.context() as patch:
        patch.setattr(credentials, 'release', refuse)
        engine.delete(stack)
    assert state(engine, stack)[:2] == ('DELETE', 'FAILED')
    assert engine.delete(engine.reload(stack)).deleted_time is not None


def test_end_that_cannot_be_announced_is_the_end(engine, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(stack_state, 'publish', refuse)
        stack = engine.stack(GOOD)
        with pytest.raises(KeyError):
            stack.create()
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert (row.action, row.status) == ('CREATE', 'IN_PROGRESS')
    # It was begun, so any engine carries it through.
    upkeep = a_recovery(engine)
    for _look in range(2):
        upkeep.run_once()
        engine.pool.run()
    assert state(engine, stack)[:2] == ('CREATE', 'COMPLETE')


def a_recovery(engine):
    """Return the upkeep of the engine of this test."""
    service_objects.Service.create(engine.context, {
        'engine_id': stacks.ENGINE_ID, 'host': 'h', 'hostname': 'h',
        'binary': 'heat-engine', 'topic': 'engine', 'report_interval': 60})
    return recovery.Recovery(stack_engine_context(engine),
                             current_engine.get())


def stack_engine_context(engine):
    """Return what a process gives to its upkeep."""
    class Around:
        engine_id, pool = stacks.ENGINE_ID, engine.pool

        @staticmethod
        def answers(context, engine_id):
            return True

    return Around


def test_unreadable_stack_does_not_stay_in_progress(engine, monkeypatch):
    stack = engine.stack(GOOD)
    stack.create()
    upkeep = a_recovery(engine)
    engine.pool._active.clear()
    engine.pool._ready.clear()
    admin = heat_context.get_admin_context()
    # Its time is over, and nobody understands what it was to become.
    stack_objects.Stack.update_by_id(admin, stack.id, {'timeout': 0})
    monkeypatch.setattr(recovery, '_deadline',
                        lambda row, options: row.created_at)
    monkeypatch.setattr(recovery, '_engines_since', lambda *_args: True)
    monkeypatch.setattr(recovery.traversal_state, 'of_row', refuse)
    upkeep.run_once()
    engine.pool.run()
    assert state(engine, stack)[:2] == ('CREATE', 'FAILED')


def test_unreadable_legacy_stack_does_not_stay_in_progress(monkeypatch):
    engine = stacks.Engine(monkeypatch)
    stack = engine.stack(GOOD)
    lock_objects.StackLock.create(engine.context, stack.id, 'gone')
    upkeep = a_recovery(engine)
    upkeep._engine.answers = staticmethod(
        lambda context, engine_id: engine_id != 'gone')
    monkeypatch.setattr(stack_store, 'load', refuse)
    upkeep.run_once()
    assert state(engine, stack)[:2] == ('CREATE', 'FAILED')
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                stack.id) is None
