"""RPC calls about metrics and alarms."""
from oslo_config import cfg
from oslo_messaging.rpc import dispatcher
import pytest

from heat.common import context as heat_context
from heat.common import exception
from heat.common import watch_words as words
from heat.engine.watch import calls
from heat.engine.watch import rules
from heat.objects import watch_rule

State = words.State


def point(world, name='load', value=3.0, **values):
    return {'name': name, 'dimensions': {}, 'measured_at': world.now - 1,
            'unit': None, 'samples': 1.0, 'total': value, 'least': value,
            'greatest': value, **values}


@pytest.fixture
def ask(world):
    def ask(method, *args, project='project', **kwargs):
        context = heat_context.RequestContext(project_id=project,
                                              is_admin=False)
        try:
            return getattr(calls.WatchOperations(), method)(
                context, *args, **kwargs)
        except dispatcher.ExpectedException as error:
            raise error.exc_info[1] from None

    return ask


def metric(**values):
    return {'namespace': 'ns', 'name': 'load', 'dimensions': {}, **values}


def test_metrics_of_the_project(world, ask):
    ask('put_metric_data', 'ns', [
        point(world), point(world, dimensions={'a': 'b'})])
    ask('put_metric_data', 'ns', [point(world, 'secret')], project='other')
    assert sorted(str(each) for each in ask('list_metrics')) == sorted(map(
        str, [metric(), metric(dimensions={'a': 'b'})]))
    assert ask('list_metrics', namespace='x') == []
    assert ask('list_metrics', name='secret') == []
    assert len(ask('list_metrics', name='load', recent=True)) == 2
    world.now += 3 * 3600 + 1
    assert ask('list_metrics', recent=True) == []


def test_statistics_of_the_project(world, ask):
    ask('put_metric_data', 'ns', [point(world), point(world, value=5.0)])
    asked = (world.now - 60, world.now, 60)
    assert ask('get_metric_statistics', metric(), *asked) == [{
        'at': world.now - 60, 'unit': None, 'SampleCount': 2.0,
        'Average': 4.0, 'Sum': 8.0, 'Minimum': 3.0, 'Maximum': 5.0}]
    assert ask('get_metric_statistics', metric(), *asked,
               project='other') == []


def test_data_without_a_time_are_of_now(world, ask):
    ask('put_metric_data', 'ns', [point(world, measured_at=None)])
    [found] = ask('get_metric_statistics', metric(), world.now,
                  world.now + 1, 1)
    assert found['at'] == world.now


def test_limits_of_a_project(world, ask):
    cfg.CONF.set_override('max_metrics_per_project', 1, 'cloudwatch')
    try:
        with pytest.raises(exception.RequestLimitExceeded, match='1 metrics'):
            ask('put_metric_data', 'ns', [point(world), point(world, 'b')])
    finally:
        cfg.CONF.clear_override('max_metrics_per_project', 'cloudwatch')
    assert ask('list_metrics') == []


def test_alarms_are_described(world, ask):
    first, second = world.rule('a'), world.rule('b', metric='other')
    rules.suspend(world.context, second)
    found = ask('describe_alarms', 9)
    assert [(each['id'], each['state'], each['acts'], each['metric'])
            for each in found] == [(first, 'NODATA', True, 'load'),
                                   (second, 'SUSPENDED', False, 'other')]

    def names(**kwargs):
        return [each['name'] for each in ask('describe_alarms', 9, **kwargs)]

    assert names(names=['b', 'c']) == ['b']
    assert names(prefix='a') == ['a']
    assert names(marker='a') == ['b']
    assert names(state='NODATA') == ['a', 'b']
    assert names(state='ALARM') == []
    assert names(metric=metric()) == ['a']
    assert names(project='other') == []


def test_state_is_set_and_acts(world, ask):
    rule_id = world.rule(acting=(State.ALARM, State.NORMAL))
    ask('set_alarm_state', 'alarm', 'ALARM', 'a test')
    ask('set_alarm_state', 'alarm', 'ALARM', 'again')
    rule = world.get(rule_id)
    assert (rule.state, rule.state_reason, rule.pending) == (
        'ALARM', 'again', 'NODATA:ALARM')
    ask('set_alarm_state', 'alarm', 'NORMAL', 'back')
    assert world.get(rule_id).pending == 'NODATA:ALARM ALARM:NORMAL'
    found = ask('describe_alarm_history', 9, {'kind': 'StateUpdate'})
    assert [each['summary'] for each in found] == [
        'ALARM -> NORMAL: back', 'NODATA -> ALARM: a test']
    assert ask('describe_alarm_history', 9, {}, project='other') == []


def test_too_many_states_are_refused(world, ask):
    world.rule(acting=(State.ALARM, State.NORMAL))
    states = ['ALARM', 'NORMAL'] * 4
    for state in states:
        ask('set_alarm_state', 'alarm', state, 'r')
    with pytest.raises(exception.RequestLimitExceeded):
        ask('set_alarm_state', 'alarm', 'ALARM', 'r')


def test_state_that_cannot_be_set(world, ask):
    rule_id = world.rule()
    with pytest.raises(exception.EntityNotFound):
        ask('set_alarm_state', 'other', 'ALARM', 'r')
    with pytest.raises(exception.EntityNotFound):
        ask('set_alarm_state', 'alarm', 'ALARM', 'r', project='other')
    rules.suspend(world.context, rule_id)
    with pytest.raises(exception.NotSupported, match='suspended'):
        ask('set_alarm_state', 'alarm', 'ALARM', 'r')
    assert watch_rule.WatchRule.get_by_id(
        world.context, rule_id).state == 'SUSPENDED'


@pytest.mark.parametrize(('method', 'args'), [
    ('put_metric_data', ('ns', [])), ('list_metrics', ()),
    ('get_metric_statistics', (metric(), 0, 60, 60)),
    ('describe_alarms', (9,)), ('describe_alarm_history', (9, {})),
    ('set_alarm_state', ('alarm', 'ALARM', 'r'))])
def test_nothing_works_unless_enabled(ask, method, args):
    cfg.CONF.set_override('enabled', False, 'cloudwatch')
    with pytest.raises(exception.NotSupported, match='enabled'):
        ask(method, *args)
