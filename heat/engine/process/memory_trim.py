"""Give memory back when there is nothing to do any more.

What work has left in caches is read again when it is needed; a process that
waits need not keep it.
"""
import ctypes
import gc

from heat.common import messaging
from heat.engine.stacks import template_store
from heat.engine.tasks import periodic
from heat.engine.tasks import pool as task_pool
from heat.objects import transaction

#: Seconds between two looks whether there is anything to do.
INTERVAL = 5
#: How often memory is given back after work.
_LOOKS = 3


class IdleMemory(periodic.Periodic):
    """Gives memory back once the tasks of a pool have ended."""

    name = 'heat-idle-memory'
    failure = 'Giving memory back failed'

    def __init__(self, pool: task_pool.Pool) -> None:
        super().__init__()
        self._pool = pool
        self._looks = 0

    def interval(self) -> float:
        """Return the seconds between two looks."""
        return INTERVAL

    def run_once(self) -> bool:
        """Give memory back if work has been done, and none is left.

        Return whether it did. The threads that did it end some seconds
        later, so we look again.
        """
        messaging.end_idle_threads()
        if self._pool.clear_up():
            self._looks = _LOOKS
        elif self._pool.active():
            self._looks = 0
        if not self._looks:
            return False
        self._looks -= 1
        template_store.forget_all()
        transaction.forget_statements()
        gc.collect()
        _trim()
        return True


def _trim() -> None:
    """Have the C library give free memory back, where it can be asked to."""
    trim = getattr(ctypes.CDLL(None), 'malloc_trim', None)
    if trim is not None:
        trim(0)
