"""What is recorded of an action: start, progress and outcome."""
import prometheus_client
import pytest

from heat.common import exception
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import record
from heat.engine.tasks import group_commit
from heat.objects import resource as resource_objects
from tests.unit.engine.lifecycle import remotes

pytestmark = pytest.mark.usefixtures('script', 'clock')


def test_create_records_start_and_outcome(stack, res):
    result = remotes.run(res.create)
    assert result.kind == resource_action.Outcome.COMPLETE
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS'),
                              ('r', 'CREATE', 'COMPLETE')]
    row = stack.row('r')
    assert (row.action, row.status) == ('CREATE', 'COMPLETE')
    assert row.status_reason == 'state changed'
    assert row.physical_resource_id == 'phys'
    assert row.properties == {'a': 'x'}
    assert remotes.Remote.log == [('create', ('CREATE', 'IN_PROGRESS')),
                                  ('check_create',)]


def test_events_show_physical_name_and_properties(stack, res):
    remotes.run(res.create)
    started, ended = stack.event_rows()
    assert started.physical_resource_id == res.physical_resource_name()
    assert ended.physical_resource_id == 'phys'
    assert started.resource_properties == {'a': 'x'}
    assert ended.rsrc_prop_data_id == started.rsrc_prop_data_id


def test_physical_id_is_recorded_at_once(stack, res, script):
    seen = []
    script['check_create'] = lambda self: seen.append(
        stack.row('r').physical_resource_id)
    remotes.run(res.create)
    assert seen == ['phys']


def test_local_handlers_are_recorded_in_one_write(monkeypatch):
    stack = remotes.make_stack('T::Local')
    res = stack.stored('r')
    writes = []
    monkeypatch.setattr(group_commit, 'commit', _counting(
        group_commit.commit, writes))
    remotes.run(res.create)
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
    stack = remotes.make_stack('T::Local')
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
        remotes.run(res.create)
    text = 'ValueError: resources.r: Test Resource failed bad'
    assert str(caught.value) == text
    row = stack.row('r')
    assert (row.action, row.status) == ('CREATE', 'FAILED')
    assert row.status_reason == text
    assert stack.events()[-1] == ('r', 'CREATE', 'FAILED')


def test_hidden_parameters_do_not_show_in_reasons(script):
    stack = remotes.make_stack(
        parameters={'p': {'type': 'string', 'hidden': True}},
        params={'p': 'sesame'})
    res = stack.stored('r')
    script['create'] = ValueError('no door opens to sesame')
    with pytest.raises(exception.ResourceFailure, match='to \\*\\*\\*'):
        remotes.run(res.create)
    assert 'sesame' not in stack.row('r').status_reason


def test_lost_local_outcome_leaves_no_properties(stack):
    stack = remotes.make_stack('T::Local')
    res = stack.stored('r')
    resource_objects.Resource.update_by_id(stack.context, res.id,
                                           {'atomic_key': 9})
    with pytest.raises(resource_claim.ClaimLost):
        remotes.run(resource_action.run, res, 'CREATE',
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

    remotes.run(task)
    return found


def test_outcome_is_not_recorded_before_its_user_does(stack, res):
    action_run = resource_action.ActionRun(res, resource_claim.StackOwned())
    found = []

    def task():
        found.append((yield from action_run.perform('CREATE')))

    remotes.run(task)
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
    res = remotes.created(stack)
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


def ended(action, result):
    """Return how often figures say that an action came to this."""
    return prometheus_client.REGISTRY.get_sample_value(
        'heat_resource_actions_total',
        {'type': 'Remote', 'action': action, 'result': result}) or 0


class Stored:
    """Keeps the notes of one action."""

    def __init__(self):
        self.value = None

    def write(self, value):
        self.value = value


def keep(notes, res, cookie, action='CREATE'):
    """Note a value; return whether that took a write."""
    writes = list(notes.keep(res, action, cookie))
    for write in writes:
        group_commit.run(write)
    return bool(writes)


@pytest.mark.parametrize('cookie', [
    None, 'text', 3, ['a', {'b': [1.5, None, True]}], {}])
def test_plain_values_are_noted(res, cookie):
    stored = Stored()
    assert keep(record.Notes(stored.write), res, cookie)
    assert str(cookie) not in str(stored.value['cookie']) or cookie == 3
    found = record.Notes(stored.write, stored.value)
    assert found.begun(res, 'CREATE').cookie == cookie
    assert found.begun(res, 'DELETE') is None


@pytest.mark.parametrize('cookie', [
    object(), {1: 'a'}, ('a',), {'a': {1}}, float('nan')])
def test_what_is_no_plain_value_is_not_noted(res, cookie):
    stored = Stored()
    assert not keep(record.Notes(stored.write), res, cookie)
    assert stored.value is None


def test_notes_are_erased_only_if_there_may_be_any(res):
    stored = Stored()
    notes = record.Notes(stored.write)
    assert notes.eraser() is None
    keep(notes, res, 'a')
    notes.eraser()()
    assert stored.value is None
    notes.erased()
    assert notes.eraser() is None


def test_notes_can_be_disregarded(res):
    stored = Stored()
    keep(record.Notes(stored.write), res, 'a')
    found = record.Notes(stored.write, stored.value)
    found.disregard()
    assert found.begun(res, 'CREATE') is None
    # They have to be erased all the same.
    assert found.eraser() is not None


def test_target_says_what_the_row_belongs_to(stack):
    assert record.Target().columns() == {}
    target = record.Target(remotes.changed(stack, a='y'), 7, {3, 1})
    assert target.columns() == {'current_template_id': 7, 'requires': [1, 3]}
    res = stack.stored('r')
    target.adopt(res)
    assert res.properties['a'] == 'y'
