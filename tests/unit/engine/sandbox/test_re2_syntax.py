"""Patterns of Python's re, written for RE2."""
import re
from re import _constants as sre
from re import _parser as sre_parse

from hypothesis import given
import pytest
import re2

from heat.engine.sandbox import re2_syntax
from tests.fakes import strategies
from tests.unit.engine.sandbox import patterns


def translated(text, flags=0):
    tree = sre_parse.parse(text, flags)
    return re2_syntax.translated(tree, tree.state.flags)


def matched(text, value, flags=0):
    """Return what RE2 matches at the start of a value, None if nothing."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not flags & re.IGNORECASE
    found = re2.compile(translated(text, flags), options).match(value)
    return found and found.group()


@strategies.settings(60)
@given(patterns.PATTERNS.filter(patterns.compiles), patterns.SEVERAL)
def test_what_can_be_expressed_keeps_its_meaning(text, values):
    try:
        matched(text, '')
    except re2_syntax.Inexpressible:
        return
    for value in values:
        # Before a final newline, $ matches in re only.
        value = value.rstrip('\n')
        python = re.match(text, value)
        assert matched(text, value) == (python and python.group()), value


@pytest.mark.parametrize('text', [
    r'(a)\1', '(?=a)b', '(?!a)b', '(?<=a)b', '(?<!a)b', r'\b', r'\B',
    '(?>a)', 'a++', '(a)?(?(1)b|c)', r'[^\W\D]', r'[^\Wa]', '(a?|b)*',
    '(?:a*?)*'])
def test_what_cannot_be_expressed(text):
    with pytest.raises(re2_syntax.Inexpressible):
        translated(text)


@pytest.mark.parametrize(('text', 'good', 'bad'), [
    # \d, \w and \s are those of Unicode, and of ASCII when that is asked for.
    (r'\d', '٣', 'a'), (r'\w', 'é', '-'), (r'\s', '\x85', 'a'),
    (r'\D', 'a', '٣'), (r'\W', '-', 'é'), (r'\S', 'a', '\u2003'),
    (r'(?a)\d', '3', '٣'), (r'(?a)\w', 'e', 'é'), (r'(?a)\s', ' ', '\x85'),
    (r'[\W_]', '_', 'é'), (r'[^\W]', 'é', '-'), (r'[^\D]', '1', 'a'),
    (r'[\W\D]', 'a', '1'), ('[^ab]', 'c', 'b'), ('[^]]', '[', ']'),
    # What RE2 would take for syntax of its own.
    (r'\.', '.', 'a'), ('[.]', '.', 'a'), (r'\{', '{', 'a'),
    ('x{,2}$', 'xx', 'xxx'), ('x{2,}$', 'xxx', 'x'), ('x{3}$', 'xxx', 'xx'),
    ('.', 'a', '\n'), ('(?s).', '\n', ''), ('(?s:.)', '\n', ''),
    ('(?i:a)', 'A', 'b'), ('(?:a|bc)$', 'bc', 'ab'),
    ('a$', 'a', 'a\nb'), (r'a\Z', 'a', 'ab'), ('(?m)a$', 'a\nb', 'ab'),
    ('(?m)(?:a\n)?^b', 'a\nb', 'ab'), (r'(?a)a\b', 'a-', 'ab'),
    (r'(?a)a\B', 'ab', 'a-')])
def test_examples(text, good, bad):
    assert re.match(text, good)
    assert not re.match(text, bad)
    assert matched(text, good) == re.match(text, good).group()
    assert matched(text, bad) is None


def test_case_is_that_of_the_flags():
    assert matched('aB', 'Ab', re.IGNORECASE) == 'Ab'
    assert matched('a(?-i:B)', 'Ab', re.IGNORECASE) is None
    assert matched('a(?-i:B)', 'AB', re.IGNORECASE) == 'AB'


def test_what_cannot_match_matches_nothing():
    # Newer parsers make it of a look-ahead that cannot succeed.
    text = re2_syntax.translated([(sre.FAILURE, ())], 0)
    assert re2.compile('a|' + text).match('a')
    assert not re2.compile('b|' + text).match('a')
    assert not re2.compile(text).match('')
