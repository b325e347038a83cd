"""Limits on the size of the values that template functions make.

Functions within functions multiply what they are given, and references to
one large value are written out in full when it is stored. So all that is
made while one value is resolved is counted.
"""
from collections.abc import Iterable, Iterator, Mapping, Sequence
import contextlib
import itertools
import sys
import threading
from typing import Any

from heat.common import request_budget
from heat.common.i18n import _

#: How many bytes a single function may make. An item of a list or an entry
#: of a map counts as ITEM bytes besides what is in it, as it does in memory.
MAX_SIZE = 8 * 1024 * 1024
#: How many all functions may make, together, for one value.
MAX_TOTAL = 2 * MAX_SIZE
ITEM = 32

_EMPTY = sys.getsizeof('')
_WITHOUT_SIZE = frozenset((int, float, bool, type(None)))

_counting = threading.local()


class TooLarge(ValueError):
    """Functions would make too large a value."""


def is_counting() -> bool:
    """Return whether a value is being resolved in this thread."""
    return getattr(_counting, 'left', None) is not None


@contextlib.contextmanager
def counting() -> Iterator[None]:
    """Return a context in which all that is made is one value's."""
    with request_budget.work():
        _counting.left = MAX_TOTAL
        try:
            yield
        finally:
            _counting.left = None


def spend(value: Any) -> None:
    """Count a value that a function has made; raise TooLarge."""
    spend_size(size_of(value))


def spend_size(size: int) -> None:
    """Count bytes that a function makes; raise TooLarge."""
    if size > MAX_SIZE:
        raise _too_large(MAX_SIZE)
    request_budget.take(size)
    left = getattr(_counting, 'left', None)
    if left is not None:
        _counting.left = left = left - size
        if left < 0:
            raise _too_large(MAX_TOTAL)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(
        _('The functions make a value of more than %d bytes, lists and '
          'maps written out') % limit)


def size_of(value: Any) -> int:
    """Return the size of a value, at least if it is not above MAX_SIZE."""
    return measured(value)[0]


def measured(  # noqa: C901 (a call for each item would take longer)
        value: Any) -> tuple[int, int]:
    """Return the size of a value and the number of items in it.

    The items are those of lists and maps at all depths. Both numbers are
    exact if the size is not above MAX_SIZE.
    """
    if isinstance(value, str):
        return _text_size(value), 0
    if isinstance(value, bytes):
        return len(value), 0
    size = items = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        parts: Iterable[Any]
        if type(item) is dict or isinstance(item, Mapping):
            parts = itertools.chain(item, item.values())
        elif type(item) is list or isinstance(item, Sequence):
            parts = item
        else:
            continue
        items += len(item)
        size += ITEM * len(item)
        if size > MAX_SIZE:
            break
        for part in parts:
            kind = type(part)
            if kind is str:
                size += (len(part) if part.isascii() else _text_size(part))
            elif kind in _WITHOUT_SIZE:
                continue
            elif isinstance(part, str):
                size += _text_size(part)
            elif isinstance(part, bytes):
                size += len(part)
            else:
                waiting.append(part)
    return size, items


def _text_size(text: str) -> int:
    """Return the bytes of a text, up to four for a character."""
    return len(text) if text.isascii() else sys.getsizeof(text) - _EMPTY
