"""Actions of alarms are signals, sent once at least."""
import threading
import time

from oslo_config import cfg
import oslo_messaging
import pytest

from heat.common import exception
from heat.common import watch_words as words
from heat.engine.watch import delivery
from heat.engine.watch import rules
from heat.objects import watch_rule
from tests.unit.engine.watch import conftest

State = words.State
Rule = watch_rule.WatchRule


def pending(world, *changes, **values):
    rule_id = world.rule(acting=(State.ALARM, State.NORMAL), **values)
    Rule.update_by_id(world.context, rule_id, {
        'state': 'ALARM', 'state_reason': 'because',
        'pending': ' '.join(changes or ('NODATA:ALARM',))})
    return rule_id


def turn():
    delivery.Delivery().run_once()


def history(world, kind='Action'):
    return watch_rule.WatchHistory.get_all(world.context, 'project', 9,
                                           {'kind': kind})


def test_resources_get_signals(world):
    rule_id = pending(world, 'NODATA:ALARM', 'ALARM:NORMAL')
    turn()
    assert world.signals == [('alarm', {
        'alarm': 'alarm', 'previous': 'nodata', 'current': 'alarm',
        'reason': 'because'})]
    [(_method, context, arguments)] = [
        call for call in world.engine.calls if call[0] == 'resource_signal']
    # As the owner of the stack, whose stored credentials count.
    assert context.is_admin
    assert context.project_id is None
    assert arguments['sync_call'] is True
    assert arguments['stack_identity'] == conftest.target('x')['stack']
    turn()
    assert world.signals[1] == (
        'normal', 'alarm alarm: ALARM -> NORMAL (because)')
    rule = world.get(rule_id)
    assert (rule.pending, rule.claim) == ('', None)
    assert rule.due_at == world.now + 60
    assert [entry.summary for entry in history(world)] == [
        'Signals were sent to normal', 'Signals were sent to alarm']


def test_actions_that_repeat_leave_no_history(world):
    pending(world, 'ALARM:ALARM')
    turn()
    assert len(world.signals) == 1
    assert history(world) == []


def test_an_engine_that_dies_leaves_the_action_to_others(world):
    rule_id = pending(world)

    class Killed(BaseException):
        pass

    def die(**_arguments):
        raise Killed

    world.engine.answers['resource_signal'] = die
    try:
        turn()
    except Killed:
        pass
    assert world.get(rule_id).pending == 'NODATA:ALARM'
    world.engine.answers['resource_signal'] = None
    turn()
    assert len(world.signals) == 1
    world.now += 61
    turn()
    assert len(world.signals) == 2
    assert world.get(rule_id).pending == ''


def test_an_action_without_an_answer_is_repeated(world):
    rule_id = pending(world)
    world.engine.answers['resource_signal'] = (
        oslo_messaging.MessagingTimeout('too late'))
    turn()
    rule = world.get(rule_id)
    assert (rule.pending, rule.due_at) == ('NODATA:ALARM', world.now + 10)
    world.now += 10
    turn()
    assert len(world.signals) == 2
    # In the end it is dropped.
    world.now += 3600
    turn()
    assert world.get(rule_id).pending == ''
    assert history(world)[0].summary == 'Signals to alarm failed'


def test_a_resource_that_is_gone_gets_no_second_signal(world):
    rule_id = pending(world)
    world.engine.answers['resource_signal'] = exception.EntityNotFound(
        entity='Stack', name='s')
    turn()
    assert world.get(rule_id).pending == ''
    [entry] = history(world)
    assert entry.data['failures'] == [
        'alarm: EntityNotFound: The Stack (s) could not be found.']


def test_errors_of_ours_are_not_shown(world):
    pending(world)
    world.engine.answers['resource_signal'] = ValueError('inner secret')
    turn()
    [entry] = history(world)
    assert entry.data['failures'] == ['alarm: ValueError']


def test_disabled_actions_are_dropped(world):
    rule_id = pending(world, acts=False)
    turn()
    assert world.signals == []
    assert world.get(rule_id).pending == ''


def test_suspension_drops_what_was_about_to_be_sent(world):
    rule_id = pending(world)
    world.engine.answers['resource_signal'] = (
        lambda **_arguments: rules.suspend(world.context, rule_id))
    turn()
    rule = world.get(rule_id)
    assert (rule.state, rule.due_at) == ('SUSPENDED', None)
    assert history(world) == []


@pytest.fixture
def part():
    """Return a delivery with threads, whose turns a test takes."""
    made = delivery.Delivery()
    made.interval = lambda: 3600
    made.start()
    yield made
    made.stop()


def test_signals_are_sent_side_by_side(world, part):
    for number in range(20):
        pending(world, name=f'alarm-{number}')
    deadline = time.monotonic() + 30
    while len(world.signals) < 20 and time.monotonic() < deadline:
        part.run_once()
    assert len(world.signals) == 20


def test_a_signal_that_takes_long_holds_nothing_up(world, part):
    slow, release = pending(world, name='slow'), threading.Event()
    reached = threading.Event()

    def signal(details, **_arguments):
        if details['alarm'] == 'slow':
            reached.set()
            release.wait(30)

    world.engine.answers['resource_signal'] = signal
    part.run_once()
    assert reached.wait(30)
    # What it holds is not given to others while it lasts.
    world.now += 50
    quick = pending(world, name='quick')
    part.run_once()
    world.now += 50
    deadline = time.monotonic() + 30
    while world.get(quick).pending and time.monotonic() < deadline:
        part.run_once()
    assert world.get(quick).pending == ''
    assert Rule.claim_due(world.context, 'other', world.now, world.now + 60,
                          9, pending=True) == []
    release.set()
    while world.get(slow).pending and time.monotonic() < deadline:
        part.run_once()
    assert world.get(slow).pending == ''


def test_part_starts_only_if_enabled(world):
    cfg.CONF.set_override('enabled', False, 'cloudwatch')
    part = delivery.Delivery()
    part.start()
    part.stop()
    assert part.interval() > 0
