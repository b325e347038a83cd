"""Visits of nodes, and of those that are recorded with them."""
import pytest

from heat.engine.convergence import state as traversal_state
from heat.objects import stack as stack_objects
from tests.convergence import checks
from tests.convergence.templates import thing

CHAIN = {'a': thing(kind='LocalThing'),
         'b': thing(kind='LocalThing', needs=['a'], steps=2),
         'c': thing(kind='LocalThing', needs=['a']),
         'd': thing(kind='LocalThing', needs=['c'])}


@pytest.fixture
def one(make_world):
    """Return a world of one engine whose writes wait for others."""
    return make_world(engines=1, shares_commits=True)


def sizes(engine):
    """Return how many writes each of those holds that are to be made."""
    return [write.size for writes, _told in engine.batches._requests
            for write in writes]


def step_until_written(world):
    """Step the tasks of a world's only engine; return the engine."""
    engine = world.engines[0]
    world.enter(engine)
    while engine.pool.step():
        pass
    assert engine.batches.has_any()
    return engine


def states(world, stack_id):
    return {row.name: '%s_%s' % (row.action, row.status)
            for row in world.rows(stack_id)}


def test_what_is_ready_is_recorded_and_continued_with_the_first(one):
    stack_id = one.create(CHAIN)
    engine = step_until_written(one)
    assert sizes(engine) == [3]
    engine.batches.commit()
    assert states(one, stack_id) == {
        'a': 'CREATE_COMPLETE', 'b': 'INIT_COMPLETE',
        'c': 'CREATE_COMPLETE', 'd': 'CREATE_COMPLETE'}
    one.run()
    checks.stack_is(one, stack_id, CHAIN)
    assert engine.driver.runner.load() == (0, 0, set())
    assert not engine.driver.runner.visits.rows()


def test_who_leaves_begins_nothing_ahead(one):
    one.create(CHAIN)
    one.engines[0].driver.runner.hand_over()
    assert sizes(step_until_written(one)) == [1]


@pytest.mark.parametrize('failing', ['a', 'c', 'd'])
def test_an_error_after_the_record_leaves_nothing_in_hand(
        one, monkeypatch, failing):
    told, tell = [], traversal_state.TraversalState.tell

    def fail_at_second(state, key, resource, node_data=None):
        told.append(resource.name)
        # The first time is ahead of the record, where anything waits.
        if told.count(failing) == (2 if failing != 'd' else 1):
            raise KeyError(failing)
        tell(state, key, resource, node_data)

    monkeypatch.setattr(traversal_state.TraversalState, 'tell',
                        fail_at_second)
    stack_id = one.create(CHAIN)
    engine = step_until_written(one)
    engine.batches.commit()
    one.run()
    assert one.state(stack_id) == 'CREATE_FAILED'
    assert failing in one.reason(stack_id)
    found = states(one, stack_id)
    assert {found[name] for name in 'acd'} == {'CREATE_COMPLETE'}
    assert engine.driver.runner.load() == (0, 0, set())
    assert not engine.driver.runner.visits.rows()
    checks.nothing_astray(one)


def test_an_error_ahead_of_the_record_is_none(one, monkeypatch):
    told, tell = [], traversal_state.TraversalState.tell

    def fail_at_first(state, key, resource, node_data=None):
        told.append(resource.name)
        if told == ['a', 'c']:
            raise KeyError('c')
        tell(state, key, resource, node_data)

    monkeypatch.setattr(traversal_state.TraversalState, 'tell', fail_at_first)
    stack_id = one.create(CHAIN)
    assert sizes(step_until_written(one)) == [1]
    one.run()
    checks.stack_is(one, stack_id, CHAIN)


def test_a_visit_that_began_ahead_ends_with_its_operation(one):
    stack_id = one.create(CHAIN)
    engine = step_until_written(one)
    other = {'b': thing('new', kind='LocalThing')}
    assert one.update(stack_id, other)
    assert engine.batches.commit()
    one.run()
    checks.stack_is(one, stack_id, other)
    row = stack_objects.Stack.get_by_id(one.context, stack_id)
    assert (row.action, row.status) == ('UPDATE', 'COMPLETE')
    assert not engine.driver.runner.visits.rows()
