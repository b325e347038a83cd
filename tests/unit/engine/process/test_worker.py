"""What a convergence worker does about messages."""
import pytest

from heat.engine.process import worker
from heat.objects import stack as stack_objects
from tests.convergence import checks
from tests.convergence.templates import thing

CHAIN = {'a': thing('1', steps=4), 'b': thing('2', needs=['a'])}


@pytest.fixture
def begun(make_world):
    """Return (world, stack, traversal, rows) with nothing under way."""
    world = make_world(engines=1)
    world.engines[0].driver.runner.begin = lambda state, done: None
    stack_id = world.create(CHAIN)
    row = stack_objects.Stack.get_by_id(world.context, stack_id)
    rows = {row.name: row.id for row in world.rows(stack_id)}
    return world, stack_id, row.current_traversal, rows


def endpoint(world):
    return world.engines[0].worker


def test_versions():
    assert worker.WorkerService.RPC_API_VERSION == '1.11'
    assert worker.WorkerService.target.version == '1.11'


def test_nodes_of_a_message_are_visited(begun):
    world, stack_id, traversal_id, rows = begun
    endpoint(world).check_nodes(world.context, stack_id, traversal_id,
                                [[rows['a'], True]])
    world.run()
    checks.stack_is(world, stack_id, CHAIN)
    assert world.clock.now < 10


def test_message_of_the_peer_is_understood(begun):
    world, stack_id, traversal_id, rows = begun
    endpoint(world).check_resource(
        world.context, rows['a'], traversal_id, {}, True, None,
        converge=False, skip_propagate=False, accumulated_failures=None,
        node_type='resource', abandon=False)
    world.run()
    checks.stack_is(world, stack_id, CHAIN)


def test_message_about_a_row_that_is_gone_is_ignored(begun):
    world, _stack_id, traversal_id, _rows = begun
    endpoint(world).check_resource(world.context, 999, traversal_id, {},
                                   True, None)
    assert not world.engines[0].pool.active()


def test_repeated_messages_change_nothing(begun):
    world, stack_id, traversal_id, rows = begun
    for _number in range(5):
        endpoint(world).check_nodes(world.context, stack_id, traversal_id,
                                    [[rows['a'], True], [rows['b'], True]])
        world.run_steps(3)
    world.run()
    checks.stack_is(world, stack_id, CHAIN)
    assert [entry[:2] for entry in world.cloud.log] == [
        ('create', 'a'), ('create', 'b')]


def test_cancellation_stops_what_is_not_wanted_any_more(make_world):
    world = make_world(engines=1)
    stack_id = world.create({'a': thing(steps=10 ** 6)})
    while not world.cloud.requests:
        world.step()
    world.act(stack_id, 'delete')
    world.run()
    checks.stack_is_gone(world, stack_id)


def test_cancellation_reaches_other_engines(make_world):
    world = make_world(engines=1)
    stack_id = world.create({'a': thing(steps=10 ** 6)})
    while not world.cloud.requests:
        world.step()
    new = world.add_engine()
    world.enter(new)
    new.driver.delete(world.load(stack_id))
    servers = [server for server, *_rest in world.bus.waiting]
    assert servers == [world.engines[0].id]
    world.run()
    checks.stack_is_gone(world, stack_id)


def test_cancellation_leaves_the_current_operation_alone(begun):
    world, stack_id, traversal_id, rows = begun
    endpoint(world).check_nodes(world.context, stack_id, traversal_id,
                                [[rows['a'], True]])
    world.run_steps(4)
    endpoint(world).cancel_check_resource(world.context, stack_id)
    world.run()
    checks.stack_is(world, stack_id, CHAIN)
