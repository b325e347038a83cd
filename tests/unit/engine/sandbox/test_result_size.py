"""What functions make is counted, also where it is shared."""
import pytest

from heat.engine import function
from heat.engine.sandbox import result_size
from tests.fakes import definitions

LONG = {'long': {'type': 'string', 'default': 'a' * 100000}}


def resolved(value, params=LONG):
    stack = definitions.definition(definitions.hot(parameters=params))
    return function.resolve(stack.t.parse(stack, value))


@pytest.mark.parametrize(('value', 'size'), [
    ('abc', 3), (1, 0), (None, 0), (['ab', 'c'], 67),
    ({'a': 'bc', 'd': [1]}, 100),
    ('\u0100' * 100, 225), ('\U00010000' * 100, 427), ((), 0)])
def test_size(value, size):
    assert result_size.size_of(value) == size


def test_what_is_shared_counts_each_time():
    item = 'x' * 1000
    assert result_size.size_of([[item] * 10] * 10) > 100000


def test_size_of_what_is_too_large_is_not_counted_to_the_end():
    value = ['x' * 1000] * 1000
    for _level in range(20):
        value = [value] * 1000
    assert result_size.size_of(value) > result_size.MAX_SIZE


def test_references_are_counted_together():
    many = [{'get_param': 'long'}] * 200
    with pytest.raises(result_size.TooLarge, match='16777216 bytes'):
        resolved({'a': many})
    assert len(resolved(many[:100])) == 100
    # The next value begins anew.
    assert len(resolved(many[:100])) == 100


def test_lists_are_counted_together():
    split = {'str_split': ['a', {'get_param': 'long'}]}
    with pytest.raises(result_size.TooLarge):
        resolved([split] * 50)


def test_nothing_is_counted_after_an_error():
    with pytest.raises(TypeError):
        resolved({'str_split': [1, 2]})
    assert not result_size.is_counting()


def test_texts_in_loops_are_measured_before_they_are_made():
    with pytest.raises(result_size.TooLarge):
        resolved({'repeat': {'template': '%a%' * 30000, 'for_each': {
            '%a%': [{'get_param': 'long'}]}}})


def test_unique_items_of_long_lists_of_maps():
    items = [{'k': number % 5000, 'l': [number % 2]}
             for number in range(20000)]
    found = resolved({'list_concat_unique': [items, [1, True, 1.0, 'x']]})
    assert len(found) == 5002
    assert found[:2] == items[:2]


def test_filter_of_long_lists_of_maps():
    items = [{'k': number} for number in range(10000)]
    assert resolved({'filter': [items[1:], items]}) == [{'k': 0}]
    assert resolved({'filter': [[1], [True, 1.0, [1], '1']]}) == [[1], '1']


@pytest.mark.parametrize(('value', 'items'), [
    ('abc', 0), (b'abc', 0), (1, 0), (None, 0), ([], 0), ({}, 0),
    ([1, 'a', None], 3), ({'a': 1, 'b': [2, 3]}, 4), ([[[]]], 2)])
def test_items_are_counted_at_all_depths(value, items):
    assert result_size.measured(value) == (result_size.size_of(value), items)
