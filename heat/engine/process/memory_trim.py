"""Give memory back when there has been nothing to do for a while.

What work has left in caches is read again when it is needed; a process that
rests need not keep it. What begins before that finds it: to read templates
and to compose the statements again takes longer than to create a small stack.
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
#: How many looks without any work in between come before memory is given
#: back. The threads that have worked end meanwhile.
REST = 12


class IdleMemory(periodic.Periodic):
    """Gives memory back once the tasks of a pool ended a minute ago."""

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
        """Give memory back if no work was done in REST looks, but before.

        Return whether it did.
        """
        messaging.end_idle_threads()
        if self._pool.clear_up():
            self._looks = REST
        elif self._pool.active():
            self._looks = 0
        if not self._looks:
            return False
        self._looks -= 1
        if self._looks:
            return False
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
