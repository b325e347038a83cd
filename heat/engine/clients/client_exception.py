"""Errors that client plugins raise beside those of their libraries."""
from heat.common import exception
from heat.common.i18n import _


class EntityMatchNotFound(exception.HeatException):
    """Nothing fits what was looked for."""

    msg_fmt = _('No %(entity)s matching %(args)s.')

    def __init__(self, entity=None, args=None, **kwargs):
        super().__init__(entity=entity, args=args, **kwargs)


class EntityUniqueMatchNotFound(EntityMatchNotFound):
    """More than one thing fits what was looked for."""

    msg_fmt = _('No %(entity)s unique match found for %(args)s.')


class InterfaceNotFound(exception.HeatException):
    """A server has no interface of that description."""

    msg_fmt = _('No network interface found for server %(id)s.')


class TrustNotAllowed(exception.HeatException):
    """The user came with a delegation, which gives no further ones."""

    msg_fmt = _('Keystone lets nobody give a trust who uses %(credential)s.')
