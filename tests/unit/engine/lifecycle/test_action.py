import gc
import itertools
import threading

import prometheus_client
import pytest

from heat.common import exception
from heat.engine import properties
from heat.engine import resource
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from heat.objects import transaction
from tests.fakes import database
from tests.fakes import stack as fake_stack


class Remote(resource.Resource):
    """A resource that is made elsewhere, as the test says."""

    properties_schema = {
        'a': properties.Schema(properties.Schema.STRING,
                               update_allowed=True),
        'b': properties.Schema(properties.Schema.STRING),
        'i': properties.Schema(properties.Schema.STRING, immutable=True),
        'n': properties.Schema(properties.Schema.INTEGER,
                               update_allowed=True),
    }

    script = {}
    log = []

    def note(self, what, *args):
        self.log.append((what, *args))
        step = self.script.get(what)
        if isinstance(step, list):
            step = step.pop(0) if step else None
        if isinstance(step, BaseException):
            raise step
        return step(self) if callable(step) else step

    def handle_create(self):
        if self.note('create', self.state) is None:
            self.resource_id_set('phys')
        return 'cookie'

    def check_create_complete(self, cookie):
        assert cookie == 'cookie'
        return self.note('check_create') is None

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        self.note('update', prop_diff, self.properties['a'])

    def handle_delete(self):
        self.note('delete', self.resource_id)

    def handle_suspend(self):
        self.note('suspend')

    def handle_resume(self):
        self.note('resume')


class Local(Remote):
    handlers_are_local = True


class Conflict(Exception):
    pass


class Plugin:
    service_types = []

    def is_conflict(self, error):
        return isinstance(error, Conflict)

    def is_not_found(self, error):
        return False


@pytest.fixture(autouse=True)
def script(monkeypatch, tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    monkeypatch.setattr(Remote, 'log', [])
    script = {}
    monkeypatch.setattr(Remote, 'script', script)
    return script


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    return fake_stack.Clock(monkeypatch)


def make_stack(type_name='T::Remote', props=None, **kwargs):
    snippet = {'type': type_name, 'properties': props or {'a': 'x'}}
    return fake_stack.FakeStack(
        {'r': {**snippet, **kwargs.pop('snippet', {})}},
        types={'T::Remote': Remote, 'T::Local': Local}, **kwargs)


def run(task, *args, **kwargs):
    """Run a task to its end; return what it returns."""
    results = []

    def outer():
        results.append((yield from task(*args, **kwargs)))

    scheduler.TaskRunner(outer)(wait_time=1)
    return results[0]


@pytest.fixture
def stack():
    return make_stack()


@pytest.fixture
def res(stack):
    return stack.stored('r')


def created(stack):
    res = stack.stored('r')
    run(res.create)
    Remote.log.clear()
    return res


# -- create -----------------------------------------------------------------

def test_create_records_start_and_outcome(stack, res):
    result = run(res.create)
    assert result.kind == resource_action.Outcome.COMPLETE
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS'),
                              ('r', 'CREATE', 'COMPLETE')]
    row = stack.row('r')
    assert (row.action, row.status) == ('CREATE', 'COMPLETE')
    assert row.status_reason == 'state changed'
    assert row.physical_resource_id == 'phys'
    assert row.properties == {'a': 'x'}
    assert Remote.log == [('create', ('CREATE', 'IN_PROGRESS')),
                          ('check_create',)]


def test_events_show_physical_name_and_properties(stack, res):
    run(res.create)
    started, ended = stack.event_rows()
    assert started.physical_resource_id == res.physical_resource_name()
    assert ended.physical_resource_id == 'phys'
    assert started.resource_properties == {'a': 'x'}
    assert ended.rsrc_prop_data_id == started.rsrc_prop_data_id


def test_first_poll_comes_at_once_and_others_each_second(
        stack, res, script, clock):
    script['check_create'] = [1, 1]
    run(res.create)
    assert clock.slept == [1, 1]


def test_poll_delay_leaves_polls_out(stack, res, script, clock):
    script['check_create'] = [resource.PollDelay(5), 1]
    run(res.create)
    assert clock.slept == [5, 1]


def test_who_asks_a_service_waits_ever_longer_between_two_looks(
        stack, res, script, clock, monkeypatch):
    monkeypatch.setattr(type(res), 'patient', True, raising=False)
    script['check_create'] = [1] * 150
    run(res.create)
    pauses, waited = [round(pause, 6) for pause in clock.slept], 0
    assert pauses[:10] == [1] * 10
    assert pauses == sorted(pauses)
    for pause in pauses:
        assert pause <= min(max(1, 0.1 * waited + 0.001), 10)
        waited += pause
    assert pauses[-1] == 10
    assert pauses.index(10) < 40


