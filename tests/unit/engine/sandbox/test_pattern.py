"""Patterns that match whole values in bounded time."""
import contextlib
import re
import time

from hypothesis import given
import pytest

from heat.engine.sandbox import pattern
from heat.engine.sandbox import regex as bounded_regex
from tests.fakes import strategies
from tests.unit.engine.sandbox import patterns


def expected(text, value):
    found = re.match(text, value)
    return found is not None and found.end() == len(value)


@strategies.settings(150)
@given(patterns.PATTERNS.filter(patterns.compiles), patterns.SEVERAL)
def test_means_what_re_means(text, values):
    made = pattern.Pattern(text)
    for value in values:
        assert made.matches(value) is expected(text, value), value


@pytest.mark.parametrize(('text', 'value', 'valid'), [
    ('[a-z]+', 'abc', True),
    ('[a-z]+', 'abc1', False),
    ('', '', True),
    # The first branch that matches counts, as with re.match.
    ('a|ab', 'ab', False),
    ('a$', 'a\n', False),
    (r'(?:$|\s)', '\n', False),
    (r'(\w)\1', 'aa', True),
    (r'(\w)\1', 'ab', False),
    (r'(?i)(\w)\1', 'aA', True),
    (r'(a)?b(?(1)c|d)', 'abc', True),
    (r'(a)?b(?(1)c|d)', 'bd', True),
    (r'(a)?b(?(1)c|d)', 'bc', False),
    ('(?>a+)ab', 'aab', False),
    ('a++b', 'aab', True),
    ('a*+a', 'aaa', False),
    (r'^(?=.*[A-Z])(?=.*\d).{4,}$', 'Abc1', True),
    (r'^(?=.*[A-Z])(?=.*\d).{4,}$', 'abc1', False),
    (r'^(?!root$)[a-z]+$', 'root', False),
    (r'^(?!root$)[a-z]+$', 'roots', True),
    ('(?s).', '\n', True),
    ('(?a)\\w', 'é', False),
    ('(?a:\\w)', 'é', False),
    ('(?m)a$\n^b', 'a\nb', True),
    ('x{,3}', 'xx', True),
    ('[^é]', 'e', True),
    ('(?#remark)a', 'a', True),
    ('(?P<first>a)(?P=first)', 'aa', True),
])
def test_examples(text, value, valid):
    assert expected(text, value) is valid
    assert pattern.compiled(text).matches(value) is valid


@pytest.mark.parametrize('text', ['(', '*a', '[z-a]', 'a{2,1}', '(?P<1>a)',
                                  '(?<=a*)b', r'\1', '(?z)'])
def test_malformed(text):
    with pytest.raises(ValueError):
        pattern.compiled(text)


@pytest.mark.parametrize('text', [
    '(a+)+$', '(a|a)*$', '(a|aa)+$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?=(a+)+$)a*b', r'^(?=.*\d)(a*)*b'])
def test_exploding_patterns_are_linear(text):
    compiled = pattern.compiled(text)
    assert compiled.is_linear
    assert compiled.matches('a' * 5000 + '!') is False


@pytest.mark.parametrize('text', [
    r'(x+x+)+y\1', r'(?:(?<=a|x)x|xx|x)+$', r'(x|xx)+(?<!y)z$'])
def test_others_give_up_in_bounded_time(text, monkeypatch):
    monkeypatch.setattr(bounded_regex, 'TIMEOUT', 0.02)
    compiled = pattern.compiled(text)
    assert not compiled.is_linear
    started = time.thread_time()
    with pytest.raises(ValueError, match='takes too long'):
        compiled.matches('x' * 5000 + '!')
    assert time.thread_time() - started < 1


@pytest.mark.parametrize('text', [
    'a' * 10001, '(?:' * 3000 + 'a' + ')' * 3000])
def test_huge_patterns_are_refused(text):
    with pytest.raises(ValueError):
        pattern.compiled(text)


@pytest.mark.parametrize('text', [
    '((a{1,1000}){1,1000}){1,1000}', '(a{500}){500}b', '(?:a?){500}' * 9,
    '(' * 150 + 'a' + ')*' * 150])
def test_patterns_that_multiply_are_bounded(text):
    started = time.thread_time()
    with contextlib.suppress(ValueError):
        assert not pattern.Pattern(text).matches('a' * 3000 + '!')
    assert time.thread_time() - started < 1


def test_host_names_with_look_around():
    text = (r'^(?=.{1,254}$)(?!-)[A-Za-z0-9-]{1,63}(?<!-)'
            r'(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*\.?$')
    compiled = pattern.compiled(text)
    assert compiled.matches('a-b.example.' * 12)
    assert not compiled.matches('a-.example')
    assert not compiled.matches('a.' * 150)
