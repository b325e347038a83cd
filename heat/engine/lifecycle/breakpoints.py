"""Breakpoints: points of an action at which a resource waits for the user.

A breakpoint that was reached is kept in the data of the resource until it
is cleared, so it survives the engine.
"""
from typing import Any

from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import status
from heat.engine.lifecycle import store as resource_store
from heat.engine.lifecycle import values as resource_values
from heat.engine.stacks import interface
from heat.engine.tasks import scheduler
from heat.objects import resource_data as data_objects

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: Seconds between looks at a breakpoint that was reached.
_LOOK_INTERVAL = 1

#: The action each breakpoint belongs to, and whether it comes first.
_BREAKPOINTS = {
    environment.HOOK_PRE_CREATE: (_R.CREATE, True),
    environment.HOOK_PRE_UPDATE: (_R.UPDATE, True),
    environment.HOOK_PRE_DELETE: (_R.DELETE, True),
    environment.HOOK_POST_CREATE: (_R.CREATE, False),
    environment.HOOK_POST_UPDATE: (_R.UPDATE, False),
    environment.HOOK_POST_DELETE: (_R.DELETE, False),
}

_BY_ACTION = {key: hook for hook, key in _BREAKPOINTS.items()}


def is_set(resource: interface.Resource, hook: str) -> bool:
    """Return whether the resource waits at this breakpoint."""
    return resource.data().get(hook) == 'True'


def is_waiting(resource: interface.Resource) -> bool:
    """Return whether the resource waits at any breakpoint."""
    return resource.id is not None and any(
        is_set(resource, hook) for hook in _BREAKPOINTS)


def applies(resource: interface.Resource, action: str, *, before: bool
            ) -> bool:
    """Return whether there is a breakpoint before (after) an action.

    Those of create and delete count only while the whole stack is created
    or deleted, not when an update makes or removes a single resource.
    Nobody can clear one in a backup stack, which users do not see.
    """
    hook = _BY_ACTION.get((action, before))
    if hook is None or resource.stack.backup:
        return False
    if action != _R.UPDATE and resource.stack.action != action:
        return False
    stack = resource.stack
    registry = (getattr(stack, 'goal_env', None) or stack.env).registry
    return bool(registry.matches_hook(resource.name, hook))


def wait(resource: interface.Resource, action: str, *, before: bool,
         timeout: scheduler.Timeout | None = None
         ) -> scheduler.TaskGenerator[None]:
    """A task to wait at the breakpoint before (after) an action, if any.

    :param timeout: a scheduler.Timeout to raise when it expires
    """
    if not applies(resource, action, before=before):
        return
    hook = _BY_ACTION[action, before]
    if resource.id is None:
        resource_store.store(resource)
    if not is_set(resource, hook):
        data_objects.ResourceData.set(resource.context, resource.id, hook,
                                      'True')
        # The state is that of the resource, which has not changed yet.
        resource_store.add_event(
            resource, resource.action, resource.status,
            _('%(action)s paused until Hook %(hook)s is cleared') % {
                'action': action, 'hook': hook})
        resource.row_state.forget_data()
        LOG.info('Resource "%s" waits at %s', resource.name, hook)
    while _still_set(resource, hook):
        if timeout is not None and timeout.expired():
            raise timeout
        yield _LOOK_INTERVAL
    resource.row_state.forget_data()


def _still_set(resource: interface.Resource, hook: str) -> bool:
    """Look into the database: another engine may get the signal."""
    return data_objects.ResourceData.get_all(
        resource.context, resource.id).get(hook) == 'True'


def is_clearing(details: Any) -> bool:
    """Return whether a signal is meant to clear a breakpoint."""
    return isinstance(details, dict) and 'unset_hook' in details


def check_clearing(resource: interface.Resource, details: Any) -> None:
    """Raise InvalidBreakPointHook unless the breakpoint can be cleared."""
    hook = details['unset_hook']
    if hook not in _BREAKPOINTS:
        raise exception.InvalidBreakPointHook(message=_(
            'Invalid hook type "%(hook)s", it must be one of %(known)s')
            % {'hook': hook, 'known': ', '.join(sorted(_BREAKPOINTS))})
    if not is_set(resource, hook):
        raise exception.InvalidBreakPointHook(message=_(
            'The "%(hook)s" hook is not set on resource "%(name)s"') % {
                'hook': hook, 'name': resource.name})


def clear(resource: interface.Resource, hook: str) -> None:
    """Clear a breakpoint, so that the waiting task goes on."""
    LOG.info('Clearing %s of resource "%s"', hook, resource.name)
    resource_values.data_delete(resource, hook)
    resource_store.add_event(resource, resource.action, resource.status,
                             _('Hook %s is cleared') % hook)


def clear_all(resource: interface.Resource) -> None:
    """Clear whatever breakpoints the resource waits at, saying nothing."""
    for hook in _BREAKPOINTS:
        if is_set(resource, hook):
            resource_values.data_delete(resource, hook)
