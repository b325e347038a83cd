"""Legacy operations begin and end with the lock of their stack."""
from oslo_config import cfg
import prometheus_client
import pytest

from heat.common import change_set_errors
from heat.common import current_engine
from heat.common import exception
from heat.engine.drivers import select as stack_driver
from heat.engine.legacy import supervisor as legacy_supervisor
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import stack_lock as lock_objects
from tests.fakes import stacks

CHAIN = stacks.LONGER_CHAIN


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def little_patience():
    cfg.CONF.set_override('error_wait_time', 10)
    yield
    cfg.CONF.clear_override('error_wait_time')


class Listener:
    """Other engines, of which some are alive."""

    def __init__(self, *alive):
        self.alive = set(alive)
        self.sent = []

    def is_alive(self, context, engine_id=None):
        return engine_id in self.alive

    def send(self, context, engine_id, stack_identity, message):
        self.sent.append((engine_id, message))

    def stop_stack(self, context, engine_id, stack_identity):
        self.sent.append((engine_id, 'stop'))


def test_only_one_operation_at_a_time(engine):
    stack = engine.stack(CHAIN)
    stack.create()
    with pytest.raises(exception.ActionInProgress):
        engine.reload(stack).check()
    with pytest.raises(exception.ActionInProgress):
        stack_driver.of(stack).require_ready(stack)
    engine.pool.run()
    assert engine.reload(stack).state == ('CREATE', 'COMPLETE')


def stolen():
    """Return how often figures say that a stack was taken over."""
    return prometheus_client.REGISTRY.get_sample_value(
        'heat_claims_stolen_total', {'kind': 'stack'}) or 0


def test_lock_of_a_dead_engine_is_stolen(engine):
    stack, before = engine.create(CHAIN), stolen()
    lock_objects.StackLock.create(engine.context, stack.id, 'engine-2')
    engine.configure(listener=Listener('engine-2'))
    with pytest.raises(exception.ActionInProgress):
        stack.check()
    assert stolen() == before
    engine.configure(listener=Listener())
    stack.check()
    assert stolen() == before + 1
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'COMPLETE')


def test_stale_stack_is_refused_and_lock_released(engine):
    stack = engine.create(CHAIN)
    stale = engine.reload(stack)
    stack.check()
    engine.pool.run()
    with pytest.raises(exception.ActionInProgress):
        stale.suspend()
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                stack.id) is None


@pytest.mark.parametrize('begin', [
    lambda engine, stack: stack.suspend(),
    lambda engine, stack: engine.update(stack, CHAIN)])
def test_stack_that_was_updated_meanwhile_is_refused(engine, begin):
    """Both updates end in the state in which the second one was asked."""
    stale = engine.update(engine.create(CHAIN), stacks.CHAIN)
    updated = engine.update(engine.reload(stale), CHAIN)
    assert updated.state == stale.state
    with pytest.raises(exception.ActionInProgress):
        begin(engine, stale)
    engine.pool.run()
    assert engine.reload(stale).state == updated.state


def test_change_set_of_a_stack_that_was_updated_meanwhile_is_stale(engine):
    stale = engine.update(engine.create(CHAIN), stacks.CHAIN)
    stale.warrant = stack_warrant.Warrant(
        'change-set', base=stack_warrant.stamp(stale))
    engine.update(engine.reload(stale), CHAIN)
    with pytest.raises(change_set_errors.ChangeSetStale):
        stale.suspend()


def test_delete_stops_what_runs(engine, little_patience):
    stack = engine.stack("""
resources:
  slow: {type: Test::Thing, properties: {polls: 100000}}
""")
    stack.create()
    for _step in range(5):
        engine.pool.step()
    other = engine.reload(stack)
    other.delete()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('DELETE', 'COMPLETE')
    # The running resource got its grace period, and was then closed.
    assert engine.clock.now - 1000 >= cfg.CONF.error_wait_time


def test_delete_asks_the_other_engine_to_stop(engine, little_patience):
    stack = engine.create(CHAIN)
    lock_objects.StackLock.create(engine.context, stack.id, 'engine-2')
    listener = Listener('engine-2')
    engine.configure(listener=listener)
    stack.delete()
    engine.pool.run(until=lambda: len(listener.sent) == 2)
    assert listener.sent == [('engine-2', 'cancel'), ('engine-2', 'stop')]
    lock_objects.StackLock.release(engine.context, stack.id, 'engine-2')
    engine.pool.run()
    assert engine.reload(stack).state == ('DELETE', 'COMPLETE')


