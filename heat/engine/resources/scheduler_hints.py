"""Hints by which schedulers know where a thing belongs."""
from typing import Any

from oslo_config import cfg


class SchedulerHintsMixin:
    """For resources that a scheduler places: tells it about the stack."""

    _SCHEDULER_HINTS = (
        HEAT_ROOT_STACK_ID, HEAT_STACK_ID, HEAT_STACK_NAME,
        HEAT_PATH_IN_STACK, HEAT_RESOURCE_NAME, HEAT_RESOURCE_UUID,
    ) = (
        'heat_root_stack_id', 'heat_stack_id', 'heat_stack_name',
        'heat_path_in_stack', 'heat_resource_name', 'heat_resource_uuid',
    )

    name: str
    stack: Any
    uuid: str | None

    def _scheduler_hints(self, scheduler_hints):
        """Return hints with those about us, if operators want them."""
        if not cfg.CONF.stack_scheduler_hints:
            return scheduler_hints
        hints = dict(scheduler_hints or {})
        stack = self.stack
        path = [','.join(part for part in step if part)
                for step in stack.object_path_in_stack()]
        hints.update({
            self.HEAT_ROOT_STACK_ID: stack.root_stack_id(),
            self.HEAT_STACK_ID: stack.id,
            self.HEAT_STACK_NAME: stack.name,
            self.HEAT_PATH_IN_STACK: path,
            self.HEAT_RESOURCE_NAME: self.name,
            self.HEAT_RESOURCE_UUID: self.uuid})
        return hints