def test_physical_id_is_recorded_at_once(stack, res, script):
    seen = []
    script['check_create'] = lambda self: seen.append(
        stack.row('r').physical_resource_id)
    run(res.create)
    assert seen == ['phys']


def test_local_handlers_are_recorded_in_one_write(monkeypatch):
    stack = make_stack('T::Local')
    res = stack.stored('r')
    writes = []
    monkeypatch.setattr(group_commit, 'commit', _counting(
        group_commit.commit, writes))
    run(res.create)
    assert len(writes) == 1
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS'),
                              ('r', 'CREATE', 'COMPLETE')]
    assert stack.row('r').physical_resource_id == 'phys'


def _counting(commit, log):
    def counted(writes):
        log.append(writes)
        return commit(writes)
    return counted


def test_local_handlers_that_wait_are_recorded_before(script):
    stack = make_stack('T::Local')
    res = stack.stored('r')
    script['check_create'] = [1]
    task = res.create()
    write = next(task)
    task.send(group_commit.commit([write])[0].value)
    row = stack.row('r')
    assert (row.action, row.status) == ('CREATE', 'IN_PROGRESS')
    assert row.physical_resource_id == 'phys'


def test_failure_text_names_error_and_path(stack, res, script):
    script['create'] = ValueError('Test Resource failed bad')
    with pytest.raises(exception.ResourceFailure) as caught:
        run(res.create)
    text = 'ValueError: resources.r: Test Resource failed bad'
    assert str(caught.value) == text
    row = stack.row('r')
    assert (row.action, row.status) == ('CREATE', 'FAILED')
    assert row.status_reason == text
    assert stack.events()[-1] == ('r', 'CREATE', 'FAILED')


def test_hidden_parameters_do_not_show_in_reasons(script):
    stack = make_stack(
        parameters={'p': {'type': 'string', 'hidden': True}},
        params={'p': 'sesame'})
    res = stack.stored('r')
    script['create'] = ValueError('no door opens to sesame')
    with pytest.raises(exception.ResourceFailure, match='to \\*\\*\\*'):
        run(res.create)
    assert 'sesame' not in stack.row('r').status_reason


def test_stop_iteration_of_a_plugin_is_an_error(stack, res, script):
    script['check_create'] = StopIteration()
    with pytest.raises(exception.ResourceFailure, match='RuntimeError'):
        run(res.create)


def test_invalid_properties_fail_before_the_handler():
    stack = make_stack(props={'n': 'many'})
    with pytest.raises(exception.ResourceFailure):
        run(stack.stored('r').create)
    assert Remote.log == []
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS'),
                              ('r', 'CREATE', 'FAILED')]


def test_create_retries_go_through_delete(stack, res, script):
    script['check_create'] = [
        exception.ResourceInError(resource_status='ERROR'), None]
    run(res.create)
    assert [entry[0] for entry in Remote.log] == [
        'create', 'check_create', 'delete', 'create', 'check_create']
    assert stack.events() == [
        ('r', 'CREATE', 'IN_PROGRESS'), ('r', 'CREATE', 'FAILED'),
        ('r', 'DELETE', 'IN_PROGRESS'), ('r', 'DELETE', 'COMPLETE'),
        ('r', 'CREATE', 'IN_PROGRESS'), ('r', 'CREATE', 'COMPLETE')]


def test_create_retries_end_at_the_limit(stack, res, script):
    script['create'] = exception.ResourceInError(resource_status='ERROR')
    with pytest.raises(exception.ResourceFailure):
        run(res.create)
    assert [e[0] for e in Remote.log].count('create') == 6
    assert stack.row('r').status == 'FAILED'


def test_time_passes_between_attempts_too(stack, res, script):
    script['create'] = exception.ResourceInError(resource_status='ERROR')
    with pytest.raises(scheduler.Timeout):
        run(resource_action.run, res, 'CREATE',
            resource_claim.RowClaim('me'), timeout=3)
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (
        'CREATE', 'FAILED', None)


def test_conflict_is_retried(stack, res, script, monkeypatch):
    monkeypatch.setattr(Remote, 'client_plugin', lambda self: Plugin())
    script['create'] = [Conflict(), None]
    run(res.create)
    assert stack.row('r').status == 'COMPLETE'


