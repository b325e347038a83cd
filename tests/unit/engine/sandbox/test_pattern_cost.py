"""What patterns cost to compile, without compiling them."""
import re
from re import _parser as sre_parse

from hypothesis import given
import pytest

from heat.engine.sandbox import pattern_cost
from tests.fakes import strategies
from tests.unit.engine.sandbox import patterns


def check(text, flags=0):
    pattern_cost.check(sre_parse.parse(text, flags))


@strategies.SETTINGS
@given(patterns.PATTERNS.filter(patterns.compiles))
def test_small_patterns_are_cheap(text):
    check(text)


@pytest.mark.parametrize(('cheap', 'dear'), [
    # Characters, categories of Unicode, classes beyond Latin-1.
    ('a' * 4000, 'a' * 6000),
    (r'[\w]' * 200, r'[\w]' * 400),
    ('[\u0100-\u0200]' * 20, '[\u0100-\u0200]' * 40),
    # Repetitions of what is repeated multiply.
    ('(a{500}){500}', '((((((((((((a*)*)*)*)*)*)*)*)*)*)*)*)*'),
    ('(?:ab){10}' * 500, '(?:ab){1000}' * 500),
])
def test_the_costs_of_parts_add_up(cheap, dear):
    check(cheap)
    with pytest.raises(ValueError, match='too long to compile'):
        check(dear)


@pytest.mark.parametrize('around', [
    '(%s)', '(?:%s|b)', '(?=%s)', '(?!%s)', '(%s)?', '(a)(?(1)%s|b)',
    '(?i:%s)', '(?>%s)'])
def test_costs_of_inner_parts_count(around):
    check(around % ('a' * 10))
    with pytest.raises(ValueError, match='too long to compile'):
        check(around % (r'[\w]' * 400))


def test_categories_of_ascii_cost_little():
    check(r'[\w]' * 400, re.ASCII)
    check('(?a:%s)' % (r'[\w]' * 400))
    with pytest.raises(ValueError):
        check('(?a:a)' + r'[\w]' * 400)


def test_a_wide_class_costs_more_without_case():
    wide = '[\u0100-\uffff]' * 10
    check(wide)
    with pytest.raises(ValueError):
        check(wide, re.IGNORECASE)


@pytest.mark.parametrize(('text', 'valid'), [
    ('(?<=ab)c', True), ('(?<=a|b)c', True), ('(?<!a{2})c', True),
    ('(?<=a*)c', False), ('(?<!a|bc)c', False), ('((?<=a?)c)+', False),
    ('(?=a*)c', True)])
def test_look_behind_has_one_width(text, valid):
    assert patterns.compiles(text) is valid
    if valid:
        check(text)
    else:
        with pytest.raises(ValueError, match='fixed-width'):
            check(text)


@pytest.mark.parametrize(('cheap', 'dear'), [
    ('a' * 600, 'a' * 800),
    # Each alternative is a text of its own, a loop is kept as one.
    ('|'.join(['b' + 'a' * 300] * 5), 'a' * 800 + '|b'),
    ('(?:%s){9}' % ('a' * 300), '(?:%s){9}' % ('a' * 800)),
    ('(?:a+){600}' + '[ab]' * 300, '(?:(?i:a)(?>b))' * 400),
])
def test_searching_for_a_long_text_is_dear(cheap, dear):
    pattern_cost.check_search(sre_parse.parse(cheap))
    with pytest.raises(ValueError, match='too long to search for'):
        pattern_cost.check_search(sre_parse.parse(dear))
