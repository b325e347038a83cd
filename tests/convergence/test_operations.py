"""What each operation leads to when nothing goes wrong."""
import pytest

from heat.engine.stacks import snapshots
from heat.objects import raw_template as template_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from tests.convergence import checks
from tests.convergence.templates import thing
from tests.convergence.templates import wanted

CHAIN = {'a': thing('1'), 'b': thing('2', needs=['a']),
         'c': thing('3', needs=['b'])}


@pytest.fixture
def stack_id(world):
    """Return a stack that has been created."""
    stack_id = world.create(CHAIN)
    world.run()
    return stack_id


def names(world, what):
    return [name for event, name, _id in world.cloud.log if event == what]


def test_create(world, stack_id):
    assert world.state(stack_id) == 'CREATE_COMPLETE'
    assert world.reason(stack_id) == 'Stack CREATE completed successfully'
    checks.stack_is(world, stack_id, CHAIN)
    assert names(world, 'create') == ['a', 'b', 'c']


def test_create_of_nothing(world):
    stack_id = world.create({})
    world.run()
    assert world.state(stack_id) == 'CREATE_COMPLETE'


def test_rows_know_what_they_require(world, stack_id):
    rows = {row.name: row for row in world.rows(stack_id)}
    assert rows['a'].requires == []
    assert rows['c'].requires == [rows['b'].id]


def test_update_without_changes(world, stack_id):
    requests = world.cloud.requests
    assert world.update(stack_id, CHAIN)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    assert world.cloud.requests == requests
    checks.stack_is(world, stack_id, CHAIN)


def test_update_in_place_add_and_remove(world, stack_id):
    goal = {'a': thing('9'), 'b': thing('2', needs=['a']),
            'd': thing('4', needs=['a'])}
    world.update(stack_id, goal)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    assert names(world, 'update') == ['a']
    assert names(world, 'delete') == ['c']
    checks.stack_is(world, stack_id, goal)


def test_replacement_waits_for_dependents(world, stack_id):
    goal = dict(CHAIN, a=thing('1', size=5))
    world.update(stack_id, goal)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)
    assert world.cloud.log[3:] == [('create', 'a', 'thing-4'),
                                   ('update', 'b', 'thing-2'),
                                   ('delete', 'a', 'thing-1')]


def test_replacement_found_by_the_handler(world, stack_id):
    goal = dict(CHAIN, b=thing('2', needs=['a'], replaces_late='yes'))
    world.update(stack_id, goal)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)
    assert names(world, 'delete') == ['b']


def test_delete(world, stack_id):
    world.act(stack_id, 'delete')
    world.run()
    assert names(world, 'delete') == ['c', 'b', 'a']
    checks.stack_is_gone(world, stack_id)


def test_failure_stops_the_stack(world):
    stack_id = world.create(
        {'a': thing(), 'b': thing(needs=['a'], fails=['create']),
         'c': thing(needs=['b'])})
    world.run()
    assert world.state(stack_id) == 'CREATE_FAILED'
    assert world.reason(stack_id) == (
        'Resource CREATE failed: ValueError: resources.b: create of b fails')
    states = {row.name: (row.action, row.status)
              for row in world.rows(stack_id)}
    assert states == {'a': ('CREATE', 'COMPLETE'), 'b': ('CREATE', 'FAILED'),
                      'c': ('INIT', 'COMPLETE')}
    row = stack_objects.Stack.get_by_id(world.context, stack_id)
    assert row.current_traversal == ''
    assert not world.points(row.current_traversal)


def test_failed_create_is_repaired_by_an_update(world):
    stack_id = world.create({'a': thing(fails=['create'])})
    world.run()
    goal = {'a': thing()}
    world.update(stack_id, goal)
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)


def test_create_rolls_back(world):
    stack_id = world.create(
        {'a': thing(), 'b': thing(needs=['a'], fails=['create'])},
        disable_rollback=False)
    world.run()
    assert world.state(stack_id) == 'ROLLBACK_COMPLETE'
    checks.stack_is(world, stack_id, {})


def test_update_rolls_back_to_what_was(world, stack_id):
    goal = {'a': thing('1', size=3), 'b': thing('7', needs=['a']),
            'd': thing(needs=['b'], fails=['create'])}
    world.update(stack_id, goal, disable_rollback=False)
    world.run()
    assert world.state(stack_id) == 'ROLLBACK_COMPLETE'
    checks.stack_is(world, stack_id, CHAIN)


def test_failed_rollback_is_not_rolled_back(world, stack_id):
    goal = dict(CHAIN, a=thing('1', fails=['update'], steps=3),
                d=thing(fails=['create']))
    world.update(stack_id, goal, disable_rollback=False)
    world.run()
    assert world.state(stack_id).startswith('ROLLBACK')


def test_check_goes_on_past_failures(world):
    stack_id = world.create(
        {'a': thing(fails=['check']), 'b': thing(needs=['a']),
         'c': thing(fails=['check'])})
    world.run()
    world.act(stack_id, 'check')
    world.run()
    assert world.state(stack_id) == 'CHECK_FAILED'
    assert sorted(names(world, 'check')) == ['a', 'b', 'c']
    assert 'check of a fails' in world.reason(stack_id)
    assert 'check of c fails' in world.reason(stack_id)


