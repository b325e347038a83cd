"""Definitions are parsed when they are asked for, and once."""
import pytest

from heat.common import exception
from heat.engine.language import diagnostics
from heat.engine.language import lazy_definitions


class Parser:
    """Parses by upper case; names with an x are wrong."""

    def __init__(self, partial=None):
        self.parsed = []
        self.asked = []
        self.partial = partial

    def parse(self, name):
        self.parsed.append(name)
        if 'x' in name:
            error = exception.StackValidationFailed(path=[name],
                                                    message='no x, please')
            error.partial = self.partial
            raise error
        return name.upper()

    def is_enabled(self, name):
        self.asked.append(name)
        if 'u' in name:
            raise exception.StackValidationFailed(
                path=[name, 'condition'], message='unknown condition')
        return not name.startswith('off')


def definitions(*names, partial=None):
    parser = Parser(partial)
    return parser, lazy_definitions.LazyDefinitions(
        dict.fromkeys(names), parser.parse, parser.is_enabled)


def test_only_what_is_asked_for_is_parsed():
    parser, found = definitions('a', 'x', 'off')
    assert found['a'] == found['a'] == 'A'
    assert parser.parsed == ['a']
    assert set(found) == {'a', 'x'}
    assert parser.parsed == ['a']


@pytest.mark.parametrize('name', ['off', 'unknown', None, 1, ('a',)])
def test_what_is_not_there(name):
    _parser, found = definitions('a', 'off', 'off-2')
    assert name not in found
    with pytest.raises(KeyError):
        found[name]


def test_size_is_that_of_what_is_enabled():
    parser, found = definitions('a', 'off', 'b', 'off-2')
    assert len(found) == len(list(found)) == 2
    # Conditions are evaluated once.
    assert len(found) == 2
    assert sorted(parser.asked) == ['a', 'b', 'off', 'off-2']


def test_order_is_that_of_the_template():
    _parser, found = definitions('z', 'a', 'off', 'm')
    assert list(found) == ['z', 'a', 'm']


def test_all_are_enabled_by_default():
    found = lazy_definitions.LazyDefinitions({'a': 1, 'b': 2}, str.upper)
    assert dict(found) == {'a': 'A', 'b': 'B'}


def test_error_is_raised_whenever_it_is_asked_for():
    _parser, found = definitions('x')
    for _turn in range(2):
        with pytest.raises(exception.StackValidationFailed, match='no x'):
            found['x']


def test_all_that_is_wrong_is_noted():
    _parser, found = definitions('a', 'x1', 'off', 'x2')
    problems = diagnostics.Problems()
    assert found.parse_all(problems) == ['a']
    assert [problem.path for problem in problems] == [('x1',), ('x2',)]


def test_what_is_wrong_is_there_but_follows_from_what_was_noted():
    _parser, found = definitions('x')
    found.parse_all(diagnostics.Problems())
    assert 'x' in found
    with pytest.raises(diagnostics.DerivedError):
        found['x']


def test_what_can_be_made_of_something_wrong_is_used():
    parser, found = definitions('x', partial='made all the same')
    problems = diagnostics.Problems()
    assert found.parse_all(problems) == ['x']
    assert len(problems) == 1
    assert found['x'] == 'made all the same'
    assert parser.parsed == ['x']


def test_what_a_wrong_condition_hides_is_checked_as_well():
    _parser, found = definitions('ux', 'u')
    problems = diagnostics.Problems()
    assert found.parse_all(problems) == ['u']
    assert [problem.path for problem in problems] == [
        ('ux', 'condition'), ('ux',), ('u', 'condition')]
    # Later on it counts as enabled.
    assert list(found) == ['ux', 'u']


def test_checking_ends_when_enough_is_known():
    names = ['x%d' % number for number in range(diagnostics.LIMIT * 4)]
    parser, found = definitions(*names)
    problems = diagnostics.Problems()
    found.parse_all(problems)
    assert problems.full
    assert len(parser.parsed) < len(names)


def test_other_errors_are_defects():
    def parse(name):
        raise ZeroDivisionError

    found = lazy_definitions.LazyDefinitions({'a': 1}, parse)
    with pytest.raises(ZeroDivisionError):
        found.parse_all(diagnostics.Problems())
