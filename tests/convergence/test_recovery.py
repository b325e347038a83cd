"""What engines do about work that nobody does any more."""
import datetime
import logging

import pytest

from heat.common import timeutils
from heat.engine import background_work
from heat.engine import stack as stack_module
from heat.engine.convergence import sync_point
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import lock as stack_lock
from heat.engine.stacks import snapshots
from heat.objects import resource as resource_objects
from heat.objects import service as service_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from heat.objects import sync_point as sync_point_objects
from tests.convergence import checks
from tests.convergence.templates import thing

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


def test_stack_that_goes_while_engines_look_is_left_alone(
        make_world, monkeypatch, caplog):
    world = make_world(engines=1)
    stack_id = world.create(CHAIN)
    world.run(until=lambda: any(row.engine_id for row in
                                world.rows(stack_id)))
    world.crash(world.engines[0])
    # From the next look on it is taken for dead.
    scan(world)
    claims = resource_objects.Resource.claims

    def read_and_delete(context):
        found = claims(context)
        stack_objects.Stack.delete(context, stack_id)
        return found

    monkeypatch.setattr(resource_objects.Resource, 'claims',
                        read_and_delete)
    scan(world)
    assert not [record for record in caplog.records
                if record.levelno >= logging.ERROR]


def test_operation_that_ends_while_its_time_is_renewed_is_over(
        make_world, monkeypatch, caplog):
    world = make_world(engines=1)
    stack_id = world.create(CHAIN)
    [engine] = world.engines
    service_objects.Service.delete(world.context, engine.service.id)
    world.clock.advance(24 * 3600)
    world.crash(engine)
    set_options = sync_point.set_options

    def end_and_set(context, *args):
        sync_point_objects.SyncPoint.delete_all_of_stacks(context,
                                                          [stack_id])
        return set_options(context, *args)

    monkeypatch.setattr(sync_point, 'set_options', end_and_set)
    scan(world)
    assert not [record for record in caplog.records
                if record.levelno >= logging.ERROR]


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
    sync_point_objects.SyncPoint.delete_all_of_stacks(world.context,
                                                      [stack_id])
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


def begun_by_first(make_world):
    """Return a world whose first engine has begun what none has visited."""
    world = make_world(engines=1)
    stack_id = world.create(CHAIN)
    world.add_engine()
    return world, stack_id


def scan_as(world, engine, times):
    """Have one engine look for abandoned work, and do what it finds."""
    for _number in range(times):
        world.enter(engine)
        engine.recovery.run_once()
        while engine.step():
            pass


def test_what_another_engine_has_begun_is_left_to_it(make_world):
    world, stack_id = begun_by_first(make_world)
    scan_as(world, world.engines[1], 5)
    assert not world.cloud.requests
    world.run()
    checks.stack_is(world, stack_id, CHAIN)


def test_what_a_dead_engine_has_begun_is_taken_up(make_world):
    world, stack_id = begun_by_first(make_world)
    world.crash(world.engines[0])
    scan_as(world, world.engines[0], 2)
    assert world.cloud.requests
    world.run()
    checks.stack_is(world, stack_id, CHAIN)


def test_what_a_silent_engine_has_begun_is_taken_up(make_world):
    """It has been stopped, and its lease still runs."""
    world, stack_id = begun_by_first(make_world)
    other = world.engines[1]
    other.is_alive = lambda ctxt, engine_id: False
    scan_as(world, other, 2)
    assert world.cloud.requests
    # It wakes up, and finds out.
    world.run()
    checks.stack_is(world, stack_id, CHAIN)


def test_what_an_engine_without_lease_has_begun_is_taken_up(make_world):
    world, stack_id = begun_by_first(make_world)
    service_objects.Service.delete(world.context,
                                   world.engines[0].service.id)
    scan_as(world, world.engines[1], 2)
    assert world.cloud.requests
    world.run()
    checks.stack_is(world, stack_id, CHAIN)


def sent_away(make_world, number):
    """Return a world whose first engine has sent nodes to the second."""
    world = make_world(engines=2, max_inflight=1)
    first, second = world.engines
    scan(world)
    world.dice.choice = lambda engines: engines[0]
    stack_id = world.create({'t%d' % place: thing('1')
                             for place in range(number)})
    while first.step():
        pass
    return world, stack_id, first, second


def unmade(world, stack_id):
    return sum(row.action == 'INIT' for row in world.rows(stack_id))


def test_nodes_that_were_sent_and_lost_are_visited(make_world):
    world, stack_id, first, _second = sent_away(make_world, 8)
    left = unmade(world, stack_id)
    assert left
    world.bus.waiting.clear()
    scan_as(world, first, 2)
    assert unmade(world, stack_id) < left


def test_nodes_that_were_sent_are_left_to_who_got_them(make_world):
    world, stack_id, first, second = sent_away(make_world, 8)
    left = unmade(world, stack_id)
    world.enter(second)
    for _server, method, ctxt, arguments in world.bus.waiting:
        getattr(second.worker, method)(ctxt, **arguments)
    world.bus.waiting.clear()
    scan_as(world, first, 1)
    while unmade(world, stack_id) == left:
        world.enter(second)
        second.step()
    made = left - unmade(world, stack_id)
    assert made < left
    scan_as(world, first, 1)
    assert left - unmade(world, stack_id) == made
    world.run()
    assert world.state(stack_id) == 'CREATE_COMPLETE'


