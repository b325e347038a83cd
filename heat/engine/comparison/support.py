"""Say which resource types can be compared with what really exists."""
from typing import Any

from heat.common.i18n import _
from heat.engine import comparable

#: The members that a type overrides to read its live state.
_TELLING = ('get_live_resource_data', '_show_resource', 'drift_data')


def reason(cls: Any) -> str:
    """Return why resources of a class cannot be compared; '' if they can.

    :param cls: the class of a resource type
    """
    if cls.drift_unsupported:
        return str(cls.drift_unsupported)
    base = comparable.Comparable
    if cls.entity is None and all(
            getattr(cls, name) is getattr(base, name) for name in _TELLING):
        return _('The resource type does not read its live state.')
    return ''


def compared(cls: Any) -> tuple[str, ...]:
    """Return the properties of a class that are compared, in order.

    A property that the service does not show is among them: it cannot be
    known before the service is asked.
    """
    if reason(cls):
        return ()
    declared = {**cls.properties_schema}
    return tuple(sorted(
        name for name, schema in declared.items()
        if name not in cls.drift_ignored and (
            schema.update_allowed or name == cls.name_property)))
