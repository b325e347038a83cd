"""Stack-wide exclusion between engines, for the legacy driver."""
from collections.abc import Callable, Iterator
import contextlib
import threading
from typing import Any, NoReturn, TypeVar
import weakref

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import metrics
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects

LOG = logging.getLogger(__name__)

_Holder = TypeVar('_Holder')

# The locks that somebody in this process has taken and looks after. One that
# the database still has and nobody here is of no use: giving it back failed.
_by_name: dict[tuple[str, str], weakref.WeakSet[Any]] = {}
# The locks that somebody in this process tries to take now.
_being_taken: set[tuple[str, str]] = set()
_guard = threading.Lock()


def in_use(engine_id: str, stack_id: str) -> bool:
    """Return whether somebody in this process looks after a lock."""
    with _guard:
        return bool(_by_name.get((engine_id, stack_id)))


class StackLock:
    """The row that says which engine works on a stack.

    :param listener_client: asks other engines whether they are alive; when
        None every other engine is taken to be.
    """

    def __init__(self, context: heat_context.RequestContext, stack_id: str,
                 engine_id: str, listener_client: Any = None) -> None:
        self.context = context
        self.stack_id = stack_id
        self.engine_id = engine_id
        self._listener = listener_client

    def get_engine_id(self) -> str | None:
        """Return the engine that holds the lock, or None."""
        return lock_objects.StackLock.get_engine_id(
            self.context, self.stack_id)

    def is_alive(self, engine_id: str) -> bool:
        """Return whether an engine answers within its two seconds."""
        if engine_id == self.engine_id:
            return True
        if self._listener is None:
            return True
        is_alive: bool = self._listener.is_alive(self.context, engine_id)
        return is_alive

    def try_acquire(self) -> str | None:
        """Take the lock if it is free; return who holds it, or None."""
        return self._taken(lambda: lock_objects.StackLock.create(
            self.context, self.stack_id, self.engine_id))

    def steal(self, holder: str) -> str | bool | None:
        """Take the lock from an engine; None if it is ours.

        Otherwise return who holds it now, or True if it is free.
        """
        return self._taken(lambda: lock_objects.StackLock.steal(
            self.context, self.stack_id, holder, self.engine_id))

    def _taken(self, take: Callable[[], _Holder]) -> _Holder | str:
        """Look after the lock if it can be taken; return what take() does.

        From before that on, or it might be found in nobody's care. In this
        process only one at a time tries: if the commit is not answered, the
        name of this engine in the database proves that this attempt
        succeeded.
        """
        with _guard:
            if self._name in _being_taken:
                return self.engine_id
            _being_taken.add(self._name)
            _by_name.setdefault(self._name, weakref.WeakSet()).add(self)
        outcome: Any = True
        try:
            outcome = take()
        finally:
            if outcome is not None:
                self.leave()
            with _guard:
                _being_taken.discard(self._name)
        held: _Holder | str = outcome
        return held

    def leave(self) -> None:
        """Look after the lock no more: it was given back, or cannot be."""
        with _guard:
            users = _by_name.get(self._name)
            if users is not None:
                users.discard(self)
                if not users:
                    del _by_name[self._name]

    @property
    def _name(self) -> tuple[str, str]:
        return self.engine_id, self.stack_id

    def take(self) -> str | None:
        """Take the lock, also from a dead engine; return the live holder.

        None means that the lock is ours.
        """
        holder = self.try_acquire()
        while holder is not None and not self.is_alive(holder):
            LOG.info('Stealing the lock of stack %s from engine %s, which '
                     'does not answer', self.stack_id, holder)
            outcome = self.steal(holder)
            if outcome is None:
                metrics.CLAIMS_STOLEN.labels('stack').inc()
                return None
            # True: it was released meanwhile. Else somebody was faster.
            holder = (outcome if isinstance(outcome, str)
                      else self.try_acquire())
        return holder

    def acquire(self) -> None:
        """Take the lock or raise ActionInProgress."""
        holder = self.take()
        if holder is None:
            LOG.debug('Engine %s has the lock of stack %s', self.engine_id,
                      self.stack_id)
            return
        self._raise_busy()

    def _raise_busy(self) -> NoReturn:
        row = stack_objects.Stack.get_by_id(self.context, self.stack_id,
                                            show_deleted=True)
        raise exception.ActionInProgress(
            stack_name=row.name if row else self.stack_id,
            action=row.action if row else None)

    def hold(self) -> bool:
        """Keep the lock in a transaction; False if it is not ours."""
        return lock_objects.StackLock.hold(self.context, self.stack_id,
                                           self.engine_id)

    def release(self) -> None:
        """Give the lock back; harmless when it is not ours any more.

        Should that fail, the upkeep of this engine finds it.
        """
        self.leave()
        if not lock_objects.StackLock.release(
                self.context, self.stack_id, self.engine_id):
            LOG.info('The lock of stack %s was not ours any more',
                     self.stack_id)

    def give_back(self) -> None:
        """Give the lock back as part of a transaction.

        :raises ActionInProgress: it is not ours any more.
        """
        if not lock_objects.StackLock.release(
                self.context, self.stack_id, self.engine_id):
            self._raise_busy()

    @contextlib.contextmanager
    def held(self) -> Iterator['StackLock']:
        """Hold the lock for the time of a with block."""
        self.acquire()
        try:
            yield self
        finally:
            self.release()
