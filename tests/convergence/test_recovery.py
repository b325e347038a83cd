"""What engines do about work that nobody does any more."""
import pytest

from heat.engine import snapshots
from heat.engine import stack as stack_module
from heat.engine import stack_graph
from heat.objects import resource as resource_objects
from heat.objects import service as service_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from heat.objects import sync_point as sync_point_objects
from tests.convergence import checks
from tests.convergence.world import thing

CHAIN = {'a': thing('1', steps=3), 'b': thing('2', needs=['a'], steps=3)}


def scan(world, times=1):
    """Have every engine look for abandoned work."""
    for _number in range(times):
        for engine in list(world.engines):
            world.enter(engine)
            engine.recovery.run_once()


@pytest.mark.parametrize('steps', range(14))
def test_create_survives_the_engine(make_world, steps):
    world = make_world(engines=1)
    stack_id = world.create(CHAIN)
    world.run_steps(steps)
    world.crash(world.engines[0])
    world.run()
    assert world.state(stack_id) == 'CREATE_COMPLETE'
    checks.stack_is(world, stack_id, CHAIN)


@pytest.mark.parametrize('steps', range(0, 24, 2))
def test_update_survives_the_engine(make_world, steps):
    world = make_world(engines=2)
    stack_id = world.create(CHAIN)
    world.run()
    goal = {'b': thing('3', size=2, steps=2), 'a': thing('4', needs=['b'])}
    world.update(stack_id, goal)
    world.run_steps(steps)
    world.crash(world.engines[steps % 2])
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)


@pytest.mark.parametrize('steps', range(0, 16, 2))
def test_delete_survives_the_engine(make_world, steps):
    world = make_world(engines=1)
    stack_id = world.create(CHAIN)
    world.run()
    world.act(stack_id, 'delete')
    world.run_steps(steps)
    world.crash(world.engines[0])
    world.run()
    checks.stack_is_gone(world, stack_id)


def test_failure_that_was_recorded_is_the_end(make_world, monkeypatch):
    """The engine dies after the resource failed, before the stack did."""
    world = make_world(engines=1)
    engine = world.engines[0]

    def fail(_state, _reason):
        world.crash(engine)
        yield 10 ** 9

    monkeypatch.setattr(engine.driver.ending, 'fail', fail)
    stack_id = world.create({'a': thing(fails=['create'])})
    world.run()
    assert world.state(stack_id) == 'CREATE_FAILED'
    assert 'create of a fails' in world.reason(stack_id)
    assert [entry[0] for entry in world.cloud.log] == ['create']


def test_lost_messages_are_made_up_for(make_world):
    world = make_world(engines=2, max_inflight=1)
    goal = {'t%d' % number: thing('1') for number in range(8)}
    stack_id = world.create(goal)
    world.bus.waiting.clear()
    world.run()
    assert world.bus.sent
    checks.stack_is(world, stack_id, goal)


def test_stored_stack_is_created_if_nobody_began(world):
    stack = stack_module.Stack(world.context, 's', world.template(CHAIN),
                               convergence=True)
    stack.validate()
    stack.store()
    scan(world)
    # Its engine may be just about to begin.
    assert stack_objects.Stack.get_by_id(
        world.context, stack.id).current_traversal is None
    world.run()
    assert world.state(stack.id) == 'CREATE_COMPLETE'
    checks.stack_is(world, stack.id, CHAIN)


def test_adoption_that_was_not_begun_has_failed(world):
    stack = stack_module.Stack(
        world.context, 's', world.template(CHAIN), convergence=True,
        adopt_stack_data={'resources': {}})
    stack.store()
    world.run()
    assert world.state(stack.id) == 'ADOPT_FAILED'


def in_peers_form(world, stack_id):
    """Rewrite a traversal as the peer keeps it."""
    stack = stack_objects.Stack.get_by_id(world.context, stack_id)
    points = world.points(stack.current_traversal)
    done = {(int(point.entity_id), point.is_update) for point in points
            if point.done}
    graph = stack_graph.graph_from_deps(stack.current_deps)
    rows = []
    for point in points:
        inputs = []
        if point.entity_id != stack_id:
            inputs = [node for node in graph.requires(
                (int(point.entity_id), point.is_update)) if node in done]
        rows.append({
            'entity_id': point.entity_id, 'is_update': point.is_update,
            'stack_id': stack_id, 'traversal_id': stack.current_traversal,
            'pending': None, 'input_data': {'input_data': {
                'tuple:%r' % ((*node, 'resource'),): {}
                for node in inputs}} if inputs else {}})
    sync_point_objects.SyncPoint.delete_all_by_stack(world.context, stack_id)
    sync_point_objects.SyncPoint.create_many(world.context, rows)


@pytest.mark.parametrize('steps', range(0, 14, 2))
def test_traversal_that_the_peer_left_is_finished(make_world, steps):
    world = make_world(engines=1)
    stack_id = world.create(CHAIN)
    world.run_steps(steps)
    world.crash(world.engines[0])
    in_peers_form(world, stack_id)
    world.run()
    assert world.state(stack_id) == 'CREATE_COMPLETE'
    checks.stack_is(world, stack_id, CHAIN)


def claim_by(world, engine_id):
    """Begin a stack whose first resource some engine holds; return it."""
    stack_id = world.create(CHAIN)
    world.run_steps(5)
    row = next(row for row in world.rows(stack_id) if row.engine_id)
    for engine in list(world.engines):
        world.crash(engine)
    resource_objects.Resource.update_by_id(world.context, row.id,
                                           {'engine_id': engine_id})
    return stack_id, row.id


