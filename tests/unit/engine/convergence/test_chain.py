"""Nodes that are visited before those they wait for are recorded."""
import random

import pytest

from heat.engine import attributes
from heat.engine import environment
from heat.engine import properties
from heat.engine import resource
from heat.engine import stack as stack_module
from heat.engine import support
from heat.engine import template
from heat.engine.convergence import chain
from heat.engine.convergence import worklist
from heat.objects import event as event_objects
from heat.objects import resource as resource_objects
from heat.objects import resource_data as data_objects
from heat.objects import transaction
from tests.convergence import checks
from tests.convergence.templates import thing
from tests.fakes import things

LENGTH = 30


def local(needs=(), **more):
    return thing(needs=needs, kind='LocalThing', **more)


def a_chain(length, changed=''):
    """Return local things, each of which uses the one before."""
    return {f'r{number}': local([f'r{number - 1}'] if number else (),
                                value=changed)
            for number in range(length)}


@pytest.fixture
def one(make_world):
    """Return a world of one engine whose writes wait for others."""
    return make_world(engines=1, shares_commits=True)


def cost(world, work):
    """Return the statements and commits that something takes to its end."""
    before = transaction.counters()
    result = work()
    world.run()
    after = transaction.counters()
    return result, {name: after[name] - before[name]
                    for name in ('statements', 'commits')}


def events(world, stack_id):
    return [(event.resource_name, event.resource_action,
             event.resource_status)
            for event in event_objects.Event.get_all_by_stack(
                world.context, stack_id, sort_keys=['id'], sort_dir='asc')
            if event.resource_name != 's']


def states(world, stack_id):
    return {row.name: '%s_%s' % (row.action, row.status)
            for row in world.rows(stack_id)}


def test_a_chain_shares_statements(one):
    stack_id, create = cost(one, lambda: one.create(a_chain(LENGTH)))
    checks.stack_is(one, stack_id, a_chain(LENGTH))
    other = a_chain(LENGTH, 'new')
    _ok, update = cost(one, lambda: one.update(stack_id, other))
    checks.stack_is(one, stack_id, other)
    _ok, delete = cost(one, lambda: one.act(stack_id, 'delete'))
    checks.stack_is_gone(one, stack_id)
    # A hop used to take four, and a commit.
    assert create['statements'] <= 23
    assert update['statements'] <= 25
    assert delete['statements'] <= 30
    assert max(each['commits'] for each in (create, update, delete)) <= 4


def test_a_hop_takes_no_statement_of_its_own(one):
    few, many = [cost(one, lambda n=n: one.create(a_chain(n), name=f's{n}'))[1]
                 for n in (LENGTH, LENGTH + 3 * chain.MOST_NODES)]
    hops = 3 * chain.MOST_NODES
    assert (many['statements'] - few['statements']) / hops < 0.1
    assert (many['commits'] - few['commits']) / hops < 0.02


def test_events_are_those_of_one_by_one(one):
    stack_id = one.create(a_chain(5))
    one.run()
    assert events(one, stack_id) == [
        (f'r{number}', 'CREATE', status) for number in range(5)
        for status in ('IN_PROGRESS', 'COMPLETE')]


def test_diamonds_are_chains_too(one):
    diamond = {'a': local(), 'b': local(['a']), 'c': local(['a']),
               'd': local(['b', 'c']), 'e': local(['d'])}
    stack_id, costs = cost(one, lambda: one.create(diamond))
    checks.stack_is(one, stack_id, diamond)
    assert costs['commits'] <= 4


def test_what_is_remote_waits_for_the_record(one):
    mixed = {'a': local(), 'b': thing('1', needs=['a']), 'c': local(['b']),
             'd': local(['c']), 'e': thing('2', needs=['d', 'a'])}
    stack_id = one.create(mixed)
    one.run()
    checks.stack_is(one, stack_id, mixed)
    one.act(stack_id, 'delete')
    one.run()
    checks.stack_is_gone(one, stack_id)


def test_a_failure_comes_after_what_it_waited_for(one):
    failing = a_chain(3)
    failing['bad'] = local(['r1'], fails=['create'])
    failing['last'] = local(['bad'])
    stack_id = one.create(failing)
    one.run()
    assert one.state(stack_id) == 'CREATE_FAILED'
    assert states(one, stack_id) == {
        'r0': 'CREATE_COMPLETE', 'r1': 'CREATE_COMPLETE',
        'r2': 'CREATE_COMPLETE', 'bad': 'CREATE_FAILED',
        'last': 'INIT_COMPLETE'}
    assert ('bad', 'CREATE', 'FAILED') in events(one, stack_id)


def test_what_takes_time_is_not_begun_twice(one, monkeypatch):
    begun = []

    def begin(thing, _what, given):
        begun.append(thing.name)
        return [given['steps']]

    monkeypatch.setattr(things.LocalThing, '_begin', begin)
    slow = {'a': local(), 'b': local(['a'], steps=3), 'c': local(['b'])}
    stack_id = one.create(slow)
    one.run()
    checks.stack_is(one, stack_id, slow)
    assert begun == ['a', 'b', 'c']
    assert events(one, stack_id)[2:4] == [('b', 'CREATE', 'IN_PROGRESS'),
                                          ('b', 'CREATE', 'COMPLETE')]


def test_a_replacement_in_a_chain(one):
    stack_id = one.create(a_chain(4))
    one.run()
    other = a_chain(4)
    other['r1'] = local(['r0'], size=2)
    other['r2'] = local(['r1'], replaces_late='x')
    one.update(stack_id, other)
    one.run()
    assert one.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(one, stack_id, other)


