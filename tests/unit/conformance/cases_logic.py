"""Calls of functions that decide, and of queries."""
from heat.common import request_budget
from heat.engine import function
from tests.unit.conformance import harness

Case = harness.Case
YES, NO = harness.Condition(True), harness.Condition(False)
TEXT, FLAG = harness.Param('text'), harness.Param('flag')


def needed(stack, parsed):
    """Return the names of the resources that a call requires."""
    return sorted({each.name for each in function.dependencies(parsed)})


def limits(stack, parsed):
    """Return the limits of queries that are in force."""
    in_force = request_budget.limits()
    return [in_force.yaql_iterators, in_force.yaql_memory]


def combined(name, both, one, none):
    """Return the cases of a function that combines conditions."""
    return (
        Case(name, 'args', [YES, YES, 'yes'], both),
        Case(name, 'args', [YES, NO], one),
        Case(name, 'args', ['no', NO], none),
        Case(name, 'args', [True, 'yes'], both),
        Case(name, 'args', [False, True, 'no'], one),
        Case(name, 'min_args', [NO, NO], none),
        Case(name, 'result', [{name: ['yes', 'yes']}, YES], both),
        Case(name, 'errors.0', [YES]),
        Case(name, 'errors.0', []),
        Case(name, 'errors.0', 'yes'),
        Case(name, 'errors.0', {'yes': True, 'no': True}),
        Case(name, 'errors.0', None),
    )


def comparisons(name):
    """Return the cases of a function that compares."""
    return (
        Case(name, 'args', ['a', 'a'], True),
        Case(name, 'args', [TEXT, 'x'], True),
        Case(name, 'args', [TEXT, harness.Param('number')], False),
        Case(name, 'result', [1, '1'], False),
        Case(name, 'result', [[1, {'a': None}], [1, {'a': None}]], True),
        Case(name, 'result', [None, ''], False),
        Case(name, 'errors.0', ['a']),
        Case(name, 'errors.0', ['a', 'a', 'a']),
        Case(name, 'errors.0', 'aa'),
        Case(name, 'errors.0', {'a': 'a', 'b': 'b'}),
        Case(name, 'errors.0', None),
    )


def choices(name, covers):
    """Return the cases of a choice with two branches."""
    return (
        Case(name, covers, ['yes', 1, 2], 1),
        Case(name, covers, ['no', 1, 2], 2),
        Case(name, covers, ['yes', TEXT, 2], 'x'),
        Case(name, covers, ['no', 1, [TEXT, {'k': TEXT}]],
             ['x', {'k': 'x'}]),
        Case(name, 'result', [YES, {name: [NO, 1, 2]}, 3], 2),
        Case(name, 'errors.0', ['yes']),
        Case(name, 'errors.0', ['yes', 1, 2, 3]),
        Case(name, 'errors.0', 'yes'),
        Case(name, 'errors.0', None),
        Case(name, 'errors.0', [7, 1, 2]),
    )


CONDITIONS = (
    *combined('and', True, False, False),
    *combined('Fn::And', True, False, False),
    *combined('or', True, True, False),
    *combined('Fn::Or', True, True, False),
    *comparisons('equals'),
    *comparisons('Fn::Equals'),
    Case('not', 'args', NO, True),
    Case('not', 'args', YES, False),
    Case('not', 'args', 'no', True),
    Case('not', 'args', False, True),
    Case('not', 'result', {'not': 'yes'}, True),
    Case('not', 'errors.0', None),
    Case('not', 'errors.1', 'maybe', says='maybe'),
    Case('not', 'errors.1', 'ye', says='"yes"'),
    Case('not', 'errors.1', ['yes']),
    Case('not', 'errors.1', 7),
    Case('Fn::Not', 'args', [NO], True),
    Case('Fn::Not', 'args', ['yes'], False),
    Case('Fn::Not', 'result', [{'Fn::Not': ['yes']}], True),
    Case('Fn::Not', 'errors.0', 'yes'),
    Case('Fn::Not', 'errors.0', []),
    Case('Fn::Not', 'errors.0', ['yes', 'no']),
    Case('Fn::Not', 'errors.0', None),
)

