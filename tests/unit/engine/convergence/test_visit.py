"""One visit of a node, whatever state its row is in."""
import pytest

from heat.engine import stack as stack_module
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import sync_point
from heat.engine.convergence import transitions
from heat.engine.convergence import visit as check_resource
from heat.engine.lifecycle import claim as resource_claim
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from tests.convergence.templates import thing

PAIR = {'a': thing('1'), 'b': thing('2', needs=['a'])}


@pytest.fixture
def stack_id(world):
    """Return a stack that is about to be created."""
    return world.create(PAIR)


def state_of(world, stack_id):
    return traversal_state.load(stack_module.Stack, world.context, stack_id)


def visit(world, state, node, **kwargs):
    """Visit a node in a pool of its own; return the outcome."""
    engine = world.engines[0]
    world.enter(engine)
    state.read([node])
    task = engine.pool.spawn(check_resource.visit(
        state, node, check_resource.Visitor(engine.id, **kwargs)))
    while not task.done:
        if not engine.pool.step():
            world.clock.advance(1)
    if task.error is not None:
        raise task.error
    return task.result


@pytest.fixture
def quiet(world):
    """Return a world in which nothing runs but what the test runs."""
    for engine in world.engines:
        engine.driver.runner.begin = lambda state, done: None
    return world


@pytest.fixture
def begun(quiet, stack_id):
    """Return the state of a stack whose creation has begun."""
    return state_of(quiet, stack_id)


def ids(world, stack_id):
    return {row.name: row.id for row in world.rows(stack_id)}


def test_visit_makes_what_is_wanted(quiet, begun, stack_id):
    row_id = ids(quiet, stack_id)
    outcome = visit(quiet, begun, (row_id['a'], True))
    assert outcome == transitions.Finished(True, ((row_id['b'], True),))
    row = resource_objects.Resource.get_obj(quiet.context, row_id['a'])
    assert (row.action, row.status) == ('CREATE', 'COMPLETE')
    assert row.engine_id is None


def test_second_visit_changes_nothing(quiet, begun, stack_id):
    node = (ids(quiet, stack_id)['a'], True)
    visit(quiet, begun, node)
    begun.forget(node)
    assert visit(quiet, begun, node) == transitions.Finished(False)
    assert quiet.cloud.requests == 1


def test_held_row_is_busy(quiet, begun, stack_id):
    row_id = ids(quiet, stack_id)['a']
    resource_objects.Resource.update_by_id(quiet.context, row_id,
                                           {'engine_id': 'other'})
    assert visit(quiet, begun, (row_id, True)) == transitions.Busy()


def test_row_that_changed_is_looked_at_again(quiet, begun, stack_id):
    row_id = ids(quiet, stack_id)['a']
    begun.read([(row_id, True)])
    resource_objects.Resource.select_and_update(
        quiet.context, row_id, {'status_reason': 'x'}, None, None)
    outcome = visit(quiet, begun, (row_id, True))
    assert outcome.first
    assert quiet.cloud.requests == 1


def test_visit_for_an_overtaken_operation_begins_nothing(
        quiet, begun, stack_id):
    row_id = ids(quiet, stack_id)['a']
    begun.read([(row_id, True)])
    quiet.update(stack_id, {'a': thing('9')})
    assert visit(quiet, begun, (row_id, True)) == transitions.Finished(False)
    assert not quiet.cloud.requests


def test_replacement_is_not_made_for_an_overtaken_operation(
        make_world):
    world = make_world(engines=1)
    stack_id = world.create(PAIR)
    world.run()
    world.engines[0].driver.runner.begin = lambda state, done: None
    world.update(stack_id, {'a': thing('1', size=7)})
    state = state_of(world, stack_id)
    row_id = ids(world, stack_id)['a']
    state.read([(row_id, True)])
    stack_objects.Stack.update_by_id(world.context, stack_id,
                                     {'current_traversal': 'another'})
    assert visit(world, state, (row_id, True)) == transitions.Stale()
    assert len(world.rows(stack_id)) == 2