def test_a_breakpoint_is_reached_in_its_turn(one):
    tmpl = one.template(a_chain(4)).t
    stack = stack_module.Stack(
        one.context, 's', template.Template(tmpl, env=environment.Environment(
            {'resource_registry': {'resources': {
                'r2': {'hooks': 'pre-create'}}}})), convergence=True)
    stack.store()
    engine = one._any_engine()
    engine.driver.create(stack)
    seen = []
    while len(seen) < 5:
        one.step()
        seen = events(one, stack.id)
        # It says that it waits once the one before is there.
        assert len(seen) in (0, 4, 5)
    assert seen[4] == ('r2', 'INIT', 'COMPLETE')
    assert states(one, stack.id)['r1'] == 'CREATE_COMPLETE'


# -- when nothing comes of it -----------------------------------------------

def write_is_due(world):
    """Go on until the chain of a world of one engine is to be recorded."""
    engine = world.engines[0]
    while not any(write.size > 1 for writes, _told in
                  engine.batches._requests for write in writes):
        world.enter(engine)
        assert engine.pool.step()
    return engine


def walk_of(engine):
    return next(iter(engine.driver.runner._walks.values()))


def test_nothing_is_recorded_if_one_row_has_changed(one):
    stack_id = one.create(a_chain(6))
    engine = write_is_due(one)
    row = next(row for row in one.rows(stack_id) if row.name == 'r3')
    assert resource_objects.Resource.select_and_update(
        one.context, row.id, {'engine_id': None}, None, row.atomic_key)
    walk = walk_of(engine)
    engine.batches.commit()
    assert set(states(one, stack_id).values()) == {'INIT_COMPLETE'}
    assert walk.goes_ahead
    one.run()
    assert not walk.goes_ahead
    checks.stack_is(one, stack_id, a_chain(6))
    assert len(events(one, stack_id)) == 12


def test_an_engine_that_is_killed_leaves_nothing_behind(one):
    stack_id = one.create(a_chain(6))
    one.crash(write_is_due(one))
    assert set(states(one, stack_id).values()) == {'INIT_COMPLETE'}
    one.run()
    checks.stack_is(one, stack_id, a_chain(6))


def test_an_operation_that_is_overtaken_records_nothing(one):
    stack_id = one.create(a_chain(6))
    write_is_due(one)
    other = a_chain(4, 'new')
    assert one.update(stack_id, other)
    one.run()
    checks.stack_is(one, stack_id, other)
    assert len(events(one, stack_id)) == 8


def test_what_was_not_stored_is_not_seen(one):
    stack_id = one.create(a_chain(3))
    engine = write_is_due(one)
    state = walk_of(engine).state
    keys = {row.name: row.id for row in one.rows(stack_id)}
    assert not state.unpublished((keys['r1'], True))
    with transaction.writer(one.context):
        resource_objects.Resource.fence(one.context, stack_id)
    engine.batches.commit()
    one.enter(engine)
    engine.pool.step()
    assert state.unpublished((keys['r1'], True)) == {keys['r0']}


def test_who_could_see_what_is_not_stored_has_to_wait(one):
    resources = {'a': local(), 'b': local(['a']), 'c': thing(needs=['a'])}
    stack_id = one.create(resources)
    engine = write_is_due(one)
    walk = walk_of(engine)
    node = next(row.id for row in one.rows(stack_id)
                if row.name == 'c'), True
    assert walk.state_of(node) is worklist.NodeState.TAKEN
    engine.driver.runner.offer(one.context, stack_id, walk.state.id, [node])
    assert walk.state_of(node) is worklist.NodeState.TAKEN
    one.run()
    checks.stack_is(one, stack_id, resources)
    assert [entry[0] for entry in one.cloud.log] == ['create']


class Dice(resource.Resource):
    """Something of a value that is known when it is made."""

    support_status = support.SupportStatus(version='1.0.0')
    handlers_are_local = True
    properties_schema = {
        'before': properties.Schema(properties.Schema.STRING, default=''),
        'uses': properties.Schema(properties.Schema.LIST, default=[])}
    attributes_schema = {'face': attributes.Schema('The value.')}

    def handle_create(self):
        self.data_set('face', str(random.random()))

    def _resolve_attribute(self, name):
        return self.data().get('face')


@pytest.mark.parametrize('seed', range(12))
def test_everybody_sees_what_is_stored(make_world, seed):
    world = make_world(seed, engines=3, max_inflight=2,
                       shares_commits=bool(seed % 2))
    world.loses_messages = True
    environment.global_env().register_class('Test::Dice', Dice)
    dice = {'type': 'Test::Dice', 'properties': {}}
    resources = {'d0': dice, **{
        f'd{number}': {'type': 'Test::Dice', 'properties': {
            'before': {'get_attr': [f'd{number // 2}', 'face']},
            'uses': [{'get_attr': [f'd{number - 1}', 'face']}]}}
        for number in range(1, 9)}}
    stack_id = world.create(resources)
    world.run_steps(seed * 2)
    world.crash(world.engines[0])
    nodes = [[row.id, True] for row in world.rows(stack_id)]
    traversal_id = world.load(stack_id).current_traversal
    for _time in range(6):
        world.run_steps(3)
        # A node that somebody takes for ready, rightly or not.
        world.bus.check_nodes(world.context, stack_id, traversal_id,
                              world.dice.sample(nodes, 3))
    world.run()
    assert world.state(stack_id) == 'CREATE_COMPLETE'
    rows = {row.name: row for row in world.rows(stack_id)}
    faces = {name: data_objects.ResourceData.get_all(
        world.context, row.id)['face'] for name, row in rows.items()}
    for number in range(1, 9):
        given = rows[f'd{number}'].properties
        assert given['before'] == faces[f'd{number // 2}']
        assert given['uses'] == [faces[f'd{number - 1}']]
