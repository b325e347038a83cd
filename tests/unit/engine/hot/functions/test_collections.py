from hypothesis import given
from hypothesis import strategies
import pytest

from heat.common import exception
from heat.engine import function
from tests.fakes import definitions

KEY = strategies.text('abc', min_size=1, max_size=2)
VALUE = strategies.one_of(strategies.none(), strategies.integers(0, 3),
                          strategies.text('ab', max_size=2))
MAP = strategies.dictionaries(KEY, VALUE, max_size=4)
LIST = strategies.lists(VALUE, max_size=4)


def resolved(snippet, version=definitions.LATEST):
    stack = definitions.definition(definitions.hot(version))
    call = stack.t.parse(stack, snippet)
    function.validate(call)
    return function.resolve(call)


def refused(snippet, version=definitions.LATEST):
    stack = definitions.definition(definitions.hot(version))
    with pytest.raises(exception.StackValidationFailed) as caught:
        function.validate(stack.t.parse(stack, snippet))
    assert caught.value.path == list(snippet)


# -- map_merge

def test_map_merge():
    assert resolved({'map_merge': [{'a': 1, 'b': 1}, None, {'b': 2}]}) == {
        'a': 1, 'b': 2}
    assert resolved({'map_merge': []}) == {}


@pytest.mark.parametrize('args', ['x', {'a': 1}, None, [1], [['a']], ['x']])
def test_map_merge_errors(args):
    with pytest.raises(TypeError, match='map_merge'):
        resolved({'map_merge': args})


@given(MAP, MAP, MAP)
def test_map_merge_laws(one, two, three):
    def merge(*maps):
        return resolved({'map_merge': list(maps)})

    assert merge(one) == merge(one, one) == merge({}, one, None) == one
    assert merge(one, two, three) == merge(merge(one, two), three)
    assert merge(one, two, three) == merge(one, merge(two, three))
    assert merge(one, two) == {**one, **two}


# -- map_replace

@pytest.mark.parametrize(('args', 'result'), [
    ([{'a': 1}, {}], {'a': 1}),
    ([{'a': 1}, None], {'a': 1}),
    ([None, {'keys': {'a': 'b'}}], {}),
    ([{'a': 1, 'b': 2}, {'keys': {'a': 'c', 'x': 'y'}}], {'c': 1, 'b': 2}),
    ([{'a': 1}, {'keys': {'a': 'a'}}], {'a': 1}),
    ([{'a': 'x', 'b': 'x', 'c': 'z'}, {'values': {'x': 'y'}}],
     {'a': 'y', 'b': 'y', 'c': 'z'}),
    ([{'a': [1], 'b': {'k': 1}}, {'values': {'x': 'y'}}],
     {'a': [1], 'b': {'k': 1}}),
    ([{'a': 'b'}, {'keys': {'a': 'b'}, 'values': {'b': 'c'}}], {'b': 'c'}),
    ([{'a': 1}, {'keys': None, 'values': None}], {'a': 1}),
])
def test_map_replace(args, result):
    assert resolved({'map_replace': args}) == result


@pytest.mark.parametrize(('args', 'error'), [
    ('x', TypeError), ([{}], TypeError), ([{}, {}, {}], TypeError),
    ([[], {}], TypeError), ([{}, []], TypeError),
    ([{}, 'x'], TypeError),
    ([{}, {'keys': 'x'}], TypeError),
    ([{}, {'key': {}}], ValueError),
    ([{'a': 1, 'b': 2}, {'keys': {'a': 'b'}}], ValueError),
    ([{'a': 1, 'b': 2}, {'keys': {'a': 'c', 'b': 'c'}}], ValueError),
    ([{'a': 1, 'b': 2}, {'keys': {'a': 'b', 'b': 'a'}}], ValueError),
])
def test_map_replace_errors(args, error):
    with pytest.raises(error):
        resolved({'map_replace': args})


@given(MAP, strategies.dictionaries(VALUE, VALUE, max_size=3))
def test_map_replace_keeps_keys_when_only_values_change(original, values):
    replaced = resolved({'map_replace': [original, {'values': values}]})
    assert replaced == {key: values.get(value, value)
                        for key, value in original.items()}


# -- list_concat

def test_list_concat():
    assert resolved({'list_concat': [[1, 2], None, [2, {'a': 1}]]}) == [
        1, 2, 2, {'a': 1}]
    assert resolved({'list_concat_unique': [
        [1, 2], None, [2, {'a': 1}, {'a': 1}]]}) == [1, 2, {'a': 1}]


@pytest.mark.parametrize('args', ['x', {'a': 1}, None, [1], [['a'], 'x'],
                                  [{'a': 1}]])
@pytest.mark.parametrize('name', ['list_concat', 'list_concat_unique'])
def test_list_concat_errors(name, args):
    with pytest.raises(TypeError, match=name):
        resolved({name: args})


@given(LIST, LIST, LIST)
def test_list_concat_laws(one, two, three):
    def concat(*lists):
        return resolved({'list_concat': list(lists)})

    assert concat(one) == concat([], one, None) == one
    assert concat(one, two) == one + two
    assert (concat(concat(one, two), three)
            == concat(one, concat(two, three)) == concat(one, two, three))