def test_replaced_row_is_followed(make_world):
    world = make_world(engines=1)
    stack_id = world.create(PAIR)
    world.run()
    world.engines[0].driver.runner.begin = lambda state, done: None
    goal = dict(PAIR, a=thing('1', size=7))
    world.update(stack_id, goal)
    row_id = ids(world, stack_id)
    node = (row_id['a'], True)
    outcome = visit(world, state_of(world, stack_id), node)
    assert isinstance(outcome, transitions.Replaced)
    # Another engine, which was told nothing.
    fresh = state_of(world, stack_id)
    assert visit(world, fresh, node).first
    assert fresh.actual_id(row_id['a']) == outcome.new_id
    user = (row_id['b'], True)
    assert visit(world, state_of(world, stack_id), user).first
    row = resource_objects.Resource.get_obj(world.context, row_id['b'])
    assert row.requires == [outcome.new_id]


def test_failure_is_kept_for_whoever_marks_the_stack(quiet):
    stack_id = quiet.create({'a': thing(fails=['create'])})
    state = state_of(quiet, stack_id)
    node = (ids(quiet, stack_id)['a'], True)
    outcome = visit(quiet, state, node)
    assert isinstance(outcome, transitions.Failed)
    assert state_of(quiet, stack_id).options.failure == outcome.reason
    # Nobody tries it again meanwhile.
    assert sync_point.ready(quiet.context, state.id) == []


def test_time_that_is_up_begins_nothing(quiet):
    stack_id = quiet.create(PAIR, timeout_mins=1)
    quiet.clock.advance(61)
    node = (ids(quiet, stack_id)['a'], True)
    assert visit(quiet, state_of(quiet, stack_id),
                 node) == transitions.TimedOut()
    assert not quiet.cloud.requests


def test_cancelled_visit_records_that_it_was(quiet):
    stack_id = quiet.create({'a': thing(steps=9)})
    row_id = ids(quiet, stack_id)['a']
    engine = quiet.engines[0]
    state = state_of(quiet, stack_id)
    state.read([(row_id, True)])
    task = engine.pool.spawn(check_resource.visit(
        state, (row_id, True), check_resource.Visitor(engine.id)))
    for _number in range(4):
        engine.pool.step()
    task.throw(check_resource.VisitCancelled())
    while not task.done:
        engine.pool.step() or quiet.clock.advance(1)
    assert task.result == transitions.Cancelled()
    row = resource_objects.Resource.get_obj(quiet.context, row_id)
    assert (row.action, row.status) == ('CREATE', 'FAILED')
    assert row.engine_id is None
    assert state_of(quiet, stack_id).options.failure is None


def interrupted(world, stack_id, name, **values):
    """Make a row look as a dead engine left it; return the node."""
    row_id = ids(world, stack_id)[name]
    resource_objects.Resource.update_by_id(
        world.context, row_id, {'status': 'IN_PROGRESS',
                                'engine_id': 'dead', **values})
    return (row_id, True)


def test_interrupted_create_is_undone_and_done_again(quiet, begun,
                                                     stack_id):
    thing_id = quiet.cloud.create('a', 5, {'uses': []})
    node = interrupted(
        quiet, stack_id, 'a', action='CREATE',
        physical_resource_id=thing_id,
        current_template_id=begun.stack.t.id)
    outcome = visit(quiet, begun, node, taken_from='dead')
    assert outcome.first
    assert thing_id not in quiet.cloud.things
    assert quiet.values() == {'a': [('1', 1)]}


@pytest.mark.parametrize(('wanted', 'is_kept'), [('1', True), ('9', False)])
def test_overtaken_create_is_done_again_if_it_is_still_wanted(
        quiet, begun, stack_id, wanted, is_kept):
    thing_id = quiet.cloud.create('a', 5, {'uses': []})
    node = interrupted(
        quiet, stack_id, 'a', action='CREATE',
        physical_resource_id=thing_id, properties={'value': '1'},
        current_template_id=begun.stack.t.id)
    quiet.update(stack_id, {**PAIR, 'a': thing(wanted), 'c': thing('3')})
    state = state_of(quiet, stack_id)
    outcome = visit(quiet, state, node, taken_from='dead')
    assert isinstance(outcome, transitions.Replaced) is not is_kept
    row = resource_objects.Resource.get_obj(quiet.context, node[0])
    assert (row.current_template_id == state.stack.t.id) is is_kept


