"""Notifications of what scaling groups do."""
from heat.engine import notification
from heat.engine.notification import stack as stack_notification


def send(stack, adjustment=None, adjustment_type=None, capacity=None,
         groupname=None, message='error', suffix=None):
    """Tell listeners of a scaling step: its start, end or error."""
    suffix = suffix or ('error' if message == 'error' else 'end')
    level = notification.default_level()
    if suffix == 'error':
        level = 'ERROR'

    def body():
        return {**stack_notification.payload_of(stack),
                'adjustment_type': adjustment_type, 'adjustment': adjustment,
                'capacity': capacity, 'groupname': groupname,
                'message': message}

    notification.notify(stack.context, 'autoscaling.%s' % suffix, level,
                        body)
