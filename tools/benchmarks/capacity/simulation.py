"""Simulate queues, event by event.

A process is a generator. It yields seconds to pass, or a request to a
station, and goes on when it has been served::

    def customer(simulation, processor):
        yield processor.serve(0.003)
        yield 0.1
"""
import collections
import heapq
import itertools
import random


class Simulation:
    """A clock, what is to happen, and chance."""

    def __init__(self, seed=1):
        self.now = 0.0
        self.random = random.Random(seed)
        #: How many events have happened.
        self.events = 0
        self._agenda = []
        self._numbers = itertools.count()

    def at(self, delay, function, *arguments):
        """Call a function after a number of seconds."""
        heapq.heappush(self._agenda, (
            self.now + delay, next(self._numbers), function, arguments))

    def start(self, process, done=None):
        """Begin a process; done is called when it has ended."""
        self.at(0.0, self._resume, process, done)

    def run(self, until=float('inf')):
        """Let time pass, to a moment or until nothing more happens."""
        while self._agenda and self._agenda[0][0] <= until:
            self.now, _number, function, arguments = heapq.heappop(
                self._agenda)
            self.events += 1
            function(*arguments)
        if until != float('inf'):
            self.now = max(self.now, until)

    def _resume(self, process, done):
        wish = next(process, None)
        if wish is None:
            if done is not None:
                done()
        elif isinstance(wish, int | float):
            self.at(wish, self._resume, process, done)
        else:
            wish(lambda: self.at(0.0, self._resume, process, done))


class Station:
    """Servers with one queue: first come, first served.

    :ivar served: how many have been served
    :ivar busy: the seconds that all servers together have worked
    :ivar waited: the seconds that those who were served had to wait
    """

    def __init__(self, simulation, name, servers=1):
        self.name = name
        self.servers = servers
        self.served = 0
        self.busy = self.waited = 0.0
        self._simulation = simulation
        self._free = servers
        self._queue = collections.deque()
        self._closed = False
        self._marks = (0, 0.0, 0.0, 0.0)

    def serve(self, seconds):
        """Return a request for a server for some seconds."""
        return lambda resume: self._arrive(seconds, resume)

    def hold(self):
        """Return a request for a server until release() is called."""
        return self.serve(None)

    def release(self, held):
        """Give a server back that was held for some seconds."""
        self.busy += held
        self.served += 1
        self._free += 1
        self._next()

    def close(self):
        """Serve nobody new."""
        self._closed = True

    def open(self):
        """Serve again those who wait."""
        self._closed = False
        while self._free and self._queue:
            self._next()

    @property
    def waiting(self):
        """Return how many wait."""
        return len(self._queue)

    def mark(self):
        """Count from now on."""
        self._marks = (self.served, self.busy, self.waited,
                       self._simulation.now)

    def utilisation(self):
        """Return the busy part of the servers since the mark."""
        passed = self._simulation.now - self._marks[3]
        return ((self.busy - self._marks[1]) / passed / self.servers
                if passed else 0.0)

    def mean_wait(self):
        """Return the seconds in the queue since the mark, on average."""
        served = self.served - self._marks[0]
        return (self.waited - self._marks[2]) / served if served else 0.0

    def _arrive(self, seconds, resume):
        self._queue.append((self._simulation.now, seconds, resume))
        if self._free:
            self._next()

    def _next(self):
        if self._closed or not self._queue or not self._free:
            return
        since, seconds, resume = self._queue.popleft()
        self._free -= 1
        self.waited += self._simulation.now - since
        if seconds is None:
            resume()
        else:
            self._simulation.at(seconds, self._finish, seconds, resume)

    def _finish(self, seconds, resume):
        self.release(seconds)
        resume()


class Log:
    """A log on disk: those who wait while it is written go out together.

    :ivar written: how often it was written
    :ivar commits: how many commits that were
    """

    def __init__(self, simulation, name, seconds):
        self.name = name
        self.servers = 1
        self.written = self.commits = 0
        self.busy = 0.0
        self._simulation = simulation
        self._seconds = seconds
        self._waiting = []
        self._writing = self._closed = False
        self._marks = (0.0, 0.0)

    def commit(self):
        """Return a request that is served when the log is on disk."""
        return self._arrive

    def close(self):
        """Write nothing more."""
        self._closed = True

    def open(self):
        """Write again."""
        self._closed = False
        if self._waiting and not self._writing:
            self._write()

    def mark(self):
        """Count from now on."""
        self._marks = (self.busy, self._simulation.now)

    def utilisation(self):
        """Return the part of the time in which it was written."""
        passed = self._simulation.now - self._marks[1]
        return (self.busy - self._marks[0]) / passed if passed else 0.0

    def _arrive(self, resume):
        self._waiting.append(resume)
        if not self._writing and not self._closed:
            self._write()

    def _write(self):
        group, self._waiting = self._waiting, []
        self._writing = True
        self._simulation.at(self._seconds, self._written, group)

    def _written(self, group):
        self.written += 1
        self.commits += len(group)
        self.busy += self._seconds
        self._writing = False
        for resume in group:
            resume()
        if self._waiting and not self._closed:
            self._write()
