"""Calls of functions that make and change lists and maps."""
from tests.unit.conformance import harness

Case = harness.Case
TEXT, LIST = harness.Param('text'), harness.Param('list')
MAP = harness.Param('map')


def concatenations(name):
    """Return the cases of a function that concatenates lists."""
    return (
        Case(name, 'args', [['a'], ['b', 'c']], ['a', 'b', 'c']),
        Case(name, 'args', [['x'], LIST], ['x', 'a', 'b']),
        Case(name, 'args', [LIST], ['a', 'b']),
        Case(name, 'null_item', [None, ['a'], None], ['a']),
        Case(name, 'result', [], []),
        Case(name, 'errors.0', 'text'),
        Case(name, 'errors.0', {'a': ['a'], 'b': ['b']}),
        Case(name, 'errors.0', None),
        Case(name, 'errors.0', [['a'], 'b']),
        Case(name, 'errors.0', [['a'], {'b': 1}]),
        Case(name, 'errors.0', ['a']),
        Case(name, 'errors.0', [7]),
    )


LISTS = (
    *concatenations('list_concat'),
    *concatenations('list_concat_unique'),
    Case('list_concat', 'result', [['a', 'b'], ['a']], ['a', 'b', 'a']),
    Case('list_concat_unique', 'result', [['a', 'b'], ['c', 'a']],
         ['a', 'b', 'c']),
    Case('list_concat_unique', 'result', [[{'a': 1}], [{'a': 1}, [1]]],
         [{'a': 1}, [1]]),
    Case('filter', 'args', [['a'], ['a', 'b', 'a']], ['b']),
    Case('filter', 'args', [LIST, ['a', 'b', 'c']], ['c']),
    Case('filter', 'args', [[TEXT], ['x', 'y']], ['y']),
    Case('filter', 'args', [[{'a': 1}, None], [{'a': 1}, None, 1]], [1]),
    Case('filter', 'empty_sequence', [['a'], []], []),
    Case('filter', 'empty_sequence', [['a'], None], None),
    Case('filter', 'empty_sequence', [['a'], ''], ''),
    Case('filter', 'empty_values', [[], ['a']], ['a']),
    Case('filter', 'empty_values', [None, ['a']], ['a']),
    Case('filter', 'result', [['x'], ['a', 'b']], ['a', 'b']),
    Case('filter', 'errors.0', 'text'),
    Case('filter', 'errors.0', [['a']]),
    Case('filter', 'errors.0', [['a'], ['a'], ['a']]),
    Case('filter', 'errors.0', {'a': 1, 'b': 2}),
    Case('filter', 'errors.0', None),
    Case('filter', 'errors.1', [['a'], 'abc']),
    Case('filter', 'errors.1', [['a'], {'a': 1}]),
    Case('filter', 'errors.1', ['a', ['a']]),
    Case('filter', 'errors.1', [{'a': 1}, ['a']]),
    Case('filter', 'errors.1', [7, ['a']]),
)