@pytest.fixture
def updating(make_world):
    """Return a world with a stack of which an update was begun."""
    world = make_world(engines=1)
    stack_id = world.create(PAIR)
    world.run()
    world.engines[0].driver.runner.begin = lambda state, done: None
    world.update(stack_id, dict(PAIR, a=thing('9')))
    return world, stack_id, state_of(world, stack_id)


def test_interrupted_update_is_made_again(updating):
    world, stack_id, state = updating
    node = interrupted(world, stack_id, 'a', action='UPDATE')
    assert visit(world, state, node, taken_from='dead').first
    assert world.values()['a'] == [('9', 1)]


def test_interrupted_update_to_something_else_is_replaced(make_world):
    world = make_world(engines=1)
    stack_id = world.create(PAIR)
    world.run()
    world.engines[0].driver.runner.begin = lambda state, done: None
    world.update(stack_id, {**PAIR, 'c': thing('3')})
    # What it was being changed to, nobody knows any more.
    node = interrupted(world, stack_id, 'a', action='UPDATE')
    outcome = visit(world, state_of(world, stack_id), node,
                    taken_from='dead')
    assert isinstance(outcome, transitions.Replaced)


def test_interrupted_delete_of_what_is_wanted_is_replaced(updating):
    world, stack_id, state = updating
    node = interrupted(world, stack_id, 'a', action='DELETE')
    outcome = visit(world, state, node, taken_from='dead')
    assert isinstance(outcome, transitions.Replaced)


def test_clean_up_keeps_what_is_wanted(updating):
    world, stack_id, state = updating
    row_id = ids(world, stack_id)
    visit(world, state, (row_id['a'], True))
    visit(world, state, (row_id['b'], True))
    assert visit(world, state, (row_id['b'], False)).first
    assert len(world.cloud.things) == 2


def test_row_without_definition_is_forgotten(quiet, begun, stack_id):
    row = resource_objects.Resource.create(quiet.context, {
        'name': 'stray', 'stack_id': stack_id, 'action': 'INIT',
        'status': 'COMPLETE'})
    quiet.act(stack_id, 'delete')
    assert visit(quiet, state_of(quiet, stack_id), (row.id, False)).first
    assert resource_objects.Resource.get_obj(quiet.context, row.id) is None


@pytest.fixture
def told(begun, monkeypatch):
    """Return the names of the resources that were told to give way."""
    names = []
    monkeypatch.setattr(type(begun.stack.resources['a']), 'handle_preempt',
                        lambda self: names.append(self.name), raising=False)
    return names


def hold(world, stack_id, **values):
    row_id = ids(world, stack_id)['a']
    resource_objects.Resource.update_by_id(
        world.context, row_id, {'engine_id': 'other', **values})
    return row_id


@pytest.mark.parametrize('action', ['CREATE', 'UPDATE'])
def test_who_works_for_the_operation_before_is_told(
        quiet, begun, stack_id, told, action):
    row_id = hold(quiet, stack_id, action=action, status='IN_PROGRESS')
    quiet.update(stack_id, PAIR)
    outcome = visit(quiet, state_of(quiet, stack_id), (row_id, True))
    assert (outcome, told) == (transitions.Busy(), ['a'])


@pytest.mark.parametrize('action', ['CREATE', 'UPDATE'])
def test_who_visits_the_same_node_is_not_told(
        quiet, begun, stack_id, told, action):
    hold(quiet, stack_id)
    quiet.update(stack_id, PAIR)
    state = state_of(quiet, stack_id)
    row_id = hold(quiet, stack_id, action=action, status='IN_PROGRESS',
                  current_template_id=state.stack.t.id,
                  updated_at=state.stack.updated_time)
    assert visit(quiet, state, (row_id, True)) == transitions.Busy()
    assert told == []


def test_nobody_is_told_without_an_operation_before(
        quiet, begun, stack_id, told):
    row_id = hold(quiet, stack_id, action='CREATE', status='IN_PROGRESS')
    assert visit(quiet, begun, (row_id, True)) == transitions.Busy()
    assert told == []


def test_claims_say_who_goes_on():
    assert resource_claim.RowClaim('e').is_resumable
    assert not resource_claim.StackOwned().is_resumable


def test_operation_that_is_over_has_no_state(world):
    stack_id = world.create(PAIR)
    world.run()
    assert state_of(world, stack_id) is None
