"""Alarms of Aodh, and the requests that they make."""
from openstack import proxy
import pytest

from heat.common import exception
from heat.engine.clients.os import aodh
from heat.engine.clients.os import octavia
from heat.engine.clients.os import zaqar
from heat.engine.resources.openstack.aodh import alarm
from heat.engine.resources.openstack.aodh import composite_alarm
from heat.engine.resources.openstack.aodh import event_alarm
from heat.engine.resources.openstack.aodh import gnocchi_alarm
from heat.engine.resources.openstack.aodh import lb_member_health_alarm
from heat.engine.resources.openstack.aodh import prometheus_alarm
from tests.fakes import cloud
from tests.fakes import swift as fake_storage
from tests.fakes.services import aodh as aodh_service

ALARMS = aodh_service.ALARMS
ONE = """
resources:
  it:
    type: OS::Aodh::%s
    properties: {%s}
"""
#: What Aodh is always told, as properties have defaults for it.
COMMON = {'enabled': True, 'repeat_actions': True, 'severity': 'low',
          'time_constraints': [], 'alarm_actions': [], 'ok_actions': [],
          'insufficient_data_actions': []}
LIMIT = ('threshold: 0, comparison_operator: gt, evaluation_periods: 2, '
         'granularity: 60, aggregation_method: mean, ')
IN_RULE = {'threshold': 0.0, 'comparison_operator': 'gt',
           'evaluation_periods': 2, 'granularity': 60,
           'aggregation_method': 'mean'}


@pytest.fixture
def alarms():
    return aodh_service.Alarms()


@pytest.fixture
def engine(cloud_engine, alarms):
    queues = fake_storage.Zaqar()
    for name in ('one', 'other one'):
        zaqar.Queues(queues).create_queue(name)
    balancers = cloud.FakeService()
    balancers.create_pool(id='pool-id', name='pool')
    cloud_engine.use(zaqar.Queues(queues), zaqar.ZaqarClientPlugin)
    cloud_engine.use(balancers, octavia.OctaviaClientPlugin)
    cloud_engine.use_rest(
        alarms, aodh.AodhClientPlugin, proxy.Proxy, alarm, composite_alarm,
        event_alarm, gnocchi_alarm, lb_member_health_alarm,
        prometheus_alarm)
    return cloud_engine


def sent(alarms):
    """Return what the only alarm was created with, but for its name."""
    [body] = alarms.bodies('POST', ALARMS)
    assert body['name']
    return {key: value for key, value in body.items() if key != 'name'}


