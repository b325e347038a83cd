"""Give memory back when there is nothing to do any more.

What work has left in caches is read again when it is needed; a process that
waits need not keep it.
"""
import gc

from heat.common import lazy
from heat.engine import periodic
from heat.engine import template_store
from heat.objects import transaction

ctypes = lazy.module('ctypes')

#: Seconds between two looks whether there is anything to do.
INTERVAL = 5


class IdleMemory(periodic.Periodic):
    """Gives memory back once the tasks of a pool have ended."""

    name = 'heat-idle-memory'
    failure = 'Giving memory back failed'

    def __init__(self, pool):
        super().__init__()
        self._pool = pool

    def interval(self):
        """Return the seconds between two looks."""
        return INTERVAL

    def run_once(self):
        """Give memory back if work has been done, and none is left.

        Tell whether that was so.
        """
        if not self._pool.clear_up():
            return False
        template_store.forget_all()
        transaction.forget_statements()
        gc.collect()
        _trim()
        return True


def _trim():
    """Have the C library give free memory back, where it can be asked to."""
    trim = getattr(ctypes.CDLL(None), 'malloc_trim', None)
    if trim is not None:
        trim(0)