def test_operation_that_ends_while_one_looks_is_no_failure(
        make_world, monkeypatch):
    world = make_world(engines=1)
    stack_id = world.create(CHAIN)
    before = stack_objects.Stack.get_many_in_progress(world.context,
                                                      [stack_id])
    world.run()
    # The list was read before the end, its sync points after it.
    for name, rows in (('get_many_in_progress', before),
                       ('get_ids_in_progress', [stack_id])):
        monkeypatch.setattr(stack_objects.Stack, name,
                            lambda *_args, rows=rows, **_more: rows)
    scan(world)
    assert not world.engines[0].pool.active()
    assert world.state(stack_id) == 'CREATE_COMPLETE'


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


def ago(seconds):
    """Return a moment by the clock of the database."""
    return datetime.datetime.now(datetime.UTC).replace(
        tzinfo=None) - datetime.timedelta(seconds=seconds)


def test_claim_ends_with_the_lease(world):
    _stack_id, row_id = claim_by(world, 'late')
    late = register(world, 'late')
    answers = True
    world.engines[0].is_alive = lambda ctxt, engine_id: answers
    scan(world, 3)
    run_ready(world)
    assert holder(world, row_id) == 'late'
    service_objects.Service.update_by_id(world.context, late.id,
                                         {'updated_at': ago(1000)})
    # Nobody is declared dead who has not been asked.
    scan(world, 3)
    run_ready(world)
    assert holder(world, row_id) == 'late'
    answers = False
    scan(world)
    run_ready(world)
    assert holder(world, row_id) != 'late'


def test_engine_that_can_never_report_is_not_waited_for(world):
    _stack_id, row_id = claim_by(world, 'late')
    register(world, 'late', updated_at=ago(1000))
    world.engines[0].is_alive = lambda ctxt, engine_id: True
    scan(world, 2)
    run_ready(world)
    assert holder(world, row_id) == 'late'
    world.clock.advance(1000)
    scan(world)
    run_ready(world)
    assert holder(world, row_id) != 'late'


@pytest.mark.parametrize('shift', [-86400, -12, 12, 86400])
def test_clocks_of_engines_do_not_matter_to_leases(world, monkeypatch,
                                                   shift):
    _stack_id, row_id = claim_by(world, 'other')
    register(world, 'other')
    world.engines[0].is_alive = lambda ctxt, engine_id: engine_id == 'other'
    utcnow = timeutils.utcnow
    monkeypatch.setattr(timeutils, 'utcnow', lambda: (
        utcnow() + datetime.timedelta(seconds=shift)))
    scan(world, 3)
    run_ready(world)
    assert holder(world, row_id) == 'other'


def test_claim_that_nothing_here_works_on_is_taken_up(world):
    """Recording the outcome failed, and recording the failure, too."""
    stack_id, row_id = claim_by(world, 'whoever')
    mine = world.engines[0].id
    resource_objects.Resource.update_by_id(world.context, row_id,
                                           {'engine_id': mine})
    scan(world)
    run_ready(world)
    # It might be about to end.
    assert holder(world, row_id) == mine
    world.run()
    checks.stack_is(world, stack_id, CHAIN)


def test_silent_engine_is_given_a_second_chance(world):
    _stack_id, row_id = claim_by(world, 'silent')
    register(world, 'silent')
    scan(world)
    run_ready(world)
    assert holder(world, row_id) == 'silent'
    scan(world)
    run_ready(world)
    assert holder(world, row_id) != 'silent'


@pytest.mark.parametrize('dead', [(), (1,), (1, 2), (0, 3), (0, 1, 2, 3)])
def test_each_engine_that_dies_is_noticed_by_one(make_world, monkeypatch,
                                                 dead):
    world = make_world(engines=5)
    scan(world)
    killed = {world.engines[number].id for number in dead}
    for engine in list(world.engines):
        if engine.id in killed:
            world.crash(engine)
    asked, looks = [], []
    for engine in world.engines:
        def is_alive(ctxt, engine_id):
            asked.append(engine_id)
            return engine_id not in killed

        engine.is_alive = is_alive
    monkeypatch.setattr(background_work, 'unattended',
                        lambda context: looks.append(context) or [])
    scan(world)
    assert not looks
    scan(world)
    assert bool(looks) is bool(dead)
    assert len(looks) <= len(dead)
    # Whoever is there answers a question of one other, not of all.
    living = [engine.id for engine in world.engines]
    assert sorted(asked) == sorted(
        2 * [*killed, *(living if len(living) > 1 else [])])
    scan(world, 3)
    assert len(looks) <= len(dead)
    # Who is known to be gone is not asked again.
    assert [asked.count(engine_id) for engine_id in killed] == [2] * len(
        killed)


def test_engine_that_answers_again_has_a_new_chance(make_world, monkeypatch):
    world = make_world(engines=2)
    scan(world)
    first, second = world.engines
    looks, answers = [], iter([False, True, False, False])
    monkeypatch.setattr(background_work, 'unattended',
                        lambda context: looks.append(context) or [])
    first.is_alive = lambda ctxt, engine_id: next(answers)
    for expected in (0, 0, 0, 1):
        scan_as(world, first, 1)
        assert len(looks) == expected


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
    lock = stack_lock.StackLock(world.context, stack.id,
                                world.engines[0].id)
    with lock.held():
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


def test_time_runs_out_though_an_engine_only_answers(make_world):
    """It has its lease, and makes no progress with what it has begun."""
    world, stack_id = begun_by_first(make_world)
    world.clock.advance(3600 + 1)
    for engine in world.engines:
        service_objects.Service.update_by_id(world.context,
                                             engine.service.id, {})
    scan_as(world, world.engines[1], 2)
    assert world.state(stack_id) == 'CREATE_FAILED'
    assert world.reason(stack_id) == 'Timed out'
    assert not world.cloud.requests


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
