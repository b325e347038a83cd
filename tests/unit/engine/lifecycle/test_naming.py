"""What resources are called in the cloud, and by other types."""
from hypothesis import given
from hypothesis import strategies as st
import pytest

from heat.engine.lifecycle import naming
from tests.fakes import strategies
from tests.unit.engine.lifecycle import things

pytestmark = pytest.mark.usefixtures('no_things')


def test_has_interface_follows_mappings():
    stack = things.make_stack({'alias': {'type': 'T::Alias'}})
    assert stack['alias'].has_interface('T::Alias')
    assert stack['alias'].has_interface('T::Thing')
    assert not stack['alias'].has_interface('T::Other')


def test_physical_name_is_unique_and_fits():
    stack = things.make_stack(name='x' * 250)
    res = things.created(stack)
    name = res.physical_resource_name()
    assert len(name) == 255
    assert name.startswith('xx-xxx')
    assert len(name.rpartition('-')[2]) == 12
    assert res.physical_resource_name_or_FnGetRefId() == name


@pytest.mark.parametrize(('name', 'limit', 'wanted'), [
    ('short', 10, 'short'),
    ('stack-resource-abc', 10, 'st-rce-abc'),
    ('abcdefgh', 4, 'ab-h'),
])
def test_reduced_name(name, limit, wanted):
    assert things.Thing.reduce_physical_resource_name(name, limit) == wanted


def test_name_cannot_be_reduced_to_nothing():
    with pytest.raises(ValueError, match='4'):
        things.Thing.reduce_physical_resource_name('abcdef', 3)


@strategies.SETTINGS
@given(st.text('ab-', max_size=40), st.integers(4, 30))
def test_reduced_names_fit_and_end_alike(name, limit):
    reduced = naming.reduced(name, limit)
    assert len(reduced) <= limit
    assert naming.reduced(reduced, limit) == reduced
    if len(name) <= limit:
        assert reduced == name
    else:
        assert reduced.endswith(name[-(limit - 3):])


def test_what_is_not_made_yet_has_no_name():
    stack = things.make_stack()
    assert naming.physical_name(stack['r']) is None
    assert naming.physical_name(stack.stored('r')) is None


def test_types_without_limit_have_long_names(monkeypatch):
    monkeypatch.setattr(things.Thing, 'physical_resource_name_limit', None)
    stack = things.make_stack(name='x' * 255)
    res = things.created(stack)
    assert len(naming.physical_name(res)) > 255
