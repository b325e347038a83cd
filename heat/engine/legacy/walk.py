"""Visit the resources of one stack in their order, as one task."""
from collections.abc import Callable
import dataclasses
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import status
from heat.engine.stacks import exports as stack_exports
from heat.engine.stacks import interface
from heat.engine.stacks import state as stack_state
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.engine.tasks import stack_tasks

S = status.StackStatus


@dataclasses.dataclass(frozen=True, slots=True)
class End:
    """The end of a walk over the resources."""

    reason: str
    failed: bool = False
    #: Set when a message stopped the walk: whether it wants a rollback.
    rollback_wanted: bool | None = None

    @property
    def status(self) -> str:
        return S.FAILED if self.failed else S.COMPLETE


def completed(action: str, remark: str = '') -> End:
    """Return the end of an action without failures."""
    return End(stack_state.completion_reason(action) + remark)


def grace_of(res: interface.Resource) -> float | None:
    """Return the seconds a resource gets when another one has failed."""
    return res.cancel_grace_period()


def group(stack: interface.Stack, task: Callable[[interface.Resource], Any],
          **options: Any) -> scheduler.DependencyTaskGroup:
    """Return a task group that visits all resources of a stack.

    :param task: function of a resource that returns a task.
    :param options: those of scheduler.DependencyTaskGroup.
    """
    options.setdefault('error_wait_time', grace_of)
    return scheduler.DependencyTaskGroup(stack.dependencies, task, **options)


def walk(stack: interface.Stack, action: str, visits: Callable[..., Any]
         ) -> scheduler.TaskGenerator[End]:
    """A task to run visits within the stack's time; return the End.

    :param visits: function without arguments that returns a task.
    """
    try:
        yield from scheduler.TaskRunner(visits).as_task(
            timeout=stack.timeout_secs())
    except scheduler.Timeout:
        return End(_('Timed out'), failed=True)
    except stack_tasks.ForcedCancel as cancel:
        return End(_('Stack %s cancelled') % action, failed=True,
                   rollback_wanted=cancel.with_rollback)
    except scheduler.ExceptionGroup as several:
        reasons = [failure_text(action, error)
                   for error in several.exceptions]
        return End('; '.join(dict.fromkeys(reasons)), failed=True)
    except exception.HeatException as error:
        return End(failure_text(action, error), failed=True)
    return completed(action)


def failure_text(action: str, error: BaseException) -> str:
    """Return the reason that a stack shows for an error in a walk."""
    if isinstance(error, exception.ResourceFailure):
        return _('Resource %(action)s failed: %(error)s') % {
            'action': error.action or action, 'error': error}
    return str(error)


def share(stack: interface.Stack, action: str, end: End
          ) -> scheduler.TaskGenerator[End]:
    """A task to store what a completed stack exports; return the End."""
    if end.failed:
        return end
    try:
        shared = stack_exports.completed(stack, action)
        yield group_commit.Write(lambda: stack_exports.store_all(
            stack.context, [(stack, action, shared)]))
    except stack_exports.OBSTACLES as error:
        return End(str(error), failed=True)
    return end
