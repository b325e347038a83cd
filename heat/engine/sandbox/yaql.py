"""Bounds of yaql queries that the limits of the yaql library leave open.

The library counts items and looks at the size of what a function returned.
Here time is bounded, and what a function is about to make.
"""
from collections.abc import Callable, Iterable, Iterator, Mapping
import contextlib
import copy
import functools
import re
import threading
from typing import Any

import yaql
from yaql.language import contexts
from yaql.language import expressions
from yaql.standard_library import collections as std_collections
from yaql.standard_library import math as std_math
from yaql.standard_library import queries as std_queries
from yaql.standard_library import regex as std_regex
from yaql.standard_library import strings as std_strings

from heat.common import request_budget
from heat.common.i18n import _
from heat.engine.sandbox import regex as bounded_regex

#: Seconds of computing that a query may take.
MAX_SECONDS = 0.3
#: Characters, items or bits that a single function may make.
MAX_SIZE = 1024 * 1024
#: Characters of a query; to parse it takes time, too.
MAX_EXPRESSION = 20000
#: How many items without end go by between two looks at the clock.
_ITEMS = 256

_running = threading.local()


class TooExpensive(ValueError):
    """A query takes too long, or makes too much."""


@contextlib.contextmanager
def limited_time() -> Iterator[None]:
    """Have queries of this thread fail when they take too long."""
    outer = getattr(_running, 'reserve', None)
    with request_budget.work():
        _running.reserve = request_budget.seconds_left() - MAX_SECONDS
        try:
            yield
        finally:
            _running.reserve = outer


def _check_time() -> None:
    request_budget.check()
    reserve = getattr(_running, 'reserve', None)
    if reserve is not None and request_budget.seconds_left() < reserve:
        raise TooExpensive(_('it takes more than %s seconds') % MAX_SECONDS)


class _Tokens:
    """The lexer of one query, which counts the time that parsing takes."""

    def __init__(self, lexer: Any) -> None:
        self._lexer = lexer.clone()

    @property
    def lexdata(self) -> Any:
        """The text of the query."""
        return self._lexer.lexdata

    def input(self, text: str) -> None:
        """Set the text of the query."""
        self._lexer.input(text)

    def token(self) -> Any:
        """Return the next token; raise Exceeded without budget."""
        request_budget.check()
        return self._lexer.token()


def parse(engine: Any, expression: str) -> Any:
    """Return the statement of a query; several threads may parse at once.

    The parsers of yaql keep the state of the query they are reading.
    """
    with request_budget.work():
        parser = copy.copy(engine.parser)
        return expressions.Statement(
            parser.parse(expression, lexer=_Tokens(engine.lexer)), engine)


def _check_size(size: int) -> None:
    if size > MAX_SIZE:
        raise TooExpensive(_('it makes something of more than %d characters, '
                             'items or bits') % MAX_SIZE)


@functools.cache
def _context_class() -> Any:
    """Return the class of contexts that look at the clock.

    They do whenever a function is called.
    """
    class Context(contexts.Context):  # type: ignore[name-defined, misc]
        def collect_functions(self, *args: Any, **kwargs: Any) -> Any:
            _check_time()
            return super().collect_functions(*args, **kwargs)
    return Context


@functools.lru_cache(maxsize=1)
def root_context() -> Any:
    """Return the context of the standard library, bounded.

    Create a child of it for each evaluation.
    """
    context = yaql.create_context()
    layer = context
    while layer is not None:
        for name in _NAMES:
            for definition in layer.get_functions(name)[0]:
                definition.payload = _bounded(definition.payload)
        layer = layer.parent
    return _context_class()(context)


