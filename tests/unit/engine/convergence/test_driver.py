"""Beginning and ending operations of the convergence driver."""
import gc
import weakref

import pytest

from heat.common import exception
from heat.engine import lifecycle_plugin
from heat.engine import stack as stack_module
from heat.engine.stacks import snapshots
from heat.objects import event as event_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.convergence import checks
from tests.convergence.templates import thing

PAIR = {'a': thing('1'), 'b': thing('2', needs=['a'])}


@pytest.fixture
def stack_id(world):
    """Return a stack that has been created."""
    stack_id = world.create(PAIR)
    world.run()
    return stack_id


def driver_of(world):
    return world._any_engine().driver


def events(world, stack_id):
    return ['%s_%s' % (event.resource_action, event.resource_status)
            for event in event_objects.Event.get_all_by_stack(
                world.context, stack_id, sort_keys=['id'], sort_dir='asc')
            if event.resource_name == 's']


def test_everything_is_written_at_once(world, stack_id):
    before = transaction.counters()
    world.update(stack_id, PAIR)
    commits = transaction.counters()['commits'] - before['commits']
    assert commits == 1


def test_what_has_begun_is_not_kept_by_who_asked_for_it(world, stack_id):
    """A resource remembers the beginning until its nested stack is done."""
    stack = stack_module.Stack.load(
        world.context, stack_objects.Stack.get_by_id(world.context, stack_id))
    one = driver_of(world).beginning_of_delete(stack)
    kept = weakref.ref(stack)
    with transaction.writer(world.context):
        one.write()
    assert not one.has_begun()
    one.proceed()
    assert one.has_begun()
    world.run()
    del stack
    gc.collect()
    assert kept() is None
    assert not world.cloud.things


def test_events_and_rows_tell_the_same(world, stack_id):
    world.update(stack_id, PAIR)
    world.run()
    assert events(world, stack_id) == [
        'CREATE_IN_PROGRESS', 'CREATE_COMPLETE', 'UPDATE_IN_PROGRESS',
        'UPDATE_COMPLETE']


def test_rollback_follows_the_failure_without_a_gap(world, stack_id):
    world.update(stack_id, dict(PAIR, c=thing(fails=['create'])),
                 disable_rollback=False)
    seen = set()
    while not world.is_at_rest():
        seen.add(world.state(stack_id))
        world.step()
    assert 'UPDATE_FAILED' not in seen
    assert events(world, stack_id)[-3:] == [
        'UPDATE_FAILED', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_COMPLETE']
    checks.stack_is(world, stack_id, PAIR)


def test_update_overtakes_an_update(world, stack_id):
    world.update(stack_id, dict(PAIR, c=thing('3', steps=5)))
    first = world.load(stack_id).current_traversal
    world.run_steps(4)
    goal = dict(PAIR, d=thing('4'))
    assert world.update(stack_id, goal)
    assert world.load(stack_id).current_traversal != first
    assert not world.points(first)
    world.run()
    checks.stack_is(world, stack_id, goal)


def test_of_two_operations_one_wins(world, stack_id):
    loaded = world.load(stack_id)
    driver = driver_of(world)
    driver.suspend(world.load(stack_id))
    with pytest.raises(exception.ActionInProgress):
        driver.check(loaded)


@pytest.mark.parametrize('verb', ['check', 'suspend', 'resume'])
def test_busy_stack_is_left_to_its_operation(world, stack_id, verb):
    world.update(stack_id, dict(PAIR, c=thing(steps=5)))
    with pytest.raises(exception.ActionInProgress):
        getattr(driver_of(world), verb)(world.load(stack_id))


def test_snapshot_of_a_busy_stack_is_refused(world, stack_id):
    world.update(stack_id, dict(PAIR, c=thing(steps=5)))
    stack = world.load(stack_id)
    row = snapshots.create_row(world.context, stack, 'snap')
    with pytest.raises(exception.ActionInProgress):
        driver_of(world).snapshot(stack, row)


def test_delete_wins_against_whatever_was_faster(world, stack_id):
    loaded = world.load(stack_id)
    world.update(stack_id, dict(PAIR, c=thing(steps=5)))
    driver_of(world).delete(loaded)
    world.run()
    checks.stack_is_gone(world, stack_id)


def test_deleting_twice_is_harmless(world, stack_id):
    loaded = world.load(stack_id)
    driver_of(world).delete(world.load(stack_id))
    driver_of(world).delete(loaded)
    world.run()
    driver_of(world).delete(loaded)
    checks.stack_is_gone(world, stack_id)


def test_update_goes_on_from_a_state_that_has_just_ended(world, stack_id):
    world.update(stack_id, dict(PAIR, a=thing('5')))
    loaded = world.load(stack_id)
    world.run()
    goal = dict(PAIR, a=thing('6'))
    driver_of(world).update(loaded, world.target(loaded, goal))
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)


