
import pytest

from heat.common import exception
from tests.fakes import definitions

pytestmark = pytest.mark.usefixtures('set_limits')


def resolved(args):
    return definitions.resolved('yaql', args)


@pytest.mark.parametrize(('expression', 'data', 'result'), [
    ('$.data.a', {'a': 1}, 1),
    ('$.data', None, None),
    ('$.data.where($ > 1)', [1, 2, 3], [2, 3]),
    ('$.data.select({k => $})', [1], [{'k': 1}]),
    ('dict($.data.items())', {'a': [1]}, {'a': [1]}),
    ('$.data.distinct()', ['a', 'a'], ['a']),
    ('$.data.get(nothing)', {'a': 1}, None),
    ('1 + 1', None, 2),
])
def test_yaql(expression, data, result):
    assert resolved({'expression': expression, 'data': data}) == result


def test_data_may_be_left_out():
    assert resolved({'expression': '$.data'}) == {}


def test_arguments_may_be_functions():
    assert resolved({
        'expression': {'list_join': ['', ['$.data', '.len()']]},
        'data': {'str_split': [',', 'a,b']}}) == 2


@pytest.mark.parametrize('args', [
    'x', ['x'], {}, {'data': 1}, {'expression': '1', 'extra': 1},
    {'expression': 1}, {'expression': None}, {'expression': '$.('},
    {'expression': '"'}])
def test_wrong_arguments(args):
    with pytest.raises(exception.StackValidationFailed, match='yaql'):
        resolved(args)


@pytest.mark.parametrize('expression', [
    '$.data.nothing()', 'int($.data)', '1 / 0', '{a => 1}.b',
    '$.data.matches("(")', '$unknown.a', '[1][3]'])
def test_failure_is_explained(expression):
    with pytest.raises(ValueError, match='The expression of "yaql" failed'):
        resolved({'expression': expression, 'data': 'x'})


def test_computed_expression_is_checked_when_known():
    with pytest.raises(ValueError, match='Bad expression'):
        resolved({'expression': {'list_join': ['', ['$.(']]}})


def test_iterations_are_limited(set_limits):
    expression = 'range(0, 300).toList().len()'
    with pytest.raises(ValueError, match='exceeds 200'):
        resolved({'expression': expression})
    set_limits(yaql_iterators=1000)
    assert resolved({'expression': expression}) == 300


def test_memory_is_limited(set_limits):
    args = {'expression': '$.data + $.data', 'data': 'x' * 9000}
    set_limits(yaql_memory=1000)
    with pytest.raises(ValueError, match='[Mm]emory'):
        resolved(args)
    set_limits(yaql_memory=1000000)
    assert len(resolved(args)) == 18000
