"""Estimate the age of requests without comparing clocks of two hosts.

A process that resumes after a pause finds requests in its queue whose
senders have timed out and repeated them elsewhere. The clocks of two hosts
may differ by any amount, so the transit time of a request is compared with
the shortest transit time from the same sender. Both are measured with
monotonic clocks.
"""
import collections
import threading
import time

#: Seconds between two signs of life of this process, and those without one
#: that tell that it was stopped.
_BEAT, _STOPPED = 1.0, 5.0
#: Seconds after a stop in which requests from before it may come in.
_AFTERMATH = 60.0
#: Seconds for which the shortest times are kept: clocks drift.
_WINDOW = 300.0
#: How many senders are known.
_SENDERS = 1000


class Pulse:
    """Detects that the process was stopped, for example by a signal."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._beaten = clock()
        self._resumed = None
        self._started = False

    def start(self):
        """Start the heartbeat thread unless it is running."""
        if not self._started:
            self._started = True
            self.beat()
            threading.Thread(target=self._work, name='heat-pulse',
                             daemon=True).start()

    def _work(self):
        while True:
            self.beat()
            time.sleep(_BEAT)

    def beat(self):
        """Record that the process is running."""
        now = self._clock()
        if now - self._beaten > _STOPPED:
            self._resumed = now
        self._beaten = now

    def was_stopped(self):
        """Return whether the process was stopped recently."""
        now = self._clock()
        return (now - self._beaten > _STOPPED or
                self._resumed is not None and
                now - self._resumed < _AFTERMATH)


class Lateness:
    """Estimates how long requests have been in transit.

    :param pulse: the Pulse of this process
    """

    def __init__(self, pulse, clock=time.monotonic):
        self._pulse = pulse
        self._clock = clock
        self._lock = threading.Lock()
        self._shortest = collections.OrderedDict()

    def of(self, sender, sent_at):
        """Return a lower bound of the delay of a request in seconds.

        The delay is 0 unless this process was stopped.

        :param sender: the id of the process that sent it
        :param sent_at: the reading of that process's monotonic clock
        """
        now = self._clock()
        took = now - sent_at
        with self._lock:
            since, shortest, before = self._shortest.pop(
                sender, (now, took, took))
            if now - since > _WINDOW:
                since, shortest, before = now, took, shortest
            shortest = min(shortest, took)
            self._shortest[sender] = since, shortest, before
            if len(self._shortest) > _SENDERS:
                self._shortest.popitem(last=False)
        if not self._pulse.was_stopped():
            return 0.0
        return took - min(shortest, before)
