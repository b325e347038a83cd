"""When and with what handlers of plugins are called."""
import pytest

from heat.common import exception
from heat.engine import resource
from heat.engine import rsrc_defn
from heat.engine.lifecycle import handler
from heat.engine.tasks import scheduler
from tests.unit.engine.lifecycle import remotes

pytestmark = pytest.mark.usefixtures('script', 'clock')


def test_first_poll_comes_at_once_and_others_each_second(
        stack, res, script, clock):
    script['check_create'] = [1, 1]
    remotes.run(res.create)
    assert clock.slept == [1, 1]


def test_poll_delay_leaves_polls_out(stack, res, script, clock):
    script['check_create'] = [resource.PollDelay(5), 1]
    remotes.run(res.create)
    assert clock.slept == [5, 1]


def test_who_asks_a_service_waits_ever_longer_between_two_looks(
        stack, res, script, clock, monkeypatch):
    monkeypatch.setattr(type(res), 'patient', True, raising=False)
    script['check_create'] = [1] * 150
    remotes.run(res.create)
    pauses, waited = [round(pause, 6) for pause in clock.slept], 0
    assert pauses[:10] == [1] * 10
    assert pauses == sorted(pauses)
    for pause in pauses:
        assert pause <= min(max(1, 0.1 * waited + 0.001), 10)
        waited += pause
    assert pauses[-1] == 10
    assert pauses.index(10) < 40


@pytest.mark.parametrize(('name', 'acting', 'polling'), [
    ('suspend', 0.6, 0), ('create', 0, 0.6)])
def test_only_what_follows_a_handler_with_a_check_is_polling(
        stack, res, clock, name, acting, polling):
    call = handler.Call(res, name)
    call.begin()
    clock.now += 0.6
    spent = call.spent()
    assert (spent.acting, spent.polling) == pytest.approx((acting, polling))
    # A timeline shows no polling that was none.
    assert polling or spent.polling == 0


def test_stop_iteration_of_a_plugin_is_an_error(stack, res, script):
    script['check_create'] = StopIteration()
    with pytest.raises(exception.ResourceFailure, match='RuntimeError'):
        remotes.run(res.create)


def test_retained_resource_is_only_recorded_as_deleted(stack):
    stack = remotes.make_stack(snippet={'deletion_policy': 'Retain'})
    res = remotes.created(stack)
    remotes.run(res.delete)
    assert remotes.Remote.log == []
    assert stack.events()[-2:] == [('r', 'DELETE', 'IN_PROGRESS'),
                                   ('r', 'DELETE', 'COMPLETE')]


def test_snapshot_policy_hands_the_state_over():
    stack = remotes.make_stack(snippet={'deletion_policy': 'Snapshot'})
    res = remotes.created(stack)
    taken = []
    remotes.Remote.handle_snapshot_delete = (
        lambda self, state: taken.append(state))
    try:
        remotes.run(res.delete)
    finally:
        del remotes.Remote.handle_snapshot_delete
    assert taken == [('CREATE', 'COMPLETE')]
    assert remotes.Remote.log == []


def test_frozen_properties_are_those_stored(stack):
    res = remotes.created(stack)
    later = stack.reload('r')
    later.t = remotes.changed(stack, a='other')
    later.reparse()
    with later.frozen_properties():
        assert later.properties['a'] == 'x'
    assert later.properties['a'] == 'other'
    assert res.id == later.id


def test_period_of_polls_is_at_least_one():
    with pytest.raises(ValueError, match='at least 1'):
        handler.PollDelay(0)


class Waiting:
    """Something whose handlers do what a test says."""

    name = 'r'

    def __init__(self, *answers, **methods):
        self.answers = list(answers)
        self.calls = []
        vars(self).update(methods)

    def handle_create(self, *args):
        self.calls.append(('create', *args))
        return 'cookie'

    def check_create_complete(self, cookie):
        self.calls.append(('check', cookie))
        return self.answers.pop(0)

    def handle_create_cancel(self, cookie):
        self.calls.append(('cancel', cookie))


def test_call_that_is_not_complete_is_cancelled():
    plugin = Waiting(False)
    call = handler.Call(plugin, 'create', 1)
    call.begin()
    assert call.poll() == handler.POLL_INTERVAL
    call.close()
    call.close()
    assert plugin.calls == [('create', 1), ('check', 'cookie'),
                            ('cancel', 'cookie')]
    assert call.poll() is None


def test_call_that_another_engine_goes_on_with_is_not_cancelled():
    plugin = Waiting(False)
    call = handler.Call(plugin, 'create')
    call.begin()
    call.poll()
    call.leave()
    call.close()
    assert ('cancel', 'cookie') not in plugin.calls
    assert call.poll() is None


@pytest.mark.parametrize('answer', [True, ZeroDivisionError()])
def test_call_that_has_ended_is_not_cancelled(answer):
    def check(cookie):
        if isinstance(answer, Exception):
            raise answer
        return answer

    plugin = Waiting(check_create_complete=check)
    call = handler.Call(plugin, 'create')
    call.begin()
    if answer is True:
        assert call.poll() is None
    else:
        with pytest.raises(ZeroDivisionError):
            call.poll()
    call.close()
    assert ('cancel', 'cookie') not in plugin.calls


def test_a_cancel_that_fails_is_no_failure_of_the_action():
    def cancel(cookie):
        raise ZeroDivisionError

    call = handler.Call(Waiting(False, handle_create_cancel=cancel), 'create')
    call.begin()
    call.poll()
    call.close()


