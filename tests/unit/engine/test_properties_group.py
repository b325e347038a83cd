import pytest

from heat.common import exception
from heat.engine import properties_group as groups


@pytest.mark.parametrize(('schema', 'given', 'holds'), [
    ({'and': [['a'], ['b']]}, {'a': 1, 'b': 2}, True),
    ({'and': [['a'], ['b']]}, {'a': 1}, False),
    ({'or': [['a'], ['b']]}, {'b': 1}, True),
    ({'or': [['a'], ['b']]}, {'c': 1}, False),
    ({'xor': [['a'], ['b'], ['c']]}, {'c': 1}, True),
    ({'xor': [['a'], ['b'], ['c']]}, {'a': 1, 'c': 1}, False),
    ({'xor': [['a'], ['b']]}, {}, False),
    ({'xor': [['a'], {'and': [['b'], ['c']]}]}, {'b': 1, 'c': 1}, True),
    ({'and': [['a', 'x']]}, {'a': {'x': 0}}, True),
    ({'and': [['a', 'x']]}, {'a': {'x': None}}, False),
    ({'and': [['a', 'x']]}, {'a': 5}, False),
    ({'or': [['a']]}, None, False),
])
def test_formula(schema, given, holds):
    assert groups.PropertiesGroup(schema, given).validate() is holds


@pytest.mark.parametrize('schema', [
    [], 'and', {}, {'nor': []}, {'and': [], 'or': []}, {'and': 'a'},
    {'and': ['a']}, {'and': [[5]]}, {'and': [{'nor': []}]}])
def test_malformed(schema):
    with pytest.raises(exception.InvalidSchemaError):
        groups.PropertiesGroup(schema)
