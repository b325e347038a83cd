"""Write a parsed regular expression in RE2's syntax, keeping its meaning.

The two differ in what \\d, \\w and \\s mean, in {,n} and in more; so the
text is written anew from the parse tree.
"""
import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]
from typing import Any

#: What the categories mean for Unicode text, as the inside of a class.
_UNICODE = {
    sre.CATEGORY_DIGIT: r'\p{Nd}',
    sre.CATEGORY_WORD: r'\p{L}\p{N}_',
    sre.CATEGORY_SPACE: r'\p{Z}\t-\r\x1c-\x1f\x{85}',
}
_ASCII = {
    sre.CATEGORY_DIGIT: '0-9',
    sre.CATEGORY_WORD: 'a-zA-Z0-9_',
    sre.CATEGORY_SPACE: r' \t-\r',
}
_NEGATED = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
}
_NOTHING = r'[^\x00-\x{10FFFF}]'


class Inexpressible(Exception):
    """RE2 has no way to say this."""


def translated(items: Any, flags: int) -> str:
    """Return RE2 text for these items of a parse tree."""
    return ''.join(_item(operator, argument, flags)
                   for operator, argument in items)


def _item(operator: Any, argument: Any, flags: int) -> str:
    writer = _WRITERS.get(operator)
    if writer is None:
        raise Inexpressible(str(operator))
    return writer(argument, flags)


def _character(code: int) -> str:
    return r'\x{%x}' % code


def _literal(code: int, flags: int) -> str:
    return _character(code)


def _not_literal(code: int, flags: int) -> str:
    return '[^%s]' % _character(code)


def _any(argument: Any, flags: int) -> str:
    return '(?s:.)' if flags & re.DOTALL else r'[^\n]'


def _class(members: Any, flags: int) -> str:
    """Write a class; one that mixes in a negated category as branches."""
    categories = _ASCII if flags & re.ASCII else _UNICODE
    negate = False
    inside = ''
    branches = []
    for operator, argument in members:
        if operator is sre.NEGATE:
            negate = True
        elif operator is sre.LITERAL:
            inside += _character(argument)
        elif operator is sre.RANGE:
            inside += '%s-%s' % tuple(map(_character, argument))
        elif argument in categories:
            inside += categories[argument]
        else:
            branches.append('[^%s]' % categories[_NEGATED[argument]])
    if not branches:
        return '[%s%s]' % ('^' if negate else '', inside)
    if negate:
        if inside or len(branches) > 1:
            raise Inexpressible('intersection of classes')
        return branches[0].replace('[^', '[', 1)
    if inside:
        branches.append('[%s]' % inside)
    return '(?:%s)' % '|'.join(branches)


def _category(argument: Any, flags: int) -> str:
    return _class([(sre.CATEGORY, argument)], flags)


def _branch(argument: Any, flags: int) -> str:
    return '(?:%s)' % '|'.join(translated(items, flags)
                               for items in argument[1])


def _group(argument: Any, flags: int) -> str:
    added, removed, items = argument[1:]
    inner = (flags | added) & ~removed
    text = translated(items, inner)
    if inner & re.IGNORECASE and not flags & re.IGNORECASE:
        return '(?i:%s)' % text
    if flags & re.IGNORECASE and not inner & re.IGNORECASE:
        return '(?-i:%s)' % text
    return '(?:%s)' % text


def _repeat(argument: Any, flags: int, lazy: str = '') -> str:
    low, high, items = argument
    if items.getwidth()[0] == 0 and _has_choice(items):
        # The two go on differently after a round that matched nothing.
        raise Inexpressible('choice of nothing in a repeat')
    text = translated(items, flags)
    if high is sre.MAXREPEAT:
        bounds = '{%d,}' % low
    else:
        bounds = '{%d,%d}' % (low, high)
    return '(?:%s)%s%s' % (text, bounds, lazy)


def _has_choice(items: Any) -> bool:
    """Return whether there are branches or lazy repeats in items."""
    for operator, argument in items:
        if operator in (sre.BRANCH, sre.MIN_REPEAT):
            return True
        nested = argument[-1] if isinstance(argument, tuple) else None
        if isinstance(nested, sre_parse.SubPattern) and _has_choice(nested):
            return True
    return False


def _lazy_repeat(argument: Any, flags: int) -> str:
    return _repeat(argument, flags, '?')


def _at(argument: Any, flags: int) -> str:
    if argument is sre.AT_BEGINNING:
        return '(?m:^)' if flags & re.MULTILINE else r'\A'
    if argument is sre.AT_END:
        # NOTE: re also lets $ match before a final newline. Values with one
        # are not matched by RE2.
        return '(?m:$)' if flags & re.MULTILINE else r'\z'
    text = {sre.AT_BEGINNING_STRING: r'\A',
            sre.AT_END_STRING: r'\z'}.get(argument)
    if text is None and flags & re.ASCII:
        text = {sre.AT_BOUNDARY: r'\b',
                sre.AT_NON_BOUNDARY: r'\B'}.get(argument)
    if text is None:
        raise Inexpressible(str(argument))
    return text


def _failure(argument: Any, flags: int) -> str:
    return _NOTHING


_WRITERS = {
    sre.LITERAL: _literal,
    sre.NOT_LITERAL: _not_literal,
    sre.ANY: _any,
    sre.IN: _class,
    sre.CATEGORY: _category,
    sre.BRANCH: _branch,
    sre.SUBPATTERN: _group,
    sre.MAX_REPEAT: _repeat,
    sre.MIN_REPEAT: _lazy_repeat,
    sre.AT: _at,
    sre.FAILURE: _failure,
}
