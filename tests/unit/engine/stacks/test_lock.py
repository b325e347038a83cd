"""Who has a lock, when the database does not answer."""
import pytest

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
