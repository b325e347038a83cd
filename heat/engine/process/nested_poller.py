"""Tell tasks that wait for nested stacks which of these have ended.

What ends in this process wakes its parent at once. What ends in another
one is looked for here, for all parents together: a statement a second,
however many wait.
"""
from heat.common import context as heat_context
from heat.engine import nested_stack
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.tasks import periodic
from heat.engine.tasks import pool as task_pool
from heat.objects import stack as stack_objects

#: Seconds after which a parent looks for itself all the same.
OWN_LOOK = 10


class NestedWatch(periodic.Periodic):
    """Looks for ends of nested stacks that tasks of a pool wait for."""

    name = 'heat-nested-watch'
    failure = 'Looking for nested stacks failed'

    def __init__(self, pool: task_pool.Pool) -> None:
        super().__init__()
        self._pool = pool

    def start(self) -> None:
        """Look for the tasks, which look more seldom themselves."""
        self._pool.stretch(nested_stack.WAKE_KIND, OWN_LOOK)
        super().start()

    def stop(self) -> None:
        """Look no more: tasks look for themselves again."""
        self._pool.stretch(nested_stack.WAKE_KIND, None)
        super().stop()

    def interval(self) -> float:
        """Return the seconds between two looks."""
        return resource_handler.POLL_INTERVAL

    def run_once(self) -> None:
        """Wake the tasks whose nested stack is not in progress."""
        waited_for = self._pool.awaited(nested_stack.WAKE_KIND)
        if not waited_for:
            return
        in_progress = set(stack_objects.Stack.get_ids_in_progress_among(
            heat_context.get_admin_context(),
            [stack_id for _kind, stack_id in waited_for]))
        for key in waited_for:
            if key[1] not in in_progress:
                self._pool.wake(key)