def test_cancel_with_rollback(world, stack_id):
    world.update(stack_id, dict(PAIR, a=thing('1', size=3, steps=5)))
    world.run_steps(5)
    world.act(stack_id, 'cancel', True)
    world.run()
    assert world.state(stack_id) == 'ROLLBACK_COMPLETE'
    checks.stack_is(world, stack_id, PAIR)


def test_cancel_without_rollback_lets_running_ones_finish(world, stack_id):
    world.update(stack_id, dict(PAIR, a=thing('9', steps=5)))
    while 'update' not in [entry[0] for entry in world.cloud.log]:
        world.step()
    world.act(stack_id, 'cancel', False)
    assert world.state(stack_id) == 'UPDATE_FAILED'
    assert world.reason(stack_id) == 'Stack UPDATE cancelled'
    world.run()
    rows = {row.name: row for row in world.rows(stack_id)}
    assert (rows['a'].action, rows['a'].status) == ('UPDATE', 'COMPLETE')
    assert world.state(stack_id) == 'UPDATE_FAILED'


def test_overtaken_snapshot_has_failed(world, stack_id):
    stack = world.load(stack_id)
    row = snapshots.create_row(world.context, stack, 'snap')
    driver_of(world).snapshot(stack, row)
    assert world.load(stack_id).current_traversal == row.id
    world.act(stack_id, 'delete')
    row = snapshot_objects.Snapshot.get_by_id(world.context, row.id)
    assert row.status == 'FAILED'


def test_tags_follow_the_update(world, stack_id):
    world.update(stack_id, PAIR, tags=['x', 'y'])
    world.run()
    assert stack_objects.Stack.tags_for(world.context, [stack_id]) == {
        stack_id: ['x', 'y']}


class Plugin(lifecycle_plugin.LifecyclePlugin):
    """Notes what it is told, and may object."""

    def __init__(self, objects=False):
        self.told = []
        self.objects = objects

    def do_pre_op(self, cnxt, stack, current_stack=None, action=None):
        self.told.append(('pre', action))
        if self.objects:
            raise ValueError('not now')

    def do_post_op(self, cnxt, stack, current_stack=None, action=None,
                   is_stack_failure=False):
        self.told.append(('post', action, is_stack_failure))


def test_lifecycle_plugins_are_told(world, stack_id, monkeypatch):
    plugin = Plugin()
    monkeypatch.setattr(lifecycle_plugin, 'plugins', lambda: (plugin,))
    world.act(stack_id, 'check')
    world.run()
    assert plugin.told == [('pre', 'CHECK'), ('post', 'CHECK', False)]


def test_lifecycle_plugin_can_refuse(world, stack_id, monkeypatch):
    monkeypatch.setattr(lifecycle_plugin, 'plugins',
                        lambda: (Plugin(objects=True),))
    requests = world.cloud.requests
    world.update(stack_id, {'a': thing('9')})
    world.run()
    assert world.state(stack_id) == 'UPDATE_FAILED'
    assert world.reason(stack_id) == 'not now'
    assert world.cloud.requests == requests


def test_check_names_what_was_never_made(world):
    stack_id = world.create({'a': thing(fails=['create']),
                             'b': thing(needs=['a'])})
    world.run()
    world.act(stack_id, 'check')
    world.run()
    assert world.state(stack_id) == 'CHECK_FAILED'
    # What was made in part is found missing by its own check.
    assert world.reason(stack_id) == (
        'Resource CHECK failed: ValueError: resources.a: a is not there; '
        'Resource "b" was never created')


def test_snapshot_can_be_deleted(world, stack_id):
    stack = world.load(stack_id)
    row = snapshots.create_row(world.context, stack, 'snap')
    driver_of(world).snapshot(stack, row)
    world.run()
    row = snapshot_objects.Snapshot.get_by_id(world.context, row.id)
    driver_of(world).delete_snapshot(world.load(stack_id), row)
    world.run()
    assert snapshot_objects.Snapshot.get_by_id(world.context,
                                               row.id) is None


def test_child_tells_whoever_waits(make_world):
    world = make_world(engines=1)
    woken = []
    world.engines[0].pool.wake = woken.append
    stack_id = world.create(PAIR)
    world.run()
    assert woken == [('stack', stack_id)]
