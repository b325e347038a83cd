"""Tell tasks that wait for nested stacks which of these have ended.

What ends in this process wakes its parent at once. What ends in another
one is looked for here, for all parents together: a statement a second,
however many wait.
"""
import threading

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.engine import resource_handler
from heat.engine import stack_nested
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

#: Seconds after which a parent looks for itself all the same.
OWN_LOOK = 10


class NestedWatch:
    """Looks for ends of nested stacks that tasks of a pool wait for."""

    def __init__(self, pool):
        self._pool = pool
        self._stopping = threading.Event()
        self._thread = None

    def start(self):
        """Look again and again from a thread of our own."""
        self._pool.stretch(stack_nested.WAKE_KIND, OWN_LOOK)
        self._thread = threading.Thread(
            target=self._work, name='heat-nested-watch', daemon=True)
        self._thread.start()

    def stop(self):
        """Look no more: tasks look for themselves again."""
        self._pool.stretch(stack_nested.WAKE_KIND, None)
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=5)
            self._thread = None

    def _work(self):
        while not self._stopping.wait(resource_handler.POLL_INTERVAL):
            try:
                self.run_once()
            except Exception:  # noqa: BLE001 (the next look may do better)
                LOG.warning('Looking for nested stacks failed',
                            exc_info=True)

    def run_once(self):
        """Wake the tasks whose nested stack is not in progress."""
        waited_for = self._pool.awaited(stack_nested.WAKE_KIND)
        if not waited_for:
            return
        in_progress = set(stack_objects.Stack.get_ids_in_progress_among(
            heat_context.get_admin_context(),
            [stack_id for _kind, stack_id in waited_for]))
        for key in waited_for:
            if key[1] not in in_progress:
                self._pool.wake(key)
