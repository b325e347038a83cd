"""Run many tasks on few threads; a task that waits holds no thread.

What a task may yield is told in heat.engine.tasks.scheduler.
"""
import collections
from collections.abc import Callable
import heapq
import itertools
import threading
import types
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import outage
from heat.common import progress
from heat.common import request_budget
from heat.common import timeutils
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

#: Seconds after which a thread without work ends.
_LINGER = 5
#: So many timers are kept, beside two for each task, before those are
#: dropped that nobody waits for.
_IDLE_TIMERS = 64
#: How many events nobody waited for yet are remembered.
_EARLY_EVENTS = 10000


#: Names that tasks use from here.
WaitFor = scheduler.WaitFor
WaitForAny = scheduler.WaitForAny


class _Wait:
    """What a task waits for, and what it is resumed with then.

    The pool owns it and guards it by its lock.
    """

    __slots__ = ('inbox', 'keys', 'thrown', 'ticket')

    def __init__(self) -> None:
        #: The value or error to resume the task with.
        self.inbox: tuple[Any, BaseException | None] = (None, None)
        #: The events to wait for.
        self.keys: tuple[object, ...] = ()
        #: What was raised in the task while it ran.
        self.thrown: BaseException | None = None
        #: Makes a timer or event that comes too late harmless; None while
        #: the task runs or is ready.
        self.ticket: object | None = None

    def begin(self, keys: tuple[object, ...]) -> object:
        """Wait for events or a timer; return the ticket of this wait."""
        self.keys = keys
        self.ticket = object()
        return self.ticket

    def end(self, value: Any, error: BaseException | None) -> None:
        """End the wait with what to resume the task with."""
        self.ticket, self.keys = None, ()
        self.inbox = (value, error)

    def take_inbox(self) -> tuple[Any, BaseException | None]:
        """Return what to resume the task with, once."""
        inbox, self.inbox = self.inbox, (None, None)
        return inbox

    def take_thrown(self) -> BaseException | None:
        """Return what was raised in the task while it ran, once."""
        thrown, self.thrown = self.thrown, None
        return thrown


