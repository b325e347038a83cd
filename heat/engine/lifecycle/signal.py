"""Signals: messages to a resource from the outside."""
from typing import Any

from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import status
from heat.engine.cluster import wakeup
from heat.engine.lifecycle import attributes as resource_attributes
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import interface

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: The action that events of signals have; no resource is in this state.
SIGNAL = 'SIGNAL'


class NoActionRequired(Exception):
    """Raised by handle_signal() when there was nothing to do: no event."""

    def __init__(self, res_name: str = 'Unknown', reason: str = '') -> None:
        super().__init__(_('Resource %(name)s has nothing to do on this '
                           'signal: %(reason)s') % {
            'name': res_name, 'reason': reason})


def check(resource: interface.Resource, details: Any = None) -> None:
    """Raise an error when the resource cannot take this signal now."""
    if breakpoints.is_clearing(details):
        breakpoints.check_clearing(resource, details)
        return
    if resource.action in resource.no_signal_actions:
        raise exception.NotSupported(
            feature=_('Signal resource during %s') % resource.action)
    if not callable(getattr(resource, 'handle_signal', None)):
        raise exception.ResourceActionNotSupported(action='signal')


def signal(resource: interface.Resource, details: Any = None, *,
           need_check: bool = True) -> bool:
    """Give a signal to the resource; True when it cleared a breakpoint."""
    if need_check:
        check(resource, details)
    if breakpoints.is_clearing(details):
        breakpoints.clear(resource, details['unset_hook'])
        return True
    handler = getattr(resource, 'handle_signal', None)
    if not callable(handler):
        raise exception.ResourceActionNotSupported(action='signal')
    LOG.info('Signal to resource "%s" of %s', resource.name, resource.stack)
    try:
        resource_attributes.look_up_all_needed([resource])
        with resource.frozen_properties():
            result = handler(details)
    except NoActionRequired:
        return False
    except Exception as error:
        raise exception.ResourceFailure(error, resource, SIGNAL) from error
    resource_store.add_event(resource, SIGNAL, resource.status,
                             _reason(details, result))
    return False


def _reason(details: Any, result: Any) -> Any:
    """Return what the event of a signal says."""
    if result:
        return _('Signal: %s') % result
    if details is None:
        return _('No signal details provided')
    if isinstance(details, str):
        return details
    if isinstance(details, dict) and {'previous', 'current',
                                      'reason'} <= set(details):
        return _('alarm state changed from %(previous)s to %(current)s '
                 '(%(reason)s)') % details
    return _('Unknown')


def deliver(resource: interface.Resource, details: Any = None) -> None:
    """Give a checked signal, and let the rest of the stack follow it."""
    if signal(resource, details, need_check=False):
        return
    if resource.signals_are_waited_for:
        wakeup.announce(('signal', resource.id), many=True)
    if not resource.signal_needs_metadata_updates:
        return
    others = [other for name, other in resource.stack.items()
              if name != resource.name and other.id is not None and
              other.action not in (_R.INIT, _R.DELETE)]
    if others:
        resource_attributes.look_up_all_needed(others)
    for other in others:
        other.metadata_update()
