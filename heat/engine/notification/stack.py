"""Notifications of what happens to stacks."""
from heat.common import timeutils as heat_timeutils
from heat.engine import notification

_SUFFIXES = {'IN_PROGRESS': 'start', 'COMPLETE': 'end', 'FAILED': 'error'}


def payload_of(stack):
    """Return what listeners are told of a stack."""
    def text(moment):
        return heat_timeutils.isotime(moment) if moment else None

    context = stack.context
    return {
        'tenant_id': context.project_id,
        # Listeners have always found the name under user_id.
        'user_id': context.username,
        'user_identity': context.user_id,
        'username': context.username,
        'stack_identity': stack.identifier().arn(),
        'stack_name': stack.name,
        'state': '%s_%s' % (stack.action, stack.status),
        'state_reason': stack.status_reason,
        'create_at': text(stack.created_time),
        'description': stack.t[stack.t.DESCRIPTION],
        'tags': list(stack.tags),
        'updated_at': text(stack.updated_time),
    }


def send(stack):
    """Tell listeners of the state a stack is in now."""
    suffix = _SUFFIXES[stack.status]
    level = notification.default_level()
    if suffix == 'error':
        level = 'ERROR'
    notification.notify(
        stack.context, 'stack.%s.%s' % (stack.action.lower(), suffix), level,
        lambda: payload_of(stack))
