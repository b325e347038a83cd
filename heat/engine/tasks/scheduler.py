"""Run co-operative tasks: one alone, or many along a dependency graph.

A task is a generator.  It may yield

* None (call again at the next round) or a number of seconds to wait,
* a group_commit.Write or group_commit.Writes, whose result is sent back,
* a WaitFor or WaitForAny event, which a TaskRunner takes for a plain delay;
  in a pool, the key of the event is sent back (None: time is over).

A generator delegates to another one with "yield from".
"""
from collections.abc import Callable, Generator, Iterable, Mapping
import dataclasses
import functools
import threading
import types
from typing import Any, Protocol, TypeGuard, TypeVar

from oslo_log import log as logging

from heat.common import timeutils
from heat.common.i18n import _
from heat.engine.tasks import group_commit

LOG = logging.getLogger(__name__)

#: Seconds that a task waits which asks for the next round.
ROUND = 1


@dataclasses.dataclass(frozen=True, slots=True)
class WaitFor:
    """A wait for wake(key), or for the timeout in seconds (None: none).

    An event that came just before the wait counts, so a task looks at the
    state of the world, waits, and looks again; it may be woken for nothing.
    """

    key: object
    timeout: float | None = None

    @property
    def keys(self) -> tuple[object, ...]:
        """The keys of all events that end the wait."""
        return (self.key,)


@dataclasses.dataclass(frozen=True, slots=True)
class WaitForAny:
    """A wait for the first of several events."""

    keys: tuple[object, ...]
    timeout: float | None = None


_WriteSignal = group_commit.Write | group_commit.Writes
#: What a task may yield.
Signal = None | float | _WriteSignal | WaitFor | WaitForAny
_Result = TypeVar('_Result')
#: A task, and the type of its result.
TaskGenerator = Generator[Signal, Any, _Result]


def task_description(task: object) -> str:
    """Return a text that names the task in logs and errors."""
    if isinstance(task, functools.partial):
        return task_description(task.func)
    name = getattr(task, '__name__', None)
    if name is not None and isinstance(task, types.MethodType):
        owner = getattr(task, '__self__', None)
        if owner is not None:
            return '%s from %s' % (name, owner)
    return name if name is not None else repr(task)


def delay_of(signal: Any) -> float:
    """Return the seconds to wait that a yielded value asks for.

    It is none that asks for writes.
    """
    if signal is None:
        return ROUND
    if isinstance(signal, (int, float)):
        return max(signal, 0)
    timeout: float | None = signal.timeout
    return ROUND if timeout is None else timeout


def is_write(signal: object) -> TypeGuard[_WriteSignal]:
    """Return whether a yielded value asks for database writes."""
    return isinstance(signal, (group_commit.Write, group_commit.Writes))


class _Closing(threading.local):
    """Whether this thread closes a task on purpose."""

    is_on_purpose = False


_closing = _Closing()


def close(generator: TaskGenerator[Any]) -> None:
    """End a task at its wait; it may have last words.

    A task that nobody knows any more is ended, too, by the collector of
    garbage: at any place of any thread, where nothing may be waited for.
    """
    outer, _closing.is_on_purpose = _closing.is_on_purpose, True
    try:
        generator.close()
    finally:
        _closing.is_on_purpose = outer


def is_closing_on_purpose() -> bool:
    """Return whether somebody has this thread close a task."""
    return _closing.is_on_purpose


class Timeout(BaseException):
    """Raised inside a task that has run for too long.

    Not an Exception, so that a task that catches its errors does not catch
    this by chance.
    """

    def __init__(self, task_runner: object, timeout: float) -> None:
        super().__init__(_('%s Timed out') % (task_runner,))
        self._task = str(task_runner)
        self._ends = timeutils.wallclock() + timeout

    def expired(self) -> bool:
        """Return whether the time is over."""
        return timeutils.wallclock() >= self._ends

    @property
    def ends_at(self) -> float:
        """The time of heat.common.timeutils.wallclock() when it is over."""
        return self._ends

    def remaining(self) -> float:
        """Return the seconds left, never less than zero."""
        return max(self._ends - timeutils.wallclock(), 0)

    def earlier_than(self, other: 'Timeout | None') -> bool:
        """Return whether this one ends before the other (or there is none)."""
        return other is None or self._ends < other.ends_at

    def trigger(self, generator: TaskGenerator[Any]) -> None:
        """Raise this in the generator; what it still yields is dropped."""
        while True:
            try:
                generator.throw(self)
            except StopIteration:
                return
            LOG.warning('%s goes on after its timeout', self._task)


