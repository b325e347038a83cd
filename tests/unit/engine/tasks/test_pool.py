import threading
import time
import weakref

import pytest

from heat.common import outage
from heat.common import timeutils
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from tests.fakes import stack as fake_stack


class Plain:
    """A committer without a database."""

    def __init__(self):
        self.sizes = []

    def hurry(self):
        """Do nothing: no write ever waits."""

    def submit(self, writes, on_results):
        self.sizes.append(len(writes))
        results = []
        for write in writes:
            try:
                results.append(group_commit.WriteResult(write.fn()))
            except Exception as error:  # noqa: BLE001
                results.append(group_commit.WriteResult(error=error))
        on_results(results)


@pytest.fixture
def pool():
    pool = task_pool.TaskPool(4, Plain())
    yield pool
    pool.stop(5)


@pytest.fixture
def inline():
    return task_pool.InlinePool(Plain())


def counting(count, delay=0):
    for _round in range(count):
        yield delay
    return count


def test_tasks_return_their_results(pool):
    tasks = [pool.spawn(counting(n)) for n in range(20)]
    assert pool.join(60)
    assert [task.result for task in tasks] == list(range(20))


def test_waiting_tasks_hold_no_thread(pool):
    tasks = [pool.spawn(counting(2, 0.01)) for _n in range(200)]
    assert pool.join(60)
    assert all(task.result == 2 for task in tasks)
    assert len(pool._threads) <= 4


def test_failure_is_handed_to_the_follow_up(pool):
    ended = []

    def task():
        yield 0
        raise ValueError('x')

    pool.spawn(task(), on_done=ended.append)
    assert pool.join(60)
    assert str(ended[0].error) == 'x'


def test_write_is_answered(pool):
    def task():
        first = yield group_commit.Write(lambda: 1)
        both = yield group_commit.Writes([group_commit.Write(lambda: 2),
                                          group_commit.Write(lambda: 1 / 0)])
        try:
            yield group_commit.Write(lambda: 1 / 0)
        except ZeroDivisionError:
            return first, both[0].get(), type(both[1].error)

    task = pool.spawn(task())
    assert task.wait(60)
    assert task.result == (1, 2, ZeroDivisionError)


def waiting(key, timeout=None):
    yield task_pool.WaitFor(key, timeout)
    return 'woken'


def test_wake(pool):
    reached = threading.Event()

    def task():
        reached.set()
        yield task_pool.WaitFor('k')
        return 'woken'

    task = pool.spawn(task())
    reached.wait(60)
    pool.wake('k')
    assert task.wait(60)
    assert task.result == 'woken'


def test_wake_that_comes_too_early_counts(inline):
    inline.wake('k')
    task = inline.spawn(waiting('k'))
    inline.run()
    assert task.done


def test_wait_ends_with_its_timeout(inline, monkeypatch):
    clock = fake_stack.Clock(monkeypatch)
    task = inline.spawn(waiting('k', 30))
    inline.run()
    assert task.result == 'woken'
    assert clock.now == 1030


def test_who_is_told_of_events_looks_less_often_for_itself(
        inline, monkeypatch):
    clock = fake_stack.Clock(monkeypatch)
    inline.stretch('stack', 10)
    told = inline.spawn(waiting(('stack', 'id'), 1))
    alone = inline.spawn(waiting(('other', 'id'), 1))
    inline.run(until=lambda: alone.done)
    assert clock.now == 1001
    assert not told.done
    assert inline.awaited('stack') == [('stack', 'id')]
    inline.run()
    assert clock.now == 1010
    assert inline.awaited('stack') == []


def test_who_is_told_no_longer_looks_as_often_as_it_wants(
        inline, monkeypatch):
    clock = fake_stack.Clock(monkeypatch)
    inline.stretch('stack', 10)
    inline.stretch('stack', None)
    inline.spawn(waiting(('stack', 'id'), 1))
    inline.run()
    assert clock.now == 1001


def test_woken_task_is_not_woken_again_by_its_timer(inline, monkeypatch):
    clock = fake_stack.Clock(monkeypatch)
    rounds = []

    def task():
        yield task_pool.WaitFor('k', 5)
        rounds.append(clock.now)
        yield 10
        rounds.append(clock.now)

    inline.spawn(task())
    inline.step()
    inline.wake('k')
    inline.run()
    assert rounds == [1000, 1010]


def test_waiting_without_end_stops_an_inline_run(inline):
    task = inline.spawn(waiting('never'))
    inline.run()
    assert not task.done


def test_throw_reaches_a_waiting_task(inline):
    def task():
        try:
            yield 1000
        except KeyError:
            return 'caught'

    task = inline.spawn(task())
    inline.step()
    task.throw(KeyError())
    inline.run()
    assert task.result == 'caught'


def test_throw_waits_for_the_next_wait(inline):
    seen = []

    def task():
        me.throw(KeyError())
        seen.append((yield group_commit.Write(lambda: 'written')))
        try:
            yield 5
        except KeyError:
            seen.append('caught')

    me = inline.spawn(task())
    inline.run()
    assert seen == ['written', 'caught']


def test_cancel_closes_a_task(inline):
    task = inline.spawn(counting(10, 1000))
    inline.step()
    task.cancel()
    inline.run()
    assert task.done
    assert task.cancelled
    assert task.error is None


def test_cancel_after_grace(inline, monkeypatch):
    clock = fake_stack.Clock(monkeypatch)
    quick = inline.spawn(counting(1, 5))
    slow = inline.spawn(counting(1, 100))
    for task in (quick, slow):
        task.cancel(grace_period=10)
    inline.run()
    assert (quick.result, quick.cancelled) == (1, False)
    assert (slow.result, slow.cancelled) == (None, True)
    assert clock.now == 1010


