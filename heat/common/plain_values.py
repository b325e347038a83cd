"""Values as JSON's types, for messages between processes."""
from typing import Any

from oslo_serialization import jsonutils

_SCALARS = frozenset((str, int, float, bool, type(None)))


def plain(value: Any) -> Any:
    """Return a copy of a value that consists of JSON's types only.

    Lists and maps that occur several times are converted once: in the copy,
    too, they are one object. Other objects become what oslo.serialization
    makes of them.
    """
    return _plain(value, {})


def _plain(value: Any, known: dict[int, Any]) -> Any:
    # oslo.serialization asks twenty questions about each list.
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is not dict and kind is not list and kind is not tuple:
        return jsonutils.to_primitive(value, convert_instances=True)
    copy = known.get(id(value))
    if copy is None:
        if kind is not dict:
            copy = [item if type(item) in _SCALARS else _plain(item, known)
                    for item in value]
        elif all(type(key) in _SCALARS for key in value):
            copy = {key: item if type(item) in _SCALARS
                    else _plain(item, known) for key, item in value.items()}
        else:
            copy = jsonutils.to_primitive(value, convert_instances=True)
        known[id(value)] = copy
    return copy