class TimedCancel(Timeout):
    """The end of a grace period: the task is closed, which is no error."""

    def trigger(self, generator: TaskGenerator[Any]) -> None:
        """Close the generator."""
        close(generator)


class ExceptionGroup(Exception):
    """Errors of several tasks, none of which is more to blame."""

    def __init__(self, exceptions: Iterable[BaseException] | None = None
                 ) -> None:
        self.exceptions = list(exceptions or ())
        super().__init__(self.exceptions)

    def __str__(self) -> str:
        return str([str(error) for error in self.exceptions])


class TaskRunner:
    """Drives one task, given as a callable and its arguments.

    A callable that returns no generator is done when it has been called.
    """

    def __init__(self, task: Callable[..., Any], *args: Any, **kwargs: Any
                 ) -> None:
        self._task = task
        self._args = args
        self._kwargs = kwargs
        self._generator: TaskGenerator[Any] | None = None
        self._started = False
        self._done = False
        self._timeout: Timeout | None = None
        self._due: float | None = None
        self._writing = False
        #: The keys of the events that end the task's wait.
        self.wake_keys: tuple[object, ...] = ()
        self.name = task_description(task)

    def __str__(self) -> str:
        return 'Task %s' % self.name

    def __call__(self, wait_time: float | None = ROUND,
                 timeout: float | None = None) -> None:
        """Start the task and run it to its end."""
        self.start(timeout=timeout)
        self.run_to_completion(wait_time=wait_time)

    def started(self) -> bool:
        """Return whether the task was started."""
        return self._started

    def done(self) -> bool:
        """Return whether the task has ended, in whichever way."""
        return self._done

    def start(self, timeout: float | None = None) -> None:
        """Start the task and run it to its first wait."""
        self.begin(timeout)
        self.step()

    def begin(self, timeout: float | None = None) -> None:
        """Start the task without running it yet."""
        if self._started:
            raise RuntimeError('%s was started before' % self)
        self._started = True
        if timeout is not None:
            self._timeout = Timeout(self, timeout)
        try:
            generator = self._task(*self._args, **self._kwargs)
        except BaseException:
            self._done = True
            raise
        if isinstance(generator, types.GeneratorType):
            self._generator = generator
        else:
            self._done = True

    @property
    def has_due_time(self) -> bool:
        """Whether the task waits until a time, not for the next round."""
        return self._due is not None

    def delay(self) -> float:
        """Return the seconds until the task wants to be called again."""
        if self._done or self._due is None:
            return 0
        delay = max(self._due - timeutils.wallclock(), 0)
        if self._timeout is not None:
            delay = min(delay, self._timeout.remaining())
        return delay

    def step(self) -> bool:
        """Run the task to its next wait, if that is over; return whether done.

        Writes are carried out here and now.
        """
        if not self._done and self.is_due():
            signal = self.resume()
            while is_write(signal):
                signal = self.resume(*_write_now(signal))
        return self._done

    def is_due(self) -> bool:
        """Return whether the task's wait or its time is over."""
        return self.delay() <= 0

    def resume(self, value: Any = None, error: BaseException | None = None
               ) -> Signal:
        """Run the task up to the next thing it yields, and return that.

        A write is left to the caller, who resumes with its result.
        """
        assert self._started, '%s was not started' % self
        generator = self._generator
        if self._done or generator is None:
            return None
        # A task always learns what became of its writes.
        writing, self._writing = self._writing, False
        if not writing and error is None and self._timeout is not None and (
                self._timeout.expired()):
            self._finish_by(self._timeout, generator)
            return None
        try:
            if error is not None:
                signal = generator.throw(error)
            else:
                signal = generator.send(value)
        except StopIteration:
            self._done = True
            return None
        except BaseException:
            self._done = True
            raise
        self._writing = is_write(signal)
        if not self._writing:
            # "Next round" is the caller's pace when it steps us itself.
            self._due = None if signal is None else (
                timeutils.wallclock() + delay_of(signal))
            self.wake_keys = getattr(signal, 'keys', ())
        return signal

    def wake(self) -> None:
        """Let the task be due: what it waits for has come about."""
        self._due = None

    def _finish_by(self, timeout: Timeout, generator: TaskGenerator[Any]
                   ) -> None:
        self._done = True
        LOG.info('%s is stopped: %s', self, timeout)
        timeout.trigger(generator)

    def run_to_completion(self, wait_time: float | None = ROUND) -> None:
        """Step the task until it is done, sleeping in between."""
        assert self._started, '%s was not started' % self
        while not self.step():
            pause = self.delay()
            if self._due is None and wait_time is not None:
                pause = wait_time
            timeutils.sleep(pause)

    def as_task(self, timeout: float | None = None) -> TaskGenerator[None]:
        """A task to run this one as part of another."""
        if not self._started:
            self.begin(timeout)
        elif timeout is not None:
            limit = Timeout(self, timeout)
            if limit.earlier_than(self._timeout):
                self._timeout = limit
        value = error = None
        while not self._done:
            try:
                signal = self.resume(value, error)
                if self._done:
                    return
                value, error = (yield self._in_time(signal)), None
            except GeneratorExit:
                self.cancel()
                raise
            except BaseException as thrown:
                if self._done:
                    raise
                value, error = None, thrown

    def _in_time(self, signal: Signal) -> Signal:
        """Return a wait that does not outlast the time of the task."""
        if self._timeout is None or is_write(signal):
            return signal
        left = self._timeout.remaining()
        if delay_of(signal) <= left:
            return signal
        if isinstance(signal, WaitFor | WaitForAny):
            return dataclasses.replace(signal, timeout=left)
        return left

    def cancel(self, grace_period: float | None = None) -> None:
        """End the task now, or when the grace period is over."""
        if self._done:
            return
        if self._writing and grace_period is None:
            grace_period = 0
        if self._generator is None or grace_period is None:
            self._done = True
            if self._generator is not None:
                LOG.debug('%s is cancelled', self)
                close(self._generator)
            return
        limit = TimedCancel(self, grace_period)
        if limit.earlier_than(self._timeout):
            self._timeout = limit


