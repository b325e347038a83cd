"""What an engine holds, and none of its tasks works on, is freed."""
import types

import pytest

from heat.common import current_engine
from heat.engine.process import recovery
from heat.engine.stacks import lock as stack_lock
from heat.objects import service as service_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from tests.fakes import stacks

TEMPLATE = """
resources:
  one: {type: Test::Thing, properties: {polls: 3}}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def upkeep(engine):
    service_objects.Service.create(engine.context, {
        'engine_id': stacks.ENGINE_ID, 'host': 'h', 'hostname': 'h',
        'binary': 'heat-engine', 'topic': 'engine', 'report_interval': 60})
    return recovery.Recovery(types.SimpleNamespace(
        engine_id=stacks.ENGINE_ID, pool=engine.pool,
        answers=lambda context, engine_id: True),
        current_engine.get())


def refuse(*_args, **_kwargs):
    raise ValueError('The database has a defect')


def holder(engine, stack):
    return lock_objects.StackLock.get_engine_id(engine.context, stack.id)


def state(engine, stack):
    return stack_objects.Stack.get_status(engine.context, stack.id)[:2]


def test_operation_whose_end_nobody_could_record_has_failed(
        engine, upkeep, monkeypatch):
    stack = engine.stack(TEMPLATE)
    with monkeypatch.context() as patch:
        patch.setattr(stack_objects.Stack, 'persist_state_and_release_lock',
                      refuse)
        patch.setattr(lock_objects.StackLock, 'release', refuse)
        stack.create()
        engine.pool.run()
    assert not engine.pool.active()
    assert state(engine, stack) == ('CREATE', 'IN_PROGRESS')
    assert holder(engine, stack) == stacks.ENGINE_ID
    # What is about to end looks the same for a moment.
    upkeep.run_once()
    assert holder(engine, stack) == stacks.ENGINE_ID
    upkeep.run_once()
    assert holder(engine, stack) is None
    assert state(engine, stack) == ('CREATE', 'FAILED')
    assert engine.reload(stack).status_reason == 'Stack CREATE aborted'
    stack = engine.update(engine.reload(stack), TEMPLATE)
    assert stack.state == ('UPDATE', 'COMPLETE')


def test_delete_whose_end_nobody_could_record_goes_on(engine, upkeep,
                                                      monkeypatch):
    stack = engine.create(TEMPLATE)
    with monkeypatch.context() as patch:
        patch.setattr(stack_objects.Stack, 'persist_state_and_release_lock',
                      refuse)
        patch.setattr(lock_objects.StackLock, 'release', refuse)
        stack.delete()
        engine.pool.run()
    assert holder(engine, stack) == stacks.ENGINE_ID
    for _look in range(2):
        upkeep.run_once()
        engine.pool.run()
    assert engine.reload(stack).deleted_time is not None
    assert holder(engine, stack) is None


def test_lock_that_could_not_be_given_back_is_freed(engine, upkeep,
                                                    monkeypatch):
    stack = engine.create(TEMPLATE)
    lock = stack_lock.StackLock(engine.context, stack.id, stacks.ENGINE_ID)
    lock.acquire()
    with monkeypatch.context() as patch:
        patch.setattr(lock_objects.StackLock, 'release', refuse)
        with pytest.raises(ValueError, match='defect'):
            lock.release()
    for _look in range(2):
        upkeep.run_once()
    assert holder(engine, stack) is None
    assert state(engine, stack) == ('CREATE', 'COMPLETE')


def test_locks_in_use_are_left_alone(engine, upkeep):
    stack = engine.create(TEMPLATE)
    lock = stack_lock.StackLock(engine.context, stack.id, stacks.ENGINE_ID)
    with lock.held():
        for _look in range(3):
            upkeep.run_once()
        assert holder(engine, stack) == stacks.ENGINE_ID
    busy = engine.stack(TEMPLATE, 'busy')
    busy.create()
    engine.pool.run(until=lambda: ('create', 'one') in engine.log[1:])
    for _look in range(3):
        upkeep.run_once()
    assert holder(engine, busy) == stacks.ENGINE_ID
    engine.pool.run()
    assert state(engine, busy) == ('CREATE', 'COMPLETE')
