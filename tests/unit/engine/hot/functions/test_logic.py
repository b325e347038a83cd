import pytest

from heat.common import exception
from heat.engine import function
from tests.fakes import definitions

CONDITIONS = {'yes': True, 'no': False, 'also': 'yes'}


def stack_of(version=definitions.LATEST, **params):
    return definitions.definition(
        definitions.hot(version, conditions=CONDITIONS, parameters={
            name: {'type': 'string'} for name in params}), params)


def resolved(snippet, stack=None):
    stack = stack_of() if stack is None else stack
    return function.resolve(stack.t.parse(stack, snippet))


def refused(snippet, stack=None):
    stack = stack_of() if stack is None else stack
    with pytest.raises(exception.StackValidationFailed) as caught:
        stack.t.parse(stack, snippet)
    return caught.value


def is_enabled(condition, stack=None):
    stack = stack_of() if stack is None else stack
    parsed = stack.t.parse_condition(stack, condition)
    return stack.t.conditions(stack).is_enabled(parsed)


# -- if

@pytest.mark.parametrize(('condition', 'chosen'), [
    (True, 1), (False, 2), ('yes', 1), ('no', 2), ('also', 1),
    ({'not': 'yes'}, 2), ({'equals': ['a', 'a']}, 1),
    ({'yaql': {'expression': '1 = 2'}}, 2)])
def test_if(condition, chosen):
    assert resolved({'if': [condition, 1, 2]}) == chosen


def test_if_parses_only_what_it_chooses():
    bad = {'list_join': 1}
    assert resolved({'if': ['yes', {'list_join': ['', ['x']]}, bad]}) == 'x'
    error = refused({'a': {'if': ['no', 1, bad]}})
    assert error.path == ['a', 'if', 2, 'list_join']


def test_ifs_may_be_nested():
    assert resolved({'if': ['no', 1, {'if': ['yes', [2], 3]}]}) == [2]


@pytest.mark.parametrize('args', [
    [], [True], [True, 1, 2, 3], 'yes', {'yes': 1}, [1, 1, 2],
    [None, 1, 2], [['yes'], 1, 2], ['unknown', 1, 2]])
@pytest.mark.parametrize('version', ['2016-10-14', '2021-04-16'])
def test_if_errors(args, version):
    assert refused({'if': args}, stack_of(version)).path == ['if']


def test_if_with_a_bad_condition_function():
    assert refused({'if': [{'equals': [1]}, 1, 2]}).path == [
        'if', 0, 'equals']
    assert refused({'if': [{'get_attr': ['a', 'b']}, 1, 2]}).path == [
        'if', 0, 'get_attr']


def test_if_without_else_leaves_nothing():
    assert resolved({'a': {'if': ['no', 1]}, 'b': {'if': ['yes', 1]}}) == {
        'b': 1}
    assert resolved([1, {'if': ['no', 2]}, 3]) == [1, 3]
    assert resolved({'list_join': [',', ['a', {'if': ['no', 'b']}]]}) == 'a'
    assert resolved({'if': ['no', 1]}) is None
    refused({'if': ['no', 1]}, stack_of('2018-08-31'))


def test_without_a_stack_nothing_is_chosen():
    tmpl = stack_of().t
    call = tmpl.parse(None, {'if': ['yes', {'get_param': 'x'}, 2]})
    assert function.resolve(call) is None
    assert function.resolve(tmpl.parse(None, {'if': [True, 1, 2]})) == 1
    with pytest.raises(exception.StackValidationFailed) as caught:
        tmpl.parse(None, {'if': ['yes', 1, {'list_join': 1}]})
    assert caught.value.path == ['if', 2, 'list_join']


# -- conditions

@pytest.mark.parametrize(('condition', 'value'), [
    ({'not': 'no'}, True), ({'not': True}, False),
    ({'not': {'not': 'yes'}}, True),
    ({'and': ['yes', True]}, True), ({'and': ['yes', 'no']}, False),
    ({'and': ['yes', 'yes', {'not': 'yes'}]}, False),
    ({'or': ['no', False]}, False), ({'or': ['no', 'no', 'yes']}, True),
    ({'equals': [{'a': [1]}, {'a': [1]}]}, True),
    ({'equals': [1, '1']}, False),
    ({'equals': [{'get_param': 'p'}, 'x']}, True),
    ({'contains': ['a', ['a', 'b']]}, True),
    ({'contains': ['c', ['a', 'b']]}, False),
    ({'contains': ['b', 'abc']}, True),
    ({'yaql': {'expression': '$.data = 1', 'data': 1}}, True),
])
def test_condition_functions(condition, value):
    assert is_enabled(condition, stack_of(p='x')) is value


@pytest.mark.parametrize('condition', [
    {'not': None}, {'and': ['yes']}, {'and': 'yes'}, {'and': {'a': 1}},
    {'or': []}, {'or': ['yes']}, {'equals': [1]}, {'equals': [1, 2, 3]},
    {'equals': 'ab'}, {'contains': [1]}, {'contains': 'ab'},
    {'contains': {'a': 'b'}}])
def test_wrong_arguments_of_condition_functions(condition):
    with pytest.raises(exception.StackValidationFailed):
        is_enabled(condition)


@pytest.mark.parametrize('condition', [
    {'not': 'unknown'}, {'and': ['yes', 'unknown']}, {'or': ['no', 1]},
    {'not': {'get_param': 'p'}}, {'not': {'yaql': {'expression': '1'}}},
    {'get_param': 'p'}])
def test_what_is_no_condition(condition):
    with pytest.raises(ValueError):
        is_enabled(condition, stack_of(p='x'))


def test_and_stops_at_the_first_that_does_not_hold():
    assert is_enabled({'and': ['no', 'unknown']}) is False
    assert is_enabled({'or': ['yes', 'unknown']}) is True


@pytest.mark.parametrize('args', [['a', 1], ['a', None], ['a', {'a': 1}],
                                  [1, 'a1']])
def test_contains_needs_a_sequence(args):
    with pytest.raises(TypeError):
        resolved({'contains': args})


def test_contains_is_a_function_everywhere():
    assert resolved({'contains': ['a', ['a']]}) is True
