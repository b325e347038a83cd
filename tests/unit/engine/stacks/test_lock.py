"""Who has the lock of a stack, also when the database does not answer."""
import pytest

from heat.common import exception
from heat.common import timeutils
from heat.engine.stacks import lock as stack_lock
from heat.objects import stack_lock as lock_objects
from tests.fakes import database_faults
from tests.fakes import stacks

ENGINE = 'engine-1'


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(timeutils, 'sleep', lambda _seconds: None)


@pytest.fixture
def make(monkeypatch):
    engine = stacks.Engine(monkeypatch)
    return lambda: stack_lock.StackLock(engine.context, 'stack', ENGINE)


def test_lock_is_ours_although_its_storing_was_not_answered(make):
    lock = make()
    with database_faults.lost_answer():
        lock.acquire()
    assert stack_lock.in_use(ENGINE, 'stack')
    lock.release()
    assert make().get_engine_id() is None


def test_lock_is_taken_by_one_at_a_time_in_a_process(make):
    """The row of one must not prove to the other that it was stored."""
    first, second = make(), make()
    answers = []

    def store(context, stack_id, engine_id):
        answers.append(second.try_acquire())
        return original(context, stack_id, engine_id)

    original = lock_objects.StackLock.create
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lock_objects.StackLock, 'create', store)
        assert first.try_acquire() is None
    assert answers == [ENGINE]
    first.release()
    assert second.try_acquire() is None
    second.release()


def test_lock_is_exclusive_and_released(monkeypatch):
    engine = stacks.Engine(monkeypatch)
    stack = engine.stack('resources: {}')
    lock = stack_lock.StackLock(engine.context, stack.id, 'one')
    other = stack_lock.StackLock(engine.context, stack.id, 'two')
    with lock.held():
        assert other.try_acquire() == 'one'
        with pytest.raises(exception.ActionInProgress):
            other.acquire()
    assert other.take() is None
    lock.release()
    assert lock.get_engine_id() == 'two'
