import gc

import pytest

from heat.common import exception
from heat.engine import dependencies
from heat.engine import resource
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from tests.fakes import database
from tests.unit.engine.lifecycle import things


@pytest.fixture(autouse=True)
def _no_things(monkeypatch):
    database.emptied_sqlite()
    monkeypatch.setattr(things.Thing, 'asked', [])


# -- making objects ---------------------------------------------------------

def test_class_is_picked_by_type():
    stack = things.make_stack({'r': {'type': 'T::Thing'},
                               'alias': {'type': 'T::Alias'}})
    assert type(stack['r']) is things.Thing
    assert type(stack['alias']) is things.Thing
    assert stack['alias'].type() == 'T::Alias'


def test_names_by_type_follow_mappings():
    stack = things.make_stack({
        'one': {'type': 'T::Thing'}, 'alias': {'type': 'T::Alias'},
        'odd': {'type': 'No::Such::Type'}})
    named = stack.defn.rsrc_names_of_type
    assert named('T::Thing') == ['one', 'alias']
    assert named('T::Alias') == ['alias']
    assert named('No::Such::Type') == ['odd']
    assert named('T::Other') == []
    stk_defn.remove_resource(stack.defn, 'alias')
    assert named('T::Thing') == ['one']
    stk_defn.add_resource(stack.defn, rsrc_defn.ResourceDefinition(
        'new', 'T::Alias'))
    assert named('T::Thing') == ['one', 'new']


def test_name_has_no_slash():
    stack = things.make_stack()
    with pytest.raises(ValueError, match='/'):
        resource.Resource('a/b', stack.definition('r'), stack)


def test_row_is_read_by_whoever_makes_the_object():
    stack = things.make_stack(props={'size': 3}, metadata={'m': 1})
    before = things.created(stack)
    res = stack.reload('r')
    assert res is not before
    for name in ('id', 'uuid', 'resource_id', 'action', 'status',
                 'created_time', 'atomic_key', 'root_stack_id'):
        assert getattr(res, name) == getattr(before, name), name
    assert res.metadata_get() == {'m': 1}
    assert res.frozen_definition().properties(
        things.Thing.properties_schema)['size'] == 3


def test_one_of_several_rows_can_be_loaded():
    stack = things.make_stack()
    res = things.created(stack)
    row = resource_objects.Resource.get_obj(stack.context, res.id)
    row.replaced_by, row.requires = 7, [1, 2]
    loaded = resource.Resource.load_row(row, stack.definition('r'), stack)
    assert type(loaded) is things.Thing
    assert (loaded.replaced_by, loaded.requires) == (7, {1, 2})


def test_stack_is_a_weak_reference():
    res = things.make_stack()['r']
    gc.collect()
    with pytest.raises(RuntimeError, match='gone'):
        _stack = res.stack


# -- dependencies -----------------------------------------------------------

def test_dependencies_come_from_the_definition():
    stack = things.make_stack({
        'a': {'type': 'T::Other'}, 'b': {'type': 'T::Other'},
        'r': {'type': 'T::Other', 'depends_on': 'b',
              'properties': {'p': {'get_resource': 'a'}}}})
    deps = dependencies.Dependencies()
    for res in stack.values():
        res.add_explicit_dependencies(deps)
    assert {res.name for res in deps.requires(stack['r'])} == {'a', 'b'}
    assert len(deps) == 3
    stack.dependencies = deps
    assert stack['a'].required_by() == ['r']


# -- translation ------------------------------------------------------------

def test_names_are_resolved_from_create_on():
    stack = things.make_stack(props={'name': 'known'})
    res = stack.stored('r')
    assert res.properties['name'] == 'known'
    scheduler.TaskRunner(res.create)()
    assert things.Thing.asked == ['id-of-known']
    # What is stored is what the user wrote.
    assert stack.row('r').properties == {'name': 'known'}


def test_name_that_is_gone_does_not_stop_a_delete():
    stack = things.make_stack(props={'name': 'known'})
    res = things.created(stack)
    res.row_state.set_properties({'name': 'gone'})
    with res.frozen_properties():
        assert res.properties['name'] == 'gone'
    res.handle_delete = lambda: None
    scheduler.TaskRunner(res.delete)()


# -- default handlers -------------------------------------------------------

class Verbs:
    def __init__(self, error=None):
        self.error = error
        self.calls = []

    def delete(self, physical_id):
        self.calls.append(physical_id)
        if self.error:
            raise self.error


@pytest.mark.parametrize('error', [
    None, exception.EntityNotFound(entity='Thing', name='phys')])
def test_default_delete_uses_the_entity(monkeypatch, error):
    stack = things.make_stack()
    res = things.created(stack)
    verbs = Verbs(error)
    monkeypatch.setattr(things.Thing, 'entity', 'things')
    monkeypatch.setattr(things.Thing, 'client', lambda self: type(
        'Client', (), {'things': verbs}))
    scheduler.TaskRunner(res.delete)()
    assert verbs.calls == ['phys']


# -- validation and availability --------------------------------------------
