"""Give memory back when there is nothing to do any more.

What work has left in caches is read again when it is needed; a process that
waits need not keep it.
"""
import gc
import threading

from oslo_log import log as logging

from heat.common import lazy
from heat.engine import template_store

LOG = logging.getLogger(__name__)

ctypes = lazy.module('ctypes')

#: Seconds between two looks whether there is anything to do.
INTERVAL = 5


class IdleMemory:
    """Gives memory back once the tasks of a pool have ended."""

    def __init__(self, pool):
        self._pool = pool
        self._has_worked = False
        self._stopping = threading.Event()
        self._thread = None

    def start(self):
        """Look again and again from a thread of our own."""
        self._thread = threading.Thread(
            target=self._work, name='heat-idle-memory', daemon=True)
        self._thread.start()

    def stop(self):
        """Look no more."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=INTERVAL)
            self._thread = None

    def _work(self):
        while not self._stopping.wait(INTERVAL):
            try:
                self.run_once()
            except Exception:  # noqa: BLE001 (memory is no reason to end)
                LOG.warning('Giving memory back failed', exc_info=True)

    def run_once(self):
        """Give memory back if work has been done, and none is left.

        Tell whether that was so.
        """
        if self._pool.active():
            self._has_worked = True
            return False
        if not self._has_worked:
            return False
        self._has_worked = False
        template_store.forget_all()
        gc.collect()
        _trim()
        return True


def _trim():
    """Have the C library give free memory back, where it can be asked to."""
    trim = getattr(ctypes.CDLL(None), 'malloc_trim', None)
    if trim is not None:
        trim(0)
