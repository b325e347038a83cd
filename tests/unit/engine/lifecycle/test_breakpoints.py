"""Points of an action at which a resource waits for the user."""
import itertools

import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine import resource
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.tasks import scheduler
from tests.unit.engine.lifecycle import remotes

pytestmark = pytest.mark.usefixtures('script', 'clock')


@pytest.mark.parametrize(('hook', 'before'), [('pre-create', True),
                                              ('post-create', False)])
def test_breakpoint_holds_until_it_is_cleared(hook, before, clock):
    stack = remotes.make_stack(env={'resource_registry': {
        'resources': {'r': {'hooks': hook}}}})
    res = stack.stored('r')
    finished = []

    def extra(result):
        finished.append(result.kind)

    runner = scheduler.TaskRunner(
        resource_action.run, res, 'CREATE', resource_claim.RowClaim('me'),
        also=extra)
    runner.start()
    for _round in range(3):
        clock.sleep(1)
        assert not runner.step()
    assert finished == []
    assert (remotes.Remote.log == []) is before
    event = stack.event_rows()[-1]
    assert event.resource_status_reason == (
        'CREATE paused until Hook %s is cleared' % hook)
    other = fake_row_user(stack)
    with pytest.raises(exception.InvalidBreakPointHook):
        other.signal({'unset_hook': 'pre-delete'})
    assert other.signal({'unset_hook': hook}) is True
    clock.sleep(1)
    for _step in itertools.takewhile(lambda _n: not runner.step(), range(9)):
        clock.sleep(1)
    assert finished == ['COMPLETE']
    assert stack.row('r').engine_id is None
    assert stack.row('r').status == 'COMPLETE'


def fake_row_user(stack):
    """Return the resource as another process sees it."""
    return resource.Resource('r', stack.definition('r'), stack)


def test_time_passes_at_a_breakpoint_too(clock):
    stack = remotes.make_stack(env={'resource_registry': {
        'resources': {'r': {'hooks': 'pre-create'}}}})
    res = stack.stored('r')
    with pytest.raises(scheduler.Timeout):
        remotes.run(resource_action.run, res, 'CREATE',
                    resource_claim.StackOwned(), timeout=30)
    assert sum(clock.slept) == 30
    assert stack.row('r').action == 'INIT'


def test_update_hooks_do_not_depend_on_the_stack(clock):
    stack = remotes.make_stack(env={'resource_registry': {
        'resources': {'*': {'hooks': ['pre-update', 'pre-delete']}}}})
    res = remotes.created(stack)
    # Only a deletion of the whole stack stops there.
    runner = scheduler.TaskRunner(res.update, remotes.changed(stack, a='y'))
    runner.start()
    assert not runner.done()
    fake_row_user(stack).signal({'unset_hook': 'pre-update'})
    clock.sleep(1)
    runner.run_to_completion()
    remotes.run(res.delete)
    assert stack.row('r').action == 'DELETE'


def paused(hook='pre-update', **changes):
    """Return a created resource that has a breakpoint, and its stack."""
    stack = remotes.make_stack(env={'resource_registry': {
        'resources': {'r': {'hooks': hook}}}})
    res = remotes.created(stack)
    vars(stack).update(changes)
    return res, stack


@pytest.mark.parametrize(('hook', 'action', 'before'), [
    (f'{when}-{action}', action.upper(), when == 'pre')
    for when in ('pre', 'post') for action in ('create', 'update', 'delete')])
def test_each_hook_is_of_one_moment(hook, action, before):
    stack = remotes.make_stack(env={'resource_registry': {
        'resources': {'r': {'hooks': hook}}}})
    stack.action = action
    applicable = [(each, first) for each in ('CREATE', 'UPDATE', 'DELETE',
                                             'CHECK')
                  for first in (True, False)
                  if breakpoints.applies(stack['r'], each, before=first)]
    assert applicable == [(action, before)]


def test_backup_stacks_have_no_breakpoints():
    res, _stack = paused(backup=True)
    assert not breakpoints.applies(res, 'UPDATE', before=True)


def test_breakpoints_are_those_of_the_goal_of_an_update():
    res, stack = paused()
    assert breakpoints.applies(res, 'UPDATE', before=True)
    stack.goal_env = environment.Environment({})
    assert not breakpoints.applies(res, 'UPDATE', before=True)


def test_a_resource_that_waits_can_be_told_and_let_go():
    res, stack = paused()
    assert not breakpoints.is_waiting(res)
    res.data_set('pre-update', 'True')
    assert breakpoints.is_waiting(res)
    events = len(stack.event_rows())
    breakpoints.clear_all(res)
    assert not breakpoints.is_waiting(res)
    assert len(stack.event_rows()) == events
    assert not breakpoints.is_waiting(remotes.make_stack()['r'])


@pytest.mark.parametrize(('details', 'clearing'), [
    ({'unset_hook': 'pre-update'}, True), ({'other': 1}, False),
    ('unset_hook', False), (None, False)])
def test_signal_that_clears(details, clearing):
    assert breakpoints.is_clearing(details) is clearing


def test_only_what_is_set_can_be_cleared():
    res, stack = paused()
    for hook, text in (('pre-party', 'Invalid hook type'),
                       ('pre-update', 'is not set')):
        with pytest.raises(exception.InvalidBreakPointHook, match=text):
            breakpoints.check_clearing(res, {'unset_hook': hook})
    res.data_set('pre-update', 'True')
    breakpoints.check_clearing(res, {'unset_hook': 'pre-update'})
    breakpoints.clear(res, 'pre-update')
    assert stack.event_rows()[-1].resource_status_reason == (
        'Hook pre-update is cleared')
