"""Engines evaluate the rules that are due."""
from oslo_config import cfg
import pytest

from heat.common import watch_words as words
from heat.engine.watch import evaluator
from heat.engine.watch import rules
from heat.objects import transaction
from heat.objects import watch_data
from heat.objects import watch_rule

State = words.State


def push(world, *values, metric='load', age=1):
    """Store values for the periods that end now, the latest first."""
    key = watch_data.metric_key('project', 'ns', metric, {})
    watch_data.WatchData.put(world.context, 'project', world.now, {
        key: {'namespace': 'ns', 'name': metric, 'dimensions': {}}}, [
        {'metric_key': key, 'measured_at': world.now - age - place * 60,
         'unit': None, 'samples': 1, 'total': value, 'least': value,
         'greatest': value} for place, value in enumerate(values)],
        (10, 10000))


def turn(world, engine='one'):
    return evaluator.evaluate(world.context, engine)


def test_states_and_what_is_pending(world):
    silent = world.rule('silent', evaluation_periods=3)
    acting = world.rule('acting')
    off = world.rule('off', acts=False)
    low = world.rule('low', comparison=words.LESS,
                     acting=(State.NORMAL,))
    push(world, 9.0, 9.0)
    assert turn(world) == 4
    found = [world.get(each) for each in (silent, acting, off, low)]
    assert [(each.state, each.pending) for each in found] == [
        ('NODATA', ''), ('ALARM', 'NODATA:ALARM'), ('ALARM', ''),
        ('NORMAL', 'NODATA:NORMAL')]
    [entry] = watch_rule.WatchHistory.get_all(
        world.context, 'project', 9, {'name': 'acting',
                                      'kind': 'StateUpdate'})
    assert entry.data['values'] == [9.0, 9.0]
    # They are due when the next period has ended.
    assert turn(world) == 0
    world.now += 60
    # What is pending is carried out before the next evaluation.
    assert turn(world) == 2


def test_alarm_that_lasts_acts_once_a_period(world):
    rule_id = world.rule(period=120, evaluation_periods=1)
    push(world, *[9.0] * 9)

    def pending():
        turn(world)
        found = world.get(rule_id).pending
        watch_rule.WatchRule.update_by_id(world.context, rule_id,
                                          {'pending': ''})
        return found

    world.now -= world.now % 120
    assert pending() == 'NODATA:ALARM'
    world.now += 60
    push(world, *[9.0] * 3)
    assert pending() == ''
    world.now += 60
    push(world, *[9.0] * 3)
    assert pending() == 'ALARM:ALARM'


def test_suspended_and_claimed_rules_are_left_alone(world):
    rules.suspend(world.context, world.rule('suspended'))
    world.rule('claimed')
    push(world, 9.0, 9.0)
    Rule = watch_rule.WatchRule
    Rule.claim_due(world.context, 'dead', world.now,
                   world.now + evaluator.LEASE, 9, pending=False)
    assert turn(world, 'two') == 0
    # The engine that holds it has died: its claim ends.
    world.now += evaluator.LEASE
    push(world, 9.0, 9.0)
    assert turn(world, 'two') == 1
    [found] = Rule.get_all(world.context, 'project', 9,
                           filters={'name': 'claimed'})
    assert found.state == 'ALARM'


def test_a_state_set_during_an_evaluation_stays(world, monkeypatch):
    rule_id = world.rule()
    push(world, 9.0, 9.0)
    of_claim = watch_data.WatchData.of_claim

    def meanwhile(*args):
        rules.suspend(world.context, rule_id)
        return of_claim(*args)

    monkeypatch.setattr(watch_data.WatchData, 'of_claim', meanwhile)
    turn(world)
    assert world.get(rule_id).state == 'SUSPENDED'


def test_evaluation_takes_few_statements(world):
    """A thousand rules cost ten statements at most, whatever happens."""
    for number in range(1000):
        kind = number % 4
        rule_id = world.rule(
            f'alarm-{number}', metric=f'm{kind}', acts=number % 3 > 0,
            acting=(State.ALARM, State.NORMAL, State.NODATA))
        if kind in (2, 3):
            watch_rule.WatchRule.update_by_id(
                world.context, rule_id, {'state': State.ALARM})
    push(world, 9.0, 9.0, metric='m0')
    push(world, 1.0, 1.0, metric='m1')
    push(world, 9.0, 9.0, metric='m3')
    before = transaction.counters()
    assert turn(world) == 1000
    after = transaction.counters()
    assert after['statements'] - before['statements'] <= 10
    assert after['commits'] - before['commits'] == 2
    states = [rule.state for rule in watch_rule.WatchRule.get_all(
        world.context, 'project', 2000)]
    assert {state: states.count(state) for state in set(states)} == {
        'ALARM': 500, 'NORMAL': 250, 'NODATA': 250}


def test_turn_evaluates_everything_that_is_due(world, monkeypatch):
    monkeypatch.setattr(evaluator, 'BATCH', 2)
    for number in range(5):
        world.rule(f'alarm-{number}')
    assert evaluator.Evaluator('one').run_once() == 5


@pytest.mark.parametrize('part', [lambda: evaluator.Evaluator('one'),
                                  evaluator.Upkeep])
def test_parts_start_only_if_enabled(world, part, monkeypatch):
    started = []
    monkeypatch.setattr('threading.Thread.start',
                        lambda thread: started.append(thread.name))
    cfg.CONF.set_override('enabled', False, 'cloudwatch')
    part().start()
    assert started == []
    cfg.CONF.set_override('enabled', True, 'cloudwatch')
    part().start()
    assert len(started) == 1
    assert part().interval() > 0


def test_upkeep_keeps_what_rules_need(world):
    retention = cfg.CONF.cloudwatch.retention
    push(world, 1.0, age=retention + 1)
    push(world, 1.0, age=retention + 3601)
    push(world, 1.0)
    # Its window is longer than the retention.
    world.rule(period=retention, evaluation_periods=1)

    def left():
        evaluator.Upkeep().run_once()
        key = watch_data.metric_key('project', 'ns', 'load', {})
        return len(watch_data.WatchData.statistics(
            world.context, key, 0, world.now, 1))

    assert left() == 3
    [rule] = watch_rule.WatchRule.get_all(world.context, 'project', 9)
    rules.delete(world.context, rule.id)
    assert left() == 1
