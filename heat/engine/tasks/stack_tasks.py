"""Which tasks of this engine work on which stack, and messages to them."""
from collections.abc import Callable
import functools
import threading
import types
from typing import Any

from oslo_log import log as logging

from heat.common import timeutils as heat_timeutils
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

#: Messages between engines; the words are part of the listener RPC.
CANCEL = 'cancel'
CANCEL_WITH_ROLLBACK = 'cancel_with_rollback'
MESSAGES = (CANCEL, CANCEL_WITH_ROLLBACK)


class ForcedCancel(Exception):
    """Raised in an operation that somebody asked to stop."""

    def __init__(self, *, with_rollback: bool = False) -> None:
        super().__init__()
        self.with_rollback = with_rollback


class ThreadGroupManager:
    """Keeps the running tasks by stack, so that they can be told to stop.

    Nothing is killed: a task sees a message at its next wait.
    """

    def __init__(self, pool: task_pool.TaskPool) -> None:
        self._pool = pool
        self._tasks: dict[str, list[task_pool.Task]] = {}
        self._lock = threading.Lock()
        #: Whether all tasks are to end because the engine does.
        self.is_ending = False

    def start(self, stack_id: str, func: Any, *args: Any, **kwargs: Any
              ) -> task_pool.Task:
        """Begin something that works on a stack; return the task.

        :param func: a generator; or a function, called with the other
            arguments, which may be one that returns a generator.
        """
        generator: Any = func
        if not isinstance(func, types.GeneratorType):
            generator = _called(func, args, kwargs)
        # Held so that the task cannot end before it is listed.
        with self._lock:
            task = self._pool.spawn(
                generator, '%s of stack %s' % (generator.__name__, stack_id),
                functools.partial(self._finished, stack_id))
            self._tasks.setdefault(stack_id, []).append(task)
        return task

    def _finished(self, stack_id: str, task: task_pool.Task) -> None:
        with self._lock:
            tasks = self._tasks.get(stack_id, [])
            if task in tasks:
                tasks.remove(task)
            if not tasks:
                self._tasks.pop(stack_id, None)
        if task.error is not None:
            LOG.error('%r failed', task, exc_info=task.error)

    def stacks(self) -> set[str]:
        """Return the ids of the stacks that tasks work on."""
        with self._lock:
            return set(self._tasks)

    def tasks_of(self, stack_id: str) -> list[task_pool.Task]:
        """Return the tasks that work on a stack."""
        with self._lock:
            return list(self._tasks.get(stack_id, ()))

    def send(self, stack_id: str, message: str) -> None:
        """Tell the tasks of a stack to stop; see MESSAGES."""
        if message not in MESSAGES:
            raise ValueError('Unknown message "%s"' % message)
        for task in self.tasks_of(stack_id):
            task.throw(ForcedCancel(
                with_rollback=message == CANCEL_WITH_ROLLBACK))

    def stop(self, stack_id: str, graceful: bool = False) -> None:
        """End the tasks of a stack; with grace, only wait for their end.

        Must not be called by one of these tasks.
        """
        for task in self.tasks_of(stack_id):
            if not graceful:
                task.cancel()

    def stop_all(self, timeout: float | None = None) -> bool:
        """End the tasks of all stacks; return whether they ended in time."""
        self.is_ending = True
        with self._lock:
            tasks = [task for each in self._tasks.values() for task in each]
        for task in tasks:
            task.cancel()
        deadline = heat_timeutils.Duration(timeout or 0)
        return all(task.wait(None if timeout is None
                             else deadline.remaining()) for task in tasks)

    def is_idle(self, stack_id: str) -> bool:
        """Return whether nothing works on a stack."""
        return not self.tasks_of(stack_id)


def _called(func: Callable[..., Any], args: tuple[Any, ...],
            kwargs: dict[str, Any]) -> scheduler.TaskGenerator[Any]:
    """A task to call a function, and to run what it returns."""
    result = func(*args, **kwargs)
    if isinstance(result, types.GeneratorType):
        result = yield from result
    return result