def test_suspend_and_resume(world, stack_id):
    world.act(stack_id, 'suspend')
    world.run()
    assert world.state(stack_id) == 'SUSPEND_COMPLETE'
    assert names(world, 'suspend') == ['c', 'b', 'a']
    world.act(stack_id, 'resume')
    world.run()
    assert world.state(stack_id) == 'RESUME_COMPLETE'
    assert names(world, 'resume') == ['a', 'b', 'c']
    world.act(stack_id, 'resume')
    assert world.state(stack_id) == 'RESUME_COMPLETE'


def test_snapshot_and_restore(world, stack_id):
    stack = world.load(stack_id)
    row = snapshots.create_row(world.context, stack, 'snap')
    world.act(stack_id, 'snapshot', row)
    world.run()
    assert world.state(stack_id) == 'SNAPSHOT_COMPLETE'
    row = snapshot_objects.Snapshot.get_by_id(world.context, row.id)
    assert row.status == 'COMPLETE'
    assert set(snapshots.parts_of(world.context, row)) == set(CHAIN)
    world.update(stack_id, {'a': thing('5')})
    world.run()
    stack = world.load(stack_id)
    world.act(stack_id, 'restore', row,
              snapshots.restored_stack(stack, row))
    world.run()
    assert world.state(stack_id) == 'RESTORE_COMPLETE'
    checks.stack_is(world, stack_id, CHAIN)
    world.act(stack_id, 'delete')
    world.run()
    checks.stack_is_gone(world, stack_id)
    assert not snapshot_objects.Snapshot.get_all_by_stack(
        world.context, stack_id)


def test_abandon_leaves_the_things(world, stack_id):
    world.act(stack_id, 'abandon')
    world.run()
    assert world.values() == wanted(CHAIN)
    assert not world.rows(stack_id)


def test_delete_of_what_is_being_abandoned_leaves_the_things(world, stack_id):
    world.act(stack_id, 'abandon')
    world.act(stack_id, 'delete')
    world.run()
    assert world.state(stack_id) == 'DELETE_COMPLETE'
    assert world.values() == wanted(CHAIN)


def test_delete_of_what_could_not_be_abandoned_leaves_the_things(
        world, stack_id):
    """It may have been adopted elsewhere meanwhile."""
    world.act(stack_id, 'abandon')
    world.clock.advance(2 * 3600)
    world.beat()
    world.run()
    assert world.state(stack_id) == 'DELETE_FAILED'
    world.act(stack_id, 'delete')
    world.run()
    assert world.state(stack_id) == 'DELETE_COMPLETE'
    assert world.values() == wanted(CHAIN)


def test_adopt(world, stack_id):
    data = world.load(stack_id).prepare_abandon()
    adopted = world.create(CHAIN, name='other', adopt_stack_data=data)
    world.run()
    assert world.state(adopted) == 'ADOPT_COMPLETE'
    assert names(world, 'create') == ['a', 'b', 'c']
    here, there = ({row.name: row.physical_resource_id
                    for row in world.rows(each)}
                   for each in (adopted, stack_id))
    assert there == here


def test_what_nobody_hands_over_cannot_be_adopted(world, stack_id):
    data = world.load(stack_id).prepare_abandon()
    adopted = world.create({**CHAIN, 'd': thing('4')}, name='other',
                           adopt_stack_data=data)
    world.run()
    assert world.state(adopted) == 'ADOPT_FAILED'
    assert names(world, 'create') == ['a', 'b', 'c']


def test_old_templates_go(world, stack_id):
    for value in '456':
        world.update(stack_id, {'a': thing(value)})
        world.run()
    row = stack_objects.Stack.get_by_id(world.context, stack_id)
    assert row.prev_raw_template_id is None
    assert [number for number in range(1, row.raw_template_id + 1)
            if template_objects.RawTemplate.get_by_id(
                world.context, number)] == [row.raw_template_id]


def test_deletion_of_what_is_being_updated_leaves_no_template(world,
                                                              stack_id):
    world.update(stack_id, {'a': thing('2')})
    world.update(stack_id, {'a': thing('3')})
    world.act(stack_id, 'delete')
    world.run()
    checks.stack_is_gone(world, stack_id)


def test_what_a_cancelled_update_has_deleted_is_forgotten(make_world):
    """The next update finds nothing to do, and ends where it begins."""
    world = make_world(engines=1)
    stack_id = world.create({'a': thing('1', steps=2)})
    world.run()
    world.update(stack_id, {})
    world.run_steps(1)
    world.act(stack_id, 'cancel', False)
    world.run()
    assert world.state(stack_id) == 'UPDATE_FAILED'
    assert world.update(stack_id, {})
    world.run()
    checks.stack_is(world, stack_id, {})