def _write_now(signal: _WriteSignal) -> tuple[Any, BaseException | None]:
    """Carry out what was yielded; return (value, error) to resume with."""
    if isinstance(signal, group_commit.Writes):
        return group_commit.commit(list(signal.writes)), None
    result = group_commit.commit([signal])[0]
    return result.value, result.error


class _Edges(Protocol):
    """The edges of a node of a graph."""

    def requires(self) -> Iterable[Any]:
        """Return the nodes that the node requires."""


class _Dependencies(Protocol):
    """A graph of nodes, as dependencies.Dependencies is one."""

    def graph(self, reverse: bool = False) -> Mapping[Any, _Edges]:
        """Return the edges of each node."""


#: A grace period in seconds, or none.
_Grace = float | None
#: Nodes and the writes that they wait for.
_Pending = list[tuple[Any, _WriteSignal]]


class DependencyTaskGroup:
    """A task that runs a task for each node of a graph, in its order.

    :param dependencies: dependencies.Dependencies over the nodes
    :param task: callable taking a node (default: call the node itself)
    :param reverse: start with the nodes nobody needs
    :param error_wait_time: grace period, in seconds or as a function of
        the node, that running tasks get when another one failed; None
        cancels them at once
    :param aggregate_exceptions: go on with whatever does not depend on
        failed nodes, and raise an ExceptionGroup at the end
    """

    def __init__(
            self, dependencies: _Dependencies,
            task: Callable[[Any], Any] = lambda node: node(),
            reverse: bool = False, name: str | None = None,
            error_wait_time: _Grace | Callable[[Any], _Grace] = None,
            aggregate_exceptions: bool = False) -> None:
        self._needs, self._needed_by = _edges(dependencies, reverse)
        self._runners = {node: TaskRunner(task, node)
                         for node in self._needs}
        self.error_wait_time = error_wait_time
        self.aggregate_exceptions = aggregate_exceptions
        self.name = name or '(%s) %s' % (
            getattr(task, '__name__', task_description(task)),
            'reverse' if reverse else 'forward')
        self._ready = [n for n, needs in self._needs.items() if not needs]
        self._running: dict[Any, TaskRunner] = {}
        self._errors: list[Exception] = []

    def __repr__(self) -> str:
        return '%s(%s)' % (type(self).__name__, self.name)

    def __call__(self) -> TaskGenerator[None]:
        """A task to run the whole group."""
        try:
            yield from self._walk()
        except Exception:
            raise
        except BaseException:
            self._cancel_all(graceful=False)
            raise
        if self._errors:
            if self.aggregate_exceptions:
                raise ExceptionGroup(self._errors)
            raise self._errors[0]

    def _walk(self) -> TaskGenerator[None]:
        while self._ready or self._running:
            # In this order: what is started may be waiting for a write.
            pending = self._resume_due()
            pending += self._start_ready()
            while pending:
                pending = yield from self._write_all(pending)
                pending += self._start_ready()
            if self._ready or not self._running:
                continue
            try:
                self._wake((yield self._wait()))
            except Exception as error:  # noqa: BLE001
                # Thrown in by who drives us: what runs may come to an end.
                self._fail(None, error)

    def _wait(self) -> Signal:
        """Return what to yield: a delay, cut short by what tasks wait for.
        """
        pause = min(self._pause(r) for r in self._running.values())
        keys = tuple(key for runner in self._running.values()
                     for key in runner.wake_keys)
        return WaitForAny(keys, pause) if keys else pause

    def _wake(self, key: object) -> None:
        """Let those tasks go on that waited for an event."""
        if key is None:
            return
        for runner in self._running.values():
            if key in runner.wake_keys:
                runner.wake()

    @staticmethod
    def _pause(runner: TaskRunner) -> float:
        return runner.delay() if runner.has_due_time else ROUND

    def _start_ready(self) -> _Pending:
        """Start what became ready; return the writes this led to."""
        pending = []
        while self._ready:
            node = self._ready.pop(0)
            runner = self._running[node] = self._runners[node]
            pending += self._attempt(node, runner.begin, runner.resume)
        return pending

    def _resume_due(self) -> _Pending:
        pending = []
        for node, runner in list(self._running.items()):
            if node in self._running and runner.is_due():
                pending += self._attempt(node, runner.resume)
        return pending

    def _attempt(self, node: Any, *calls: Callable[[], Any]) -> _Pending:
        """Make calls on a node's runner; return [(node, write)] or []."""
        runner = self._runners[node]
        signal = None
        try:
            for call in calls:
                signal = call()
        except Exception as error:  # noqa: BLE001
            self._fail(node, error)
            return []
        if runner.done():
            self._finish(node)
            return []
        return [(node, signal)] if is_write(signal) else []

    def _write_all(self, pending: _Pending) -> TaskGenerator[_Pending]:
        """Have writes of all nodes made together; resume the nodes."""
        parts = [w.writes if isinstance(w, group_commit.Writes) else (w,)
                 for _node, w in pending]
        results = yield group_commit.Writes(w for part in parts for w in part)
        results = list(results)
        further = []
        for (node, write), part in zip(pending, parts, strict=True):
            mine, results = results[:len(part)], results[len(part):]
            if node not in self._running:
                continue
            resume = self._runners[node].resume
            if isinstance(write, group_commit.Writes):
                further += self._attempt(
                    node, functools.partial(resume, mine))
            else:
                further += self._attempt(node, functools.partial(
                    resume, mine[0].value, mine[0].error))
        return further

    def _finish(self, node: Any) -> None:
        self._running.pop(node, None)
        for dependent in self._needed_by[node]:
            needs = self._needs.get(dependent)
            if needs is not None:
                needs.discard(node)
                if not needs:
                    self._ready.append(dependent)

    def _fail(self, node: Any, error: Exception) -> None:
        self._errors.append(error)
        if node is not None:
            self._running.pop(node, None)
        if self.aggregate_exceptions and node is not None:
            self._abandon(node)
        else:
            self._cancel_all(graceful=True)

    def _abandon(self, node: Any) -> None:
        """Never start what depends on the node."""
        doomed = list(self._needed_by[node])
        while doomed:
            dependent = doomed.pop()
            if self._needs.pop(dependent, None) is not None:
                self._runners[dependent].cancel()
                doomed += self._needed_by[dependent]

    def _cancel_all(self, graceful: bool) -> None:
        for node in self._ready + list(self._needs):
            if node not in self._running:
                self._needs.pop(node, None)
        self._ready = []
        for node, runner in list(self._running.items()):
            grace = self.error_wait_time if graceful else None
            if callable(grace):
                grace = grace(node)
            try:
                runner.cancel(grace_period=grace)
            except Exception as error:  # noqa: BLE001
                self._errors.append(error)
            if runner.done():
                self._running.pop(node, None)


def _edges(dependencies: _Dependencies, reverse: bool
           ) -> tuple[dict[Any, set[Any]], dict[Any, list[Any]]]:
    """Return ({node: needed nodes}, {node: nodes needing it})."""
    graph = dependencies.graph(reverse=reverse)
    needs = {node: set(edges.requires()) for node, edges in graph.items()}
    needed_by: dict[Any, list[Any]] = {node: [] for node in needs}
    for node, required in needs.items():
        for other in required:
            needed_by[other].append(node)
    return needs, needed_by
