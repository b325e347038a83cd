"""How one process keeps nodes going."""
import pytest

from heat.engine.convergence import runner as traversal_runner
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import worklist
from heat.objects import stack as stack_objects
from tests.convergence import checks
from tests.convergence.templates import needs_of
from tests.convergence.templates import thing


@pytest.fixture
def one(make_world):
    """Return a world of one engine that takes two nodes at a time."""
    return make_world(engines=1, max_inflight=2)


def flat(number, **more):
    return {'t%d' % place: thing('1', **more) for place in range(number)}


def runner_of(world):
    return world.engines[0].driver.runner


def test_stack_gets_no_more_than_its_share(one):
    one.create(flat(6))
    walk = next(iter(runner_of(one)._walks.values()))
    most = 0
    while not one.is_at_rest():
        most = max(most, walk.number(*worklist.OCCUPYING))
        one.step()
    assert most == 2


def test_what_waits_for_the_cloud_leaves_its_place(one):
    one.create(flat(6, steps=50))
    while one.cloud.requests < 6:
        one.step()
    assert one.clock.now < 50


def test_stacks_take_turns(one):
    first = one.create(flat(8), name='first')
    second = one.create({'x': thing('1')}, name='second')
    one.run(lambda: one.state(second) == 'CREATE_COMPLETE')
    assert one.state(first) == 'CREATE_IN_PROGRESS'


def test_alone_no_message_is_sent(one):
    one.create(flat(9))
    one.run()
    assert not one.bus.sent


def test_surplus_goes_out_in_messages_of_many_nodes(make_world, monkeypatch):
    monkeypatch.setattr(traversal_runner, 'NODES_PER_MESSAGE', 3)
    world = make_world(engines=2, max_inflight=2)
    world.create(flat(12))
    sizes = [len(arguments['nodes'])
             for _s, _m, _c, arguments in world.bus.waiting]
    # Two run, two wait here for their turn.
    assert sizes == [3, 3, 2]
    world.run()


def test_node_that_is_not_ready_is_not_visited(one):
    goal = {'a': thing('1', steps=20), 'b': thing('2', needs=['a'])}
    stack_id = one.create(goal)
    stack = stack_objects.Stack.get_by_id(one.context, stack_id)
    user = next(row.id for row in one.rows(stack_id) if row.name == 'b')
    runner_of(one).offer(one.context, stack_id, stack.current_traversal,
                         [(user, True)])
    one.run()
    assert not one.cloud.violations
    checks.stack_is(one, stack_id, goal)


def test_nodes_of_a_superseded_traversal_lead_to_the_current_one(one):
    stack_id = one.create(flat(2))
    old = stack_objects.Stack.get_by_id(one.context, stack_id)
    one.update(stack_id, flat(3))
    with runner_of(one)._lock:
        # As if it had been begun elsewhere and its messages were lost.
        runner_of(one)._walks.clear()
    for task in one.engines[0].pool.active():
        task.cancel()
    rows = one.rows(stack_id)
    runner_of(one).offer(one.context, stack_id, old.current_traversal,
                         [(rows[0].id, True)])
    one.run(lambda: one.state(stack_id) == 'UPDATE_COMPLETE', steps=2000)
    checks.stack_is(one, stack_id, flat(3))


def test_finished_traversals_are_forgotten(one):
    for number in range(3):
        one.create(flat(2), name='s%d' % number)
    one.run()
    assert not runner_of(one)._walks


def test_idle_traversals_of_others_are_forgotten(make_world, monkeypatch):
    monkeypatch.setattr(traversal_runner, '_IDLE_KEPT', 2)
    world = make_world(engines=1, max_inflight=1)
    stacks = [world.create({'a': thing(steps=9)}, name='s%d' % number)
              for number in range(5)]
    other = world.add_engine()
    for stack_id in stacks:
        other.driver.runner._walk_of(world.context, stack_id)
    assert len(other.driver.runner._walks) == 2


def test_nobody_reads_what_this_process_has_made(one, monkeypatch):
    reads = []
    monkeypatch.setattr(traversal_state.TraversalState, 'read',
                        lambda self, nodes: reads.append(nodes))
    goal = {'a': thing('1'), 'b': thing('2', needs=['a']),
            'c': thing('3', needs=['a', 'b'])}
    stack_id = one.create(goal)
    one.run()
    assert one.state(stack_id) == 'CREATE_COMPLETE'
    assert not reads
    assert needs_of(goal['c']) == ['a', 'b']


def test_defects_fail_the_stack(one, monkeypatch):
    monkeypatch.setattr(traversal_state.TraversalState, 'desired',
                        lambda self, name: 1 / 0)
    stack_id = one.create(flat(1))
    one.run()
    assert one.state(stack_id) == 'CREATE_FAILED'
    assert one.reason(stack_id) == 'Stack CREATE failed: ZeroDivisionError'


def test_stopping_engine_hands_over(make_world):
    world = make_world(engines=2, max_inflight=1)
    goal = flat(6)
    stack_id = world.create(goal)
    stopping = next(engine for engine in world.engines
                    if engine.driver.runner._walks)
    stopping.driver.runner.hand_over()
    world.run()
    checks.stack_is(world, stack_id, goal)
