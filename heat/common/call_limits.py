"""Adaptive limits of simultaneous calls to cloud services.

A service processes several requests at once as fast as a single one. More
requests only queue inside the service and delay its other clients. Nova, for
instance, requests the ports of servers from Neutron while an engine requests
twenty floating IPs.

The limit follows the duration of calls, as TCP Vegas follows the round-trip
time of packets (Brakmo and Peterson, 1995). It grows while calls are about as
fast as a few at once, and shrinks if they take twice as long. See decision 58.

The limit is soft: calls are made in any case if no other has ended for twenty
seconds, or after a minute, so a service that hangs does not block calls
indefinitely.
"""
import collections
from collections.abc import Iterator
import contextlib
import re
import threading
from urllib import parse

from heat.common import metrics
from heat.common import timeutils

#: The least limit, which is also the first one. That many calls at once count
#: as few.
FEWEST = 4
#: Seconds without the end of a call after which others are made in any case,
#: and seconds that a call waits at most.
STANDSTILL, LONGEST = 20, 60
#: By which factor calls may become slower while the limit grows, and beyond
#: which it shrinks.
_GROWS, _SHRINKS = 1.5, 2.0
#: The part of the limit that it loses while that many calls end.
_LOSS = 0.25
#: Weights of the latest call in the averages, and by which factor it may be
#: slower than usual there at most.
_OF_FEW, _OF_ALL, _SLOWEST = 0.1, 0.3, 4.0
#: The number of first calls of a kind whose average is its usual duration,
#: however many were in progress. If only the very first calls counted, and
#: they happened to be short, all others would seem slow for ever.
_FIRST_CALLS = 12
#: Answers that mean that there were too many requests.
_TOO_MANY = frozenset([429, 503])
_FIRST_ERROR = 400
#: How many kinds of calls, and how many services, are remembered.
_KINDS, _SERVICES = 500, 100

_WITH_DIGIT = re.compile(r'[^/]*\d[^/]*')


class Window:
    """The limit for one service, adjusted by the duration of each call.

    :ivar size: the limit
    """

    def __init__(self) -> None:
        self.size = float(FEWEST)
        # The usual duration of each kind of call, and the number of calls
        # that it follows from.
        self._usual: dict[str, float] = {}
        self._counted: collections.Counter[str] = collections.Counter()
        self._stretch = 1.0
        self._doubles = True

    def learn(self, kind: str, seconds: float, at_once: int) -> None:
        """Adjust the limit after a call.

        :param kind: the kind of call; calls of a kind have similar durations
        :param at_once: the number of calls in progress when it began
        """
        if kind not in self._usual and len(self._usual) >= _KINDS:
            self._usual.clear()
            self._counted.clear()
        usual = self._usual.setdefault(kind, seconds)
        if at_once <= FEWEST or self._counted[kind] < _FIRST_CALLS:
            self._counted[kind] += 1
            usual += max(_OF_FEW, 1 / self._counted[kind]) * (seconds - usual)
            self._usual[kind] = usual
        self._stretch += _OF_ALL * (
            min(seconds / max(usual, 1e-6), _SLOWEST) - self._stretch)
        if self._stretch > _SHRINKS:
            self._shrink(_LOSS / self.size)
        elif self._stretch < _GROWS and at_once >= self.size - 1:
            self.size += 1 if self._doubles else 1 / self.size

    def refused(self) -> None:
        """Halve the limit: the service has refused a call."""
        self._shrink(0.5)

    def _shrink(self, part: float) -> None:
        self._doubles = False
        self.size = max(self.size * (1 - part), float(FEWEST))


class CallLimit:
    """The calls to one service."""

    def __init__(self) -> None:
        self.window = Window()
        self._lock = threading.Lock()
        self._calls = 0
        #: When a call last ended, or the first of several began.
        self._moved = 0.0
        self._waiting: collections.deque[threading.Event] = (
            collections.deque())

    @contextlib.contextmanager
    def one_call(self, kind: str | None) -> Iterator[list[int]]:
        """Wait for a turn, and measure the call in the with block.

        :param kind: see Window.learn(); None if the time tells nothing
        :returns: a list to which the status code of the answer is appended
        """
        answers: list[int] = []
        came = timeutils.wallclock()
        at_once = self._begin()
        began = timeutils.wallclock()
        try:
            metrics.CLOUD_WAIT_SECONDS.observe(began - came)
            yield answers
        finally:
            self._end(kind, timeutils.wallclock() - began, at_once, answers)

    def _begin(self) -> int:
        """Wait for a turn; return how many calls there are then."""
        with self._lock:
            if not self._calls:
                self._moved = timeutils.wallclock()
            if self._calls < int(self.window.size):
                self._calls += 1
                return self._calls
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            self._wait(turn)
        except BaseException:
            # The thread is told to end: nobody else may wait for it.
            with self._lock:
                if turn.is_set():
                    self._pass_on()
                else:
                    self._waiting.remove(turn)
            raise
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
                self._calls += 1
            return self._calls

    def _wait(self, turn: threading.Event) -> None:
        """Wait for a turn as long as calls end, and not for ever."""
        now = timeutils.wallclock()
        latest = now + LONGEST
        while now < (until := min(self._moved + STANDSTILL, latest)):
            if turn.wait(until - now):
                return
            now = timeutils.wallclock()

    def _end(self, kind: str | None, seconds: float, at_once: int,
             answers: list[int]) -> None:
        with self._lock:
            if not _TOO_MANY.isdisjoint(answers):
                self.window.refused()
            elif kind and answers and answers[0] < _FIRST_ERROR:
                self.window.learn(kind, seconds, at_once)
            self._pass_on()

    def _pass_on(self) -> None:
        """Give the turn of a call that has ended to those that wait."""
        self._calls -= 1
        self._moved = timeutils.wallclock()
        while self._waiting and self._calls < int(self.window.size):
            # It counts from now on, before its thread runs again.
            self._calls += 1
            self._waiting.popleft().set()


class CallLimits:
    """The limits of all services that are called over the same connections.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: collections.OrderedDict[str, CallLimit] = (
            collections.OrderedDict())

    def of(self, url: str) -> CallLimit:
        """Return the limit of the service that a URL belongs to.

        Services of one host differ by port or by the first part of the path.
        """
        parts = parse.urlsplit(url)
        first = parts.path.lstrip('/').partition('/')[0]
        if _WITH_DIGIT.fullmatch(first):
            # A version, as in http://cloud:9696/v2.0/ports.
            first = ''
        key = f'{parts.scheme}://{parts.netloc}/{first}'
        with self._lock:
            limit = self._of.get(key)
            if limit is None:
                limit = self._of[key] = CallLimit()
                if len(self._of) > _SERVICES:
                    self._of.popitem(last=False)
            else:
                self._of.move_to_end(key)
            return limit

    def one_call(self, method: str, url: str
                 ) -> contextlib.AbstractContextManager[list[int]]:
        """Wait for a turn at a service, and measure a call; see CallLimit."""
        return self.of(url).one_call(kind_of(method, url))


def kind_of(method: str, url: str) -> str | None:
    """Return the method and the path without IDs and versions.

    It is None for lists, whose duration depends on their length.

    >>> kind_of('PUT', 'http://cloud/v2.1/servers/9f2/metadata')
    'PUT /*/servers/*/metadata'
    """
    path = _WITH_DIGIT.sub('*', parse.urlsplit(url).path)
    if method == 'GET' and not path.endswith('*'):
        return None
    return f'{method} {path}'