def test_timeout(world):
    stack_id = world.create({'a': thing(steps=1000)}, timeout_mins=1)
    world.run()
    assert world.state(stack_id) == 'CREATE_FAILED'
    assert world.reason(stack_id) == 'Timed out'


def test_other_engines_take_part(make_world):
    world = make_world(engines=3, max_inflight=2)
    goal = {'t%d' % number: thing(str(number)) for number in range(12)}
    stack_id = world.create(goal)
    world.run()
    checks.stack_is(world, stack_id, goal)
    assert world.bus.sent


@pytest.mark.parametrize('seed', range(8))
def test_a_row_that_was_to_go_is_wanted_again(make_world, seed):
    """Updates follow each other before the first has made anything."""
    world = make_world(seed, engines=1, max_inflight=2)
    large = {'c': thing('1'), 'd': thing('1', needs=['c']), 'b': thing('1')}
    small = {'c': thing('2'), 'd': thing('2', needs=['c'])}
    stack_id = world.create({})
    world.run()
    for goal in (large, small, large):
        world.update(stack_id, goal)
    world.run()
    checks.stack_is(world, stack_id, large)


def test_replacement_gets_what_is_lent_by_one_engine(make_world):
    """Every engine is told of the node while the plugin prepares it."""
    world = make_world(engines=3)
    stack_id = world.create({'a': thing('1', steps=4, kind='SharingThing')})
    world.run()
    goal = {'a': thing('1', size=2, kind='SharingThing')}
    world.update(stack_id, goal)
    row, = world.rows(stack_id)
    traversal_id = stack_objects.Stack.get_by_id(
        world.context, stack_id).current_traversal
    for engine in world.engines:
        engine.worker.check_nodes(world.context, stack_id, traversal_id,
                                  [[row.id, True]])
    world.run(lambda: names(world, 'lend'))
    row, = world.rows(stack_id)
    assert (row.action, row.status) == ('CREATE', 'COMPLETE')
    assert row.engine_id is not None
    world.run()
    checks.stack_is(world, stack_id, goal)
    assert names(world, 'lend') == ['a']


@pytest.mark.parametrize('steps', range(0, 24, 3))
def test_lending_survives_the_engine(make_world, steps):
    world = make_world(engines=1)
    stack_id = world.create({'a': thing('1', steps=4, kind='SharingThing')})
    world.run()
    goal = {'a': thing('1', size=2, steps=2, kind='SharingThing')}
    world.update(stack_id, goal)
    world.run_steps(steps)
    world.crash(world.engines[0])
    world.run()
    assert world.state(stack_id) == 'UPDATE_COMPLETE'
    checks.stack_is(world, stack_id, goal)


@pytest.mark.parametrize('steps', range(0, 40, 5))
def test_rollback_takes_back_what_was_lent(make_world, steps):
    world = make_world(engines=2)
    before = {'a': thing('1', steps=3, kind='SharingThing')}
    stack_id = world.create(before)
    world.run()
    world.update(stack_id, {'a': thing('1', size=2, kind='SharingThing',
                                       fails=['create'])},
                 disable_rollback=False)
    world.run_steps(steps)
    world.crash(world.engines[0])
    world.run()
    assert world.state(stack_id) == 'ROLLBACK_COMPLETE'
    assert 'take back' in {entry[0] for entry in world.cloud.log}
    checks.stack_is(world, stack_id, before)


@pytest.mark.parametrize('rollback', [False, True])
def test_what_is_lent_for_nothing_comes_back(make_world, rollback):
    """The stack goes on to something else while the plugin prepares."""
    world = make_world(engines=2)
    before = {'a': thing('1', steps=6, kind='SharingThing')}
    stack_id = world.create(before)
    world.run()
    goal = {'a': thing('1', size=2, kind='SharingThing')}
    if rollback:
        # It fails when the other is about to be replaced, not before.
        goal['b'] = thing(fails=['create'], needs=['c'])
        goal['c'] = thing(steps=3)
    world.update(stack_id, goal, disable_rollback=not rollback)
    world.run(lambda: 'lend' in {entry[0] for entry in world.cloud.log})
    if not rollback:
        assert world.update(stack_id, before)
    world.run()
    assert world.state(stack_id) == ('ROLLBACK_COMPLETE' if rollback else
                                     'UPDATE_COMPLETE')
    assert names(world, 'take back') == ['a']
    checks.stack_is(world, stack_id, before)


@pytest.mark.parametrize('seed', range(12))
def test_what_was_lent_comes_back_once_the_replacement_is_at_rest(
        make_world, seed):
    """It is being made by whoever does not yet know of the rollback."""
    world = make_world(seed, engines=2, max_inflight=1)
    before = {'a': thing('1', kind='SharingThing'), 'b': thing('1')}
    stack_id = world.create(before)
    world.run()
    world.update(stack_id, {
        'a': thing('1', size=2, steps=9, kind='SharingThing'),
        'b': thing('1'), 'c': thing(fails=['create'], steps=2)},
        disable_rollback=False)
    world.run()
    assert world.state(stack_id) == 'ROLLBACK_COMPLETE'
    checks.stack_is(world, stack_id, before)
