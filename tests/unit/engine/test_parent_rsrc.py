"""The parent resource, as far as a nested stack knows it."""
import gc
import types

import pytest

from heat.common import current_engine
from heat.engine import parent_rsrc
from heat.engine import resource
from tests.fakes import database
from tests.fakes import stack as fake_stack


class Thing(resource.Resource):
    properties_schema = {}


@pytest.fixture
def parent():
    database.emptied_sqlite()
    stack = fake_stack.FakeStack(
        {'r': {'type': 'T::Thing', 'metadata': {'m': 1}}},
        types={'T::Thing': Thing})
    stack.stored('r').state_set('CREATE', 'IN_PROGRESS')
    return stack


@pytest.fixture
def loads(monkeypatch, parent):
    """Let an engine load the parent; return how often it did."""
    loads = []

    def load_stack(context, stack_id):
        loads.append(stack_id)
        return parent

    monkeypatch.setattr(current_engine, '_engine',
                        types.SimpleNamespace(load_stack=load_stack))
    return loads


def proxy_of(parent):
    return parent_rsrc.ParentResourceProxy(parent.context, 'r', parent.id)


def test_root_stacks_have_no_parent():
    assert parent_rsrc.ParentResourceProxy(None, None, None) is None
    assert parent_rsrc.use_parent_stack(None, object()) is None


def test_parent_is_loaded_once_and_when_it_is_asked_for(parent, loads):
    proxy = proxy_of(parent)
    assert proxy.name == 'r'
    assert loads == []
    assert proxy.t.resource_type == 'T::Thing'
    assert proxy.t is parent.defn.resource_definition('r')
    assert loads == [parent.id]


def test_parent_at_hand_is_not_loaded(parent, loads):
    proxy = parent_rsrc.use_parent_stack(proxy_of(parent), parent)
    assert proxy.t is parent.defn.resource_definition('r')
    assert proxy.metadata_get() == {'m': 1}
    assert loads == []


def test_parent_is_not_kept_alive(parent, loads):
    other = fake_stack.FakeStack({'r': {'type': 'T::Other'}},
                                 types={'T::Other': Thing})
    proxy = parent_rsrc.use_parent_stack(proxy_of(parent), other)
    assert proxy.t.resource_type == 'T::Other'
    del other
    gc.collect()
    assert proxy.t.resource_type == 'T::Thing'


def test_metadata_are_those_stored(parent, loads):
    proxy = proxy_of(parent)
    parent['r'].metadata_set({'m': 2})
    assert proxy.metadata_get() == {'m': 2}
    assert loads == []
    assert parent_rsrc.ParentResourceProxy(
        parent.context, 'gone', parent.id).metadata_get() == {}
