"""What becomes of a tree of stacks, some of which happened in a story."""
import pytest

from heat.engine.stacks import snapshots
from tests.convergence import checks
from tests.convergence import world as simulation
from tests.convergence.templates import group
from tests.convergence.templates import nest
from tests.convergence.templates import thing
from tests.convergence.templates import told_by


def test_many_nested_stacks_are_replaced_at_once(make_world, monkeypatch):
    """As many have their turn as may, and come back for replacements."""
    monkeypatch.setattr(simulation, 'COMMITS', 0)
    world = make_world(engines=1, max_inflight=20, shares_commits=True)
    names = 'abcdefghijkl'
    stack_id = world.create({name: group(1, thing('1')) for name in names})
    world.run()
    goal = {name: group(1, thing('1'), '%number%') for name in names}
    # A new engine does not know how much there is in each of them.
    world.crash(world.engines[0])
    began = world.clock.now
    assert world.update(stack_id, goal)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    assert world.clock.now - began < 60
    checks.stack_is(world, stack_id, goal)


@pytest.mark.parametrize('steps', range(1, 24, 2))
def test_abandoned_while_the_nested_stack_is_made(make_world, steps):
    """The cancellation of its creation does not reach its deletion."""
    world = make_world(engines=1)
    stack_id = world.create({'a': nest({'b': thing('1', steps=9)})})
    world.run_steps(steps)
    world.act(stack_id, 'abandon')
    world.run()
    assert world.state(stack_id) == 'DELETE_COMPLETE'
    world.cloud.things.clear()
    checks.stack_is_gone(world, stack_id)


@pytest.mark.parametrize('steps', range(1, 24, 2))
def test_abandoned_too_late_for_those_inside(make_world, steps):
    """What an abandoned stack could not forget in time, it still knows."""
    world = make_world(engines=1)
    stack_id = world.create({'a': nest({'b': thing('1'), 'c': thing('2')})})
    world.run()
    world.act(stack_id, 'abandon')
    world.run_steps(steps)
    world.clock.advance(2 * 3600)
    world.run()
    checks.nothing_astray(world)
    if world.state(stack_id) != 'DELETE_COMPLETE':
        world.act(stack_id, 'delete')
        world.run()
    assert len(world.cloud.things) == 2
    world.cloud.things.clear()
    checks.stack_is_gone(world, stack_id)


def test_nested_stack_that_was_left_suspended_is_updated(world):
    """A snapshot ends the suspension of the stack, not of those inside."""
    stack_id = world.create({'a': nest({'b': thing('1')})})
    world.run()
    world.act(stack_id, 'suspend')
    world.run()
    row = snapshots.create_row(world.context, world.load(stack_id), 'snap')
    assert world.act(stack_id, 'snapshot', row)
    world.run()
    goal = {'a': nest({'b': thing('2')})}
    assert world.update(stack_id, goal)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)


# A nested create takes 60 steps and more, an update fewer.
MOMENTS = range(0, 64, 7)
TREE = {'a': thing('1', steps=2),
        'b': nest({'c': thing('1', steps=3, borrows=True),
                   'd': group(2, thing('2', steps=2)),
                   'e': nest({'f': thing('3', steps=4, borrows=True)})},
                  needs=['a']),
        'g': group(2, nest({'h': thing('4', steps=2)})),
        'i': thing(told_by('b'), needs=['g'])}
OTHER = {**TREE,
         'b': nest({'c': thing('5', size=2, borrows=True),
                    'e': nest({'j': thing('6', steps=4)})}, needs=['a']),
         'g': group(3, nest({'h': thing('7', steps=2)}))}


@pytest.mark.parametrize('steps', MOMENTS)
def test_engine_dies_while_nested_stacks_are_made(make_world, steps):
    world = make_world(steps, engines=2)
    stack_id = world.create(TREE)
    world.run_steps(steps)
    world.crash(world.engines[0])
    world.run()
    assert world.state(stack_id) == 'CREATE_COMPLETE'
    checks.stack_is(world, stack_id, TREE)


@pytest.mark.parametrize('steps', MOMENTS)
def test_all_engines_die_while_nested_stacks_are_updated(make_world, steps):
    world = make_world(steps, engines=2)
    stack_id = world.create(TREE)
    world.run()
    world.update(stack_id, OTHER)
    world.run_steps(steps)
    for engine in list(world.engines):
        world.crash(engine)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, OTHER)


@pytest.mark.parametrize('steps', MOMENTS)
def test_updated_while_nested_stacks_are_made(make_world, steps):
    world = make_world(steps, engines=2)
    stack_id = world.create(TREE)
    world.run_steps(steps)
    assert world.update(stack_id, OTHER)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, OTHER)


@pytest.mark.parametrize('steps', MOMENTS)
def test_deleted_while_nested_stacks_are_made(make_world, steps):
    world = make_world(steps, engines=2)
    stack_id = world.create(TREE)
    world.run_steps(steps)
    world.act(stack_id, 'delete')
    world.run()
    checks.stack_is_gone(world, stack_id)


@pytest.mark.parametrize('failing', ['create', 'update'])
def test_failure_two_deep_rolls_the_tree_back(make_world, failing):
    world = make_world(engines=2)
    stack_id = world.create(TREE)
    world.run()
    inner = nest({'f': thing('8', fails=['update']),
                  'k': thing(fails=['create'] * (failing == 'create'))})
    if failing == 'create':
        inner['inside']['f'] = thing('3', borrows=True)
    goal = {**TREE, 'b': nest({**TREE['b']['inside'], 'e': inner},
                              needs=['a'])}
    world.update(stack_id, goal, disable_rollback=False)
    world.run()
    assert world.state(stack_id) == 'ROLLBACK_COMPLETE'
    checks.stack_is(world, stack_id, TREE)


@pytest.mark.parametrize('lose', [False, True])
def test_commits_are_shared_and_messages_lost(make_world, lose):
    world = make_world(3, engines=3, max_inflight=2, shares_commits=True)
    world.loses_messages = lose
    stack_id = world.create(TREE)
    for goal in (OTHER, TREE):
        world.run()
        checks.stack_is(world, stack_id, world.resources(stack_id))
        assert world.update(stack_id, goal)
    world.run()
    checks.stack_is(world, stack_id, TREE)
    world.act(stack_id, 'delete')
    world.run()
    checks.stack_is_gone(world, stack_id)


def test_time_runs_out_two_deep(world):
    slow = nest({'b': nest({'c': thing('1', steps=10 ** 6)})})
    stack_id = world.create({'a': slow}, timeout_mins=1)
    world.run()
    assert world.state(stack_id) == 'CREATE_FAILED'
    checks.nothing_astray(world)
    goal = {'a': nest({'b': nest({'c': thing('1')})})}
    assert world.update(stack_id, goal)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)


@pytest.mark.parametrize('steps', range(1, 24, 2))
def test_engine_dies_while_nested_stacks_are_adopted(make_world, steps):
    world = make_world(engines=1, shares_commits=True)
    goal = {'a': group(1, thing('1')), 'b': nest({'c': thing('2')})}
    before = world.create(goal)
    world.run()
    stack_id = world.create(goal, name='other', adopt_stack_data=world.load(
        before).prepare_abandon())
    world.run_steps(steps)
    world.crash(world.engines[0])
    world.run()
    assert world.state(stack_id) == 'ADOPT_COMPLETE'
    checks.stack_is(world, stack_id, goal)