def test_delete_is_tried_again_when_something_is_left(stack, script):
    res = created(stack)
    script['delete'] = [exception.PhysicalResourceExists(name='x'), None]
    run(res.delete)
    assert [e[0] for e in Remote.log] == ['delete', 'delete']


def test_external_id_is_adopted_and_checked():
    stack = make_stack(snippet={'external_id': 'there'})
    res = stack.stored('r')
    run(res.create)
    row = stack.row('r')
    assert row.physical_resource_id == 'there'
    assert (row.action, row.status) == ('CHECK', 'COMPLETE')
    assert 'not supported' in row.status_reason
    assert Remote.log == []


def test_take_over_deletes_before_it_creates_again(stack, res):
    claim = resource_claim.RowClaim('dead')
    task = resource_action.run(res, 'CREATE', claim)
    group_commit.commit([next(task)])
    assert stack.row('r').engine_id == 'dead'
    again = stack.reload('r')
    run(resource_action.run, again, 'CREATE',
        resource_claim.RowClaim('me', held_by='dead'), take_over=True)
    assert [e[0] for e in Remote.log] == ['delete', 'create',
                                          'check_create']
    assert stack.row('r').engine_id is None
    assert stack.row('r').status == 'COMPLETE'


# -- claims -----------------------------------------------------------------

def test_claim_is_held_and_released(stack, res, script):
    holders = []
    script['check_create'] = lambda self: holders.append(
        stack.row('r').engine_id)
    run(resource_action.run, res, 'CREATE', resource_claim.RowClaim('me'))
    assert holders == ['me']
    row = stack.row('r')
    assert row.engine_id is None
    # Acquired, physical id, released.
    assert row.atomic_key == 3 == res.atomic_key


def test_row_held_by_another_engine_is_left_alone(stack, res):
    resource_objects.Resource.update_by_id(stack.context, res.id,
                                           {'engine_id': 'other'})
    with pytest.raises(resource_claim.ClaimLost):
        run(resource_action.run, res, 'CREATE',
            resource_claim.RowClaim('me'))
    assert Remote.log == []
    assert stack.events() == []
    assert res.state == ('INIT', 'COMPLETE')


def test_stopped_engine_cannot_write_its_outcome(stack, res, script):
    def overtaken(self):
        resource_objects.Resource.update_by_id(
            stack.context, self.id, {'engine_id': 'other',
                                     'atomic_key': 77})
    script['check_create'] = overtaken
    with pytest.raises(resource_claim.ClaimLost):
        run(resource_action.run, res, 'CREATE',
            resource_claim.RowClaim('me'))
    assert stack.row('r').status == 'IN_PROGRESS'


def test_lost_local_outcome_leaves_no_properties(stack):
    stack = make_stack('T::Local')
    res = stack.stored('r')
    resource_objects.Resource.update_by_id(stack.context, res.id,
                                           {'atomic_key': 9})
    with pytest.raises(resource_claim.ClaimLost):
        run(resource_action.run, res, 'CREATE',
            resource_claim.RowClaim('me'))
    assert stack.row('r').properties is None
    assert stack.events() == []


def recorded(res, action, also):
    """Run an action; return its result and what also() returned."""
    action_run = resource_action.ActionRun(res, resource_claim.StackOwned())
    found = []

    def task():
        with action_run.interruptible(also):
            result = yield from action_run.perform(action)
            found.extend((yield from action_run.record(result, also)))

    run(task)
    return found


def test_outcome_is_not_recorded_before_its_user_does(stack, res):
    action_run = resource_action.ActionRun(res, resource_claim.StackOwned())
    found = []

    def task():
        found.append((yield from action_run.perform('CREATE')))

    run(task)
    assert found[0].kind == 'COMPLETE'
    assert stack.row('r').status == 'IN_PROGRESS'
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS')]


def test_extra_write_is_part_of_the_outcome(stack, res):
    seen = []

    def also(result):
        seen.append((result.kind, stack.row('r').status))
        return 'answer'

    result, answer = recorded(res, 'CREATE', also)
    assert (result.kind, answer) == ('COMPLETE', 'answer')
    assert seen == [('COMPLETE', 'COMPLETE')]


def test_extra_write_is_part_of_a_failure(stack, res, script):
    script['create'] = ValueError('x')
    result, answer = recorded(res, 'CREATE',
                              lambda result: (result.kind,
                                              stack.row('r').status))
    assert result.kind == 'FAILED'
    assert answer == ('FAILED', 'FAILED')