def test_life_of_an_alarm(engine, alarms):
    stack = engine.create(ONE % (
        'EventAlarm', 'event_type: compute.*, description: old, '
        'query: [{field: traits.id, op: eq, value: x}]'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert sent(alarms) == {
        'type': 'event', **COMMON, 'description': 'old', 'event_rule': {
            'event_type': 'compute.*', 'query': [{
                'field': 'traits.id', 'op': 'eq', 'value': 'x',
                'type': 'string'}]}}
    its_id = stack['it'].resource_id
    assert stack['it'].FnGetAtt('show')['event_rule']['event_type'] == (
        'compute.*')
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    stack = engine.update(stack, ONE % (
        'EventAlarm', 'event_type: network.*, severity: critical, '
        'enabled: false'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == its_id
    kept = alarms.only(ALARMS)
    assert kept['alarm_id'] == its_id
    assert (kept['severity'], kept['enabled']) == ('critical', False)
    assert kept['event_rule'] == {'event_type': 'network.*'}
    assert 'description' not in kept
    engine.delete(stack)
    assert not alarms.things[ALARMS]


def test_other_times_are_another_alarm(engine, alarms):
    at = 'time_constraints: [{name: night, start: "0 23 * * *", duration: 9}]'
    stack = engine.create(ONE % ('EventAlarm', at))
    assert sent(alarms)['time_constraints'] == [
        {'name': 'night', 'start': '0 23 * * *', 'duration': 9}]
    before = stack['it'].resource_id
    stack = engine.update(stack, ONE % ('EventAlarm', ''))
    assert alarms.only(ALARMS)['alarm_id'] != before


def test_a_suspended_alarm_is_not_evaluated(engine, alarms):
    stack = engine.create(ONE % ('EventAlarm', 'alarm_actions: ["log://"]'))
    for action, enabled in (('suspend', False), ('resume', True)):
        getattr(stack, action)()
        engine.pool.run()
        stack = engine.reload(stack)
        assert stack.state == (action.upper(), 'COMPLETE')
        kept = alarms.only(ALARMS)
        assert kept['enabled'] is enabled
        assert kept['alarm_actions'] == ['log://']
        assert kept['event_rule'] == {'event_type': '*'}


def test_queues_are_actions(engine, alarms):
    queue = 'trust+zaqar://?queue_name='
    stack = engine.create(ONE % (
        'EventAlarm', 'alarm_actions: ["http://a/"], '
        'alarm_queues: [one, other one], ok_queues: [one], '
        'insufficient_data_actions: ["http://b/"]'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    body = sent(alarms)
    assert body['alarm_actions'] == ['http://a/', queue + 'one',
                                     queue + 'other+one']
    assert body['ok_actions'] == [queue + 'one']
    assert body['insufficient_data_actions'] == ['http://b/']
    assert not [key for key in body if key.endswith('_queues')]
    # Actions that stay are sent with queues that come, and the reverse.
    stack = engine.update(stack, ONE % (
        'EventAlarm', 'alarm_actions: ["http://a/"], alarm_queues: [one], '
        'ok_actions: ["http://c/"], ok_queues: [one]'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    kept = alarms.only(ALARMS)
    assert kept['alarm_actions'] == ['http://a/', queue + 'one']
    assert kept['ok_actions'] == ['http://c/', queue + 'one']
    assert kept['insufficient_data_actions'] == []


def test_queue_that_cannot_exist(engine, alarms):
    with pytest.raises(exception.StackValidationFailed,
                       match=r'alarm_queues\[0\].* 64 '):
        engine.create(ONE % ('EventAlarm', 'alarm_queues: [%s]' % ('q' * 65)))
    assert not alarms.things[ALARMS]


def test_alarm_that_is_gone(engine, alarms):
    stack = engine.create(ONE % ('EventAlarm', ''))
    alarms.things[ALARMS].clear()
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'FAILED')
    stack = engine.update(stack, ONE % ('EventAlarm', 'severity: critical'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert alarms.only(ALARMS)['severity'] == 'critical'
    alarms.things[ALARMS].clear()
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_alarm_whose_creation_is_not_answered(engine, alarms):
    answer = alarms.answer

    def lose(method, path, *args):
        found = answer(method, path, *args)
        return alarms.ok({}, status=500) if method == 'POST' else found

    alarms.answer = lose
    stack = engine.create(ONE % ('EventAlarm', ''))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == alarms.only(ALARMS)['alarm_id']


@pytest.mark.parametrize(('kind', 'given', 'rule'), [
    ('GnocchiResourcesAlarm', LIMIT + 'metric: cpu, resource_id: r, '
     'resource_type: instance', ('gnocchi_resources_threshold', {
         **IN_RULE, 'metric': 'cpu', 'resource_id': 'r',
         'resource_type': 'instance'})),
    ('GnocchiAggregationByMetricsAlarm', LIMIT + 'metrics: [a, b]', (
        'gnocchi_aggregation_by_metrics_threshold', {
            **IN_RULE, 'metrics': ['a', 'b']})),
    ('GnocchiAggregationByResourcesAlarm', LIMIT + 'metric: cpu, '
     'resource_type: instance, query: "{}"', (
         'gnocchi_aggregation_by_resources_threshold', {
             **IN_RULE, 'metric': 'cpu', 'resource_type': 'instance',
             'query': '{}'})),
    ('PrometheusAlarm', 'query: up, threshold: 0', ('prometheus', {
        'query': 'up', 'threshold': 0.0})),
    ('LBMemberHealthAlarm', 'pool: pool, stack: s, autoscaling_group_id: g',
     ('loadbalancer_member_health', {
         'pool_id': 'pool-id', 'stack_id': 's',
         'autoscaling_group_id': 'g'})),
    ('CompositeAlarm', 'composite_rule: {operator: or, rules: '
     '[{type: a}, {and: [{type: b}, {type: c}]}]}', ('composite', {
         'or': [{'type': 'a'}, {'and': [{'type': 'b'}, {'type': 'c'}]}]})),
])
def test_rule(engine, alarms, kind, given, rule):
    stack = engine.create(ONE % (kind, given))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert sent(alarms) == {'type': rule[0], **COMMON,
                            rule[0] + '_rule': rule[1]}
    before = dict(alarms.only(ALARMS))
    stack = engine.update(stack, ONE % (kind, given + ', description: d'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert alarms.only(ALARMS) == {**before, 'description': 'd'}


def test_a_change_keeps_the_rest_of_the_rule(engine, alarms):
    kind, more = 'GnocchiResourcesAlarm', (
        'metric: cpu, resource_id: r, resource_type: instance')
    stack = engine.create(ONE % (kind, LIMIT + more))
    alarms.only(ALARMS)['gnocchi_resources_threshold_rule']['new'] = 1
    stack = engine.update(stack, ONE % (
        kind, 'threshold: 5, comparison_operator: gt, ' + more))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert alarms.only(ALARMS)['gnocchi_resources_threshold_rule'] == {
        'threshold': 5.0, 'comparison_operator': 'gt', 'metric': 'cpu',
        'resource_id': 'r', 'resource_type': 'instance', 'new': 1}


def test_rules_that_are_combined_otherwise(engine, alarms):
    given = 'composite_rule: {operator: %s, rules: [{type: a}, {type: b}]}'
    stack = engine.create(ONE % ('CompositeAlarm', given % 'or'))
    engine.update(stack, ONE % ('CompositeAlarm', given % 'and'))
    assert alarms.only(ALARMS)['composite_rule'] == {
        'and': [{'type': 'a'}, {'type': 'b'}]}


def test_another_group_whose_members_are_watched(engine, alarms):
    given = 'pool: pool, stack: s, autoscaling_group_id: '
    stack = engine.create(ONE % ('LBMemberHealthAlarm', given + 'g'))
    engine.update(stack, ONE % ('LBMemberHealthAlarm', given + 'h'))
    assert alarms.only(ALARMS)['loadbalancer_member_health_rule'] == {
        'pool_id': 'pool-id', 'stack_id': 's', 'autoscaling_group_id': 'h'}


@pytest.mark.parametrize(('meter', 'prefix'), [
    ('cpu_util', 'user_metadata'), ('storage.objects', 'metering')])
def test_metadata_are_conditions(engine, alarms, meter, prefix):
    given = (f'meter_name: {meter}, threshold: 0, period: 60, '
             'query: [{field: project, op: eq, value: p}]')
    stack = engine.create(ONE % (
        'Alarm', given + ', matching_metadata: {metadata.metering.stack: 7}'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    condition = {'field': 'project', 'op': 'eq', 'value': 'p',
                 'type': 'string'}
    assert sent(alarms)['threshold_rule'] == {
        'meter_name': meter, 'threshold': 0.0, 'period': 60, 'query': [
            condition, {'field': f'metadata.{prefix}.stack', 'op': 'eq',
                        'value': '7'}]}
    engine.update(stack, ONE % ('Alarm', given))
    assert alarms.only(ALARMS)['threshold_rule']['query'] == [condition]


@pytest.mark.parametrize(('kind', 'given', 'key', 'live', 'seen'), [
    ('PrometheusAlarm', 'query: up, threshold: 1', 'threshold', 2.0, 2.0),
    ('LBMemberHealthAlarm', 'pool: pool, stack: s, autoscaling_group_id: g',
     'pool_id', 'other', 'other')])
def test_what_others_have_changed(engine, alarms, kind, given, key, live,
                                  seen):
    stack = engine.create(ONE % (kind, given + ', alarm_queues: [one]'))
    kept = alarms.only(ALARMS)
    kept[kept['type'] + '_rule'][key] = live
    kept['severity'] = 'critical'
    # As Aodh shows it.
    kept['alarm_actions'] = ['trust+zaqar:?queue_name=one']
    one = stack['it']
    found = one.get_live_state(one.properties)
    assert found[key.removesuffix('_id')] == seen
    assert found['severity'] == 'critical'
    assert found.get('alarm_actions') is None