MAPS = (
    Case('map_merge', 'args', [{'a': 1}, {'b': 2}], {'a': 1, 'b': 2}),
    Case('map_merge', 'args', [MAP, {'t': TEXT}],
         {'k': [{'deep': 1}], 't': 'x'}),
    Case('map_merge', 'null_item', [None, {'a': 1}], {'a': 1}),
    Case('map_merge', 'result', [{'a': 1, 'b': 1}, {'a': {'x': 1}},
                                 {'a': {'y': 2}}],
         {'a': {'y': 2}, 'b': 1}),
    Case('map_merge', 'result', [], {}),
    Case('map_merge', 'errors.0', 'text'),
    Case('map_merge', 'errors.0', None),
    Case('map_merge', 'errors.0', {'a': {}, 'b': {}}),
    Case('map_merge', 'errors.0', [{'a': 1}, 'b']),
    Case('map_merge', 'errors.0', [{'a': 1}, ['b']]),
    Case('map_merge', 'errors.0', [7]),
    Case('map_replace', 'args', [
        {'a': 1, 'b': 2}, {'keys': {'a': 'c'}, 'values': {2: 3}}],
        {'c': 1, 'b': 3}),
    Case('map_replace', 'args', [{'a': 1}, {'keys': {'a': 'b'}}], {'b': 1}),
    Case('map_replace', 'args', [{'a': 1}, {'values': {1: TEXT}}],
         {'a': 'x'}),
    Case('map_replace', 'args', [{'a': 1}, {}], {'a': 1}),
    Case('map_replace', 'null_item', [None, {'keys': {'a': 'b'}}], {}),
    Case('map_replace', 'null_item', [{'a': 1}, None], {'a': 1}),
    Case('map_replace', 'null_item', [{'a': 1}, {'keys': None,
                                                 'values': None}],
         {'a': 1}),
    Case('map_replace', 'result', [{'a': 1}, {'keys': {'x': 'y'}}],
         {'a': 1}),
    Case('map_replace', 'unhashable_values', [
        {'a': [1], 'b': {'c': 1}}, {'values': {1: 2}}],
        {'a': [1], 'b': {'c': 1}}),
    Case('map_replace', 'errors.0', [{'a': 1}]),
    Case('map_replace', 'errors.0', [{'a': 1}, {}, {}]),
    Case('map_replace', 'errors.0', [{'a': 1}, ['a']]),
    Case('map_replace', 'errors.0', ['a', {}]),
    Case('map_replace', 'errors.0', 'text'),
    Case('map_replace', 'errors.0', None),
    Case('map_replace', 'errors.1', [{'a': 1}, {'key': {'a': 'b'}}],
         says='key'),
    Case('map_replace', 'errors.2', [{'a': 1, 'b': 2},
                                     {'keys': {'a': 'b'}}], says='b'),
    Case('map_replace', 'errors.2', [{'a': 1, 'b': 2},
                                     {'keys': {'a': 'c', 'b': 'c'}}]),
)


def repetitions(covers):
    """Return the cases that every version of repeat has."""
    return (
        Case('repeat', covers, {'template': 'v-x', 'for_each': {
            'v': ['a', 'b']}}, ['a-x', 'b-x']),
        Case('repeat', covers, {'template': {'k': '%v%', 'n': 1},
                                'for_each': {'%v%': LIST}},
             [{'k': 'a', 'n': 1}, {'k': 'b', 'n': 1}]),
        Case('repeat', covers, {'template': 'vw', 'for_each': {
            'v': ['a', 'b'], 'w': ['1', '2']}}, ['a1', 'a2', 'b1', 'b2']),
        Case('repeat', covers, {'template': [TEXT, 'v'], 'for_each': {
            'v': ['a']}}, [['x', 'a']]),
    )


def steps(for_each):
    """Return the arguments of a repetition without permutations."""
    return {'template': 'vw', 'for_each': for_each, 'permutations': False}


REPEAT = (
    *repetitions('args.<=2016-04-08'),
    *repetitions('args.2016-10-14..2017-02-24'),
    *repetitions('args.>=2017-09-01'),
    Case('repeat', 'args.2016-10-14..2017-02-24', {
        'template': 'v', 'for_each': {'v': {'a': 1, 'b': 2}}}, ['a', 'b']),
    Case('repeat', 'args.>=2017-09-01', {
        'template': 'v', 'for_each': {'v': MAP}}, ['k']),
    Case('repeat', 'args.>=2017-09-01', {
        'template': 'v', 'for_each': {'v': ['a']}, 'permutations': True},
        ['a']),
    Case('repeat', 'args.>=2017-09-01', steps({
        'v': ['a', 'b'], 'w': ['1', '2']}), ['a1', 'b2']),
    Case('repeat', 'extra_keys', {'template': 'v', 'for_each': {
        'v': ['a']}, 'more': 1}, ['a']),
    Case('repeat', 'map_iteration', {'template': 'v', 'for_each': {
        'v': {'a': 1, 'b': [2]}}}, ['a', 'b'], only='>=2016-10-14'),
    Case('repeat', 'null_list', {'template': 'v', 'for_each': {'v': None}},
         []),
    Case('repeat', 'null_list', {'template': 'vw', 'for_each': {
        'v': ['a'], 'w': None}}, []),
    Case('repeat', 'result', {'template': 'v', 'for_each': {'v': []}}, []),
    Case('repeat', 'result', {'template': 'c', 'for_each': {}}, ['c']),
    Case('repeat', 'substitution', {'template': {'v': ['v', {'a v': 'v'}]},
                                    'for_each': {'v': ['x']}},
         [{'x': ['x', {'a x': 'x'}]}]),
    Case('repeat', 'substitution', {'template': {'n': 1, 'f': True,
                                                 'z': None},
                                    'for_each': {'v': ['x']}},
         [{'n': 1, 'f': True, 'z': None}]),
    Case('repeat', 'errors.0', 'text'),
    Case('repeat', 'errors.0', ['a']),
    Case('repeat', 'errors.0', None),
    Case('repeat', 'errors.0', {'template': 'a'}, says='for_each'),
    Case('repeat', 'errors.0', {'for_each': {'a': ['b']}}, says='template'),
    Case('repeat', 'errors.1', {'template': 'a', 'for_each': ['a']}),
    Case('repeat', 'errors.1', {'template': 'a', 'for_each': 'a'}),
    Case('repeat', 'errors.1', {'template': 'a', 'for_each': None}),
    Case('repeat', 'errors.2', {'template': 'a', 'for_each': {'a': 'b'}}),
    Case('repeat', 'errors.2', {'template': 'a', 'for_each': {'a': 1}}),
    Case('repeat', 'errors.2', {'template': 'a', 'for_each': {'a': MAP}},
         only='<=2016-04-08'),
    Case('repeat', 'errors.2', {'template': 'v', 'for_each': {'v': [1]}}),
    Case('repeat', 'errors.3', {
        'template': 'a', 'for_each': {'a': ['b']}, 'permutations': 'no'},
        only='>=2017-09-01'),
    Case('repeat', 'errors.3', {
        'template': 'a', 'for_each': {'a': ['b']}, 'permutations': None},
        only='>=2017-09-01'),
    Case('repeat', 'errors.4', steps({'v': {'a': 1}, 'w': ['1']}),
         only='>=2017-09-01'),
    Case('repeat', 'errors.5', steps({'v': ['a'], 'w': ['1', '2']}),
         only='>=2017-09-01'),
)

