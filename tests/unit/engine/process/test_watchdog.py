"""Deadlocks of any kind become take-overs."""
import threading
import time

import pytest

from heat.common import outside
from heat.common import progress
from heat.common import stack_dump
from heat.engine.process import health
from heat.engine.process import listener
from heat.engine.process import watchdog


class Part:
    """What says of itself what a test wants."""

    def __init__(self):
        self.state = progress.Pulse(0, waits=True)

    def pulse(self):
        return self.state


@pytest.fixture
def part():
    return Part()


class Delay:
    """For how long threads waited for a processor."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def delay():
    return Delay()


@pytest.fixture
def dog(part, delay):
    return watchdog.Watchdog({'the part': part}, delay=delay)


def looks(dog, seconds, begin=0.0, cpu=0.0, delay=None, starved=0.0):
    """Look each second; return what was found, and when."""
    for second in range(seconds + 1):
        if delay is not None:
            delay.seconds = starved * second
        found = dog.look(begin + second, cpu * second)
        if found is not None:
            return found, second
    return None


def test_what_stands_still_for_a_lease_is_named(dog):
    assert looks(dog, 60) == ('the part', watchdog.LEASE)


def test_progress_begins_a_new_lease(dog, part):
    assert looks(dog, 14) is None
    part.state = progress.Pulse(1, waits=True)
    assert looks(dog, 14, 15) is None
    assert dog.look(30, 0) == 'the part'


def test_who_has_nothing_to_do_may_rest(dog, part):
    part.state = progress.Pulse(0, waits=False)
    assert looks(dog, 100) is None


def test_who_waits_for_a_cloud_is_not_to_blame(dog, part):
    part.state = progress.Pulse(0, True, [threading.get_ident()])
    with outside.waiting():
        assert looks(dog, 100) is None
    assert looks(dog, 100, 101) == ('the part', watchdog.LEASE - 1)


def test_who_computes_gets_more_time(dog):
    assert looks(dog, 100, cpu=0.9) == ('the part', watchdog.COMPUTING)


def test_who_gets_no_processor_gets_more_time(dog, delay):
    assert looks(dog, 100, cpu=0.1, delay=delay, starved=0.8) == (
        'the part', watchdog.COMPUTING)


def test_a_busy_machine_is_no_excuse_for_a_deadlock(dog, delay):
    assert looks(dog, 100, cpu=0.01, delay=delay, starved=0.2) == (
        'the part', watchdog.LEASE)


def test_the_system_tells_who_waits_for_a_processor():
    before = watchdog.processor_delay()
    assert before >= 0
    ends = time.monotonic() + 0.3
    threads = [threading.Thread(target=_compute_until, args=(ends,))
               for _number in range(2)]
    for each in threads:
        each.start()
    while time.monotonic() < ends:
        assert watchdog.processor_delay() >= 0
    for each in threads:
        each.join()


def _compute_until(ends):
    while time.monotonic() < ends:
        pass


def test_process_that_was_stopped_begins_anew(dog):
    assert looks(dog, 10) is None
    assert looks(dog, 14, 70) is None


def test_nobody_believes_in_an_endless_wait(monkeypatch):
    with outside.waiting():
        assert outside.is_waiting(threading.get_ident())
        later = time.monotonic() + outside.LONGEST
        monkeypatch.setattr(time, 'monotonic', lambda: later)
        assert not outside.is_waiting(threading.get_ident())


def test_health_and_other_engines_are_told(dog, part):
    shown = health.Health(dog.trouble)
    asked = listener.EngineListener(None, dog.is_well)
    now = time.monotonic()
    dog.look(now - 10, 0)
    assert shown.standstill() == 'the part makes no progress'
    assert shown.trouble(None) == 'the part makes no progress'
    assert asked.listening(None) is True
    part.state = progress.Pulse(1, waits=True)
    dog.look(now, 0)
    assert shown.standstill() is None
    dog.stuck = 'the part'
    assert shown.standstill() == 'the part makes no progress'
    assert asked.listening(None) is False


def test_report_shows_what_threads_are_doing():
    done, begun = threading.Event(), threading.Event()

    def wait_conspicuously():
        begun.set()
        done.wait()

    thread = threading.Thread(target=wait_conspicuously)
    thread.start()
    begun.wait()
    try:
        assert b'wait_conspicuously' in stack_dump.dump()
    finally:
        done.set()
        thread.join()
