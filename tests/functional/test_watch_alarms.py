"""OS::Heat::CWLiteAlarm: rules that follow the life of its stack."""
import json

import pytest

from heat.common import context as heat_context
from heat.common import watch_words as words
from heat.engine.watch import evaluator
from heat.engine.watch import rules
from heat.objects import watch_data
from heat.objects import watch_rule
from tests.functional import rest
from tests.functional import service as service_module
from tests.functional.templates import attr
from tests.functional.templates import hot

ALARM = 'OS::Heat::CWLiteAlarm'


@pytest.fixture(scope='module')
def service(tmp_path_factory):
    """Return a service that evaluates alarms, when a test says so."""
    path = tmp_path_factory.mktemp('conf') / 'heat.conf'
    path.write_text('[cloudwatch]\nenabled = true\n'
                    'evaluation_interval = 0.1\n')
    with service_module.running([str(path)]) as running:
        yield running


def alarm(**properties):
    given = {
        'MetricName': 'load', 'Namespace': 'ns', 'Period': 1,
        'ComparisonOperator': 'GreaterThanThreshold', 'Threshold': '5.5',
        **properties}
    return {'type': ALARM, 'properties': {
        name: value for name, value in given.items() if value is not None}}


def policy(group='g', **more):
    return {'type': 'OS::Heat::ScalingPolicy', 'properties': {
        'auto_scaling_group_id': {'get_resource': group},
        'adjustment_type': 'change_in_capacity', 'scaling_adjustment': 1,
        'cooldown': 0, **more}}


GROUP = {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
    'min_size': 1, 'max_size': 2, 'cooldown': 0,
    'resource': {'type': 'OS::Heat::Value', 'properties': {'value': 'v'}}}}


def template(actions=({'get_resource': 'p'},), **more):
    return hot({'g': GROUP, 'p': policy(),
                'a': alarm(AlarmActions=list(actions), **more)},
               outputs={'size': {'value': attr('g', 'current_size')},
                        'name': {'value': {'get_resource': 'a'}},
                        'show': {'value': attr('a', 'show')}})


def rule_of(stack, name='a'):
    rule = watch_rule.WatchRule.get_by_id(
        heat_context.get_admin_context(), stack.physical(name))
    assert rule is None or rule.stack_id == stack.id
    return rule


def push(stack, *values):
    rule = rule_of(stack)
    now = rules.now()
    watch_data.WatchData.put(
        heat_context.get_admin_context(), rule.tenant, now,
        {rule.metric_key: {'namespace': 'ns', 'name': 'load',
                           'dimensions': {}}},
        [{'metric_key': rule.metric_key, 'measured_at': now, 'unit': None,
          'samples': 1, 'total': value, 'least': value, 'greatest': value}
         for value in values], (99, 9999))


def test_alarm_scales_its_group(driver, api):
    stack = api.created('s', template())
    rule = rule_of(stack)
    assert (rule.tenant, rule.definition['threshold']) == (api.project, 5.5)
    assert stack.outputs()['name'] == rule.name
    assert stack.outputs()['show']['state'] == rule.state

    def grown():
        push(stack, 9.0)
        return stack.outputs()['size'] == 2

    def is_told():
        # The event of a signal follows what the signal does.
        return any('alarm state changed from nodata to alarm' in
                   event['resource_status_reason']
                   for event in stack.get('resources/p/events')['events'])

    rest.wait_for(grown, stack.events, 60)
    rest.wait_for(is_told, stack.events)
    stack.deleted()
    assert watch_rule.WatchRule.get_by_id(
        heat_context.get_admin_context(), rule.id) is None


@pytest.mark.parametrize('action', [
    {'get_resource': 'p'}, 'p', attr('p', 'alarm_url')])
def test_forms_of_actions(api, action):
    stack = api.created('s', template([action]))
    [target] = rule_of(stack).definition['actions'][words.State.ALARM]
    assert target['resource'] == 'p'
    assert target['stack']['stack_id'] == stack.id
    stack.deleted()


def test_aws_policy_is_an_action(api):
    stack = api.created('s', {
        'AWSTemplateFormatVersion': '2010-09-09', 'Resources': {
            'g': {'Type': 'OS::Heat::AutoScalingGroup',
                  'Properties': GROUP['properties']},
            'p': {'Type': 'AWS::AutoScaling::ScalingPolicy', 'Properties': {
                'AutoScalingGroupName': {'Ref': 'g'},
                'AdjustmentType': 'ChangeInCapacity',
                'ScalingAdjustment': 1}},
            'a': {'Type': 'AWS::CloudWatch::Alarm', 'Properties': alarm(
                AlarmActions=[{'Ref': 'p'}])['properties']}}},
        environment={'resource_registry': {
            'AWS::CloudWatch::Alarm': ALARM}})
    [target] = rule_of(stack).definition['actions'][words.State.ALARM]
    assert target['resource'] == 'p'
    stack.deleted()


