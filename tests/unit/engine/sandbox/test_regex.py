"""Regular expressions that give up in time mean what those of re mean."""
import re

from hypothesis import given
import pytest

from heat.engine.sandbox import regex as bounded_regex
from tests.fakes import strategies
from tests.unit.engine.sandbox import patterns


@pytest.fixture
def little_time(monkeypatch):
    monkeypatch.setattr(bounded_regex, 'TIMEOUT', 0.01)


def spans(found):
    return [match.span() for match in found]


@strategies.settings(100)
@given(patterns.PATTERNS.filter(patterns.compiles), patterns.SEVERAL)
def test_bounded_engine_means_what_re_means(text, values):
    bounded = bounded_regex.BoundedRegex(text)
    for value in values:
        found, other = re.match(text, value), bounded.match(value)
        assert (other and other.span()) == (found and found.span()), value
        found, other = re.search(text, value), bounded.search(value)
        assert (other and other.span()) == (found and found.span()), value


def test_all_that_a_pattern_of_re_offers():
    python, bounded = re.compile('(a)|b'), bounded_regex.BoundedRegex('(a)|b')
    text = 'xaybza'
    assert spans(bounded.finditer(text)) == spans(python.finditer(text))
    assert bounded.split(text) == python.split(text)
    assert bounded.split(text, 1) == python.split(text, 1)
    assert bounded.sub('-', text) == python.sub('-', text)
    assert bounded.sub('-', text, 2) == python.sub('-', text, 2)
    assert bounded.sub(lambda found: found[0] * 2, text) == 'xaaybbzaa'


@pytest.mark.parametrize(('text', 'flags', 'value'), [
    ('A', re.IGNORECASE, 'a'), ('a$', re.MULTILINE, 'a\nb'),
    ('a.b', re.DOTALL, 'a\nb')])
def test_flags(text, flags, value):
    assert bounded_regex.BoundedRegex(text, flags).match(value)
    assert not bounded_regex.BoundedRegex(text).match(value)


def test_flags_of_re_alone_do_no_harm():
    # The numbers of other flags mean something else to the engine.
    assert bounded_regex.BoundedRegex('a b', re.DEBUG).match('a b')


@pytest.mark.parametrize('call', [
    'match', 'search', 'finditer', 'split', 'sub'])
def test_every_call_gives_up_in_time(call, little_time):
    bounded = bounded_regex.BoundedRegex(r'(x+x+)+y\1')
    args = ('', 'x' * 5000 + '!') if call == 'sub' else ('x' * 5000 + '!',)
    with pytest.raises(bounded_regex.TooSlow, match=r'\(x\+x\+\)\+y'):
        getattr(bounded, call)(*args)


@pytest.mark.parametrize(('text', 'reason'), [
    ('(', 'unterminated'), ('a' * 10001, 'at most 10000 characters'),
    ('(?<=a*)b', 'fixed-width'), (r'[\w\d]' * 1000, 'too long to compile'),
    ('(' * 3000 + ')' * 3000, 'recursion|too many'),
    ('a{99999999999}', 'repetition number')])
def test_bad_patterns_are_refused_with_a_reason(text, reason):
    for compile_pattern in (bounded_regex.parsed, bounded_regex.BoundedRegex):
        with pytest.raises(ValueError, match=reason):
            compile_pattern(text)


def test_the_longest_pattern():
    text = '(?#%s)a' % ('b' * (bounded_regex.MAX_PATTERN - 6))
    assert bounded_regex.BoundedRegex(text).match('aa').end() == 1


@pytest.mark.parametrize('text', [
    'a' * 2000, '(?i:a)' * 1000, '(?>%s)' % ('ab' * 500), '(?:a|a)' * 1000,
    '(?:%s)+' % ('a' * 1000)])
def test_long_texts_are_not_searched_for(text):
    """The engine prepares to, for seconds, and does not look at the clock.
    """
    with pytest.raises(ValueError, match='too long to search for'):
        bounded_regex.BoundedRegex(text)


def test_patterns_are_compiled_once():
    before = bounded_regex._compiled.cache_info().hits
    for _turn in range(2):
        bounded_regex.BoundedRegex('compiled [o]nce').match('x')
    assert bounded_regex._compiled.cache_info().hits == before + 1
