"""Limits of simultaneous calls to cloud services adapt."""
import functools
import heapq
import itertools
import random
import threading
import time
import types

from hypothesis import example
from hypothesis import given
from hypothesis import strategies
import pytest

from heat.common import call_limits
from heat.common import metrics
from heat.common import timeutils

FEWEST = call_limits.FEWEST


def play(workers, calls, seconds_of_calls=None):
    """Simulate a service that gets as many calls as the window allows.

    It processes one call per worker at a time and queues the others.

    :returns: the window, and the seconds until the last answer
    """
    window = call_limits.Window()
    seconds = seconds_of_calls or itertools.repeat(1.0)
    free = [0.0] * workers
    ends, now = [], 0.0
    for _call in range(calls):
        while len(ends) >= int(window.size):
            now, began, at_once = heapq.heappop(ends)
            window.learn('POST /ports', now - began, at_once)
        end = max(heapq.heappop(free), now) + next(seconds)
        heapq.heappush(free, end)
        heapq.heappush(ends, (end, now, len(ends) + 1))
    return window, max(end for end, _began, _at_once in ends)


def test_a_service_that_can_do_more_gets_more():
    window, took = play(workers=64, calls=2000)
    assert window.size > 40
    assert took < 1.6 * 2000 / 64


@pytest.mark.parametrize('workers', [1, 2, 4, 8, 16, 32])
def test_a_service_is_busy_and_little_waits_in_it(workers):
    window, took = play(workers, calls=1000)
    # How slow four calls at once are without others is not known.
    assert FEWEST <= window.size <= max(2 * FEWEST, 3 * workers)
    assert took < 4 + 1.1 * 1000 / workers


# In these the first calls are short by chance.
@example(1471, 32)
@example(1990, 32)
@example(2501, 32)
@given(strategies.integers(), strategies.sampled_from([2, 8, 32]))
def test_calls_that_vary_do_not_starve_a_service(seed, workers):
    uniform = functools.partial(random.Random(seed).uniform, 0.5, 1.5)
    window, took = play(workers, 600, iter(uniform, None))
    assert window.size >= FEWEST
    assert took < 4 + 1.5 * 600 / workers


def test_too_many_requests_halve_the_limit():
    window, _took = play(workers=64, calls=500)
    before = window.size
    window.refused()
    assert window.size == before / 2
    for _answer in range(10):
        window.refused()
    assert window.size == FEWEST


def test_calls_that_are_not_limited_do_not_raise_the_limit():
    window = call_limits.Window()
    for _call in range(100):
        window.learn('GET /servers/*', 1.0, 1)
    assert window.size == FEWEST


def test_kinds_of_calls_have_their_own_times():
    window = call_limits.Window()
    for _call in range(20):
        window.learn('DELETE /ports/*', 0.1, 4)
        window.learn('POST /servers', 5.0, 4)
    assert window.size > FEWEST


def test_only_so_many_kinds_are_remembered():
    window = call_limits.Window()
    for number in range(2000):
        window.learn(f'GET /{number}/*', 1.0, 1)
    assert len(window._usual) <= 500


@pytest.mark.parametrize(('method', 'url', 'kind'), [
    ('PUT', 'http://cloud/v2.1/servers/9f2/metadata',
     'PUT /*/servers/*/metadata'),
    ('GET', 'http://cloud/v2.1/servers/9f2?a=b', 'GET /*/servers/*'),
    ('POST', 'http://cloud:9696/v2.0/ports', 'POST /*/ports'),
    ('GET', 'http://cloud/v2.1/servers/detail?limit=5', None),
    ('GET', 'http://cloud/v2.0/ports', None)])
def test_kinds(method, url, kind):
    assert call_limits.kind_of(method, url) == kind


def test_services_of_a_host_have_limits_of_their_own():
    limits = call_limits.CallLimits()
    compute = limits.of('http://cloud/compute/v2.1/servers/1')
    assert limits.of('http://cloud/compute/v2.1/flavors') is compute
    assert limits.of('http://cloud/network/v2.0/ports') is not compute
    network = limits.of('http://cloud:9696/v2.0/ports')
    assert limits.of('http://cloud:9696/') is network
    assert limits.of('https://cloud:9696/') is not network
    assert limits.of('http://cloud:8774/v2.0/ports') is not network


def test_only_so_many_services_are_remembered():
    limits = call_limits.CallLimits()
    for number in range(300):
        limits.of(f'http://cloud:{number}/')
    assert len(limits._of) <= 100


