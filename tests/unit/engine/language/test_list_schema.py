"""The schema of a list, a mapping with one value for every index."""
from hypothesis import given
from hypothesis import strategies as st
import pytest

from heat.engine import constraints
from heat.engine.language import list_schema
from tests.fakes import strategies


@strategies.SETTINGS
@given(st.integers())
def test_every_index_has_the_value(index):
    value = object()
    assert list_schema.AnyIndexDict(value)[index] is value


def test_it_is_shown_with_one_key():
    value = constraints.Schema(constraints.Schema.STRING)
    mapping = list_schema.AnyIndexDict(value)
    assert dict(mapping) == {'*': value}
    assert len(mapping) == 1
    assert '*' in mapping
    assert 7 in mapping


@pytest.mark.parametrize('key', ['name', '0', '**', None, 1.5, (1,)])
def test_what_is_no_index(key):
    mapping = list_schema.AnyIndexDict('value')
    assert key not in mapping
    with pytest.raises(KeyError, match='Invalid key'):
        mapping[key]


def test_plugins_know_it_as_part_of_constraints():
    assert constraints.AnyIndexDict is list_schema.AnyIndexDict
