import gc
import threading

import prometheus_client
import pytest

from heat.common import exception
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import run as resource_run
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from heat.objects import transaction
from tests.unit.engine.lifecycle import remotes

pytestmark = pytest.mark.usefixtures('script', 'clock')


# -- create -----------------------------------------------------------------


def test_invalid_properties_fail_before_the_handler():
    stack = remotes.make_stack(props={'n': 'many'})
    with pytest.raises(exception.ResourceFailure):
        remotes.run(stack.stored('r').create)
    assert remotes.Remote.log == []
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS'),
                              ('r', 'CREATE', 'FAILED')]


def test_create_retries_go_through_delete(stack, res, script):
    script['check_create'] = [
        exception.ResourceInError(resource_status='ERROR'), None]
    remotes.run(res.create)
    assert [entry[0] for entry in remotes.Remote.log] == [
        'create', 'check_create', 'delete', 'create', 'check_create']
    assert stack.events() == [
        ('r', 'CREATE', 'IN_PROGRESS'), ('r', 'CREATE', 'FAILED'),
        ('r', 'DELETE', 'IN_PROGRESS'), ('r', 'DELETE', 'COMPLETE'),
        ('r', 'CREATE', 'IN_PROGRESS'), ('r', 'CREATE', 'COMPLETE')]


def test_create_retries_end_at_the_limit(stack, res, script):
    script['create'] = exception.ResourceInError(resource_status='ERROR')
    with pytest.raises(exception.ResourceFailure):
        remotes.run(res.create)
    assert [e[0] for e in remotes.Remote.log].count('create') == 6
    assert stack.row('r').status == 'FAILED'


def test_time_passes_between_attempts_too(stack, res, script):
    script['create'] = exception.ResourceInError(resource_status='ERROR')
    with pytest.raises(scheduler.Timeout):
        remotes.run(resource_action.run, res, 'CREATE',
                    resource_claim.RowClaim('me'), timeout=3)
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (
        'CREATE', 'FAILED', None)


def test_conflict_is_retried(stack, res, script, monkeypatch):
    monkeypatch.setattr(remotes.Remote, 'client_plugin',
                        lambda self: remotes.Plugin())
    script['create'] = [remotes.Conflict(), None]
    remotes.run(res.create)
    assert stack.row('r').status == 'COMPLETE'


def test_delete_is_tried_again_when_something_is_left(stack, script):
    res = remotes.created(stack)
    script['delete'] = [exception.PhysicalResourceExists(name='x'), None]
    remotes.run(res.delete)
    assert [e[0] for e in remotes.Remote.log] == ['delete', 'delete']


def test_external_id_is_adopted_and_checked():
    stack = remotes.make_stack(snippet={'external_id': 'there'})
    res = stack.stored('r')
    remotes.run(res.create)
    row = stack.row('r')
    assert row.physical_resource_id == 'there'
    assert (row.action, row.status) == ('CHECK', 'COMPLETE')
    assert 'not supported' in row.status_reason
    assert remotes.Remote.log == []


def test_take_over_deletes_before_it_creates_again(stack, res):
    claim = resource_claim.RowClaim('dead')
    task = resource_action.run(res, 'CREATE', claim)
    group_commit.commit([next(task)])
    assert stack.row('r').engine_id == 'dead'
    again = stack.reload('r')
    remotes.run(resource_action.run, again, 'CREATE',
                resource_claim.RowClaim('me', held_by='dead'), take_over=True)
    assert [e[0] for e in remotes.Remote.log] == ['delete', 'create',
                                                  'check_create']
    assert stack.row('r').engine_id is None
    assert stack.row('r').status == 'COMPLETE'


# -- durations --------------------------------------------------------------

def durations(stack):
    """Return (action, status, acting, polling) of all events."""
    return [(each.resource_action, each.resource_status, each.acting_ms,
             each.polling_ms) for each in stack.event_rows()]


def taking(clock, seconds, result=None):
    """Return a step of a script that takes time."""
    def step(_resource):
        clock.now += seconds
        if isinstance(result, Exception):
            raise result
        return result

    return step


def test_outcome_tells_how_long_it_acted_and_polled(
        stack, res, script, clock):
    script['create'] = taking(clock, 2.5)
    script['check_create'] = [1, 1, taking(clock, 0.25)]
    remotes.run(res.create)
    assert durations(stack) == [('CREATE', 'IN_PROGRESS', None, None),
                                ('CREATE', 'COMPLETE', 2500, 2250)]