IF = (
    *choices('if', 'args.2016-10-14..2018-08-31'),
    *choices('if', 'args.>=2021-04-16'),
    Case('if', 'args.>=2021-04-16', ['yes', 1], 1),
    Case('if', 'args.>=2021-04-16', ['no', 1], None),
    Case('if', 'condition', ['yes', 1, 2], 1),
    Case('if', 'condition', [False, 1, 2], 2),
    Case('if', 'condition', [NO, 1, 2], 2),
    Case('if', 'errors.0', ['yes', 1], only='2016-10-14..2018-08-31'),
    Case('if', 'errors.0', [None, 1, 2]),
    Case('if', 'errors.0', [['yes'], 1, 2]),
    Case('if', 'errors.1', ['maybe', 1, 2], says='maybe'),
    Case('if', 'errors.1', ['ye', 1, 2], says='"yes"'),
    # What is not chosen is not parsed, and refers to nothing.
    Case('if', 'result', ['yes', 1, {'get_resource': 'nobody'}], 1),
    Case('if', 'result', ['yes', {'get_resource': 'made'},
                          {'get_resource': 'fresh'}], ['made'],
         look=needed),
    Case('if', 'result', ['yes', 1, {'str_replace': 'wrong'}], 1),
    *choices('Fn::If', 'args'),
    Case('Fn::If', 'errors.0', ['yes', 1]),
    Case('Fn::If', 'errors.0', ['maybe', 1, 2], says='maybe'),
    Case('Fn::If', 'result', ['no', {'Ref': 'made'}, {'Ref': 'fresh'}],
         ['fresh'], look=needed),
)

CONTAINS = (
    Case('contains', 'args', ['a', ['a', 'b']], True),
    Case('contains', 'args', [TEXT, harness.Param('list')], False),
    Case('contains', 'args', [{'a': 1}, [{'a': 1}]], True),
    Case('contains', 'result', ['c', ['a', 'b']], False),
    Case('contains', 'string_sequence', ['bc', 'abcd'], True),
    Case('contains', 'string_sequence', ['cb', 'abcd'], False),
    Case('contains', 'errors.0', ['a']),
    Case('contains', 'errors.0', ['a', ['a'], 'b']),
    Case('contains', 'errors.0', 'aa'),
    Case('contains', 'errors.0', None),
    Case('contains', 'errors.1', ['a', 1]),
    Case('contains', 'errors.1', ['a', {'a': 1}]),
    Case('contains', 'errors.1', ['a', None]),
)

YAQL = (
    Case('yaql', 'args', {'expression': '$.data.sum()', 'data': [1, 2]}, 3),
    Case('yaql', 'args', {'expression': '1 + 1'}, 2),
    Case('yaql', 'args', {'expression': '$.data', 'data': TEXT}, 'x'),
    Case('yaql', 'args', {'expression': TEXT}, 'x'),
    Case('yaql', 'result', {'expression': '$.data.a.select($ * 2)',
                            'data': {'a': [1, 2]}}, [2, 4]),
    Case('yaql', 'result', {'expression': '$'}, {'data': {}}),
    Case('yaql', 'errors.0', '$'),
    Case('yaql', 'errors.0', None),
    Case('yaql', 'errors.0', {}),
    Case('yaql', 'errors.0', {'data': [1]}),
    Case('yaql', 'errors.0', {'expression': '$', 'date': 1}),
    Case('yaql', 'errors.1', {'expression': 7}),
    Case('yaql', 'errors.1', {'expression': None}),
    Case('yaql', 'errors.1', {'expression': '$.data.('}),
    Case('yaql', 'limits.yaql.limit_iterators', {'expression': '1'},
         200, look=lambda stack, parsed: limits(stack, parsed)[0]),
    Case('yaql', 'limits.yaql.memory_quota', {'expression': '1'},
         10000, look=lambda stack, parsed: limits(stack, parsed)[1]),
)

CASES = CONDITIONS + IF + CONTAINS + YAQL
