import pytest

from heat.common import exception
from heat.engine import conditions
from tests.fakes import definitions


def of(section, **params):
    stack = definitions.definition(
        definitions.hot(
            parameters={name: {'type': 'boolean'} for name in params},
            conditions=section),
        params)
    # The conditions do not keep the stack, so it is returned, too.
    return stack, stack.t.conditions(stack)


def test_kinds_of_conditions():
    _stack, found = of({'a': True, 'b': 'a', 'c': {'not': 'a'},
                        'd': {'get_param': 'p'}}, p='yes')
    assert [found.is_enabled(name) for name in 'abcd'] == [
        True, True, False, True]
    assert found.is_enabled(None) is True
    assert found.is_enabled(False) is False
    found.validate()


@pytest.mark.parametrize('section', [
    {'a': 'b', 'b': 'a'},
    {'a': {'not': 'a'}},
    {'a': {'and': ['b', True]}, 'b': {'or': ['a', 'a']}},
])
def test_circles_are_found(section):
    _stack, found = of(section)
    with pytest.raises(ValueError, match='refers to itself'):
        found.is_enabled('a')
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.validate()
    assert caught.value.path == ['conditions', 'a']


@pytest.mark.parametrize('definition', [
    1, None, [], {'x': 1}, 'unknown', {'yaql': {'expression': '1'}},
])
def test_wrong_definitions(definition):
    _stack, found = of({'a': definition})
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.validate()
    assert caught.value.path == ['conditions', 'a']


@pytest.mark.parametrize('condition', ['x', 1, [], {'a': 1}])
def test_what_is_no_condition(condition):
    found = conditions.Conditions({'a': True})
    with pytest.raises(ValueError, match='There is no condition'):
        found.is_enabled(condition)


def test_section_must_be_a_map():
    with pytest.raises(exception.StackValidationFailed,
                       match='conditions: '):
        of([])