def holder(world, row_id):
    return resource_objects.Resource.get_obj(world.context,
                                             row_id).engine_id


def register(world, engine_id, **values):
    return service_objects.Service.create(world.context, {
        'engine_id': engine_id, 'host': 'h', 'hostname': 'h',
        'binary': 'heat-engine', 'topic': 'engine', 'report_interval': 60,
        **values})


def run_ready(world):
    """Let the engines go on for some seconds, without another scan."""
    for _number in range(5):
        for engine in world.engines * 20:
            engine.step()
        world.clock.advance(1)


def test_claim_of_an_unknown_engine_is_taken_over_at_once(world):
    _stack_id, row_id = claim_by(world, 'unheard-of')
    scan(world)
    run_ready(world)
    assert holder(world, row_id) != 'unheard-of'


def test_claim_ends_with_the_lease(world):
    _stack_id, row_id = claim_by(world, 'late')
    register(world, 'late')
    world.engines[0].is_alive = lambda ctxt, engine_id: True
    scan(world, 3)
    run_ready(world)
    assert holder(world, row_id) == 'late'
    world.clock.advance(1000)
    scan(world)
    run_ready(world)
    assert holder(world, row_id) != 'late'


def test_silent_engine_is_given_a_second_chance(world):
    _stack_id, row_id = claim_by(world, 'silent')
    register(world, 'silent')
    scan(world)
    run_ready(world)
    assert holder(world, row_id) == 'silent'
    scan(world)
    run_ready(world)
    assert holder(world, row_id) != 'silent'


def test_interrupted_legacy_stack_has_failed(world):
    stack = stack_module.Stack(world.context, 's', world.template(CHAIN),
                               convergence=False)
    stack.store()
    row = resource_objects.Resource.create(world.context, {
        'name': 'a', 'stack_id': stack.id, 'action': 'CREATE',
        'status': 'IN_PROGRESS'})
    lock_objects.StackLock.create(world.context, stack.id, 'gone')
    scan(world)
    assert world.state(stack.id) == 'CREATE_FAILED'
    assert world.reason(stack.id) == 'Engine went down during stack CREATE'
    row = resource_objects.Resource.get_obj(world.context, row.id)
    assert row.status == 'FAILED'
    assert lock_objects.StackLock.get_engine_id(world.context,
                                                stack.id) is None


def test_legacy_stack_that_nobody_locked_has_failed(world):
    """Its engine died between giving the lock back and the state."""
    stack = stack_module.Stack(world.context, 's', world.template(CHAIN),
                               convergence=False)
    stack.store()
    resource_objects.Resource.create(world.context, {
        'name': 'a', 'stack_id': stack.id, 'action': 'CREATE',
        'status': 'IN_PROGRESS'})
    scan(world)
    # Its engine may be just about to lock it.
    assert world.state(stack.id) == 'CREATE_IN_PROGRESS'
    scan(world)
    assert world.state(stack.id) == 'CREATE_FAILED'
    assert world.reason(stack.id) == 'Engine went down during stack CREATE'
    assert lock_objects.StackLock.get_engine_id(world.context,
                                                stack.id) is None


def test_legacy_stack_of_a_living_engine_is_left_alone(world):
    stack = stack_module.Stack(world.context, 's', world.template(CHAIN),
                               convergence=False)
    stack.store()
    lock_objects.StackLock.create(world.context, stack.id,
                                  world.engines[0].id)
    scan(world, 3)
    assert world.state(stack.id) == 'CREATE_IN_PROGRESS'


def test_timeout_is_seen_when_nothing_happens(make_world):
    """Nobody works on the stack, and the engines have been there."""
    world = make_world(engines=2)
    stack_id = world.create({'a': thing(steps=10 ** 6)}, timeout_mins=1)
    world.run_steps(4)
    row = world.rows(stack_id)[0]
    for engine in world.engines:
        with engine.driver.runner._lock:
            engine.driver.runner._walks.clear()
        for task in engine.pool.active():
            task.throw(ValueError())
    resource_objects.Resource.update_by_id(
        world.context, row.id, {'engine_id': 'unheard-of'})
    world.clock.advance(61)
    scan(world)
    run_ready(world)
    assert world.state(stack_id) == 'CREATE_FAILED'
    assert world.reason(stack_id) == 'Timed out'


@pytest.mark.parametrize('steps', range(0, 12, 2))
def test_snapshot_is_deleted_though_the_engine_dies(make_world, steps):
    world = make_world(engines=1)
    stack_id = world.create({'a': thing('1', steps=3),
                             'b': thing('2', needs=['a'], steps=3)})
    world.run()
    rows = [snapshots.create_row(world.context, world.load(stack_id), name)
            for name in 'xy']
    for row in rows:
        assert world.act(stack_id, 'snapshot', row)
        world.run()
    for row in rows:
        world.act(stack_id, 'delete_snapshot', row)
    world.run_steps(steps)
    world.crash(world.engines[0])
    world.run()
    assert not snapshot_objects.Snapshot.get_all_by_stack(world.context,
                                                          stack_id)
    assert lock_objects.StackLock.get_engine_id(world.context,
                                                stack_id) is None
    assert world.state(stack_id) == 'SNAPSHOT_COMPLETE'