def test_choose_orders_ready_tasks():
    order = []

    def task(name):
        order.append(name)
        yield 0

    pool = task_pool.InlinePool(Plain(), choose=lambda ready: ready[-1])
    for name in 'abc':
        pool.spawn(task(name), name)
    for _step in range(2):
        pool.step()
    assert order[0] == 'c'


def test_stopped_pool_takes_no_more(pool):
    pool.stop(5)
    with pytest.raises(RuntimeError):
        pool.spawn(counting(1))


def test_only_generators_are_tasks(pool):
    with pytest.raises(TypeError):
        pool.spawn(lambda: None)


def test_timer_set_while_another_thread_keeps_time(pool):
    late = pool.spawn(counting(1, 30))
    soon = pool.spawn(counting(1, 0.05))
    assert soon.wait(60)
    late.cancel()
    assert late.wait(60)


def test_wait_for_any_tells_which_event_came(inline):
    def task():
        first = yield task_pool.WaitForAny(('a', 'b'))
        second = yield task_pool.WaitForAny(('a', 'b'))
        return first, second

    task = inline.spawn(task())
    inline.step()
    inline.wake('b')
    inline.wake('a')
    inline.run()
    assert task.result == ('b', 'a')


def test_ended_task_keeps_nothing_it_worked_on(inline, monkeypatch):
    clock = fake_stack.Clock(monkeypatch)

    class Stack:
        pass

    stack = Stack()
    kept = weakref.ref(stack)

    def task(worked_on):
        yield task_pool.WaitFor('k', 3600)

    # The timer of the wait knows the task for an hour.
    ended = inline.spawn(task(stack), on_done=lambda _task, it=stack: None)
    del stack
    inline.run(until=lambda: not inline.load()[0])
    inline.wake('k')
    inline.run(until=lambda: ended.done)
    assert clock.now < 3600
    assert kept() is None


def test_what_ended_tasks_have_left_is_forgotten(inline):
    inline.spawn(counting(0))
    inline.wake('nobody waits for this')
    assert not inline.clear_up()
    inline.run()
    assert [inline.clear_up(), inline.clear_up()] == [True, False]
    task = inline.spawn(waiting('nobody waits for this'))
    inline.run()
    assert not task.done


def test_threads_end_when_there_is_nothing_to_do(pool, monkeypatch):
    monkeypatch.setattr(task_pool, '_LINGER', 0.01)
    gate = threading.Barrier(4)

    def task():
        gate.wait(60)
        yield

    tasks = [pool.spawn(task()) for _n in range(4)]
    assert all(each.wait(60) for each in tasks)
    threads = list(pool._threads)
    end = time.monotonic() + 60
    # One of them watches the clock.
    while sum(thread.is_alive() for thread in threads) > 1:
        assert time.monotonic() < end
        time.sleep(0.01)
    again = [pool.spawn(counting(n)) for n in range(20)]
    assert pool.join(60)
    assert [each.result for each in again] == list(range(20))


def test_timers_of_what_came_in_time_are_few(inline, monkeypatch):
    """A task that was woken leaves its timer, which may be hours away."""
    monkeypatch.setattr(timeutils, 'wallclock', lambda: 0)
    for number in range(1000):
        inline.spawn(waiting(number, 3600))
        inline.step()
        inline.wake(number)
        inline.step()
    assert not inline.active()
    assert len(inline._timers) <= task_pool._IDLE_TIMERS + 2


def test_timers_that_tasks_wait_for_are_kept(inline, monkeypatch):
    now = [0]
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now[0])
    tasks = [inline.spawn(waiting(number, 3600)) for number in range(300)]
    while inline.step():
        pass
    for number in range(0, 300, 2):
        inline.wake(number)
    for _task in range(300):
        inline.spawn(counting(1, 1))
    while inline.step():
        pass
    now[0] = 3601
    while inline.step():
        pass
    assert all(task.done for task in tasks)


def test_what_nobody_can_wait_for_fails_its_task_alone(pool):
    def wrong():
        yield 'no time'

    bad = [pool.spawn(wrong()) for _n in range(8)]
    assert pool.join(60)
    assert all(isinstance(task.error, AttributeError)
               for task in bad)
    # No thread was lost.
    good = [pool.spawn(counting(2)) for _n in range(8)]
    assert pool.join(60)
    assert all(task.result == 2 for task in good)


def test_write_that_cannot_be_submitted_fails_its_task(pool, monkeypatch):
    def refuse(writes, on_results):
        raise RuntimeError('cannot start new thread')

    monkeypatch.setattr(pool.group_commit, 'submit', refuse)

    def writing():
        try:
            yield group_commit.Write(lambda: None)
        except RuntimeError:
            return 'given up'

    task = pool.spawn(writing())
    assert pool.join(60)
    assert task.result == 'given up'


def test_tasks_wait_for_the_database_as_long_as_it_takes(pool):
    assert not outage.is_endless()

    def task():
        yield 0
        return outage.is_endless()

    asked = pool.spawn(task())
    assert pool.join(60)
    assert asked.result is True
    assert not outage.is_endless()


def test_pulse_shows_steps_and_who_makes_them(pool):
    go_on, begun = threading.Event(), threading.Event()

    def blocking():
        begun.set()
        go_on.wait(60)
        yield 0

    first = pool.pulse()
    assert not first.waits
    pool.spawn(blocking())
    assert begun.wait(60)
    busy = pool.pulse()
    assert len(busy.threads) == 1
    go_on.set()
    assert pool.join(60)
    assert pool.pulse().done > first.done
