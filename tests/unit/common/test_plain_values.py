import collections
import datetime
import decimal
import uuid

from oslo_serialization import jsonutils
import pytest

from heat.common import plain_values


class Point:
    """An object of no type that JSON knows."""

    def __init__(self):
        self.across = [1, {'a': (2, 3)}]


class Text(str):
    """A text of a type of its own."""


@pytest.mark.parametrize('value', [
    None, True, 1, 1.5, 'a', b'a', Text('a'), [], {}, (),
    [1, [2, ['a', None]]], {'a': {'b': [{'c': 1}]}}, (1, (2,)),
    {1: 'a', None: 'b', False: 'c'}, {Text('k'): [1]}, {b'k': {b'l': 1}},
    collections.OrderedDict(a=[1]), {'a': {3, 4} - {4}}, frozenset([1]),
    datetime.datetime(2030, 1, 2, 3, 4, 5), {'a': uuid.UUID(int=7)},
    [decimal.Decimal('1.5')], Point(), [{'a': Point()}], ValueError('x'),
    [iter([1, 2]), print], {'a': collections.UserDict(b=[1])}])
def test_values_become_those_of_the_library(value):
    expected = jsonutils.to_primitive(value, convert_instances=True)
    if isinstance(value, list) and value and hasattr(value[0], '__next__'):
        # An iterator is used up.
        value[0] = iter([1, 2])
    assert plain_values.plain(value) == expected


def test_what_occurs_often_is_converted_once():
    large = {'a': [1, 2]}
    first, second, inner = plain_values.plain([large, large, {'b': large}])
    assert first == large
    assert first is not large
    assert second is first
    assert inner['b'] is first


def test_a_copy_is_made():
    value = {'a': [{'b': []}]}
    copy = plain_values.plain(value)
    copy['a'][0]['b'].append(1)
    assert value == {'a': [{'b': []}]}


@pytest.mark.parametrize(('value', 'expected'), [
    (None, True), (1.5, True), ('a', True), ([], True), ({}, True),
    ([1, [2, ['a', None]]], True), ({'a': {'b': [{'c': 1}]}}, True),
    ((), False), (Text('a'), False), (b'a', False), ([[Point()]], False),
    ({'a': (1,)}, False), ({'a': [{1: 'b'}]}, False),
    ({'a': {Text('b'): 1}}, False), (collections.OrderedDict(), False),
    ({'a': [{'b': Text('c')}]}, False), ([1, {2}], False)])
def test_only_types_of_json_are_plain(value, expected):
    assert plain_values.is_plain(value) is expected


def test_each_part_of_a_value_is_examined_once():
    value = []
    for _time in range(64):
        value = [value, value]
    assert plain_values.is_plain(value)
    value = deepest = []
    for _time in range(64):
        value = [value, value]
    deepest.append(Point())
    assert not plain_values.is_plain(value)


def test_a_value_that_contains_itself_is_examined_to_its_end():
    value = {'a': []}
    value['a'].append(value)
    assert plain_values.is_plain(value)
