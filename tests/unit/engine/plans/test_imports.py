"""Existing objects are inspected before they are imported."""
import uuid

import pytest

from heat.common import change_set_errors
from heat.common import exception
from heat.engine.plans import imports
from heat.engine.plans import moves
from heat.engine.plans import places
from heat.engine.plans import requested
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from tests.fakes import stacks

BEFORE = """
resources:
  a: {type: Test::Thing}
"""
AFTER = """
resources:
  a: {type: Test::Thing}
  b: {type: Test::Thing, properties: {value: y}}
"""


class Cloud:
    """The live data of objects, by id."""

    def __init__(self):
        self.known = {}

    def show(self, resource):
        """Return what is known of the thing of a resource."""
        if resource.resource_id not in self.known:
            raise exception.EntityNotFound(entity='Thing',
                                           name=resource.resource_id)
        return self.known[resource.resource_id]


@pytest.fixture
def cloud(monkeypatch):
    found = Cloud()
    monkeypatch.setattr(stacks.Thing, 'get_live_resource_data',
                        lambda resource: found.show(resource))
    return found


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def stack(engine):
    return engine.create(BEFORE)


def goal(engine, stack, text=AFTER):
    return stack_store.wanted_stack(stack, engine.template(text))


def prepare(engine, stack, thing_id, path='b', text=AFTER):
    wanted = goal(engine, stack, text)
    [asked] = requested.imports_of([{'resource': path, 'id': thing_id}])
    return imports.prepare(places.Tree(stack, wanted), asked, 3)


def refused(engine, stack, thing_id, **more):
    with pytest.raises(change_set_errors.ImportNotPossible) as raised:
        prepare(engine, stack, thing_id, **more)
    return str(raised.value)


def test_row_has_the_live_values(engine, stack, cloud):
    cloud.known['mine'] = {'value': 'x', 'other': 1}
    found = prepare(engine, stack, 'mine')
    assert found.row.physical_resource_id == 'mine'
    assert (found.row.action, found.row.status) == ('CREATE', 'COMPLETE')
    assert found.row.properties['value'] == 'x'
    assert found.row.id == -3
    assert found.row.stack_id == stack.id
    assert found.definition.written_properties is None
    assert resource_objects.Resource.get_by_name_and_stack(
        engine.context, 'b', stack.id) is None


class Shown:
    """An object of a client library."""

    def __init__(self, **values):
        self.values = values

    def to_dict(self):
        return self.values


def test_live_data_has_the_form_of_the_plugin(engine, stack, cloud,
                                              monkeypatch):
    """Servers come as an object, with what else was asked for."""
    monkeypatch.setattr(
        stacks.Thing, 'parse_live_resource_data',
        lambda resource, props, live: {'value': live[1][0]})
    cloud.known['mine'] = Shown(project_id=engine.context.project_id), ['x']
    assert prepare(engine, stack, 'mine').row.properties == {'value': 'x'}
    cloud.known['theirs'] = Shown(project_id='another'), ['x']
    assert 'no such Test::Thing' in refused(engine, stack, 'theirs')


def test_what_the_service_does_not_show_is_as_the_template_says(
        engine, stack, cloud):
    cloud.known['mine'] = {'other': 1}
    assert prepare(engine, stack, 'mine').row.properties == {'value': 'y'}


@pytest.mark.parametrize(('shown', 'known'), [
    ({'fixed': 'x'}, 'x'), ({'fixed': ['x']}, 'z'), ({}, 'z')])
def test_what_no_update_changes_counts_if_it_is_plain(
        engine, stack, cloud, shown, known):
    cloud.known['mine'] = {'value': 'y', **shown}
    text = AFTER.replace('value: y', 'value: y, fixed: z')
    found = prepare(engine, stack, 'mine', text=text).row.properties
    assert found == {'value': 'y', 'fixed': known}