def test_what_was_begun_before_is_not_begun_again():
    plugin = Waiting(True)
    call = handler.Call(plugin, 'create')
    call.begin(handler.Begun('older'))
    assert call.poll() is None
    assert plugin.calls == [('check', 'older')]


def test_type_without_handler_does_nothing():
    call = handler.Call(Waiting(), 'snapshot')
    assert not call.exists()
    call.begin()
    assert call.poll() is None
    assert list(call.task()) == []


def test_who_is_told_of_the_end_looks_seldom(clock):
    plugin = Waiting(*[False] * 6, wake_key=lambda: ('signal', 7),
                     wake_within=lambda cookie: 10)
    call = handler.Call(plugin, 'create')
    call.begin()
    waits = [call.poll() for _turn in range(6)]
    assert {wait.key for wait in waits} == {('signal', 7)}
    assert [wait.timeout for wait in waits] == [2, 4, 8, 10, 10, 10]


def test_no_wait_is_longer_than_the_time_that_is_left(clock):
    plugin = Waiting(False, False)
    call = handler.Call(plugin, 'create')
    call.begin()
    timeout = scheduler.Timeout(None, 0.5)
    assert call.poll(timeout) <= 0.5
    clock.sleep(1)
    with pytest.raises(scheduler.Timeout):
        call.poll(timeout)


@pytest.mark.parametrize(('changes', 'called'), [
    ({}, 'delete'),
    ({'abandon_in_progress': True}, 'abandon'),
    ({'external_id': 'there'}, 'nothing_to_retain'),
])
def test_handler_of_a_deletion(stack, changes, called):
    res = stack['r']
    for name, value in changes.items():
        setattr(res, name, value)
    assert handler.call_for(res, 'DELETE').handler == called
    # What a failed create left is removed in any case.
    assert handler.call_for(res, 'DELETE', undo=True).handler == 'delete'


@pytest.mark.parametrize('action', [
    'CREATE', 'UPDATE', 'ADOPT', 'SUSPEND', 'CHECK', 'SNAPSHOT'])
def test_handler_of_another_action(stack, action):
    assert handler.call_for(stack['r'], action).handler == action.lower()


def test_policy_of_what_was_replaced(stack):
    res = stack['r']
    res.t = rsrc_defn.ResourceDefinition(
        'r', 'T::Remote', deletion_policy='Retain',
        update_replace_policy='Delete')
    assert handler.deletion_policy(res) == 'Retain'
    res.replaced_by = 3
    assert handler.deletion_policy(res) == 'Delete'
    res.replaced_by, stack.backup = None, True
    assert handler.deletion_policy(res) == 'Delete'


@pytest.mark.parametrize(('action', 'error', 'retryable'), [
    ('CREATE', exception.ResourceInError(resource_status='ERROR'), True),
    ('UPDATE', exception.ResourceInError(resource_status='ERROR'), False),
    ('DELETE', exception.PhysicalResourceExists(name='x'), True),
    ('CREATE', exception.PhysicalResourceExists(name='x'), False),
    ('CREATE', remotes.Conflict(), True),
    ('DELETE', remotes.Conflict(), True),
    ('UPDATE', remotes.Conflict(), False),
    ('CREATE', ValueError(), False),
    ('CREATE', None, False),
])
def test_what_is_tried_again(stack, monkeypatch, action, error, retryable):
    monkeypatch.setattr(remotes.Remote, 'client_plugin',
                        lambda self: remotes.Plugin())
    assert handler.is_retryable(stack['r'], action, error) is retryable


def test_without_client_nothing_is_a_conflict(stack):
    assert not handler.is_retryable(stack['r'], 'CREATE', remotes.Conflict())


def test_replacement_hook_that_takes_its_time():
    looks = [False, False, True]
    plugin = Waiting(
        prepare_for_replace=lambda: 'cookie',
        check_prepare_for_replace_complete=lambda cookie: looks.pop(0))
    task = handler.call_replacement_hook(plugin, 'prepare_for_replace')
    assert list(task) == [handler.POLL_INTERVAL] * 2
    at_once = Waiting(restore_prev_rsrc=lambda convergence: None)
    assert list(handler.call_replacement_hook(
        at_once, 'restore_prev_rsrc', convergence=True)) == []


def test_what_an_interrupted_create_made_is_found(stack, monkeypatch):
    res = stack.stored('r')
    assert not handler.can_find(res)
    for found in (None, 'phys'):
        monkeypatch.setattr(remotes.Remote, 'find_created',
                            lambda self, found=found: found, raising=False)
        assert handler.can_find(res)
        begun = handler.find_created(res)
        assert begun == (found and handler.Begun(found))
        assert res.resource_id == found
    assert stack.row('r').physical_resource_id == 'phys'


def test_what_plugins_override_is_told_apart():
    class Base:
        @handler.optional_hook
        def prepare(self):
            """Do nothing."""

    class Plugin(Base):
        def prepare(self):
            """Do something."""

    assert not handler.is_overridden(Base(), 'prepare')
    assert handler.is_overridden(Plugin(), 'prepare')


def test_those_who_look_together_look_at_the_same_moments(
        stack, res, script, clock, monkeypatch):
    monkeypatch.setattr(type(res), 'looks_together', True, raising=False)
    clock.now += 0.3
    began, moments = clock.now, []
    script['check_create'] = [1] * 4
    remotes.run(res.create)
    for pause in clock.slept:
        began += pause
        moments.append(round(began % handler.POLL_INTERVAL, 6))
    assert set(moments) <= {0, handler.POLL_INTERVAL}
    assert all(0.5 <= pause <= 1.5 for pause in clock.slept)
