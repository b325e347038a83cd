"""End an engine that has come to rest, so that others take over its work.

An engine whose threads wait for each other is worse than one that is gone:
its heartbeat keeps others from what it holds. So its parts prove that they
make progress, and one that stands still for a lease while work waits ends
the process.
"""
import _thread
from collections.abc import Callable, Iterable
import contextlib
import dataclasses
import glob
import os
import time
from typing import Any

from heat.common import outside
from heat.common import progress
from heat.common import stack_dump

#: Seconds for which a part may stand still while work waits.
LEASE = 15
#: The same for a process that computes: one long step is no deadlock.
COMPUTING = 4 * LEASE
#: Seconds between two looks, and between those of a process that was itself
#: stopped meanwhile.
INTERVAL, STOPPED = 1.0, 5.0
#: Part of the time for which a process that computes uses a processor.
_BUSY = 0.5
#: Seconds after which a process ends, whatever has become of its report.
_LAST_WORDS = 3
#: Exit code of a process that ends itself: try again.
EXIT_CODE = os.EX_TEMPFAIL


def processor_delay() -> float:
    """Return how long the threads of this process have waited for a processor.

    In seconds, summed over the present threads; 0 if the system does not
    report it. See proc(5), /proc/pid/schedstat.
    """
    waited = 0
    for path in glob.iglob('/proc/self/task/*/schedstat'):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # A thread may have ended meanwhile.
            with open(path) as file:
                waited += int(file.read().split()[1])
    return waited / 1e9


@dataclasses.dataclass(frozen=True, slots=True)
class Native:
    """Primitives of the system that eventlet has not patched."""

    start_thread: Callable[..., Any] = _thread.start_new_thread
    sleep: Callable[[float], Any] = time.sleep
    leave: Callable[[int], Any] = os._exit


@dataclasses.dataclass(slots=True)
class _Seen:
    """A part at the last look.

    :ivar done: its count of finished work
    :ivar since: the time of its last progress, or of being idle
    :ivar cpu: the CPU seconds of the process at that time
    :ivar delay: processor_delay() soon after that time; None at first
    """

    done: int | None
    since: float
    cpu: float
    delay: float | None = None


class Watchdog:
    """Looks whether the parts of a process make progress.

    :param parts: by name
    :param delay: returns for how long threads waited for a processor
    :ivar stuck: the name of the part that has come to rest, or None
    """

    def __init__(self, parts: dict[str, progress.Part], *,
                 lease: float = LEASE, interval: float = INTERVAL,
                 native: Native | None = None,
                 delay: Callable[[], float] = processor_delay) -> None:
        self._parts = parts
        self._delay = delay
        self._lease = lease
        self._interval = interval
        self._native = native
        self._seen: dict[str, _Seen] = {}
        self._looked: float | None = None
        self._stopping = False
        self.stuck: str | None = None

    def start(self) -> None:
        """Look from now on, from a thread of its own.

        Without what is native, as in a test, nobody looks.
        """
        if self._native is not None:
            self._native.start_thread(self._work, ())

    def stop(self) -> None:
        """Look no more: a process that stops may take its time."""
        self._stopping = True

    def is_well(self) -> bool:
        """Return whether this engine makes progress."""
        return self.stuck is None

    def trouble(self) -> str | None:
        """Return what has come to rest, or seems to; None if nothing has."""
        if self.stuck is not None:
            return self.stuck
        now = time.monotonic()
        for name, seen in list(self._seen.items()):
            if now - seen.since > self._lease / 2:
                return name
        return None

    def _work(self) -> None:
        native = self._native
        assert native is not None
        while not self._stopping:
            stuck = self.look(time.monotonic(), time.process_time())
            if stuck is not None and not self._stopping:
                self.stuck = stuck
                self._end(native, stuck)
            native.sleep(self._interval)

    def _end(self, native: Native, stuck: str) -> None:
        native.start_thread(self._leave_soon, ())
        try:
            stack_dump.write(
                f'CRITICAL heat: process {os.getpid()} ends: {stuck} has '
                f'stood still for {self._lease:g} s while work waits. Its '
                'threads:')
        finally:
            native.leave(EXIT_CODE)

    def _leave_soon(self) -> None:
        assert self._native is not None
        self._native.sleep(_LAST_WORDS)
        self._native.leave(EXIT_CODE)

    def look(self, now: float, cpu: float) -> str | None:
        """Return the name of a part that has stood still for too long.

        :param now: a steady clock
        :param cpu: the seconds of computing that the process has used
        """
        before, self._looked = self._looked, now
        if before is None or now - before > max(STOPPED, 3 * self._interval):
            # The process was stopped, or had no processor.
            self._seen.clear()
        for name, part in self._parts.items():
            pulse = part.pulse()
            seen = self._seen.setdefault(name, _Seen(None, now, cpu))
            if pulse.done != seen.done or not pulse.waits or _is_outside(
                    pulse.threads):
                self._seen[name] = _Seen(pulse.done, now, cpu)
            elif self._is_over(seen, now, cpu):
                return name
        return None

    def _is_over(self, seen: _Seen, now: float, cpu: float) -> bool:
        """Return whether a part with waiting work has exceeded its lease.

        Waiting for a processor counts as computing.
        """
        if seen.delay is None:
            seen.delay = self._delay()
        passed = now - seen.since
        if passed < self._lease:
            return False
        worked = cpu - seen.cpu + max(self._delay() - seen.delay, 0)
        return passed >= self._lease * (
            COMPUTING / LEASE if worked > _BUSY * passed else 1)


def _is_outside(threads: Iterable[int]) -> bool:
    """Return whether something outside is waited for."""
    return any(outside.is_waiting(ident) for ident in threads)