def _bounded(payload: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands for a function of the library."""
    if payload in _endless():
        return _ticking(payload)
    if payload in _sizes():
        return _measured(payload, _sizes()[payload])
    if payload in _substitutes():
        return _substitutes()[payload]
    if payload in _regex_users():
        return _with_bounded_regex(payload)
    return payload


def _ticking(payload: Callable[..., Iterable[Any]]
             ) -> Callable[..., Iterator[Any]]:
    def items(*args: Any, **kwargs: Any) -> Iterator[Any]:
        for number, item in enumerate(payload(*args, **kwargs)):
            if number % _ITEMS == 0:
                _check_time()
            yield item
    return items


def _measured(payload: Callable[..., Any],
              size_of: Callable[..., int]) -> Callable[..., Any]:
    def measured(*args: Any, **kwargs: Any) -> Any:
        _check_size(size_of(*args, **kwargs))
        return payload(*args, **kwargs)
    return measured


# -- how much a function would make -----------------------------------------

def _power_bits(a: Any, b: Any, c: Any = None) -> int:
    if not (isinstance(a, int) and isinstance(b, int)) or b < 0:
        return 0
    if isinstance(c, int):
        # Not what it makes is large, but what it takes.
        return c.bit_length() * b.bit_length()
    return a.bit_length() * b


def _shifted_bits(value: Any, bits_number: int) -> int:
    return int(value.bit_length() + bits_number)


def _repeated_items(left: Any, right: Any, engine: Any = None) -> int:
    count, items = (left, right) if isinstance(left, int) else (right, left)
    return int(count * len(items))


def _replaced_length(string: str, old: str, new: str,
                     count: int = -1) -> int:
    places = string.count(old)
    if count >= 0:
        places = min(places, count)
    return len(string) + places * len(new)


def _join(sequence: Iterable[Any], separator: str,
          str_delegate: Callable[[Any], str]) -> str:
    parts, length = [], 0
    for item in sequence:
        parts.append(str_delegate(item))
        length += len(parts[-1]) + len(separator)
        _check_size(length)
    return separator.join(parts)


def _join_swapped(separator: str, sequence: Iterable[Any],
                  str_delegate: Callable[[Any], str]) -> str:
    return _join(sequence, separator, str_delegate)


def _replace_all(string: str, str_func: Callable[[Any], str],
                 replacements: Mapping[Any, Any], count: int = -1) -> str:
    for key, value in replacements.items():
        old, new = str_func(key), str_func(value)
        _check_size(_replaced_length(string, old, new, count))
        string = string.replace(old, new, count)
    return string


# -- regular expressions ----------------------------------------------------

def _with_bounded_regex(payload: Callable[..., Any]) -> Callable[..., Any]:
    def bounded(*args: Any, **kwargs: Any) -> Any:
        return payload(*map(_bounded_regex, args),
                       **{key: _bounded_regex(value)
                          for key, value in kwargs.items()})
    return bounded


def _bounded_regex(value: Any) -> Any:
    if not isinstance(value, re.Pattern):
        return value
    return bounded_regex.BoundedRegex(value.pattern, value.flags)


def _flags(ignore_case: bool, multi_line: bool, dot_all: bool) -> int:
    return (ignore_case and re.IGNORECASE) | (
        multi_line and re.MULTILINE) | (dot_all and re.DOTALL)


def _compile(pattern: str, ignore_case: bool = False,
             multi_line: bool = False, dot_all: bool = False) -> Any:
    bounded_regex.parsed(pattern, _flags(ignore_case, multi_line, dot_all))
    return std_regex.regex(pattern, ignore_case, multi_line, dot_all)


def _matches(string: str, pattern: str) -> bool:
    return bounded_regex.BoundedRegex(pattern).search(string) is not None


def _matches_not(string: str, pattern: str) -> bool:
    return not _matches(string, pattern)


@functools.cache
def _endless() -> frozenset[Any]:
    return frozenset((
        std_queries.range_, std_queries.range__, std_queries.sequence,
        std_queries.repeat, std_queries.cycle))


@functools.cache
def _sizes() -> dict[Any, Callable[..., int]]:
    return {
        std_math.pow_: _power_bits,
        std_math.shift_bits_left: _shifted_bits,
        std_collections.list_by_int: _repeated_items,
        std_collections.int_by_list: _repeated_items,
        std_strings.replace: _replaced_length,
        std_strings.string_by_int: _repeated_items,
        std_strings.int_by_string: _repeated_items,
    }


@functools.cache
def _substitutes() -> dict[Any, Callable[..., Any]]:
    return {
        std_strings.join: _join,
        std_strings.join_: _join_swapped,
        std_strings.replace_with_dict: _replace_all,
        std_regex.regex: _compile,
        std_regex.matches_: _matches,
        std_regex.matches_operator_string: _matches,
        std_regex.not_matches_operator_string: _matches_not,
    }


@functools.cache
def _regex_users() -> frozenset[Any]:
    return frozenset((
        std_regex.matches, std_regex.matches_operator_regex,
        std_regex.not_matches_operator_regex, std_regex.search,
        std_regex.search_all, std_regex.split, std_regex.split_string,
        std_regex.replace, std_regex.replace_string, std_regex.replace_by,
        std_regex.replace_by_string))


#: What queries call the functions above.
_NAMES = ('range', 'sequence', 'repeat', 'cycle', 'pow', 'shiftBitsLeft',
          '#operator_*', '#operator_=~', '#operator_!~', 'replace', 'join',
          'regex', 'matches', 'search', 'searchAll', 'split', 'replaceBy')
