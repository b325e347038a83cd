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
        copy = known[id(value)] = (_plain_map(value, known) if kind is dict
                                   else _plain_list(value, known))
    return copy


def _plain_list(value: Any, known: dict[int, Any]) -> list[Any]:
    if _SCALARS.issuperset(map(type, value)):
        return [*value]
    return [item if type(item) in _SCALARS else _plain(item, known)
            for item in value]


def _plain_map(value: dict[Any, Any], known: dict[int, Any]) -> Any:
    if not _SCALARS.issuperset(map(type, value)):
        return jsonutils.to_primitive(value, convert_instances=True)
    if _SCALARS.issuperset(map(type, value.values())):
        return value.copy()
    return {key: item if type(item) in _SCALARS else _plain(item, known)
            for key, item in value.items()}
