"""The bounds of yaql queries, as templates meet them."""
import time

import pytest
import yaql as library

from heat.common import exception
from heat.engine.sandbox import regex as bounded_regex
from heat.engine.sandbox import yaql as bounded_yaql
from tests.fakes import definitions

pytestmark = pytest.mark.usefixtures('set_limits')


def resolved(args):
    return definitions.resolved('yaql', args)


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


@pytest.fixture
def little_time(monkeypatch):
    monkeypatch.setattr(bounded_yaql, 'MAX_SECONDS', 0.02)
    monkeypatch.setattr(bounded_regex, 'TIMEOUT', 0.01)


@pytest.mark.parametrize('expression', [
    *LOOPS, *SIZES, *PATTERNS, '1' + ' + 1' * 6000, '(' * 20001])
def test_endless_queries_are_given_up(expression, set_limits, little_time):
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
