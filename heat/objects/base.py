"""Common base of the record classes.

A record is a plain value: it holds no connection, and changing its fields
changes nothing in the database.
"""
from collections.abc import Iterable, Mapping
import dataclasses
import functools
import typing
from typing import Any, TypeVar

from heat.common import crypt
from heat.common import template_format

R = TypeVar('R')

# MySQL's plain TEXT ends here; it counts bytes.
TEXT_BYTES_MAX = 65535
VARCHAR_MAX = 255


@functools.cache
def names(record_class: Any) -> frozenset[str]:
    """Return the field names of a record class."""
    return frozenset(field.name for field in dataclasses.fields(record_class))


def record(record_class: type[R], row: Any, **more: Any) -> R:
    """Make a record of a row; fields that neither has get defaults."""
    known = names(typing.cast(Any, record_class))
    for name, value in row._mapping.items():
        if name in known and name not in more:
            more[name] = value
    return record_class(**more)


def _storable(text: str) -> str:
    """Return a text with escapes for what no database stores.

    A reason may quote anything, and must not be lost.
    """
    if template_format.is_storable(text):
        return text
    return (text.encode('utf-8', 'backslashreplace').decode()
            .replace('\0', '\\x00'))


def short_text(text: Any, limit: int = VARCHAR_MAX) -> str | None:
    """Cut a text to what a VARCHAR column holds."""
    if text is None:
        return None
    whole = _storable(str(text))
    return whole if len(whole) <= limit else whole[:limit - 3] + '...'


def long_text(text: Any, limit: int = TEXT_BYTES_MAX) -> str | None:
    """Cut a text to what a TEXT column holds on every database."""
    if text is None:
        return None
    whole = _storable(str(text))
    if len(whole) * 4 <= limit:
        return whole
    encoded = whole.encode('utf-8', 'replace')
    if len(encoded) <= limit:
        return whole
    return encoded[:limit - 3].decode('utf-8', 'ignore') + '...'


def with_reason(values: Mapping[str, Any], *, short: bool = False
                ) -> dict[str, Any]:
    """Copy the values, with a status_reason that fits its column."""
    result = dict(values)
    if 'status_reason' in result:
        cut = short_text if short else long_text
        result['status_reason'] = cut(result['status_reason'])
    return result


def plain(data: Any, encrypted: bool | None) -> Any:
    """Return stored properties as they were before encryption."""
    if data is None or not encrypted:
        return data
    return crypt.decrypted_dict(data)


def ids(values: Iterable[Any] | None) -> list[Any]:
    """Return row ids in the form and order in which they are stored."""
    return sorted(values or ())
