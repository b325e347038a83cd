import time

import pytest
import yaql as library

from heat.common import exception
from heat.common import request_budget
from heat.engine import function
from tests.fakes import definitions


@pytest.fixture(autouse=True)
def set_limits():
    """Return a function that sets the limits of expressions."""
    def set_limits(**values):
        request_budget.configure(request_budget.Limits(**values))

    before = request_budget.limits()
    set_limits()
    yield set_limits
    request_budget.configure(before)


def resolved(args):
    stack = definitions.definition(definitions.hot())
    call = stack.t.parse(stack, {'yaql': args})
    function.validate(call)
    return function.resolve(call)


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


LOOPS = [
    'range(10000000000).len()', '[1].cycle().len()', 'sequence().len()',
    '1.repeat().len()', 'sequence().skip(1000000000).first()',
    'range(199).select(range(199).select(range(199).select('
    'range(199).sum()).sum()).sum()).sum()',
    'range(199).where(range(199).where(range(199).any($ < 0)).any()).len()',
]
SIZES = [
    'pow(10, pow(10, 8))', 'pow($.data.n, $.data.n, $.data.n)',
    'shiftBitsLeft(1, 3000000000)', '[1] * 1000000000', '2000000000 * [1]',
    '"a" * 1000000000', '1000000000 * "a"',
    '$.data.long.replace("a", $.data.long)',
    '$.data.long.replace({a => $.data.long})',
    'range(150).join($.data.long)', '$.data.long.join(range(150))',
]
PATTERNS = [
    'regex("(a|aa)+$").search($.data.text)',
    'regex("(a|aa)+$").searchAll($.data.text)',
    'regex("(a|aa)+$").replace($.data.text, "x")',
    'regex("(a|aa)+$").split($.data.text)',
    '$.data.text.matches("(a|aa)+$")', '$.data.text =~ "(a|aa)+$"',
    '$.data.text !~ "(a|aa)+$"', '$.data.text =~ regex("(a|aa)+$")',
]


@pytest.mark.parametrize('expression', [
    *LOOPS, *SIZES, *PATTERNS, '1' + ' + 1' * 6000, '(' * 20001])
def test_endless_queries_are_given_up(expression, set_limits):
    # An operator's larger quota does not open the door.
    set_limits(yaql_memory=0)
    data = {'text': 'a' * 60 + '!', 'long': 'a' * 100000,
            'n': (1 << 80000) - 1}
    started = time.thread_time()
    with pytest.raises(
            (ValueError, exception.StackValidationFailed),
            match='more than|too long|at most|recursion|exceeds'):
        resolved({'expression': expression, 'data': data})
    assert time.thread_time() - started < 1


@pytest.mark.parametrize(('expression', 'result'), [
    ('pow(2, 10)', 1024), ('pow(2, 10, 7)', 2), ('shiftBitsLeft(1, 3)', 8),
    ('[1] * 3', [1, 1, 1]), ('2 * [1]', [1, 1]), ('"ab" * 2', 'abab'),
    ('"aXbX".replace(X, "-")', 'a-b-'), ('"aXbX".replace(X, "-", 1)', 'a-bX'),
    ('"ab".replace({a => x, b => y})', 'xy'),
    ('[1, 2].join(",")', '1,2'), ('",".join([1, 2])', '1,2'),
    ('range(3).toList()', [0, 1, 2]), ('range(1, 6, 2).toList()', [1, 3, 5]),
    ('sequence(5).limit(2)', [5, 6]), ('[1, 2].cycle().limit(3)', [1, 2, 1]),
    ('a.repeat(2)', ['a', 'a']), ('a1 =~ "[0-9]"', True),
    ('a1 !~ "[0-9]"', False), ('a1 =~ regex("A", true)', True),
    ('regex("([a-z])([0-9])").search(a1, $2.value)', 'a'),
    ('regex("[0-9]").searchAll("1a2")', ['1', '2']),
    ('regex(",").split("a,b,c", 1)', ['a', 'b,c']),
    ('"a,b".split(regex(","))', ['a', 'b']),
    ('regex("[0-9]").replace("a1", "x")', 'ax'),
    ('"a1".replace(regex("[0-9]"), "x")', 'ax'),
])
def test_bounded_functions_work(expression, result):
    assert resolved({'expression': expression}) == result


def test_the_library_is_left_as_it_is_for_others():
    resolved({'expression': '1'})
    assert library.eval('pow(2, 1048577) > 0') is True
