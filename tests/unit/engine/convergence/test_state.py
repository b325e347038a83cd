"""What one process knows of a traversal."""
import datetime
import json
import types

from hypothesis import given
from hypothesis import strategies as st
import pytest

from heat.engine import stack as stack_module
from heat.engine.convergence import state as traversal_state
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from tests.convergence.templates import thing
from tests.fakes import strategies

Options = traversal_state.Options
IDS = st.integers(1, 10 ** 6)


@strategies.SETTINGS
@given(st.builds(
    Options, converge=st.booleans(), abandon=st.booleans(),
    adopt=st.none() | st.dictionaries(strategies.words, st.integers()),
    snapshot_id=st.none() | strategies.words,
    templates=st.lists(IDS, max_size=3).map(tuple),
    reinstated=st.lists(st.tuples(IDS, IDS), max_size=3).map(tuple),
    held=st.lists(st.tuples(IDS, strategies.words), max_size=3).map(tuple),
    failure=st.none() | strategies.texts,
    retained=st.lists(strategies.words, max_size=3).map(tuple)))
def test_facts_travel_as_json(options):
    data = json.loads(json.dumps(options.as_dict()))
    assert Options.from_dict(data) == options


def test_only_what_is_not_the_default_is_stored():
    assert Options().as_dict() == {}
    assert Options(converge=True).as_dict() == {'converge': True}
    assert Options.from_dict(None) == Options()
    # A later release may store more.
    assert Options.from_dict({'novelty': 1}) == Options()


def test_time_that_was_given_anew():
    moment = datetime.datetime(2026, 5, 1, 12, 0, 0)
    assert Options().resumed_at() is None
    assert Options(resumed=moment.isoformat()).resumed_at() == moment


@pytest.mark.parametrize(('action', 'before', 'wanted'), [
    ('SNAPSHOT', None, Options(snapshot_id='t')),
    ('UPDATE', 7, Options(templates=(7,))),
    ('CREATE', None, Options())])
def test_facts_of_what_heat_began_follow_from_the_stack(action, before,
                                                        wanted):
    row = types.SimpleNamespace(action=action, current_traversal='t',
                                prev_raw_template_id=before)
    point = types.SimpleNamespace(extra_data=None)
    assert Options.of(row, point) == wanted
    # Our own are stored; without a point nothing is known.
    point.extra_data = {'converge': True}
    assert Options.of(row, point) == Options(converge=True)
    assert Options.of(row, None) == Options()


@pytest.fixture
def one(make_world):
    return make_world(engines=1)


GOAL = {'a': thing('1'), 'b': thing('2', needs=['a'])}


def begun(world, goal=GOAL):
    """Return the state of a traversal that has just begun."""
    stack_id = world.create(goal)
    return stack_id, traversal_state.load(stack_module.Stack, world.context,
                                          stack_id)


def nodes_of(world, stack_id):
    return {row.name: (row.id, True) for row in world.rows(stack_id)}


def test_traversal_in_progress_is_loaded(one):
    stack_id, state = begun(one)
    row = stack_objects.Stack.get_by_id(one.context, stack_id)
    assert (state.id, state.action) == (row.current_traversal, 'CREATE')
    assert traversal_state.load(
        stack_module.Stack, one.context, stack_id,
        row.current_traversal) is not None


@pytest.mark.parametrize('traversal', ['another', ''])
def test_another_traversal_is_not_there(one, traversal):
    stack_id, _state = begun(one)
    assert traversal_state.load(stack_module.Stack, one.context, stack_id,
                                traversal) is None


def test_what_has_ended_is_not_there(one):
    stack_id, _state = begun(one)
    one.run()
    assert one.state(stack_id) == 'CREATE_COMPLETE'
    for each in (stack_id, 'no-such-stack'):
        assert traversal_state.load(stack_module.Stack, one.context,
                                    each) is None


def test_rows_are_read_when_they_are_needed(one):
    stack_id, state = begun(one)
    nodes = nodes_of(one, stack_id)
    assert not state.knows(nodes['a'])
    assert state.row_of(nodes['a']) is None
    state.read(nodes.values())
    assert state.knows(nodes['a'])
    assert state.resource_of(nodes['a']).name == 'a'
    assert state.required_ids(nodes['b']) == {nodes['a'][0]}
    state.forget(nodes['a'])
    assert not state.knows(nodes['a'])


def test_node_waits_for_the_results_of_those_it_needs(one):
    stack_id, state = begun(one)
    nodes = nodes_of(one, stack_id)
    state.know_rows(resource_objects.Resource.get_many(
        one.context, [key for key, _is_update in nodes.values()]))
    key = nodes['a'][0]
    assert state.unpublished(nodes['b']) == {key}
    assert not state.is_ready_to_visit(nodes['b'])
    state.tell(key, state.resource_of(nodes['a']))
    assert state.is_ready_to_visit(nodes['b'])
    state.take_back(key)
    assert not state.is_ready_to_visit(nodes['b'])


def test_replacement_stands_for_its_node(one):
    stack_id, state = begun(one)
    nodes = nodes_of(one, stack_id)
    state.read(nodes.values())
    key = nodes['a'][0]
    row = resource_objects.Resource.get_obj(one.context, nodes['b'][0])
    assert state.actual_id(key) == key
    state.replaced(key, row)
    assert state.actual_id(key) == row.id
    assert state.required_ids(nodes['b']) == {row.id}
    assert state.row_of(nodes['a']) is row


def test_replacements_in_the_database_are_followed(one):
    stack_id, state = begun(one)
    nodes = nodes_of(one, stack_id)
    old, new = nodes['a'][0], nodes['b'][0]
    resource_objects.Resource.update_by_id(one.context, old,
                                           {'replaced_by': new})
    resource_objects.Resource.update_by_id(one.context, new,
                                           {'replaces': old})
    state.read([nodes['a']])
    assert state.actual_id(old) == new
    assert set(state.nodes_of_row(new)) == {(old, True), (new, True)}


def test_row_that_is_gone_is_not_known(one):
    stack_id, state = begun(one)
    nodes = nodes_of(one, stack_id)
    resource_objects.Resource.delete(one.context, nodes['a'][0])
    state.read([nodes['a']])
    assert state.row_of(nodes['a']) is None
    assert state.resource_of(nodes['a']) is None
