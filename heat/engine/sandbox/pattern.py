"""Match values against users' regular expressions at a bounded cost.

Patterns have the meaning of Python's re. Those that RE2 can express are
handed to it; it takes time proportional to the value. The others (look-
around in the middle, back references) go to an engine that gives up in time.
"""
import functools
import re
from re import _constants as sre  # type: ignore[attr-defined]
from typing import Any

import re2

from heat.common import request_budget
from heat.engine.sandbox import re2_syntax
from heat.engine.sandbox import regex as bounded_regex


class Pattern:
    """A regular expression; matches() asks it about a whole value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tree = bounded_regex.parsed(text)

    @functools.cached_property
    def _linear(self) -> Any:
        # Most patterns of schemas are never asked about a value.
        with request_budget.step(bounded_regex.TIMEOUT):
            return _linear(self._tree)

    @property
    def is_linear(self) -> bool:
        """Return whether matching takes time proportional to the value."""
        return self._linear is not None

    def _matches_linearly(self, value: str) -> bool:
        checks, main = self._linear
        if any((check.match(value) is not None) is not wanted
               for check, wanted in checks):
            return False
        found = main.match(value)
        return found is not None and found.end() == len(value)

    def begins(self, value: str) -> bool:
        """Return whether the pattern matches at the start of a value.

        Raise ValueError if finding out would take too long.
        """
        if self._linear is not None and '\n' not in value:
            checks, main = self._linear
            return main.match(value) is not None and all(
                (check.match(value) is not None) is wanted
                for check, wanted in checks)
        return bounded_regex.BoundedRegex(self.text).match(value) is not None

    def matches(self, value: str) -> bool:
        """Return whether the match at the value's start reaches its end.

        Raise ValueError if finding out would take too long.
        """
        # In re, $ matches before a final newline too; RE2 has no such thing.
        if self._linear is not None and not (
                value.endswith('\n') and '$' in self.text):
            return self._matches_linearly(value)
        found = bounded_regex.BoundedRegex(self.text).match(value)
        return found is not None and found.end() == len(value)


@functools.lru_cache(maxsize=128)
def compiled(text: str) -> Pattern:
    """Return the pattern for this text; ValueError if it is malformed."""
    return Pattern(text)


def _linear(tree: Any) -> Any:
    """Return ([(look-ahead, wanted)], pattern) for RE2, or None.

    Look-ahead at the very start needs no look-around: the value must match
    it, or must not, besides matching the rest.
    """
    items = list(tree)
    checks = []
    while items:
        operator, argument = items[0]
        if operator is sre.AT and argument in (
                sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            pass
        elif operator in (sre.ASSERT, sre.ASSERT_NOT) and argument[0] == 1:
            checks.append((argument[1], operator is sre.ASSERT))
        else:
            break
        items.pop(0)
    flags = tree.state.flags
    try:
        return ([(_re2(check, flags), wanted) for check, wanted in checks],
                _re2(items, flags))
    except (re2_syntax.Inexpressible, re2.error, RecursionError):
        return None


def _re2(items: Any, flags: int) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not flags & re.IGNORECASE
    return re2.compile(re2_syntax.translated(items, flags), options)
