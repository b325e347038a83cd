"""Values as JSON's types, for messages between processes."""
import itertools
from typing import Any

from oslo_serialization import jsonutils

_SCALARS = frozenset((str, int, float, bool, type(None)))
_PLAIN = _SCALARS | {dict, list}
_TEXT = frozenset((str,))
_chain = itertools.chain.from_iterable


def is_plain(value: Any) -> bool:
    """Return whether a value consists of lists, maps and scalars of JSON.

    It is examined level by level, each list and map once. Nearly all messages
    are plain, and copying one takes about twice as long.
    """
    level: list[Any] = [value]
    seen: set[int] = set()
    while not _SCALARS.issuperset(kinds := set(map(type, level))):
        if not _PLAIN.issuperset(kinds):
            return False
        if not kinds.isdisjoint(_SCALARS):
            level = [item for item in level if type(item) not in _SCALARS]
        ids = set(map(id, level))
        if len(ids) < len(level) or not ids.isdisjoint(seen):
            level = [*{id(item): item for item in level
                       if id(item) not in seen}.values()]
        seen |= ids
        maps = level if list not in kinds else [
            item for item in level if type(item) is dict]
        lists = [] if list not in kinds else [
            item for item in level if type(item) is list]
        if not _TEXT.issuperset(map(type, _chain(maps))):
            return False
        level = [*_chain(map(dict.values, maps)), *_chain(lists)]
    return True


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
