"""Metrics and alarms, against those of other projects."""
import json
import time

import pytest
import webob

from heat.api.cloudwatch import requests
from heat.api.cloudwatch import routes
from heat.cmd import pipeline
from heat.common import context as heat_context
from heat.objects import watch_rule

SECRET = 'treasure'
DIMENSIONS = [{'Name': 'd', 'Value': 'v'}]
METRIC = {'Namespace': SECRET, 'MetricName': SECRET,
          'Dimensions': DIMENSIONS}


@pytest.fixture
def enabled(conf):
    conf('enabled', True, 'cloudwatch')


@pytest.fixture
def ask(world, enabled):
    application = pipeline.application('heat-api-cloudwatch')

    def ask(token, action, params):
        headers = {'X-Amz-Target': f'{requests.TARGET}.{action}'}
        if token is not None:
            headers['X-Auth-Token'] = token
        answer = webob.Request.blank(
            '/', method='POST', headers=headers,
            body=json.dumps(params).encode()).get_response(application)
        assert 'Traceback' not in answer.text
        return answer

    return ask


@pytest.fixture
def alarm(victim, ask):
    """Return the name of an alarm that watches a metric with data."""
    stack = victim.api.created(SECRET, {
        'heat_template_version': '2018-08-31', 'resources': {
            'alarm': {'type': 'OS::Heat::CWLiteAlarm', 'properties': {
                **METRIC, 'ComparisonOperator': 'GreaterThanThreshold',
                'Threshold': 5}}},
        'outputs': {'name': {'value': {'get_resource': 'alarm'}}}})
    assert ask(victim.tokens['member'], 'PutMetricData', {
        'Namespace': SECRET, 'MetricData': [
            {'MetricName': SECRET, 'Value': 7,
             'Dimensions': DIMENSIONS}]}).status_int == 200
    yield stack.outputs()['name']
    stack.deleted()


def parameters(name):
    """Return the parameters of every action, for an alarm or its metric."""
    return {
        'DescribeAlarmHistory': [{}, {'AlarmName': name}],
        'DescribeAlarms': [{}, {'AlarmNames': [name]},
                           {'AlarmNamePrefix': name[:9]}],
        'DescribeAlarmsForMetric': [METRIC],
        'GetMetricStatistics': [{
            **METRIC, 'StartTime': time.time() - 3600,
            'EndTime': time.time() + 3600, 'Period': 3600,
            'Statistics': ['Sum']}],
        'ListMetrics': [{}, METRIC, {'Namespace': SECRET}],
        'PutMetricData': [{'Namespace': SECRET, 'MetricData': [
            {'MetricName': SECRET, 'Value': 1, 'Dimensions': DIMENSIONS}]}],
        'SetAlarmState': [{'AlarmName': name, 'StateValue': 'ALARM',
                           'StateReason': 'r'}],
    }


def state(project, name):
    """Return what the alarm of a project is in."""
    [rule] = watch_rule.WatchRule.get_all(
        heat_context.get_admin_context(), project.id, 9,
        filters={'name': name})
    return rule.state, rule.state_reason, rule.pending


def test_each_action_is_tried():
    assert parameters('name').keys() == {
        action.name for action in routes.ACTIONS}


def test_nobody_sees_what_another_project_has(victim, attacker, ask, alarm):
    for action, tried in parameters(alarm).items():
        for params in tried if action != 'PutMetricData' else ():
            own = ask(victim.tokens['member'], action, params)
            assert own.status_int == 200, own.text
            before = state(victim, alarm)
            for who in attacker.tokens:
                answer = ask(attacker.tokens[who], action, params)
                assert answer.status_int in (
                    (403, 404) if action == 'SetAlarmState' else (200, 403))
                shown = {name: value for name, value in answer.json.items()
                         if name != 'Label'}
                assert SECRET not in str(shown), (action, who)
                if answer.status_int == 200:
                    assert not any(shown.values()), (action, who)
            assert state(victim, alarm) == before


def test_data_of_another_project_move_no_alarm(victim, attacker, ask, alarm):
    def total(project):
        answer = ask(project.tokens['member'], 'GetMetricStatistics',
                     parameters(alarm)['GetMetricStatistics'][0])
        return sum(point['Sum'] for point in answer.json['Datapoints'])

    before = total(victim)
    [params] = parameters(alarm)['PutMetricData']
    assert ask(attacker.tokens['member'], 'PutMetricData',
               params).status_int == 200
    assert total(victim) == before
    assert total(attacker) > 0
    assert ask(attacker.tokens['reader'], 'PutMetricData',
               params).status_int == 403


@pytest.mark.parametrize('who', ['nobody', 'unscoped', 'expired'])
def test_without_a_project(world, victim, ask, alarm, who):
    token = {'nobody': None, 'expired': 'no-such-token',
             'unscoped': world.keystone.unscoped_token_of(
                 victim.users['member'])}[who]
    for action, tried in parameters(alarm).items():
        for params in tried:
            answer = ask(token, action, params)
            assert 400 <= answer.status_int < 500, (action, answer.text)
            assert SECRET not in answer.text


def test_urls_of_another_project_are_no_actions(victim, attacker, enabled):
    policy = {'type': 'OS::Heat::ScalingPolicy', 'properties': {
        'auto_scaling_group_id': {'get_resource': 'g'},
        'adjustment_type': 'change_in_capacity', 'scaling_adjustment': 1}}
    group = {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
        'min_size': 1, 'max_size': 2, 'resource': {
            'type': 'OS::Heat::Value', 'properties': {'value': 'v'}}}}
    theirs = victim.api.created('scaled', {
        'heat_template_version': '2018-08-31',
        'resources': {'g': group, 'p': policy},
        'outputs': {'url': {'value': {'get_attr': ['p', 'alarm_url']}}}})
    answer = attacker.api.create('thief', {
        'heat_template_version': '2018-08-31', 'resources': {
            'alarm': {'type': 'OS::Heat::CWLiteAlarm', 'properties': {
                **METRIC, 'ComparisonOperator': 'GreaterThanThreshold',
                'Threshold': 5, 'AlarmActions': [
                    theirs.outputs()['url']]}}}}, expect=400)
    assert 'another project' in answer.text
    theirs.deleted()
