"""Compare the value that a property should have with the real one.

Services write the same value in other ways than templates do, and add what
they have chosen themselves. Neither is a difference.
"""
from collections.abc import Iterator, Mapping
import ipaddress
import re
from typing import Any

from heat.engine import constraints
from heat.engine import properties

#: A difference: path of the value, what is expected, what is there.
Difference = tuple[str, Any, Any]

_ID = re.compile(r'[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}',
                 re.IGNORECASE)
_MAC = re.compile(r'(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}', re.IGNORECASE)
_WORDS = {True: 'true', False: 'false'}


def differences(path: str, expected: Any, actual: Any, schema: Any = None
                ) -> Iterator[Difference]:
    """Yield the innermost parts in which a value is not as expected.

    :param path: that of the value
    :param expected: None for what may have any value
    :param schema: of the property, if there is one
    """
    if expected is None or _is_same(expected, actual, schema):
        return
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key in sorted(expected, key=str):
            yield from differences('%s.%s' % (path, key), expected[key],
                                   actual.get(key), _below(schema, key))
    elif (isinstance(expected, list) and isinstance(actual, list) and
          len(expected) == len(actual) and
          all(isinstance(each, Mapping) for each in [*expected, *actual])):
        for index, (wanted, found) in enumerate(_unmatched(
                expected, actual, schema)):
            yield from differences('%s[%d]' % (path, index), wanted, found,
                                   _below(schema, '*'))
    else:
        yield path, expected, actual


def _is_same(expected: Any, actual: Any, schema: Any) -> bool:
    """Return whether a value is as expected."""
    if actual is None or actual == '':
        # Services show what is empty in several ways.
        return not expected
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(
            value is None or _is_same(value, actual.get(key),
                                      _below(schema, key))
            for key, value in expected.items())
    if isinstance(expected, (list, tuple, set)):
        return isinstance(actual, (list, tuple, set)) and (
            len(expected) == len(actual) and
            not _left_over(list(expected), list(actual), schema))
    if isinstance(actual, (Mapping, list, tuple, set)):
        return False
    return _is_same_scalar(expected, actual, schema)


def _left_over(expected: list[Any], actual: list[Any], schema: Any
               ) -> list[Any]:
    """Return what is expected in a list and not there, in any order."""
    inner, rest, missing = _below(schema, '*'), list(actual), []
    for value in expected:
        index = next((index for index, found in enumerate(rest)
                      if _is_same(value, found, inner)), None)
        if index is None:
            missing.append(value)
        else:
            del rest[index]
    return missing


def _unmatched(expected: list[Any], actual: list[Any], schema: Any
               ) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of maps, first those at the same place."""
    inner = _below(schema, '*')
    rest = list(actual)
    open_ones = []
    for value in expected:
        index = next((index for index, found in enumerate(rest)
                      if _is_same(value, found, inner)), None)
        if index is None:
            open_ones.append(value)
        else:
            del rest[index]
    yield from zip(open_ones, rest, strict=True)


def _is_same_scalar(expected: Any, actual: Any, schema: Any) -> bool:
    one, other = (_text(each) for each in (expected, actual))
    if one == other:
        return True
    kind = getattr(schema, 'type', None)
    if kind == properties.Schema.BOOLEAN:
        return one.lower() == other.lower()
    if kind in (properties.Schema.INTEGER, properties.Schema.NUMBER):
        return _is_same_number(one, other)
    if _has_constraint(schema, constraints.AllowedValues):
        return one.lower() == other.lower()
    if _has_constraint(schema, constraints.CustomConstraint) and (
            bool(_ID.fullmatch(one)) != bool(_ID.fullmatch(other))):
        # The name of a thing here, its id there: they cannot be compared.
        return True
    if _MAC.fullmatch(one) and _MAC.fullmatch(other):
        return one.lower().replace('-', ':') == other.lower().replace(
            '-', ':')
    return _is_same_address(one, other)


def _text(value: Any) -> str:
    return _WORDS[value] if isinstance(value, bool) else str(value)


def _is_same_number(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _is_same_address(one: str, other: str) -> bool:
    """Return whether two texts are the same address or network."""
    if ('/' in one) != ('/' in other):
        return False
    try:
        return ipaddress.ip_network(one, strict=False) == (
            ipaddress.ip_network(other, strict=False))
    except ValueError:
        return False


def _has_constraint(schema: Any, kind: type) -> bool:
    return any(isinstance(each, kind)
               for each in getattr(schema, 'constraints', None) or ())


def _below(schema: Any, key: Any) -> Any:
    """Return the schema of what is inside a value, None if there is none."""
    inner = getattr(schema, 'schema', None)
    try:
        return None if inner is None else inner[key]
    except (KeyError, TypeError):
        return None
