"""How late a request is, on a host whose clock differs from the sender's.

A process that was stopped for a while finds requests when it resumes whose
senders have given up and asked somebody else. Clocks of hosts may differ by
any amount, so the time that a request took is compared with the shortest
time of the requests of the same process, both by clocks that nobody sets.
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
    """Notices that the process was stopped, by a signal for instance."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._beaten = clock()
        self._resumed = None
        self._started = False

    def start(self):
        """Beat from now on; harmless when it does already."""
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
        """Note that the process runs."""
        now = self._clock()
        if now - self._beaten > _STOPPED:
            self._resumed = now
        self._beaten = now

    def was_stopped(self):
        """Return whether the process was stopped a short while ago."""
        now = self._clock()
        return (now - self._beaten > _STOPPED or
                self._resumed is not None and
                now - self._resumed < _AFTERMATH)


class Lateness:
    """Estimates how long requests have been under way.

    :param pulse: the Pulse of this process
    """

    def __init__(self, pulse, clock=time.monotonic):
        self._pulse = pulse
        self._clock = clock
        self._lock = threading.Lock()
        self._shortest = collections.OrderedDict()

    def of(self, sender, sent_at):
        """Return the seconds by which a request is late, never too many.

        None of it was lost on the way unless this process was stopped.

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
