"""Work that is done again and again, whatever goes wrong."""
import threading

import pytest

from heat.engine.tasks import periodic


class Pauses:
    """Stands for the event that ends the turns; no time passes."""

    def __init__(self, most):
        self.taken = []
        self.most = most

    def wait(self, seconds):
        self.taken.append(seconds)

    def is_set(self):
        return len(self.taken) >= self.most


class Work(periodic.Periodic):
    name = 'work'
    failure = 'Work failed'

    def __init__(self, *results):
        super().__init__()
        self.results = list(results)
        self.turns = 0

    def interval(self):
        return 10

    def run_once(self):
        self.turns += 1
        result = self.results.pop(0) if self.results else None
        if isinstance(result, Exception):
            raise result


def worked(work, pauses):
    """Let work take its turns in this thread; return the pauses."""
    work._stopping = Pauses(pauses)
    work._work()
    return work._stopping.taken


def test_first_turn_comes_after_an_interval():
    work = Work()
    assert worked(work, 3) == [10, 10, 10]
    assert work.turns == 2


def test_first_turn_may_come_at_once():
    work = Work()
    work.at_once = True
    worked(work, 3)
    assert work.turns == 3


@pytest.mark.parametrize(('retry_after', 'pause'), [(2, 2), (30, 10)])
def test_turn_that_failed_is_repeated(retry_after, pause, caplog):
    work = Work(None, ValueError('no'), None)
    work.retry_after = retry_after
    assert worked(work, 4) == [10, 10, pause, 10]
    assert work.turns == 3
    assert caplog.text.count('Work failed') == 1


def test_stopping_waits_for_the_present_turn():
    entered, leave = threading.Event(), threading.Event()

    class Slow(Work):
        at_once = True

        def run_once(self):
            entered.set()
            leave.wait(10)
            self.turns += 1

    work = Slow()
    work.start()
    assert entered.wait(10)
    stopper = threading.Thread(target=work.stop)
    stopper.start()
    assert work.turns == 0
    leave.set()
    stopper.join(10)
    assert work.turns == 1
    assert not any(thread.name == 'work' for thread in threading.enumerate())


def test_what_was_never_started_can_be_stopped():
    Work().stop()
