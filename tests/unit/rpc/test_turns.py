"""Projects take turns at the engines."""
import threading

import pytest

from heat.rpc import turns

PATIENCE = 60


class Requests:
    """Requests that each hold a turn until they are told to end."""

    def __init__(self, at_once):
        self._turns = turns.Turns()
        self._at_once = at_once
        self.began = []
        self._changed = threading.Condition()
        self._over = {}

    def ask(self, project, name):
        """Begin a request; it counts as begun once it has its turn."""
        self._over[name] = threading.Event()
        thread = threading.Thread(target=self._work, args=(project, name))
        thread.start()
        return thread

    def _work(self, project, name):
        with self._turns.of(project, self._at_once, PATIENCE):
            with self._changed:
                self.began.append(name)
                self._changed.notify_all()
            assert self._over[name].wait(PATIENCE)

    def end(self, name):
        self._over[name].set()

    def wait(self, *names):
        """Wait until exactly these have begun, in any order."""
        with self._changed:
            assert self._changed.wait_for(
                lambda: len(self.began) >= len(names), PATIENCE)
            assert sorted(self.began) == sorted(names)

    def waiting(self, project):
        """Return how many of a project wait for their turn."""
        with self._turns._lock:
            return len(self._turns._projects[project].waiting)

    def wait_for_queue(self, project, length):
        tick = threading.Event()
        while self.waiting(project) < length:
            tick.wait(0.01)


@pytest.fixture
def requests():
    return Requests(at_once=2)


def test_of_a_project_so_many_work_and_the_first_to_come_is_next(requests):
    threads = [requests.ask('p', 'a'), requests.ask('p', 'b')]
    requests.wait('a', 'b')
    for length, name in enumerate('cd', start=1):
        threads.append(requests.ask('p', name))
        requests.wait_for_queue('p', length)
    assert len(requests.began) == 2
    requests.end('b')
    requests.wait('a', 'b', 'c')
    requests.end('a')
    requests.wait('a', 'b', 'c', 'd')
    for name in 'cd':
        requests.end(name)
    for thread in threads:
        thread.join(PATIENCE)
    assert not requests._turns._projects


def test_another_project_does_not_wait(requests):
    threads = [requests.ask('p', name) for name in 'abc']
    requests.wait_for_queue('p', 1)
    threads.append(requests.ask('q', 'other'))
    with requests._changed:
        assert requests._changed.wait_for(
            lambda: 'other' in requests.began, PATIENCE)
    assert requests.waiting('p') == 1
    for name in (*'abc', 'other'):
        requests.end(name)
    for thread in threads:
        thread.join(PATIENCE)


def test_who_gets_no_turn_in_time_gives_up():
    one = turns.Turns()
    with one.of('p', 1, PATIENCE):
        with pytest.raises(turns.NoTurn), one.of('p', 1, 0.01):
            raise AssertionError('There was a turn.')
    with one.of('p', 1, 0):
        pass
    assert not one._projects


def test_a_request_that_fails_gives_its_turn_back():
    one = turns.Turns()
    with pytest.raises(ZeroDivisionError), one.of('p', 1, PATIENCE):
        raise ZeroDivisionError
    with one.of('p', 1, 0):
        pass
