"""Match a parsed regular expression by backtracking, but only so far.

It means what Python's re means. Every step is counted, so a pattern made to
explode costs a bounded time.
"""
from collections.abc import Callable, Iterator
import re
from re import _constants as sre  # type: ignore[attr-defined]
from typing import Any

#: Enough for honest patterns; takes about a quarter of a second.
MAX_STEPS = 200000

_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdecimal,
    sre.CATEGORY_WORD: lambda char: char.isalnum() or char == '_',
    sre.CATEGORY_SPACE: str.isspace,
}
_NEGATED = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
}
_SINGLE = frozenset([sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN])


class TooManySteps(Exception):
    """The match was given up."""


def match_end(tree: Any, value: str) -> int | None:
    """Return where the match at the start of value ends, None without one.
    """
    matcher = _Matcher(value, tree.state.flags)
    return next(matcher.sequence(list(tree), 0, 0), None)


class _Matcher:
    """The state of one match: the value, its groups and the steps taken.

    The methods yield the ends of possible matches, best first. A flag set
    inside a group, as in (?i:...), is in force while that group is matched.
    """

    def __init__(self, value: str, flags: int) -> None:
        self.value = value
        self.flags = flags
        self.steps = 0
        self.groups: dict[int, str] = {}

    def sequence(self, items: Any, index: int, pos: int) -> Iterator[int]:
        if index == len(items):
            yield pos
            return
        operator, argument = items[index]
        for end in self._item(operator, argument, pos):
            yield from self.sequence(items, index + 1, end)

    def _item(self, operator: Any, argument: Any, pos: int
              ) -> Iterator[int]:
        self._count()
        if operator in _SINGLE:
            if self._fits(operator, argument, pos):
                yield pos + 1
            return
        yield from _MATCHERS[operator](self, argument, pos)

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooManySteps()

    def _fits(self, operator: Any, argument: Any, pos: int) -> bool:
        """Tell whether the character at pos is one that the item means."""
        if pos >= len(self.value):
            return False
        char = self.value[pos]
        if operator is sre.ANY:
            return char != '\n' or bool(self.flags & re.DOTALL)
        if operator is sre.LITERAL:
            return self._is_literal(argument, char)
        if operator is sre.NOT_LITERAL:
            return not self._is_literal(argument, char)
        return self._is_member(argument, char)

    def _cases(self, char: str) -> set[str]:
        if not self.flags & re.IGNORECASE:
            return {char}
        return {char} | {other for other in (char.lower(), char.upper())
                         if len(other) == 1}

    def _is_literal(self, code: int, char: str) -> bool:
        return bool(self._cases(char) & self._cases(chr(code)))

    def _is_member(self, members: Any, char: str) -> bool:
        wanted = True
        for operator, argument in members:
            if operator is sre.NEGATE:
                wanted = False
            elif operator is sre.LITERAL:
                if self._is_literal(argument, char):
                    return wanted
            elif operator is sre.RANGE:
                if any(argument[0] <= ord(case) <= argument[1]
                       for case in self._cases(char)):
                    return wanted
            elif self._is_in_category(argument, char):
                return wanted
        return not wanted

    def _is_in_category(self, category: Any, char: str) -> bool:
        if category in _NEGATED:
            return not self._is_in_category(_NEGATED[category], char)
        if self.flags & re.ASCII and not char.isascii():
            return False
        return _CATEGORIES[category](char)

    def _branch(self, argument: Any, pos: int) -> Iterator[int]:
        for items in argument[1]:
            yield from self.sequence(items, 0, pos)

    def _group(self, argument: Any, pos: int) -> Iterator[int]:
        group, added, removed, items = argument
        outside = self.flags
        inside = (outside | added) & ~removed
        before = self.groups.get(group)
        self.flags = inside
        for end in self.sequence(items, 0, pos):
            self.flags = outside
            if group is not None:
                self.groups[group] = self.value[pos:end]
            yield end
            self._restore(group, before)
            self.flags = inside
        self.flags = outside

    def _restore(self, group: int | None, before: str | None) -> None:
        if group is None:
            return
        if before is None:
            self.groups.pop(group, None)
        else:
            self.groups[group] = before

    def _reference(self, group: int, pos: int) -> Iterator[int]:
        text = self.groups.get(group)
        if text is None:
            return
        found = self.value[pos:pos + len(text)]
        if found == text or (self.flags & re.IGNORECASE and
                             found.lower() == text.lower()):
            yield pos + len(text)

    def _if_group(self, argument: Any, pos: int) -> Iterator[int]:
        group, present, absent = argument
        items = present if group in self.groups else (absent or [])
        yield from self.sequence(items, 0, pos)

    def _greedy(self, argument: Any, pos: int) -> Iterator[int]:
        low, high, items = argument
        if len(items) == 1 and items[0][0] in _SINGLE:
            count = self._run_length(items[0], high, pos)
            for length in range(count, low - 1, -1):
                self._count()
                yield pos + length
            return
        yield from self._repeated(argument, 0, pos, True)

    def _lazy(self, argument: Any, pos: int) -> Iterator[int]:
        yield from self._repeated(argument, 0, pos, False)

    def _run_length(self, item: Any, high: Any, pos: int) -> int:
        length = 0
        while ((high is sre.MAXREPEAT or length < high) and
               self._fits(item[0], item[1], pos + length)):
            length += 1
        return length

    def _repeated(self, argument: Any, count: int, pos: int, greedy: bool
                  ) -> Iterator[int]:
        low, high, items = argument
        self._count()
        if not greedy and count >= low:
            yield pos
        if high is sre.MAXREPEAT or count < high:
            for end in self.sequence(items, 0, pos):
                # An empty round changes nothing; it is the last one.
                if end == pos and count >= low:
                    yield end
                else:
                    yield from self._repeated(argument, count + 1, end,
                                              greedy)
        if greedy and count >= low:
            yield pos

    def _possessive(self, argument: Any, pos: int) -> Iterator[int]:
        yield from self._first(self._greedy(argument, pos))

    def _atomic(self, items: Any, pos: int) -> Iterator[int]:
        yield from self._first(self.sequence(items, 0, pos))

    @staticmethod
    def _first(ends: Iterator[int]) -> Iterator[int]:
        for end in ends:
            yield end
            return

    def _ahead_or_behind(self, argument: Any, pos: int) -> int | None:
        """Return pos if the assertion's items match there, else None."""
        direction, items = argument
        if direction > 0:
            found = next(self.sequence(items, 0, pos), None) is not None
        else:
            start = pos - items.getwidth()[0]
            found = start >= 0 and any(
                end == pos for end in self.sequence(items, 0, start))
        return pos if found else None

    def _assert(self, argument: Any, pos: int) -> Iterator[int]:
        if self._ahead_or_behind(argument, pos) is not None:
            yield pos

    def _assert_not(self, argument: Any, pos: int) -> Iterator[int]:
        groups = dict(self.groups)
        if self._ahead_or_behind(argument, pos) is None:
            yield pos
        self.groups = groups

    def _at(self, argument: Any, pos: int) -> Iterator[int]:
        if self._is_at(argument, pos):
            yield pos

    def _is_at(self, place: Any, pos: int) -> bool:
        multiline = bool(self.flags & re.MULTILINE)
        if place in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            return pos == 0 or (
                multiline and place is sre.AT_BEGINNING and
                self.value[pos - 1] == '\n')
        if place is sre.AT_END_STRING:
            return pos == len(self.value)
        if place is sre.AT_END:
            rest = self.value[pos:]
            return rest in ('', '\n') or (multiline and rest[0] == '\n')
        at_boundary = self._is_word(pos - 1) != self._is_word(pos)
        return at_boundary is (place is sre.AT_BOUNDARY)

    def _is_word(self, pos: int) -> bool:
        return (0 <= pos < len(self.value) and
                self._is_in_category(sre.CATEGORY_WORD, self.value[pos]))

    def _failure(self, argument: Any, pos: int) -> Iterator[int]:
        return iter(())


_MATCHERS: dict[Any, Callable[[_Matcher, Any, int], Iterator[int]]] = {
    sre.BRANCH: _Matcher._branch,
    sre.SUBPATTERN: _Matcher._group,
    sre.GROUPREF: _Matcher._reference,
    sre.GROUPREF_EXISTS: _Matcher._if_group,
    sre.MAX_REPEAT: _Matcher._greedy,
    sre.MIN_REPEAT: _Matcher._lazy,
    sre.POSSESSIVE_REPEAT: _Matcher._possessive,
    sre.ATOMIC_GROUP: _Matcher._atomic,
    sre.ASSERT: _Matcher._assert,
    sre.ASSERT_NOT: _Matcher._assert_not,
    sre.AT: _Matcher._at,
    sre.FAILURE: _Matcher._failure,
}
