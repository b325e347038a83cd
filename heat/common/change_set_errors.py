"""Errors about change sets."""
from heat.common import exception
from heat.common.i18n import _


class ChangeSetNotFound(exception.EntityNotFound):
    msg_fmt = _('The change set (%(change_set)s) does not exist.')


class ChangeSetNotExecutable(exception.HeatException):
    msg_fmt = _('Change set %(change_set)s cannot be executed: its status is '
                '%(status)s.')


class ChangeSetStale(exception.HeatException):
    msg_fmt = _('Change set %(change_set)s is stale: %(changed)s')


class ChangeSetViolated(exception.HeatException):
    msg_fmt = _('Change set %(change_set)s does not plan to %(action)s '
                'resource "%(resource)s".')


class MoveNotPossible(exception.HeatException):
    msg_fmt = _('Resource "%(source)s" cannot be moved to "%(target)s": '
                '%(reason)s')


class ImportNotPossible(exception.HeatException):
    msg_fmt = _('"%(physical_id)s" cannot be imported as resource '
                '"%(resource)s": %(reason)s')
