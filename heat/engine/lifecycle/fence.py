"""Keep an engine from writing to a stack that it has lost.

An engine that was stopped for a while is taken for dead, and others decide
about its stacks. When it wakes up it believes that it still has their locks.
"""
from collections.abc import Callable, Iterator
import contextlib
import threading
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import timeutils
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import transaction

LOG = logging.getLogger(__name__)

_scope = threading.local()


class LockLost(resource_claim.ClaimLost):
    """Another engine has taken the lock of the stack."""

    def __init__(self, stack_id: str) -> None:
        Exception.__init__(self, 'The lock of stack %s is not ours any more'
                           % stack_id)


def is_lost() -> bool:
    """Return whether what this thread does is about a stack we have lost."""
    fence = getattr(_scope, 'fence', None)
    return fence is not None and fence.lost


class Fence:
    """Lets one operation write as long as it has the lock of its stack.

    :param lock: a StackLock that this engine has
    :ivar lock: that lock
    :ivar lost: somebody else has the lock, or another operation of ours
    """

    def __init__(self, lock: Any) -> None:
        self.lock = lock
        self._is_lifted = False
        self.lost = False

    def require(self) -> None:
        """Keep the lock to the end of the transaction, or raise LockLost."""
        if self._is_lifted:
            return
        if self.lost or not self.lock.hold():
            self.lost = True
            raise LockLost(self.lock.stack_id)

    def lift(self) -> None:
        """Ask no more: the operation gives the lock back itself."""
        self._is_lifted = True

    def revoke(self) -> None:
        """Let the operation write no more: its engine began another one."""
        self.lost = self.lost or not self._is_lifted

    @contextlib.contextmanager
    def in_force(self) -> Iterator[None]:
        """Let this thread write only with the lock."""
        outer, _scope.fence = getattr(_scope, 'fence', None), self
        try:
            with transaction.fenced(self.require):
                yield
        finally:
            _scope.fence = outer

    def guard(self, task: scheduler.TaskGenerator[Any]
              ) -> scheduler.TaskGenerator[Any]:
        """A task to run another one until the lock is lost.

        Then LockLost is raised. The task is closed, but its plugins are not
        told to cancel: what they work on is somebody else's now.
        """
        value = error = due = None
        try:
            while True:
                if due is not None:
                    yield from self._verify(due)
                try:
                    signal = self._step(task, value, error)
                except StopIteration as stop:
                    return stop.value
                value = error = None
                due = None if scheduler.is_write(signal) else (
                    timeutils.wallclock() + scheduler.delay_of(signal))
                try:
                    value = yield self._fenced(signal)
                except Exception as thrown:  # noqa: BLE001 (it goes on)
                    error = thrown
        finally:
            with self.in_force():
                task.close()

    def _verify(self, due: float) -> scheduler.TaskGenerator[None]:
        """A task to see that the lock is still ours, if we come late.

        Handlers have effects elsewhere, which no transaction refuses. Who
        comes late may have been stopped for long enough to be taken for
        dead.
        """
        late = timeutils.wallclock() - due
        if late >= cfg.CONF.engine_life_check_timeout:
            yield group_commit.Write(self.require)

    def _step(self, task: scheduler.TaskGenerator[Any], value: Any,
              error: BaseException | None) -> scheduler.Signal:
        """Run a task up to the next thing it yields, and return that."""
        try:
            with self.in_force():
                return (task.send(value) if error is None
                        else task.throw(error))
        finally:
            # Whatever has become of the error on its way through the task.
            if self.lost:
                raise LockLost(self.lock.stack_id)

    def _fenced(self, signal: Any) -> Any:
        """Let what was yielded be written only with the lock."""
        if isinstance(signal, group_commit.Writes):
            return group_commit.Writes(map(self._fenced, signal.writes))
        if isinstance(signal, group_commit.Write):
            return group_commit.Write(lambda: self._write(signal.fn),
                                      signal.context, signal.ahead,
                                      signal.size)
        return signal

    def _write(self, fn: Callable[[], Any]) -> Any:
        group_commit.once((id(self), 'lock'), self.require)
        return fn()
