"""Values that differ, and values that are only written in another way."""
import pytest

from heat.engine import constraints
from heat.engine import properties
from heat.engine.comparison import values

ID = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9'
S = properties.Schema
NAMED = S(S.STRING, constraints=[constraints.CustomConstraint('nova.flavor')])
WORD = S(S.STRING, constraints=[constraints.AllowedValues(['tcp', 'udp'])])


def found(expected, actual, schema=None):
    return list(values.differences('p', expected, actual, schema))


@pytest.mark.parametrize(('expected', 'actual', 'schema'), [
    (None, 'chosen by the service', None),
    ('', None, None), ([], None, None), ({}, '', None), (False, None, None),
    ('a', 'a', None), (1, '1', None), (True, 'true', None),
    (True, 'True', S(S.BOOLEAN)), (2, '2.0', S(S.NUMBER)),
    ('tcp', 'TCP', WORD),
    (ID, 'm1.small', NAMED), ('m1.small', ID, NAMED),
    ('FA:16:3E:00:00:01', 'fa:16:3e:00:00:01', None),
    ('2001:db8:0:0::1', '2001:db8::1', None),
    ('10.0.0.7/24', '10.0.0.0/24', None),
    (['a', 'b'], ['b', 'a'], None),
    ({'a': 1}, {'a': 1, 'b': 2}, None),
    ({'a': None}, {'a': 'chosen'}, None),
    ([{'a': 1}, {'a': 2}], [{'a': 2, 'id': 'x'}, {'a': 1, 'id': 'y'}], None),
    ([ID], ['web'], S(S.LIST, schema=NAMED)),
])
def test_same_value_in_other_writing(expected, actual, schema):
    assert found(expected, actual, schema) == []


@pytest.mark.parametrize(('expected', 'actual', 'schema'), [
    ('a', 'b', None), ('a', 'A', None), ('a', None, None), ('', 'a', None),
    (False, True, S(S.BOOLEAN)), (1, 2, S(S.INTEGER)),
    ('tcp', 'udp', WORD), ('m1.small', 'm1.large', NAMED),
    (ID, ID.replace('0', '1'), NAMED),
    (['a'], ['a', 'b'], None), (['a', 'a'], ['a', 'b'], None),
    ('10.0.0.1', '10.0.0.1/24', None), ('a', ['a'], None),
    ([{'a': 1}], [{'a': 1}, {'a': 2}], None),
])
def test_other_value(expected, actual, schema):
    assert found(expected, actual, schema) == [('p', expected, actual)]


def test_difference_is_where_it_is():
    assert found({'a': {'b': 1, 'c': 2}, 'd': 3},
                 {'a': {'b': 1, 'c': 4}}) == [('p.a.c', 2, 4),
                                              ('p.d', 3, None)]


def test_maps_in_a_list_are_compared_whatever_their_order():
    assert found([{'a': 1, 'b': 1}, {'a': 2, 'b': 2}],
                 [{'a': 2, 'b': 2}, {'a': 1, 'b': 5}]) == [
        ('p[0].b', 1, 5)]
