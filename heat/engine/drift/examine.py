"""Find out whether one resource is as its definition says."""
from collections.abc import Collection
from typing import Any

from oslo_log import log as logging

from heat.common import drift_words
from heat.common import exception
from heat.common.i18n import _
from heat.engine import comparable
from heat.engine import parameters
from heat.engine import status
from heat.engine.drift import compare
from heat.engine.drift import live as live_state
from heat.engine.drift import support
from heat.engine.lifecycle import attributes as resource_attributes
from heat.engine.plans import causes

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus
_F = drift_words.Finding

#: Differences of one resource that are kept; of the rest there is a count.
MOST_DIFFERENCES = 100


def of_resource(resource: Any, live: live_state.LiveState,
                secret: Collection[str] = ()) -> dict[str, Any]:
    """Return what there is to say of a resource, without its path.

    :param secret: properties whose values must not be shown
    """
    finding, reason, found = _judged(resource, live)
    shown = [_shown(each, secret) for each in found[:MOST_DIFFERENCES]]
    if len(found) > MOST_DIFFERENCES:
        shown.append({'left_out': len(found) - MOST_DIFFERENCES})
    return {'type': resource.type(),
            'physical_resource_id': resource.resource_id,
            'status': str(finding), 'reason': reason, 'differences': shown}


def _shown(found: compare.Difference, secret: Collection[str]
           ) -> dict[str, Any]:
    path, expected, actual = found
    if path.partition('.')[0].partition('[')[0] in secret:
        expected = actual = parameters.HIDDEN_VALUE
    return {'property': path, 'expected': causes.shown(expected),
            'actual': causes.shown(actual)}


def _judged(resource: Any, live: live_state.LiveState
            ) -> tuple[_F, str, list[compare.Difference]]:
    """Return (finding, reason, differences)."""
    if resource.id is None or resource.action in (_R.INIT, _R.DELETE):
        return _F.UNSUPPORTED, _('The resource has not been created.'), []
    if resource.status == _R.IN_PROGRESS:
        return _F.UNSUPPORTED, _('The stack is changing the resource.'), []
    reason = support.reason(type(resource))
    if reason:
        return _F.UNSUPPORTED, reason, []
    if resource.resource_id is None:
        return _F.UNSUPPORTED, _('The resource has no physical ID.'), []
    try:
        with resource.frozen_properties() as props:
            try:
                data = live.of(resource)
            except Exception as error:
                if not _is_gone(resource, error):
                    raise
                return _F.DELETED, '', []
            if resource.external_id:
                # The template says nothing of it but that it is there.
                return _F.IN_SYNC, '', []
            found = differences(resource, props, data)
    except Exception as error:  # noqa: BLE001 (plugins raise anything)
        LOG.info('Resource "%s" cannot be compared', resource.name,
                 exc_info=True)
        return _F.UNSUPPORTED, _('The resource cannot be compared: %s') % (
            exception.text_of(error)), []
    return (_F.MODIFIED if found else _F.IN_SYNC), '', found


def _is_gone(resource: Any, error: Exception) -> bool:
    return isinstance(error, exception.EntityNotFound) or (
        resource_attributes.is_not_found(resource, error))


def differences(resource: Any, props: Any, data: Any
                ) -> list[compare.Difference]:
    """Return in what a resource is not as its definition says.

    :param props: the properties of the definition in effect
    :param data: the live data of the resource
    """
    found: list[compare.Difference] = []
    actual = resource.drift_state(props, data) or {}
    for name in sorted(actual.keys() - set(resource.drift_ignored)):
        if name not in props:
            continue
        value = actual[name]
        judged = isinstance(value, comparable.Differs)
        value = value.value if judged else value
        expected = _expected(resource, props, name, value)
        if judged and expected is not None:
            found.append((name, expected, value))
        elif not judged:
            found += compare.differences(name, expected, value,
                                         props.props[name].schema)
    return found


def _expected(resource: Any, props: Any, name: str, actual: Any) -> Any:
    """Return the value that a property should have, None for any."""
    value = props.get_user_value(name)
    if value is not None:
        return value
    default = props[name]
    if default is None and name == resource.name_property:
        return resource.physical_resource_name()
    if default == '' or actual is None or isinstance(default, (dict, list)):
        # The service chooses what the template leaves open.
        return None
    return default
