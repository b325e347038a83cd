"""Compare one resource with its definition."""
from collections.abc import Mapping
import dataclasses
from typing import Any

from oslo_log import log as logging

from heat.common import drift_words
from heat.common import exception
from heat.common.i18n import _
from heat.engine import comparable
from heat.engine import status
from heat.engine.comparison import live as live_state
from heat.engine.comparison import support
from heat.engine.comparison import values

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus
_F = drift_words.Finding


@dataclasses.dataclass(frozen=True, slots=True)
class Judgement:
    """The result of comparing a resource with its definition.

    :ivar reason: why the resource cannot be compared
    :ivar differences: (path, expected, actual) of the innermost parts
    :ivar actual: {property: live value} of the properties that differ
    """

    finding: drift_words.Finding
    reason: str = ''
    differences: tuple[values.Difference, ...] = ()
    actual: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def has_drifted(self) -> bool:
        """Return whether the resource differs from its definition."""
        return self.finding in drift_words.DRIFTED


def of_resource(resource: Any, live: live_state.LiveState) -> Judgement:
    """Compare a resource with its definition in effect.

    An error that prevents the comparison becomes the reason of the result.

    :param live: reads the live state
    """
    if resource.has_nested():
        return of_nested(resource.nested())
    reason = _reason(resource)
    if reason:
        return Judgement(_F.UNSUPPORTED, reason)
    try:
        with resource.frozen_properties() as props:
            return _compared(resource, props, live)
    except Exception as error:  # noqa: BLE001 (plugins raise anything)
        LOG.info('Resource "%s" cannot be compared', resource.name,
                 exc_info=True)
        return Judgement(_F.UNSUPPORTED, _(
            'The resource cannot be compared: %s') % exception.text_of(
                error))


def of_nested(inner: Any) -> Judgement:
    """Compare a resource that is a nested stack.

    The resources of the nested stack are compared separately.

    :param inner: the nested stack, or None if it no longer exists
    """
    return Judgement(_F.DELETED if inner is None else _F.IN_SYNC)


def _reason(resource: Any) -> str:
    """Return why a resource cannot be compared; '' if it can."""
    if resource.id is None or resource.action in (_R.INIT, _R.DELETE):
        return _('The resource has not been created.')
    if resource.status == _R.IN_PROGRESS:
        return _('The stack is changing the resource.')
    found = support.reason(type(resource))
    if not found and resource.resource_id is None:
        return _('The resource has no physical ID.')
    return found


def _compared(resource: Any, props: Any, live: live_state.LiveState
              ) -> Judgement:
    try:
        data = live.of(resource)
    except Exception as error:
        if not _is_gone(resource, error):
            raise
        return Judgement(_F.DELETED)
    if resource.external_id:
        # The template only requires that it exists.
        return Judgement(_F.IN_SYNC)
    found, actual = differences(resource, props, data)
    return Judgement(_F.MODIFIED if found else _F.IN_SYNC, '', tuple(found),
                     actual)


def _is_gone(resource: Any, error: Exception) -> bool:
    if isinstance(error, exception.EntityNotFound):
        return True
    plugin = resource.client_plugin()
    return plugin is not None and bool(plugin.is_not_found(error))


def differences(resource: Any, props: Any, data: Any
                ) -> tuple[list[values.Difference], dict[str, Any]]:
    """Return the differences between a resource and its definition.

    The second part of the result is {property: live value}.

    :param props: the properties of the definition in effect
    :param data: the live data of the resource
    """
    found: list[values.Difference] = []
    differing = {}
    actual = resource.drift_state(props, data) or {}
    for name in sorted(actual.keys() - set(resource.drift_ignored)):
        if name not in props:
            continue
        value = actual[name]
        judged = isinstance(value, comparable.Differs)
        value = value.value if judged else value
        wanted = expected(resource, props, name, value)
        if not judged:
            more = list(values.differences(name, wanted, value,
                                           props.props[name].schema))
        else:
            more = [(name, wanted, value)] if wanted is not None else []
        if more:
            found += more
            differing[name] = value
    return found, differing


def expected(resource: Any, props: Any, name: str, actual: Any) -> Any:
    """Return the expected value of a property, or None for any value."""
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