SELECT = (
    Case('Fn::Select', 'args', ['0', ['a', 'b']], 'a'),
    Case('Fn::Select', 'args', [1, LIST], 'b'),
    Case('Fn::Select', 'args', ['k', MAP], [{'deep': 1}]),
    Case('Fn::Select', 'args', ['1', '["a", "b"]'], 'b'),
    Case('Fn::Select', 'args', ['k', '{"k": 7}'], 7),
    Case('Fn::Select', 'missing', [9, ['a']], ''),
    Case('Fn::Select', 'missing', ['x', {'a': 1}], ''),
    Case('Fn::Select', 'null_or_empty_string', [0, None], ''),
    Case('Fn::Select', 'null_or_empty_string', [0, ''], ''),
    Case('Fn::Select', 'result', ['a', {'a': None}], None),
    Case('Fn::Select', 'result', [-1, ['a', 'b']], 'b'),
    Case('Fn::Select', 'errors.0', 'text'),
    Case('Fn::Select', 'errors.0', ['0']),
    Case('Fn::Select', 'errors.0', ['0', ['a'], 'b']),
    Case('Fn::Select', 'errors.0', None),
    Case('Fn::Select', 'errors.1', [0, {'a': 1}]),
    Case('Fn::Select', 'errors.1', ['a', ['a']]),
    Case('Fn::Select', 'errors.1', [None, ['a']]),
    Case('Fn::Select', 'errors.2', [0, 'no json']),
    Case('Fn::Select', 'errors.2', [0, '[1']),
)

MEMBERS = (
    Case('Fn::MemberListToMap', 'args', [
        'Name', 'Value', ['.member.0.Name=k', '.member.0.Value=v',
                          'p.member.1.Name=l', 'p.member.1.Value=w=x']],
        {'k': 'v', 'l': 'w=x'}),
    Case('Fn::MemberListToMap', 'result', ['Name', 'Value', []], {}),
    Case('Fn::MemberListToMap', 'errors.0', 'text'),
    Case('Fn::MemberListToMap', 'errors.0', ['Name', 'Value']),
    Case('Fn::MemberListToMap', 'errors.0', ['Name', 'Value', [], []]),
    Case('Fn::MemberListToMap', 'errors.0', [1, 'Value', []]),
    Case('Fn::MemberListToMap', 'errors.0', ['Name', None, []]),
    Case('Fn::MemberListToMap', 'errors.0', None),
    Case('Fn::MemberListToMap', 'errors.1', ['Name', 'Value', [1]]),
    Case('Fn::MemberListToMap', 'errors.1', ['Name', 'Value', 'text']),
    Case('Fn::MemberListToMap', 'errors.1', ['Name', 'Value', None]),
)

CASES = LISTS + MAPS + REPEAT + SELECT + MEMBERS