def test_extra_write_is_part_of_what_the_state_rules_out(stack):
    res = created(stack)
    result, answer = recorded(res, 'RESUME', lambda result: result.reason)
    assert 'invalid for resume' in answer
    assert result.kind == 'FAILED'
    assert stack.row('r').action == 'CREATE'


def test_outcome_that_cannot_be_recorded_is_a_failure(stack, res):
    def also(result):
        if result.kind == 'COMPLETE':
            raise ValueError('too large')
        return 'noted'

    result, answer = recorded(res, 'CREATE', also)
    assert (result.kind, answer) == ('FAILED', 'noted')
    assert (stack.row('r').status, stack.row('r').status_reason) == (
        'FAILED', 'ValueError: resources.r: too large')


# -- interruption -----------------------------------------------------------

def ended(action, result):
    """Return how often figures say that an action came to this."""
    return prometheus_client.REGISTRY.get_sample_value(
        'heat_resource_actions_total',
        {'type': 'Remote', 'action': action, 'result': result}) or 0


def test_timeout_cancels_the_handler_and_fails(stack, res, script, clock):
    cancelled, before = [], ended('CREATE', 'TIMED_OUT')
    Remote.handle_create_cancel = lambda self, cookie: cancelled.append(
        cookie)
    try:
        script['check_create'] = lambda self: 1
        with pytest.raises(scheduler.Timeout):
            run(resource_action.run, res, 'CREATE',
                resource_claim.RowClaim('me'), timeout=10)
        assert res.cancel_grace_period() is None
    finally:
        del Remote.handle_create_cancel
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


def test_grace_period_comes_from_the_configuration(stack):
    assert created(stack).cancel_grace_period() == 240


# -- update -----------------------------------------------------------------

def changed(stack, **props):
    return stack.definition('r', properties=props)


def test_update_in_place(stack):
    res = created(stack)
    run(res.update, changed(stack, a='y'))
    assert Remote.log == [('update', {'a': 'y'}, 'x')]
    row = stack.row('r')
    assert row.properties == {'a': 'y'}
    assert row.updated_at is not None
    assert res.properties['a'] == 'y'
    started, ended = stack.event_rows()[-2:]
    assert started.resource_properties == {'a': 'x'}
    assert ended.resource_properties == {'a': 'y'}


def test_unchanged_resource_has_no_event(stack):
    res = created(stack)
    before = stack.events()
    run(res.update, changed(stack, a='x'))
    assert stack.events() == before
    assert Remote.log == []


def test_changed_dependency_is_an_empty_update(stack):
    res = created(stack)
    run(res.update, stack.definition('r', deletion_policy='retain'))
    assert Remote.log == [('update', {}, 'x')]
    assert stack.row('r').action == 'UPDATE'


def test_property_without_update_allowed_replaces(stack):
    res = created(stack)
    with pytest.raises(exception.UpdateReplace):
        run(res.update, changed(stack, a='x', b='new'))
    assert stack.row('r').action == 'CREATE'


def test_immutable_property_fails_the_update(stack):
    res = created(stack)
    with pytest.raises(exception.ResourceFailure, match='NotSupported'):
        run(res.update, changed(stack, a='x', i='new'))
    assert stack.events()[-1] == ('r', 'UPDATE', 'FAILED')


def test_handler_may_ask_for_a_replacement(stack, script):
    prepared = []
    Remote.prepare_for_replace = lambda self: prepared.append(self.state)
    try:
        res = created(stack)
        script['update'] = exception.UpdateReplace('r')
        with pytest.raises(exception.UpdateReplace):
            run(res.update, changed(stack, a='y'))
    finally:
        del Remote.prepare_for_replace
    row = stack.row('r')
    assert (row.action, row.status) == ('UPDATE', 'COMPLETE')
    assert row.properties == {'a': 'x'}
    assert len(prepared) == 1


def test_failed_update_keeps_the_old_properties(stack, script):
    res = created(stack)
    script['update'] = ValueError('no')
    with pytest.raises(exception.ResourceFailure):
        run(res.update, changed(stack, a='y'))
    assert stack.row('r').properties == {'a': 'x'}
    assert res.t is stack.definition('r')


def test_failed_resource_is_replaced(stack, res, script):
    script['create'] = [ValueError('x')]
    with pytest.raises(exception.ResourceFailure):
        run(res.create)
    with pytest.raises(exception.UpdateReplace):
        run(res.update, changed(stack, a='y'))