def test_durations_of_local_handlers_come_with_the_only_write(script, clock):
    stack = remotes.make_stack('T::Local')
    script['create'] = taking(clock, 0.125)
    remotes.run(stack.stored('r').create)
    assert durations(stack) == [('CREATE', 'IN_PROGRESS', None, None),
                                ('CREATE', 'COMPLETE', 125, 0)]


def test_each_attempt_tells_its_durations(stack, res, script, clock):
    error = exception.ResourceInError(resource_status='ERROR')
    script['create'] = [taking(clock, 1), taking(clock, 4)]
    script['check_create'] = [1, error]
    script['delete'] = taking(clock, 0.5)
    remotes.run(res.create)
    assert durations(stack)[1::2] == [
        ('CREATE', 'FAILED', 1000, 1000), ('DELETE', 'COMPLETE', 500, 0),
        ('CREATE', 'COMPLETE', 4000, 0)]


def test_handler_that_fails_has_acted(stack, res, script, clock):
    script['create'] = taking(clock, 3, ValueError('bad'))
    with pytest.raises(exception.ResourceFailure):
        remotes.run(res.create)
    assert durations(stack)[1] == ('CREATE', 'FAILED', 3000, 0)


def test_interrupted_action_tells_its_durations(stack, res, script, clock):
    script['create'] = taking(clock, 2)
    script['check_create'] = lambda self: 1
    with pytest.raises(scheduler.Timeout):
        remotes.run(resource_action.run, res, 'CREATE',
            resource_claim.RowClaim('me'), timeout=10)
    assert durations(stack)[1] == ('CREATE', 'FAILED', 2000, 8000)


def test_nothing_is_told_of_what_called_no_handler():
    stack = remotes.make_stack(props={'n': 'no number'})
    with pytest.raises(exception.ResourceFailure):
        remotes.run(stack.stored('r').create)
    assert durations(stack)[-1] == ('CREATE', 'FAILED', None, None)


def test_handler_that_a_dead_engine_called_is_not_measured(
        stack, res, script, clock):
    stored = []

    def notes():
        return resource_action.Notes(stored.append,
                                     stored[-1] if stored else None)

    script['check_create'] = [1]
    task = resource_action.run(res, 'CREATE', resource_claim.RowClaim('dead'),
                               notes=notes())
    request = next(task)
    while not isinstance(request, int | float):
        request = task.send(group_commit.commit([request])[0].get()
                            if scheduler.is_write(request) else None)
    script['check_create'] = [1]
    remotes.run(resource_action.run, stack.reload('r'), 'CREATE',
        resource_claim.RowClaim('me', held_by='dead'), take_over=True,
        notes=notes())
    assert [each[0] for each in remotes.Remote.log].count('create') == 1
    assert durations(stack)[1:] == [('CREATE', 'COMPLETE', None, None)]


# -- claims -----------------------------------------------------------------

def test_claim_is_held_and_released(stack, res, script):
    holders = []
    script['check_create'] = lambda self: holders.append(
        stack.row('r').engine_id)
    remotes.run(resource_action.run, res, 'CREATE',
                resource_claim.RowClaim('me'))
    assert holders == ['me']
    row = stack.row('r')
    assert row.engine_id is None
    # Acquired, physical id, released.
    assert row.atomic_key == 3 == res.atomic_key


def test_row_held_by_another_engine_is_left_alone(stack, res):
    resource_objects.Resource.update_by_id(stack.context, res.id,
                                           {'engine_id': 'other'})
    with pytest.raises(resource_claim.ClaimLost):
        remotes.run(resource_action.run, res, 'CREATE',
                    resource_claim.RowClaim('me'))
    assert remotes.Remote.log == []
    assert stack.events() == []
    assert res.state == ('INIT', 'COMPLETE')


def test_stopped_engine_cannot_write_its_outcome(stack, res, script):
    def overtaken(self):
        resource_objects.Resource.update_by_id(
            stack.context, self.id, {'engine_id': 'other',
                                     'atomic_key': 77})
    script['check_create'] = overtaken
    with pytest.raises(resource_claim.ClaimLost):
        remotes.run(resource_action.run, res, 'CREATE',
                    resource_claim.RowClaim('me'))
    assert stack.row('r').status == 'IN_PROGRESS'