class Task:
    """A generator in a pool, and in the end its result."""

    def __init__(self, pool: 'Pool', lock: threading.RLock,
                 generator: scheduler.TaskGenerator[Any], name: str,
                 on_done: Callable[['Task'], None] | None) -> None:
        self.name = name
        self.result: Any = None
        self.error: BaseException | None = None
        self.cancelled = False
        #: What it waits for; the pool alone uses it.
        self.waiting = _Wait()
        self._pool = pool
        self._lock = lock
        self._generator: Any = generator
        self._on_done = on_done
        # Whose work it is, for the log.
        self._context = heat_context.current()
        self._done = False
        # Of thousands of tasks few are waited for.
        self._finished: threading.Event | None = None

    def __repr__(self) -> str:
        return '<Task %s>' % self.name

    @property
    def done(self) -> bool:
        """Return whether the task has ended."""
        return self._done

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the task has ended; return whether it has."""
        with self._lock:
            if self._done:
                return True
            if self._finished is None:
                self._finished = threading.Event()
        return self._finished.wait(timeout)

    def throw(self, error: BaseException) -> None:
        """Raise an error in the task at its present or next wait."""
        self._pool.throw(self, error)

    def cancel(self, grace_period: float | None = None) -> None:
        """Close the task at its next wait, or after the grace period."""
        self._pool.cancel(self, grace_period)

    def _resume(self) -> tuple[scheduler.Signal, bool]:
        """Run up to the next thing yielded; return it, or None when done."""
        value, error = self.waiting.take_inbox()
        if isinstance(error, GeneratorExit):
            self.cancelled = True
            scheduler.close(self._generator)
            return None, True
        try:
            if error is not None:
                return self._generator.throw(error), False
            return self._generator.send(value), False
        except StopIteration as stop:
            self.result = stop.value
            return None, True

    def run(self) -> tuple[scheduler.Signal, bool]:
        """Run up to the next thing yielded; return (it, whether done).

        The pool calls this.
        """
        heat_context.resume(self._context)
        try:
            # Trouble with the database pauses a task; it fails none.
            with request_budget.of_request(), outage.endless():
                return self._resume()
        except BaseException as error:  # noqa: BLE001
            self.error = error
            return None, True

    def end(self) -> None:
        """Record that the task has ended; the pool calls this."""
        with self._lock:
            self._done = True
            finished = self._finished
        if finished is not None:
            finished.set()
        # Who still knows of the task, a timer for instance, need not keep
        # alive what it worked on.
        on_done, self._on_done, self._generator = self._on_done, None, None
        self._context = None
        if on_done is not None:
            try:
                on_done(self)
            except Exception:
                LOG.exception('Following up on %r failed', self)
        elif self.error is not None:
            LOG.error('%r failed', self, exc_info=self.error)


def _is_stale(task: Task, ticket: object | None) -> bool:
    """Return whether a timer is for what a task does not wait for any more."""
    return task.done or (
        ticket is not None and task.waiting.ticket is not ticket)


#: When it is due, a number for the order, whom it resumes, and the ticket.
_Timer = tuple[float, int, Task, object | None]


class Pool:
    """Bookkeeping of tasks: which are ready, which wait for what."""

    def __init__(self, committer: group_commit.Committer) -> None:
        self.group_commit = committer
        self._lock = threading.RLock()
        self._task_ended = threading.Condition(self._lock)
        self._ready: collections.deque[Task] = collections.deque()
        self._timers: list[_Timer] = []
        self._tickets = itertools.count()
        # The tasks that wait for each key, in the order they came in.
        self._waiting: dict[object, dict[Task, bool]] = {}
        self._early: collections.OrderedDict[object, object] = (
            collections.OrderedDict())
        self._active: set[Task] = set()
        self._has_worked = False
        self._stretched: dict[str, float | None] = {}
        self._stopping = False
        # For the watchdog, which takes no lock.
        self._steps = 0
        #: When the step under way began, by thread.
        self._stepping: dict[int, float] = {}

    def pulse(self) -> progress.Pulse:
        """Return how far the tasks have got; takes no lock."""
        return progress.Pulse(self._steps, bool(self._ready),
                              list(self._stepping))

    def spawn(self, generator: scheduler.TaskGenerator[Any],
              name: str | None = None,
              on_done: Callable[[Task], None] | None = None) -> Task:
        """Begin a generator; on_done(task) is called when it has ended."""
        if not isinstance(generator, types.GeneratorType):
            raise TypeError('%r is no generator' % (generator,))
        task = Task(self, self._lock, generator,
                    name or generator.__name__, on_done)
        with self._lock:
            if self._stopping:
                raise RuntimeError('The task pool is stopping')
            self._active.add(task)
            self._has_worked = True
            self._make_ready(task)
        return task

    def active(self) -> list[Task]:
        """Return the tasks that have not ended."""
        with self._lock:
            return list(self._active)

    def clear_up(self) -> bool:
        """Forget what tasks have left behind, once all have ended.

        Return whether there was anything to forget.
        """
        with self._lock:
            if self._active or not self._has_worked:
                return False
            self._has_worked = False
            self._timers.clear()
            self._early.clear()
            return True

    def load(self) -> tuple[int, int]:
        """Return how many tasks are (ready to be stepped, not ended)."""
        with self._lock:
            return len(self._ready), len(self._active)

    def awaited(self, kind: str) -> list[Any]:
        """Return the keys of a kind, their first part, tasks wait for."""
        with self._lock:
            return [key for key in self._waiting
                    if isinstance(key, tuple) and key[0] == kind]

    def stretch(self, kind: str, seconds: float | None) -> None:
        """Let tasks that wait for one key of a kind wait longer.

        For when somebody looks for all of them together.

        :param seconds: at least so long; None for as long as they say
        """
        with self._lock:
            self._stretched[kind] = seconds

    def _timeout_of(self, signal: WaitFor | WaitForAny) -> float | None:
        """Return how long a task waits for events at most; lock held."""
        if (isinstance(signal, WaitFor) and signal.timeout is not None and
                isinstance(signal.key, tuple)):
            least = self._stretched.get(signal.key[0])
            if least is not None:
                return max(signal.timeout, least)
        return signal.timeout

    def wake(self, key: object) -> bool:
        """Resume tasks that wait for the key; return whether there were any.

        Others may be just about to wait, so the event is remembered anyway.
        """
        with self._lock:
            # The latest of equal keys counts, for what comes with it.
            self._early.pop(key, None)
            self._early[key] = key
            if len(self._early) > _EARLY_EVENTS:
                self._early.popitem(last=False)
            tasks = list(self._waiting.pop(key, ()))
            for task in tasks:
                self._make_ready(task, key)
            return bool(tasks)

    def _make_ready(self, task: Task, value: Any = None,
                    error: BaseException | None = None) -> None:
        """Have the task resumed.  The lock is held."""
        for key in task.waiting.keys:
            waiting = self._waiting.get(key)
            if waiting is not None:
                waiting.pop(task, None)
                if not waiting:
                    del self._waiting[key]
        task.waiting.end(value, error)
        self._ready.append(task)
        self._announce()

    def _announce(self) -> None:
        """Tell who runs tasks that one is ready.  The lock is held."""

    def _announce_timer(self) -> None:
        """Tell who watches the clock of a new timer.  The lock is held."""

    def throw(self, task: Task, error: BaseException) -> None:
        """Raise an error in a task at its present or next wait."""
        with self._lock:
            if not task.done:
                self._raise_in(task, error)

    def _raise_in(self, task: Task, error: BaseException) -> None:
        if task.waiting.ticket is not None:
            self._make_ready(task, error=error)
        else:
            task.waiting.thrown = error

    def cancel(self, task: Task, grace_period: float | None) -> None:
        """Close a task at its next wait, or after the grace period."""
        if not grace_period:
            self.throw(task, GeneratorExit())
            return
        with self._lock:
            self._add_timer(grace_period, task, None)

    def _add_timer(self, delay: float, task: Task, ticket: object | None
                   ) -> None:
        """Plan a resumption, or without ticket a cancel.  Lock held."""
        if len(self._timers) > _IDLE_TIMERS + 2 * len(self._active):
            self._timers = [timer for timer in self._timers
                            if not _is_stale(*timer[2:])]
            heapq.heapify(self._timers)
        heapq.heappush(self._timers, (
            timeutils.wallclock() + delay, next(self._tickets), task,
            ticket))
        self._announce_timer()

    def _fire_timers(self) -> float | None:
        """Make ready whose time has come; return seconds to the next."""
        while self._timers:
            due, _order, task, ticket = self._timers[0]
            delay = due - timeutils.wallclock()
            stale = _is_stale(task, ticket)
            if delay > 0 and not stale:
                return delay
            heapq.heappop(self._timers)
            if stale:
                continue
            if ticket is not None:
                self._make_ready(task)
            else:
                self._raise_in(task, GeneratorExit())
        return None

    def _step(self, task: Task) -> None:
        """Run a task to its next wait and see to what it waits for."""
        ident = threading.get_ident()
        self._stepping[ident] = timeutils.wallclock()
        try:
            signal, done = task.run()
            try:
                self._see_to(task, signal, done)
            except Exception as error:
                # It is not to be lost, nor is the thread that steps it.
                LOG.exception('%r cannot wait for %r', task, signal)
                with self._lock:
                    if task.done:
                        self._active.discard(task)
                    elif task not in self._ready:
                        self._make_ready(task, error=error)
        finally:
            self._stepping.pop(ident, None)
            self._steps += 1

    def _see_to(self, task: Task, signal: scheduler.Signal, done: bool
                ) -> None:
        """See to what a task waits for, or to its end."""
        if done:
            task.end()
            with self._lock:
                self._active.discard(task)
                self._task_ended.notify_all()
        elif scheduler.is_write(signal):
            self._submit(task, signal)
        else:
            self._park(task, signal)

    def _submit(self, task: Task,
                signal: group_commit.Write | group_commit.Writes) -> None:
        """Have a write made.  A write is never interrupted."""
        writes: tuple[group_commit.Write, ...]
        if isinstance(signal, group_commit.Writes):
            single, writes = False, signal.writes
        else:
            single, writes = True, (signal,)

        def on_results(results: list[group_commit.WriteResult]) -> None:
            with self._lock:
                if single:
                    self._make_ready(task, results[0].value,
                                     results[0].error)
                else:
                    self._make_ready(task, results)

        self.group_commit.submit(writes, on_results)

    def _happened(self, task: Task, keys: tuple[object, ...]) -> bool:
        """Make a task ready when an event came early; the lock is held."""
        for key in keys:
            event = self._early.pop(key, None)
            if event is not None:
                self._make_ready(task, event)
                return True
        return False

    def _park(self, task: Task, signal: scheduler.Signal) -> None:
        with self._lock:
            error = task.waiting.take_thrown()
            if error is not None:
                self._make_ready(task, error=error)
                return
            keys: tuple[object, ...] = ()
            if isinstance(signal, WaitFor | WaitForAny):
                if self._happened(task, signal.keys):
                    return
                keys = signal.keys
                for key in keys:
                    self._waiting.setdefault(key, {})[task] = True
                delay = self._timeout_of(signal)
            else:
                delay = scheduler.delay_of(signal)
            ticket = task.waiting.begin(keys)
            if delay is None:
                return
            if delay <= 0:
                self._make_ready(task)
            else:
                self._add_timer(delay, task, ticket)


class TaskPool(Pool):
    """A pool with a bounded number of threads, there while needed."""

    def __init__(self, size: int, committer: group_commit.GroupCommit) -> None:
        super().__init__(committer)
        committer.more_to_come = self._has_more_to_come
        self._committer = committer
        self._size = size
        self._threads: list[threading.Thread] = []
        self._numbers = itertools.count()
        # Idle threads wait for work, but one of them for the next timer.
        self._work_came = threading.Condition(self._lock)
        self._clock_changed = threading.Condition(self._lock)
        self._idle = 0
        self._has_timekeeper = False

    def _has_more_to_come(self) -> bool:
        """Return whether tasks are about to submit writes; takes no lock.

        A task that has run for a while probably waits for a service.
        """
        since = timeutils.wallclock() - group_commit.GATHER
        return bool(self._ready) or any(
            began > since for began in list(self._stepping.values()))

    def _announce(self) -> None:
        if self._stopping:
            return
        if self._idle:
            self._work_came.notify()
        elif self._has_timekeeper:
            self._clock_changed.notify()
        elif len(self._threads) < self._size:
            thread = threading.Thread(
                target=self._work, daemon=True,
                name='heat-task-%d' % next(self._numbers))
            self._threads.append(thread)
            thread.start()

    def _announce_timer(self) -> None:
        if self._has_timekeeper:
            self._clock_changed.notify()
        else:
            self._announce()

    def _work(self) -> None:
        while True:
            with self._lock:
                task = self._next()
            if task is None:
                return
            self._step(task)
            # It may be long before there is another one.
            del task

    def _next(self) -> Task | None:
        """Return the next ready task; None when the thread may end."""
        while not self._stopping:
            delay = self._fire_timers()
            if self._ready:
                return self._ready.popleft()
            self._committer.hurry()
            if self._has_timekeeper:
                self._idle += 1
                is_wanted = self._work_came.wait(_LINGER)
                self._idle -= 1
                # Whoever told us may have done so when we had just given up.
                if is_wanted or self._ready or not self._has_timekeeper:
                    continue
                self._threads.remove(threading.current_thread())
                return None
            self._has_timekeeper = True
            self._clock_changed.wait(delay)
            self._has_timekeeper = False
            # While this thread works another one has to watch the clock.
            if self._idle:
                self._work_came.notify()
        return None

    def join(self, timeout: float | None = None) -> bool:
        """Wait until no task is left; return whether that came about."""
        with self._lock:
            return self._task_ended.wait_for(lambda: not self._active,
                                             timeout)

    def stop(self, timeout: float | None = None) -> None:
        """End the threads once each has finished its present step.

        Tasks that wait are left where they are: what they were doing is in
        the database, from where any engine carries on.
        """
        with self._lock:
            self._stopping = True
            self._work_came.notify_all()
            self._clock_changed.notify_all()
            threads = list(self._threads)
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(timeout)


class InlinePool(Pool):
    """A pool without threads: run() steps its tasks in the caller's.

    Time passes through heat.common.timeutils, so with a fake clock nothing
    really waits.  choose(tasks) may pick which ready task is stepped next.
    """

    def __init__(self, committer: group_commit.Committer | None = None,
                 choose: Callable[[list[Task]], Task] | None = None) -> None:
        super().__init__(committer or group_commit.Inline())
        self._choose = choose

    def step(self) -> bool:
        """Step one ready task; return whether there was one."""
        with self._lock:
            self._fire_timers()
            if not self._ready:
                return False
            if self._choose is None or len(self._ready) == 1:
                task = self._ready.popleft()
            else:
                task = self._choose(list(self._ready))
                self._ready.remove(task)
        self._step(task)
        return True

    def run(self, until: Callable[[], bool] | None = None) -> None:
        """Step tasks until all have ended or wait for an event.

        With until, a function without arguments, stop once it is true.
        """
        while until is None or not until():
            if self.step():
                continue
            with self._lock:
                delay = self._fire_timers()
                if self._ready:
                    continue
            if delay is None:
                return
            timeutils.sleep(delay)

    def join(self, timeout: float | None = None) -> bool:
        """Run all tasks; return whether all have ended."""
        self.run()
        return not self._active

    def stop(self, timeout: float | None = None) -> None:
        """Accept no more tasks."""
        self._stopping = True