def test_engine_stop_marks_stack_aborted(engine):
    stack = engine.stack(
        'resources: {slow: {type: Test::Thing, properties: {polls: 9000}}}')
    stack.create()
    for _step in range(5):
        engine.pool.step()
    engine.groups.stop(stack.id)
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CREATE', 'FAILED')
    assert stack.status_reason == 'Stack CREATE aborted'
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                stack.id) is None


def test_cancel_message_stops_a_create(engine):
    stack = engine.stack(
        'resources: {slow: {type: Test::Thing, properties: {polls: 9000}}}')
    stack.create()
    for _step in range(5):
        engine.pool.step()
    stack.cancel(with_rollback=False)
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CREATE', 'FAILED')
    assert stack.status_reason == 'Stack CREATE cancelled'


def task(*steps):
    """A task that notes its steps; it ends with the error among them."""
    done, pending = [], list(steps)

    def run():
        try:
            while pending:
                step = pending.pop(0)
                if isinstance(step, BaseException):
                    raise step
                done.append(step)
                yield
        finally:
            done.append('closed')

    return run(), done


def supervisor_of(engine):
    return legacy_supervisor.Supervisor(current_engine.get().context)


def lock_holder(engine, stack):
    return lock_objects.StackLock.get_engine_id(engine.context, stack.id)


def test_operation_that_cannot_begin_is_closed_and_gives_the_lock_back(
        engine):
    stack = engine.create(CHAIN)
    begun, done = task('a')
    next(begun)

    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        supervisor_of(engine).begin(stack, 'CHECK', begun, store=fail)
    assert done == ['a', 'closed']
    assert lock_holder(engine, stack) is None
    assert engine.reload(stack).state == ('CREATE', 'COMPLETE')


def test_operation_that_has_a_defect_fails_and_gives_the_lock_back(engine):
    stack = engine.create(CHAIN)
    begun, done = task('a', ZeroDivisionError('by nothing'))
    supervisor_of(engine).begin(stack, 'CHECK', begun)
    engine.pool.run()
    assert done == ['a', 'closed']
    found = engine.reload(stack)
    assert found.state == ('CHECK', 'FAILED')
    assert found.status_reason == 'Stack CHECK failed: ZeroDivisionError'
    assert lock_holder(engine, stack) is None


def test_work_aside_leaves_the_state_alone(engine):
    stack = engine.create(CHAIN)
    begun, done = task('a', 'b')
    stored = []
    supervisor_of(engine).begin_aside(
        stack, begun, store=lambda: stored.append(lock_holder(engine, stack)))
    assert stored == [stacks.ENGINE_ID]
    with pytest.raises(exception.ActionInProgress):
        engine.reload(stack).check()
    engine.pool.run()
    assert done == ['a', 'b', 'closed']
    assert lock_holder(engine, stack) is None
    assert engine.reload(stack).state == ('CREATE', 'COMPLETE')


def test_work_aside_that_cannot_be_stored_does_not_begin(engine):
    stack = engine.create(CHAIN)
    begun, done = task('a')

    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        supervisor_of(engine).begin_aside(stack, begun, store=fail)
    assert done == []
    assert lock_holder(engine, stack) is None
    engine.pool.run()


@pytest.mark.parametrize(('with_rollback', 'message'), [
    (True, 'cancel_with_rollback'), (False, 'cancel')])
def test_who_works_on_a_stack_is_told(engine, with_rollback, message):
    stack, listener = engine.create(CHAIN), Listener('engine-2')
    engine.configure(listener=listener)
    supervisor = supervisor_of(engine)
    supervisor.send(stack, 'engine-2', with_rollback)
    supervisor.stop(stack, 'engine-2')
    assert listener.sent == [('engine-2', message), ('engine-2', 'stop')]
    # Those of this engine are told without a message.
    supervisor.send(stack, stacks.ENGINE_ID, with_rollback)
    assert len(listener.sent) == 2


def test_deletion_fails_when_an_engine_does_not_let_go(engine,
                                                       little_patience):
    stack = engine.create(CHAIN)
    lock_objects.StackLock.create(engine.context, stack.id, 'engine-2')
    engine.configure(listener=Listener('engine-2'))
    stack.delete()
    engine.pool.run()
    found = engine.reload(stack)
    assert found.state == ('DELETE', 'FAILED')
    assert 'engine-2' in found.status_reason
    assert ('delete', 'a') not in engine.log