def test_what_another_engine_goes_on_with_is_not_cancelled(
        stack, res, script, monkeypatch):
    def overtaken(self):
        resource_objects.Resource.update_by_id(
            stack.context, self.id, {'engine_id': 'other',
                                     'atomic_key': 77})
        return 'busy'

    cancelled = []
    monkeypatch.setattr(remotes.Remote, 'handlers_only_begin', True,
                        raising=False)
    monkeypatch.setattr(remotes.Remote, 'handle_create_cancel',
                        lambda self, cookie: cancelled.append(cookie),
                        raising=False)
    script['check_create'] = overtaken
    with pytest.raises(resource_claim.ClaimLost):
        remotes.run(resource_action.run, res, 'CREATE',
                    resource_claim.RowClaim('me'))
    assert [call[0] for call in remotes.Remote.log] == ['create',
                                                       'check_create']
    assert cancelled == []


# -- interruption -----------------------------------------------------------

def ended(action, result):
    """Return how often figures say that an action came to this."""
    return prometheus_client.REGISTRY.get_sample_value(
        'heat_resource_actions_total',
        {'type': 'Remote', 'action': action, 'result': result}) or 0


def test_timeout_cancels_the_handler_and_fails(stack, res, script, clock):
    cancelled, before = [], ended('CREATE', 'TIMED_OUT')
    remotes.Remote.handle_create_cancel = (
        lambda self, cookie: cancelled.append(cookie))
    try:
        script['check_create'] = lambda self: 1
        with pytest.raises(scheduler.Timeout):
            remotes.run(resource_action.run, res, 'CREATE',
                        resource_claim.RowClaim('me'), timeout=10)
        assert res.cancel_grace_period() is None
    finally:
        del remotes.Remote.handle_create_cancel
    assert cancelled == ['cookie']
    assert sum(clock.slept) == pytest.approx(10)
    assert ended('CREATE', 'TIMED_OUT') == before + 1
    row = stack.row('r')
    assert (row.status, row.engine_id) == ('FAILED', None)
    assert 'CREATE aborted' in row.status_reason
    assert 'Timed out' in row.status_reason


def test_closing_the_task_records_a_failure(stack, res, script):
    script['check_create'] = lambda self: 1
    runner = scheduler.TaskRunner(res.create)
    runner.start()
    runner.cancel()
    row = stack.row('r')
    assert (row.action, row.status) == ('CREATE', 'FAILED')
    assert row.status_reason == 'CREATE aborted'


def test_collected_task_is_recorded_by_another_thread(stack, res, script):
    """Garbage is collected anywhere, also in a transaction that reads."""
    script['check_create'] = lambda self: 1
    task = res.create()
    request = next(task)
    while not isinstance(request, int | float):
        request = task.send(group_commit.commit([request])[0].get()
                            if scheduler.is_write(request) else None)
    with transaction.reader(stack.context):
        del task
        gc.collect()
    for thread in threading.enumerate():
        if thread.name == 'heat-last-words':
            thread.join(60)
    row = stack.row('r')
    assert (row.action, row.status) == ('CREATE', 'FAILED')
    assert row.status_reason == 'CREATE aborted'


def test_no_thread_begins_when_the_process_ends(stack, res, script,
                                                monkeypatch):
    script['check_create'] = lambda self: 1
    task = res.create()
    group_commit.commit([next(task)])
    monkeypatch.setattr(resource_run.sys, 'is_finalizing', lambda: True)
    before = set(threading.enumerate())
    del task
    gc.collect()
    assert set(threading.enumerate()) <= before
    assert stack.row('r').status == 'IN_PROGRESS'


def test_grace_period_comes_from_the_configuration(stack):
    assert remotes.created(stack).cancel_grace_period() == 240


# -- update -----------------------------------------------------------------


def test_update_in_place(stack):
    res = remotes.created(stack)
    remotes.run(res.update, remotes.changed(stack, a='y'))
    assert remotes.Remote.log == [('update', {'a': 'y'}, 'x')]
    row = stack.row('r')
    assert row.properties == {'a': 'y'}
    assert row.updated_at is not None
    assert res.properties['a'] == 'y'
    started, ended = stack.event_rows()[-2:]
    assert started.resource_properties == {'a': 'x'}
    assert ended.resource_properties == {'a': 'y'}


def test_unchanged_resource_has_no_event(stack):
    res = remotes.created(stack)
    before = stack.events()
    remotes.run(res.update, remotes.changed(stack, a='x'))
    assert stack.events() == before
    assert remotes.Remote.log == []


