"""An estimate of the time that compiling a regular expression takes.

The compilers run without interruption, and take up to minutes for patterns
of a few thousand characters. The estimates are upper bounds in seconds.
"""
import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]
from typing import Any

from heat.common.i18n import _

#: The most that compiling one pattern may take.
MAX_SECONDS = 0.1

_NODE = 0.00002
#: A category of Unicode, which RE2 writes out as hundreds of ranges.
_CATEGORY = 0.0003
#: A class beyond Latin-1: re fills and compresses a map of 64 K characters.
_WIDE_CLASS = 0.003
#: A character of such a class when upper and lower case are equal.
_WIDE_CHARACTER = 0.0000002
_LATIN = 0xff
_PLANE = 0x10000
#: A group that RE2 and regex copy for each of many repetitions.
_REPETITION = 0.000004
#: How deep repetitions may be nested: regex makes 2^n copies.
_MAX_NESTED = 12

#: The regex module prepares the search for a text that every match contains:
#: in cubic time if the text repeats itself, and without looking at the clock.
_REQUIRED_TEXT = 0.0000000003

_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def check(tree: Any) -> None:
    """Raise ValueError if compiling a parsed pattern takes too long.

    Also if Python's re would refuse to compile it.
    """
    if _seconds(tree, tree.state.flags, 0) > MAX_SECONDS:
        raise ValueError(
            _('It takes too long to compile: it has too many character '
              'classes, groups or repetitions.'))


def check_search(tree: Any) -> None:
    """Raise ValueError if the regex module takes too long to begin a search.
    """
    if _REQUIRED_TEXT * _literals(tree) ** 3 > MAX_SECONDS:
        raise ValueError(
            _('It takes too long to search for: the text in it is too '
              'long.'))


def _literals(items: Any) -> int:
    """Return the most literal characters that a match must contain.

    What is repeated counts once: the regex module keeps it as a loop.
    """
    total = 0
    for operator, argument in items:
        if operator is sre.LITERAL:
            total += 1
        elif operator is sre.BRANCH:
            total += max(map(_literals, argument[1]))
        else:
            total += sum(map(_literals, _inner(argument)))
    return total


def _seconds(items: Any, flags: int, nested: int) -> float:
    total = 0.0
    for operator, argument in items:
        total += _NODE
        if operator is sre.IN:
            total += _class_seconds(argument, flags)
        elif operator in _REPEATS:
            total += _repeat_seconds(argument, flags, nested + 1)
        elif operator is sre.SUBPATTERN:
            _group, added, removed, inner = argument
            total += _seconds(inner, (flags | added) & ~removed, nested)
        else:
            if operator in (sre.ASSERT, sre.ASSERT_NOT):
                _check_look_behind(argument)
            for inner in _inner(argument):
                total += _seconds(inner, flags, nested)
        if total > MAX_SECONDS:
            break
    return total


def _check_look_behind(argument: Any) -> None:
    direction, items = argument
    low, high = items.getwidth()
    if direction < 0 and low != high:
        raise ValueError('look-behind requires fixed-width pattern')


def _inner(argument: Any) -> list[Any]:
    """Return the parts of a pattern that an argument consists of."""
    if isinstance(argument, sre_parse.SubPattern):
        return [argument]
    if isinstance(argument, (tuple, list)):
        return [part for each in argument for part in _inner(each)]
    return []


def _repeat_seconds(argument: Any, flags: int, nested: int) -> float:
    low, high, items = argument
    if nested > _MAX_NESTED:
        return MAX_SECONDS + 1
    inner = _seconds(items, flags, nested)
    copies: int = low if high is sre.MAXREPEAT else high
    if len(items) == 1 and items[0][0] in (
            sre.LITERAL, sre.NOT_LITERAL, sre.ANY):
        return inner
    # RE2 gives up when it has made 1000 copies, or has no memory left.
    return 2 * inner + _REPETITION * min(copies, 1000)


def _class_seconds(members: Any, flags: int) -> float:
    total = 0.0
    width = 0
    for operator, argument in members:
        if operator is sre.CATEGORY:
            total += 0.0 if flags & re.ASCII else _CATEGORY
        elif operator is sre.RANGE:
            low, high = argument
            if high > _LATIN:
                width += min(high, _PLANE) - min(low, _PLANE) + 1
        elif operator is sre.LITERAL and argument > _LATIN:
            width += 1
    if width:
        total += _WIDE_CLASS
        if flags & re.IGNORECASE:
            total += width * _WIDE_CHARACTER
    return total