def test_update_changes_the_rule_in_place(driver, api):
    stack = api.created('s', template())
    before = rule_of(stack)
    stack.updated(template(
        (), Threshold=7, MetricName='other', OKActions=['p'],
        Dimensions=[{'Name': 'a', 'Value': 'b'}]))
    after = rule_of(stack)
    assert after.id == before.id
    assert after.metric_key != before.metric_key
    assert after.definition['threshold'] == 7
    assert after.definition['dimensions'] == {'a': 'b'}
    assert not after.definition['actions'][words.State.ALARM]
    assert len(after.definition['actions'][words.State.NORMAL]) == 1
    stack.deleted()


def test_rule_sleeps_with_its_stack(driver, api):
    stack = api.created('s', template())
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    assert rule_of(stack).state == words.State.SUSPENDED
    push(stack, 9.0)
    evaluator.evaluate(heat_context.get_admin_context(), 'other')
    assert rule_of(stack).state == words.State.SUSPENDED
    stack.act('resume')
    stack.wait('RESUME_COMPLETE')
    assert rule_of(stack).state != words.State.SUSPENDED
    stack.deleted()


def test_check_misses_the_rule(api):
    stack = api.created('s', template())
    stack.act('check')
    stack.wait('CHECK_COMPLETE')
    watch_rule.WatchRule.delete(heat_context.get_admin_context(),
                                stack.physical('a'))
    stack.act('check')
    stack.wait('CHECK_FAILED')
    stack.deleted()


def test_rule_is_adopted(api, conf):
    conf('enable_stack_abandon', True)
    conf('enable_stack_adopt', True)
    stack = api.created('s', template())
    rule = rule_of(stack)
    data = api.request(
        'DELETE', f'stacks/s/{stack.id}/abandon', expect=200).json
    assert watch_rule.WatchRule.get_by_id(
        heat_context.get_admin_context(), rule.id) is not None
    adopted = api.post('stacks', {
        'stack_name': 'again', 'adopt_stack_data': json.dumps(data),
        'template': data['template'], 'timeout_mins': 10}, expect=201)
    again = rest.Stack(api, 'again', adopted['stack']['id'])
    again.wait('ADOPT_COMPLETE')
    after = rule_of(again)
    assert after.id == rule.id
    assert again.outputs()['name'] == after.name
    [target] = after.definition['actions'][words.State.ALARM]
    assert target['stack']['stack_id'] == again.id
    again.deleted()


URL = ('http://heat:8000/v1/signal/arn%3Aopenstack%3Aheat%3A%3A{}%3Astacks%2F'
       'x%2F5fecdcae-8e3f-4f4b-9a52-6d3b1f6e5d10%2Fresources%2Fp')


@pytest.mark.parametrize(('properties', 'message'), [
    ({'AlarmActions': ['nobody']}, 'no resource "nobody"'),
    ({'OKActions': ['nobody']}, 'no resource "nobody"'),
    ({'InsufficientDataActions': ['nobody']}, 'no resource "nobody"'),
    ({'AlarmActions': ['v']}, 'takes no signals'),
    ({'AlarmActions': [{'get_resource': 'v'}]}, 'takes no signals'),
    ({'AlarmActions': ['http://elsewhere/']}, 'not the signal URL'),
    ({'AlarmActions': [URL.format('other')]}, 'another project'),
    ({'AlarmActions': [7]}, 'not a text'),
    ({'AlarmActions': ['p'] * 6}, 'length'),
    ({'Period': 86400, 'EvaluationPeriods': 2}, 'more than 86400 seconds'),
    ({'Period': 0}, 'range'), ({'EvaluationPeriods': 101}, 'range'),
    ({'MetricName': 'ü'}, 'characters'), ({'Namespace': ' '}, 'characters'),
    ({'Dimensions': [{'Name': 'a', 'Value': 'b'}] * 2}, 'more than once'),
    ({'Dimensions': [{'Name': 'a', 'Value': '\u00fc'}]}, 'characters'),
    ({'Dimensions': [{'Name': 'a'}]}, 'Value'),
    ({'Unit': 'Parsec'}, 'Parsec'), ({'Threshold': 'x'}, 'x'),
    ({'ComparisonOperator': '>'}, '>'), ({'Statistic': 'p99'}, 'p99'),
    ({'MetricName': None}, 'MetricName'),
])
def test_what_is_refused(api, properties, message):
    answer = api.create('s', hot({
        'g': GROUP, 'p': policy(),
        'v': {'type': 'OS::Heat::Value', 'properties': {'value': 'x'}},
        'a': alarm(**properties)}), expect=400)
    assert answer.error == 'StackValidationFailed'
    assert message in json.dumps(answer.json).replace('\\"', '"')


def test_signals_of_another_stack(api):
    other = api.created('other', hot({'g': GROUP, 'p': policy()}, outputs={
        'url': {'value': attr('p', 'alarm_url')}}))
    stack = api.created('s', hot({'a': alarm(
        AlarmActions=[other.outputs()['url']])}))
    [target] = rule_of(stack).definition['actions'][words.State.ALARM]
    assert target['stack']['stack_id'] == other.id
    stack.deleted()
    other.deleted()


def test_type_needs_the_option(api, conf):
    conf('enabled', False, 'cloudwatch')
    answer = api.create('s', template(), expect=400)
    assert '[cloudwatch] enabled is off' in json.dumps(answer.json)
