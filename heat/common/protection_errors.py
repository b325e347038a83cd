"""Errors about the protection of stacks."""
from heat.common import exception
from heat.common.i18n import _


class StackProtected(exception.HeatException):
    msg_fmt = _('Stack %(stack)s has termination protection and may not be '
                'deleted or abandoned. To lift the protection, send '
                '{"termination_protection": false} by PUT to the protection '
                'of the stack %(root)s, or call UpdateTerminationProtection.')


class StackPolicyViolated(exception.HeatException):
    msg_fmt = _('The policy of stack %(stack)s does not allow %(actions)s.')