def test_failed_resource_that_is_right_becomes_complete(
        stack, res, script, monkeypatch):
    monkeypatch.setattr(Remote, 'needs_replace_failed', lambda self: False)
    script['create'] = [ValueError('x')]
    with pytest.raises(exception.ResourceFailure):
        run(res.create)
    run(res.update, stack.definition('r'))
    assert stack.row('r').status == 'COMPLETE'


def test_restricted_update_fails():
    stack = make_stack(env={'resource_registry': {
        'resources': {'r': {'restricted_actions': 'update'}}}})
    res = created(stack)
    with pytest.raises(exception.ResourceFailure,
                       match='ResourceActionRestricted'):
        run(res.update, changed(stack, a='y'))


# -- delete, suspend, resume, check -----------------------------------------

def test_delete(stack):
    res = created(stack)
    run(res.delete)
    assert Remote.log == [('delete', 'phys')]
    row = stack.row('r')
    assert (row.action, row.status) == ('DELETE', 'COMPLETE')


def test_destroy_removes_the_row(stack):
    res = created(stack)
    run(res.destroy)
    assert stack.row('r') is None


def test_delete_of_what_was_never_made_calls_nothing(stack, res):
    run(res.delete)
    assert Remote.log == []
    assert stack.events() == []


def test_retained_resource_is_only_recorded_as_deleted(stack):
    stack = make_stack(snippet={'deletion_policy': 'Retain'})
    res = created(stack)
    run(res.delete)
    assert Remote.log == []
    assert stack.events()[-2:] == [('r', 'DELETE', 'IN_PROGRESS'),
                                   ('r', 'DELETE', 'COMPLETE')]


def test_snapshot_policy_hands_the_state_over():
    stack = make_stack(snippet={'deletion_policy': 'Snapshot'})
    res = created(stack)
    taken = []
    Remote.handle_snapshot_delete = lambda self, state: taken.append(state)
    try:
        run(res.delete)
    finally:
        del Remote.handle_snapshot_delete
    assert taken == [('CREATE', 'COMPLETE')]
    assert Remote.log == []


def test_suspend_and_resume(stack):
    res = created(stack)
    run(res.suspend)
    run(res.resume)
    assert Remote.log == [('suspend',), ('resume',)]
    assert stack.row('r').action == 'RESUME'


def test_resume_needs_a_suspended_resource(stack):
    res = created(stack)
    with pytest.raises(exception.ResourceFailure,
                       match='invalid for resume'):
        run(res.resume)


def test_check_without_handler_succeeds_saying_so(stack):
    res = created(stack)
    result = run(res.check)
    assert 'not supported' in result.reason
    assert stack.events()[-1] == ('r', 'CHECK', 'COMPLETE')
    assert stack.row('r').status_reason == result.reason


def test_frozen_properties_are_those_stored(stack):
    res = created(stack)
    later = stack.reload('r')
    later.t = changed(stack, a='other')
    later.reparse()
    with later.frozen_properties():
        assert later.properties['a'] == 'x'
    assert later.properties['a'] == 'other'
    assert res.id == later.id


# -- breakpoints ------------------------------------------------------------

@pytest.mark.parametrize(('hook', 'before'), [('pre-create', True),
                                              ('post-create', False)])
def test_breakpoint_holds_until_it_is_cleared(hook, before, clock):
    stack = make_stack(env={'resource_registry': {
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
    assert (Remote.log == []) is before
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
    stack = make_stack(env={'resource_registry': {
        'resources': {'r': {'hooks': 'pre-create'}}}})
    res = stack.stored('r')
    with pytest.raises(scheduler.Timeout):
        run(resource_action.run, res, 'CREATE',
            resource_claim.StackOwned(), timeout=30)
    assert sum(clock.slept) == 30
    assert stack.row('r').action == 'INIT'


def test_update_hooks_do_not_depend_on_the_stack(clock):
    stack = make_stack(env={'resource_registry': {
        'resources': {'*': {'hooks': ['pre-update', 'pre-delete']}}}})
    res = created(stack)
    # Only a deletion of the whole stack stops there.
    runner = scheduler.TaskRunner(res.update, changed(stack, a='y'))
    runner.start()
    assert not runner.done()
    fake_row_user(stack).signal({'unset_hook': 'pre-update'})
    clock.sleep(1)
    runner.run_to_completion()
    run(res.delete)
    assert stack.row('r').action == 'DELETE'