def test_what_the_template_leaves_out_is_left_out(engine, stack, cloud):
    cloud.known['mine'] = {'value': 'y', 'fixed': 'x'}
    assert prepare(engine, stack, 'mine').row.properties == {'value': 'y'}


def test_things_that_are_not_there(engine, stack, cloud):
    assert 'no such Test::Thing' in refused(engine, stack, 'nothing')
    cloud.known['empty'] = {}
    assert 'no such Test::Thing' in refused(engine, stack, 'empty')
    cloud.known['broken'] = None
    assert 'no such Test::Thing' in refused(engine, stack, 'broken')


@pytest.mark.parametrize('key', ['project_id', 'tenant_id'])
def test_things_of_other_projects(engine, stack, cloud, key):
    cloud.known['theirs'] = {'value': 'x', key: 'another'}
    assert 'no such Test::Thing' in refused(engine, stack, 'theirs')
    cloud.known['mine'] = {'value': 'x', key: engine.context.project_id}
    assert prepare(engine, stack, 'mine').row is not None


def test_things_that_are_resources(engine, stack, cloud):
    owned = stack['a'].resource_id
    cloud.known[owned] = {'value': 'x'}
    text = refused(engine, stack, owned)
    assert 'the resource "a" of stack ' + stack.name in text


def test_names_are_taken_in_one_project_alone(engine, stack, cloud,
                                              monkeypatch):
    thing_id = str(uuid.uuid4())
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, 'a', stack.id)
    for name in (thing_id, 'a-name'):
        cloud.known[name] = {'value': 'x'}
        resource_objects.Resource.update_by_id(
            engine.context, row.id, {'physical_resource_id': name})
        monkeypatch.setattr(stack, 'tenant_id', 'another')
        if name == thing_id:
            text = refused(engine, stack, name)
            assert 'it belongs to another stack' in text
            assert f'stack {stack.name}' not in text
        else:
            assert prepare(engine, stack, name)


@pytest.mark.parametrize(('path', 'text', 'said'), [
    ('a', AFTER, 'has the resource already'),
    ('c', AFTER, 'no resource of that name'),
    ('b', BEFORE + '  b: {type: Test::Thing, external_id: x}\n',
     'external_id')])
def test_resources_that_take_nothing_over(engine, stack, cloud, path, text,
                                          said):
    cloud.known['mine'] = {'value': 'x'}
    assert said in refused(engine, stack, 'mine', path=path, text=text)


def test_types_that_cannot_look(engine, stack):
    assert 'cannot read' in refused(engine, stack, 'mine')


def test_ids_that_no_row_holds(engine, stack, cloud):
    asked = requested.Import(('b',), 'x' * 256)
    with pytest.raises(change_set_errors.ImportNotPossible):
        imports.prepare(places.Tree(stack, goal(engine, stack)), asked, 1)


def test_the_row_is_written_as_the_update_begins(engine, stack, cloud):
    cloud.known['mine'] = {'value': 'x'}
    wanted = goal(engine, stack)
    moved = moves.of_update(stack, wanted, (), requested.imports_of(
        [{'resource': 'b', 'id': 'mine'}]))
    assert moved.imported == {('b',)}
    assert moved.is_one_way
    assert stack['b'].resource_id == 'mine'
    moves.update(stack, wanted, moved)
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, 'b', stack.id)
    assert row.physical_resource_id == 'mine'
    assert row.properties == {'value': 'x'}
    assert engine.events(stack, 'b')[0] == 'b CREATE_COMPLETE'


def test_imports_of_an_environment_are_done_once(engine, stack, cloud):
    registry = {'resource_registry': {'resources': {
        'a': {'import': 'mine'}, 'c': {'import': 'mine'},
        'n': {'x': {'import': 'mine'}}}}}
    wanted = stack_store.wanted_stack(stack, engine.template(
        AFTER, **registry))
    assert not moves.of_update(stack, wanted)
