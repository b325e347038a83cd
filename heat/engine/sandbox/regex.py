"""Regular expressions that give up in time, with the syntax of Python's re.

They are for patterns of users that no engine with linear time can express.
"""
from collections.abc import Callable, Iterator
import functools
import re

# The parser of the standard library's re; there is no public one.
from re import _parser as sre_parse  # type: ignore[attr-defined]
from typing import Any

import regex

from heat.common import request_budget
from heat.common.i18n import _
from heat.engine.sandbox import pattern_cost

#: Seconds that the search in one text may take.
TIMEOUT = 0.2
#: How long a pattern may be; to compile one takes time, too.
MAX_PATTERN = 10000


class TooSlow(ValueError):
    """A search was given up."""


class BoundedRegex:
    """A compiled pattern, used like one of re."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._regex: Any = _compiled(pattern, flags & _FLAGS)

    def match(self, text: str) -> Any:
        """Return the match at the start of a text, or None."""
        return self._bounded(self._regex.match, text)

    def search(self, text: str) -> Any:
        """Return the first match in a text, or None."""
        return self._bounded(self._regex.search, text)

    def finditer(self, text: str) -> Iterator[Any]:
        """Return the matches in a text."""
        return iter(self._bounded(
            lambda *args, **kwargs: list(self._regex.finditer(
                *args, **kwargs)), text))

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        """Return the parts of a text between the matches."""
        found: list[str] = self._bounded(self._regex.split, text, maxsplit)
        return found

    def sub(self, replacement: Any, text: str, count: int = 0) -> str:
        """Return a text with matches replaced."""
        changed: str = self._bounded(self._regex.sub, replacement, text,
                                     count)
        return changed

    def _bounded(self, function: Callable[..., Any], *args: Any) -> Any:
        try:
            with request_budget.step(TIMEOUT) as seconds:
                return function(*args, timeout=seconds, concurrent=True)
        except TimeoutError as exc:
            raise TooSlow(
                _('Matching against "%s" takes too long; make the pattern '
                  'simpler.') % self.pattern[:100]) from exc


#: The flags that have the same number in both modules.
_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.UNICODE


def parsed(pattern: str, flags: int = 0) -> Any:
    """Return the parse tree of a pattern.

    Raise ValueError unless Python's re would compile it in a short time.
    """
    if len(pattern) > MAX_PATTERN:
        raise ValueError(
            _('A regular expression may have at most %d characters.')
            % MAX_PATTERN)
    try:
        with request_budget.step(TIMEOUT):
            tree = sre_parse.parse(pattern, flags)
            pattern_cost.check(tree)
    except (re.error, ValueError, OverflowError, RecursionError) as exc:
        raise ValueError(str(exc)) from exc
    return tree


@functools.lru_cache(maxsize=64)
def _compiled(pattern: str, flags: int) -> Any:
    tree = parsed(pattern, flags)
    try:
        with request_budget.step(TIMEOUT):
            pattern_cost.check_search(tree)
            return regex.compile(
                pattern, int(flags) | regex.VERSION0)
    except (regex.error, RecursionError, MemoryError) as exc:
        raise ValueError(str(exc)) from exc
