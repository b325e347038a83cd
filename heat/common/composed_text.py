"""English texts that keep the message and the values they were made from.

Such a text is a string like any other, but another process can translate it
later. This module does not know how translations are looked up.
"""
from collections.abc import Callable, Iterable, Iterator, Mapping
import functools
import re
from typing import Any, Self

_PLACEHOLDER = re.compile(
    r'%(?:\((?P<name>[^)]*)\))?[-#0+ ]*\d*(?:\.\d+)?(?P<conversion>[a-zA-Z%])')
#: Longer texts quote what users gave; they remain in English.
MAX_LENGTH = 4000
_PLAIN = (str, int, float, bool, type(None))

#: Finds the translation of a message; returns the message if there is none.
Lookup = Callable[[str], str]


class _NotKept(Exception):
    """A value that cannot travel has been formatted."""


class _Shown(str):
    """The ``repr()`` of a value that is not a string."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Text(str):
    """A message, or the result of formatting or concatenating messages.

    Every other operation on it returns a plain string.
    """

    __slots__ = ('message', 'values')

    message: str
    #: The values of the placeholders, None if it was not formatted.
    values: Any

    def __new__(cls, text: str, message: str | None = None,
                values: Any = None) -> Self:
        """Return a text; without a message it is the message itself."""
        self = super().__new__(cls, text)
        self.message = text if message is None else message
        self.values = values
        return self

    def __str__(self) -> str:
        # str(error) of an error with this text keeps message and values.
        return self

    def plain(self) -> str:
        """Return the text in English, as a string that knows nothing."""
        return super().__str__()

    def __mod__(self, values: Any) -> str:
        text = super().__mod__(values)
        if self.values is not None or len(text) > MAX_LENGTH:
            return text
        try:
            return Text(text, self.message, _kept(self.message, values))
        except _NotKept:
            return text

    def __add__(self, other: str) -> str:
        if not isinstance(other, str):
            return NotImplemented
        return _concatenated(self, other)

    def __radd__(self, other: str) -> str:
        if not isinstance(other, str):
            return NotImplemented
        return _concatenated(other, self)

    def translated(self, lookup: Lookup) -> str:
        """Return the text in a language, parts that have none in English."""
        try:
            return self.filled(lookup)
        except (KeyError, TypeError, ValueError):
            # A mistake in a catalogue must not hide an error.
            return self.plain()

    def filled(self, lookup: Lookup) -> str:
        """Return the text in a language.

        :raises KeyError, TypeError, ValueError: the values do not suit the
            translation.
        """
        message = lookup(self.message)
        if self.values is None:
            return message
        return message % _each(
            self.values, lambda value: value.filled(lookup)
            if isinstance(value, Text) else value)

    def as_data(self) -> list[Any]:
        """Return the message and the values as JSON data."""
        values = _each(self.values, _data_from_value)
        return [self.message,
                list(values) if isinstance(values, tuple) else values]


def from_data(text: str, data: Any) -> str:
    """Return the text that as_data() described.

    :param text: the text in English, returned if the data is malformed
    """
    try:
        message, values = data
        if not isinstance(message, str):
            return text
        if values is None:
            return Text(text, message)
        if isinstance(values, list):
            values = tuple(values)
        return Text(text, message, _each(values, _value_from_data))
    except (IndexError, TypeError, ValueError):
        return text


def _data_from_value(value: Any) -> Any:
    if isinstance(value, Text):
        return value.as_data()
    return {'shown': str(value)} if isinstance(value, _Shown) else value


def _value_from_data(value: Any) -> Any:
    """Return a value; a list stands for a text, a map for what %r shows."""
    if isinstance(value, dict):
        return _Shown(value.get('shown', ''))
    return from_data(value[0], value) if isinstance(value, list) else value


def joined(separator: str, parts: Iterable[str]) -> str:
    """Return the parts with a separator between them, as str.join does."""
    found = list(parts)
    if not any(isinstance(part, Text) for part in found):
        return separator.join(found)
    return Text(separator.replace('%', '%%').join(['%s'] * len(found))
                ) % tuple(found)


def _concatenated(first: str, second: str) -> str:
    if not first or not second:
        return first or second
    return joined('', (first, second))


@functools.lru_cache(maxsize=1024)
def _placeholders(message: str) -> tuple[tuple[str | None, str], ...]:
    """Return the names, None for those without, and the conversions."""
    return tuple((found['name'], found['conversion'])
                 for found in _PLACEHOLDER.finditer(message)
                 if found['conversion'] != '%')


def _kept(message: str, values: Any) -> Any:
    """Return the values that the message uses, in a form that RPC carries.

    :raises _NotKept: a value has no such form.
    """
    wanted = _placeholders(message)
    if any(name is not None for name, _conversion in wanted):
        return {name: _travelling(values[name], conversion)
                for name, conversion in wanted if name is not None}
    given = values if isinstance(values, tuple) else (values,)
    return tuple(_travelling(value, conversion) for value, (
        _name, conversion) in zip(given, wanted, strict=False))


def _travelling(value: Any, conversion: str) -> Any:
    if isinstance(value, Text) or type(value) in _PLAIN:
        return value
    if conversion in 'ra':
        return _Shown(repr(value))
    if conversion != 's':
        raise _NotKept
    return str(value)


def _each(values: Any, function: Callable[[Any], Any]) -> Any:
    """Return values, a tuple or a mapping, with a function applied."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        return {key: function(value) for key, value in values.items()}
    return tuple(map(function, values))


# --- The arguments of an error ------------------------------------------

#: The argument that carries the origins of the other arguments of an error.
COMPOSED = 'composed'


def parts_of(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (key, data) for each value that is a text."""
    for key, value in values.items():
        if isinstance(value, Text):
            yield key, value.as_data()


def restored(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with the texts that came with them over RPC."""
    found = dict(values)
    composed = found.pop(COMPOSED, None)
    if isinstance(composed, dict):
        for key, data in composed.items():
            if isinstance(found.get(key), str):
                found[key] = from_data(found[key], data)
    return found