def test_changed_dependency_is_an_empty_update(stack):
    res = remotes.created(stack)
    remotes.run(res.update, stack.definition('r', deletion_policy='retain'))
    assert remotes.Remote.log == [('update', {}, 'x')]
    assert stack.row('r').action == 'UPDATE'


def test_property_without_update_allowed_replaces(stack):
    res = remotes.created(stack)
    with pytest.raises(exception.UpdateReplace):
        remotes.run(res.update, remotes.changed(stack, a='x', b='new'))
    assert stack.row('r').action == 'CREATE'


def test_immutable_property_fails_the_update(stack):
    res = remotes.created(stack)
    with pytest.raises(exception.ResourceFailure, match='NotSupported'):
        remotes.run(res.update, remotes.changed(stack, a='x', i='new'))
    assert stack.events()[-1] == ('r', 'UPDATE', 'FAILED')


def test_handler_may_ask_for_a_replacement(stack, script):
    prepared = []
    remotes.Remote.prepare_for_replace = (
        lambda self: prepared.append(self.state))
    try:
        res = remotes.created(stack)
        script['update'] = exception.UpdateReplace('r')
        with pytest.raises(exception.UpdateReplace):
            remotes.run(res.update, remotes.changed(stack, a='y'))
    finally:
        del remotes.Remote.prepare_for_replace
    row = stack.row('r')
    assert (row.action, row.status) == ('UPDATE', 'COMPLETE')
    assert row.properties == {'a': 'x'}
    assert len(prepared) == 1


def test_failed_update_keeps_the_old_properties(stack, script):
    res = remotes.created(stack)
    script['update'] = ValueError('no')
    with pytest.raises(exception.ResourceFailure):
        remotes.run(res.update, remotes.changed(stack, a='y'))
    assert stack.row('r').properties == {'a': 'x'}
    assert res.t is stack.definition('r')


def test_failed_resource_is_replaced(stack, res, script):
    script['create'] = [ValueError('x')]
    with pytest.raises(exception.ResourceFailure):
        remotes.run(res.create)
    with pytest.raises(exception.UpdateReplace):
        remotes.run(res.update, remotes.changed(stack, a='y'))


def test_failed_resource_that_is_right_becomes_complete(
        stack, res, script, monkeypatch):
    monkeypatch.setattr(remotes.Remote, 'needs_replace_failed',
                        lambda self: False)
    script['create'] = [ValueError('x')]
    with pytest.raises(exception.ResourceFailure):
        remotes.run(res.create)
    remotes.run(res.update, stack.definition('r'))
    assert stack.row('r').status == 'COMPLETE'


def test_restricted_update_fails():
    stack = remotes.make_stack(env={'resource_registry': {
        'resources': {'r': {'restricted_actions': 'update'}}}})
    res = remotes.created(stack)
    with pytest.raises(exception.ResourceFailure,
                       match='ResourceActionRestricted'):
        remotes.run(res.update, remotes.changed(stack, a='y'))


# -- delete, suspend, resume, check -----------------------------------------

def test_delete(stack):
    res = remotes.created(stack)
    remotes.run(res.delete)
    assert remotes.Remote.log == [('delete', 'phys')]
    row = stack.row('r')
    assert (row.action, row.status) == ('DELETE', 'COMPLETE')


def test_destroy_removes_the_row(stack):
    res = remotes.created(stack)
    remotes.run(res.destroy)
    assert stack.row('r') is None


def test_delete_of_what_was_never_made_calls_nothing(stack, res):
    remotes.run(res.delete)
    assert remotes.Remote.log == []
    assert stack.events() == []


def test_suspend_and_resume(stack):
    res = remotes.created(stack)
    remotes.run(res.suspend)
    remotes.run(res.resume)
    assert remotes.Remote.log == [('suspend',), ('resume',)]
    assert stack.row('r').action == 'RESUME'


def test_resume_needs_a_suspended_resource(stack):
    res = remotes.created(stack)
    with pytest.raises(exception.ResourceFailure,
                       match='invalid for resume'):
        remotes.run(res.resume)


def test_check_without_handler_succeeds_saying_so(stack):
    res = remotes.created(stack)
    result = remotes.run(res.check)
    assert 'not supported' in result.reason
    assert stack.events()[-1] == ('r', 'CHECK', 'COMPLETE')
    assert stack.row('r').status_reason == result.reason


# -- breakpoints ------------------------------------------------------------