class Caller(threading.Thread):
    """Makes a call, and returns when it is told to."""

    def __init__(self, limit, order):
        super().__init__(daemon=True)
        self.limit, self.order = limit, order
        self.begun, self.done = threading.Event(), threading.Event()

    def run(self):
        with self.limit.one_call('POST /*/ports') as answers:
            self.order.append(self)
            self.begun.set()
            assert self.done.wait(30)
            # An error tells nothing, so the limit stays.
            answers.append(404)


@pytest.fixture
def call():
    """Return a function that makes calls, and what has begun, in order."""
    limit, order, callers = call_limits.CallLimit(), [], []

    def call(number):
        for _each in range(number):
            caller = Caller(limit, order)
            callers.append(caller)
            before = len(limit._waiting)
            caller.start()
            while not caller.begun.is_set() and (
                    len(limit._waiting) == before):
                caller.begun.wait(0.01)
        return callers
    yield types.SimpleNamespace(limit=limit, order=order, make=call)
    for each in callers:
        each.done.set()
    for each in callers:
        each.join(30)


def test_calls_wait_for_their_turn_in_order(call):
    callers = call.make(FEWEST + 3)
    assert call.order == callers[:FEWEST]
    for before, each in zip(callers, callers[FEWEST:], strict=False):
        assert not each.begun.is_set()
        before.done.set()
        assert each.begun.wait(30)
    assert call.order == callers


def test_waiting_is_measured(call):
    def total(name):
        return sum(sample.value
                   for metric in metrics.CLOUD_WAIT_SECONDS.collect()
                   for sample in metric.samples if sample.name.endswith(name))

    count, seconds = total('_count'), total('_sum')
    callers = call.make(FEWEST + 1)
    assert total('_count') - count == FEWEST
    time.sleep(0.05)
    callers[0].done.set()
    assert callers[-1].begun.wait(30)
    assert total('_count') - count == FEWEST + 1
    assert total('_sum') - seconds > 0.04


@pytest.mark.parametrize('bound', ['STANDSTILL', 'LONGEST'])
def test_a_call_does_not_wait_for_ever(call, monkeypatch, bound):
    monkeypatch.setattr(call_limits, bound, 0.05)
    callers = call.make(FEWEST + 1)
    assert callers[-1].begun.wait(30)
    assert not call.limit._waiting


@pytest.mark.parametrize(('ends', 'until'), [
    ([], 20), ([19], 39), ([19, 38], 58), ([19, 38, 50], 60)])
def test_calls_wait_as_long_as_others_end(monkeypatch, ends, until):
    now = types.SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now.seconds)
    limit = call_limits.CallLimit()

    class Turn:
        def wait(self, timeout):
            if ends and ends[0] <= now.seconds + timeout:
                limit._moved = ends.pop(0)
            now.seconds += timeout

    limit._wait(Turn())
    assert now.seconds == until


@pytest.mark.parametrize('has_turn', [False, True])
def test_a_thread_that_ends_while_it_waits_is_not_waited_for(
        call, monkeypatch, has_turn):
    class Event(threading.Event):
        def wait(self, timeout=None):
            if has_turn:
                call.limit._waiting.remove(self)
                call.limit._calls += 1
                self.set()
            raise SystemExit

    callers = call.make(FEWEST)
    with monkeypatch.context() as patch:
        patch.setattr(call_limits.threading, 'Event', Event)
        with pytest.raises(SystemExit), call.limit.one_call('POST /*/ports'):
            pytest.fail('it has ended')
    assert not call.limit._waiting
    assert call.limit._calls == FEWEST
    assert all(each.begun.is_set() for each in callers)


@pytest.mark.parametrize(('status', 'usual'), [
    (200, {'GET /servers/*': 2.0}), (404, {}), (503, {})])
def test_only_successful_calls_tell_how_long_calls_take(
        monkeypatch, status, usual):
    now = types.SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now.seconds)
    limit = call_limits.CallLimit()
    with limit.one_call('GET /servers/*') as answers:
        now.seconds += 2
        answers.append(status)
    assert limit.window._usual == usual


def test_a_call_without_an_answer_tells_nothing():
    limit = call_limits.CallLimit()
    with pytest.raises(OSError, match='refused'), (
            limit.one_call('GET /servers/*')):
        raise OSError('refused')
    assert limit.window._usual == {}
    assert limit._calls == 0