@given(LIST, LIST)
def test_list_concat_unique_laws(one, two):
    def unique(*lists):
        return resolved({'list_concat_unique': list(lists)})

    joined = unique(one, two)
    assert joined == unique(joined) == unique(one, two, one)
    assert joined == list(dict.fromkeys(one + two))


# -- filter

@pytest.mark.parametrize(('args', 'result'), [
    ([[1, {'a': 1}], [1, 2, {'a': 1}, 1]], [2]),
    ([[None], [None, 1]], [1]),
    ([[], [1]], [1]),
    ([None, [1]], [1]),
    ([[1], []], []),
    ([[1], None], None),
])
def test_filter(args, result):
    assert resolved({'filter': args}) == result


@pytest.mark.parametrize('args', ['x', {}, [[1]], [[1], [1], [1]]])
def test_filter_arguments(args):
    refused({'filter': args})


@pytest.mark.parametrize('args', [['x', ['x']], [['x'], 'x'],
                                  [{'x': 1}, [1]], [[1], {'x': 1}]])
def test_filter_errors(args):
    with pytest.raises(TypeError):
        resolved({'filter': args})


@given(LIST, LIST)
def test_filter_laws(values, sequence):
    once = resolved({'filter': [values, sequence]})
    assert not set(values) & set(once)
    assert resolved({'filter': [values, once]}) == once


# -- repeat

@pytest.mark.parametrize(('args', 'result'), [
    ({'template': 'x', 'for_each': {}}, ['x']),
    ({'template': '<%a%>!', 'for_each': {'<%a%>': ['1', '2']}},
     ['1!', '2!']),
    ({'template': 'a-b', 'for_each': {'a': ['1', '2'], 'b': ['x', 'y']}},
     ['1-x', '1-y', '2-x', '2-y']),
    ({'template': {'k-a': ['a', {'d': 'a'}, 1, None]},
      'for_each': {'a': ['1']}}, [{'k-1': ['1', {'d': '1'}, 1, None]}]),
    ({'template': 'a', 'for_each': {'a': []}}, []),
    ({'template': 'a', 'for_each': {'a': None}}, []),
    ({'template': 'a', 'for_each': {'a': ['1']}, 'extra': 1}, ['1']),
    ({'template': {'n': 1}, 'for_each': {'a': [1, 2]}},
     [{'n': 1}, {'n': 1}]),
])
@pytest.mark.parametrize('version', ['2015-04-30', '2016-10-14',
                                     '2021-04-16'])
def test_repeat(args, result, version):
    assert resolved({'repeat': args}, version) == result


def test_repeat_resolves_its_arguments():
    assert resolved({'repeat': {
        'template': {'list_join': ['-', ['a', 'a']]},
        'for_each': {'a': {'str_split': [',', '1,2']}}}}) == ['1-1', '2-2']


@pytest.mark.parametrize('version', ['2016-10-14', '2021-04-16'])
def test_repeat_with_map(version):
    assert resolved({'repeat': {
        'template': 'a', 'for_each': {'a': {'x': 1, 'y': 2}}}},
        version) == ['x', 'y']
    with pytest.raises(TypeError):
        resolved({'repeat': {'template': 'a',
                             'for_each': {'a': {'x': 1}}}}, '2016-04-08')


def test_repeat_in_step():
    args = {'template': 'a-b', 'permutations': False,
            'for_each': {'a': ['1', '2'], 'b': ['x', 'y']}}
    assert resolved({'repeat': args}) == ['1-x', '2-y']
    args['for_each']['b'] = ['x']
    with pytest.raises(ValueError, match='one length'):
        resolved({'repeat': args})
    args['for_each']['b'] = {'x': 1, 'y': 1}
    with pytest.raises(TypeError, match='not a map'):
        resolved({'repeat': args})


def test_lists_do_not_grow_without_end():
    many = [str(number) for number in range(400)]
    with pytest.raises(ValueError, match='more than'):
        resolved({'repeat': {'template': 'ab',
                             'for_each': {'a': many, 'b': many}}})
    with pytest.raises(ValueError, match='more than'):
        resolved({'list_concat': [many] * 300})


@pytest.mark.parametrize('args', [
    'x', [], {'template': 'x'}, {'for_each': {}},
    {'template': 'x', 'for_each': ['x']},
    {'template': 'x', 'for_each': {}, 'permutations': 'yes'}])
def test_repeat_arguments(args):
    refused({'repeat': args})


@pytest.mark.parametrize('values', ['abc', 1, [1], [['x']], [None]])
def test_repeat_errors(values):
    with pytest.raises(TypeError):
        resolved({'repeat': {'template': 'a', 'for_each': {'a': values}}})


@given(strategies.lists(strategies.text('xy', max_size=2), max_size=3),
       strategies.lists(strategies.text('xy', max_size=2), max_size=3))
def test_repeat_makes_every_combination(one, two):
    made = resolved({'repeat': {'template': ['a', 'b'],
                                'for_each': {'a': one, 'b': two}}})
    assert made == [[a, b] for a in one for b in two]
