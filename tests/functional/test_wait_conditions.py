"""Wait conditions, their handles, and the signals that they count."""
import json
from urllib import parse

import pytest
import requests

from heat.common import identifier
from tests.functional import rest
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import thing

HANDLE = {'type': 'OS::Heat::WaitConditionHandle'}


def ref(name):
    return {'get_resource': name}


def condition(**props):
    return {'type': 'OS::Heat::WaitCondition', 'properties': {
        'handle': ref('handle'), 'timeout': 60, **props}}


def template(handle=None, **props):
    return hot({'handle': handle or HANDLE, 'wait': condition(**props)},
               outputs={'data': {'value': attr('wait', 'data')}})


def signal(stack, body=None, expect=200):
    stack.request('POST', 'resources/handle/signal', body, expect=expect)


def begun(api, tmpl):
    stack = api.create('w', tmpl)
    waits(stack)
    return stack


def waits(stack, state='CREATE_IN_PROGRESS'):
    rest.wait_for(lambda: stack.states().get('wait') == state,
                  lambda: stack.states())


def counts(stack, data):
    """Wait until a condition that waits counts these signals."""
    def look():
        return stack.resource('wait')['attributes']['data']

    rest.wait_for(lambda: json.loads(look() or '{}') == data, look)


def reasons_of_signals(stack):
    return [event['resource_status_reason'] for event in
            stack.get('resources/handle/events')['events']
            if event['resource_status'].startswith('SIGNAL')]


def test_condition_waits_for_its_signals(driver, api):
    stack = begun(api, template(count=2))
    # Signals are delivered at the same time if there are several.
    signal(stack, {'id': 'a', 'data': {'x': 1}})
    counts(stack, {'a': {'x': 1}})
    # The same once more is the same.
    signal(stack, {'id': 'a', 'data': 'y'})
    counts(stack, {'a': 'y'})
    assert stack.state == 'CREATE_IN_PROGRESS'
    signal(stack)
    stack.wait('CREATE_COMPLETE')
    assert json.loads(stack.outputs()['data']) == {'a': 'y', '2': None}
    # What it has done may be seen before that it came.
    rest.wait_for(lambda: 'Signal: status:SUCCESS reason:Signal 2 received'
                  in reasons_of_signals(stack), 'the event')


def test_failure(driver, api):
    stack = begun(api, template(count=3))
    signal(stack, {'status': 'FAILURE', 'reason': 'it is too warm'})
    stack.wait('CREATE_FAILED')
    assert 'WaitConditionFailure: resources.wait: it is too warm' in (
        stack.show()['stack_status_reason'])


def test_timeout(driver, api, gate):
    stack = later(api, gate, template(count=3, timeout=1))
    signal(stack, {'reason': 'one'})
    # It has counted before the time begins, which is short.
    rest.wait_for(lambda: reasons_of_signals(stack), 'the signal')
    gate.open()
    stack.wait('CREATE_FAILED')
    assert 'WaitConditionTimeout: resources.wait: 1 of 3 received - one' in (
        stack.show()['stack_status_reason'])


def later(api, gate, tmpl):
    """Return a stack whose condition waits only when the gate is open."""
    tmpl['resources']['first'] = thing(gate=gate, gated=['CREATE'])
    tmpl['resources']['wait']['depends_on'] = ['first']
    stack = api.create('w', tmpl)
    rest.wait_for(lambda: stack.states().get('handle') == 'CREATE_COMPLETE',
                  lambda: stack.states())
    return stack


def test_signals_that_came_before_count(driver, api, gate):
    stack = later(api, gate, template())
    signal(stack)
    gate.open()
    stack.wait('CREATE_COMPLETE')


def test_more_signals_after_an_update(driver, api):
    stack = begun(api, template())
    signal(stack)
    stack.wait('CREATE_COMPLETE')
    stack.update(template(count=2))
    waits(stack, 'UPDATE_IN_PROGRESS')
    signal(stack)
    stack.wait('UPDATE_COMPLETE')
    assert set(json.loads(stack.outputs()['data'])) == {'1', '2'}


def test_signal_that_is_none(driver, api):
    stack = begun(api, template())
    for body in ({'status': 'MAYBE'}, {'status': 'SUCCESS', 'extra': 1}):
        answer = stack.request('POST', 'resources/handle/signal', body)
        assert answer.status == 200
    signal(stack)
    stack.wait('CREATE_COMPLETE')
    assert json.loads(stack.outputs()['data']) == {'1': None}


def test_handle_with_a_token(driver, api):
    stack = begun(api, template())
    shown = stack.resource('handle')['attributes']
    assert shown['token'] in shown['curl_cli']
    assert shown['endpoint'] in shown['curl_cli']
    url = parse.urlsplit(shown['endpoint'])
    assert url.path.endswith(f'/stacks/w/{stack.id}/resources/handle/signal')
    # It is the URL that takes the signal.
    api.request('POST', url.path, {}, expect=200)
    stack.wait('CREATE_COMPLETE')


@pytest.mark.parametrize('transport', ['CFN_SIGNAL', 'HEAT_SIGNAL'])
def test_handle_with_a_url(driver, api, transport):
    stack = begun(api, template({**HANDLE, 'properties': {
        'signal_transport': transport}}))
    shown = stack.resource('handle')['attributes']
    told = json.loads(shown['signal'])
    assert (shown['token'], shown['endpoint']) == (None, None)
    if transport == 'CFN_SIGNAL':
        assert told['alarm_url'].startswith(
            'http://cfn.test:8000/v1/waitcondition/arn%3Aopenstack%3Aheat')
    else:
        assert told['alarm_url'].endswith('/resources/handle/signal')
        assert told['password']
    signal(stack)
    stack.wait('CREATE_COMPLETE')


def test_handle_that_is_none(driver, api):
    stack = api.create('w', hot({'handle': thing(value='x'),
                                 'wait': condition()}))
    stack.wait('CREATE_FAILED')
    assert 'not a valid wait condition handle' in (
        stack.show()['stack_status_reason'])


@pytest.mark.parametrize('kind', ['AWS::CloudFormation::',
                                  'OS::Heat::Update'])
def test_handle_of_aws(driver, api, kind):
    def tmpl(value):
        return {
            'HeatTemplateFormatVersion': '2012-12-12', 'Resources': {
                'handle': {'Type': f'{kind}WaitConditionHandle'},
                'wait': {'Type': 'AWS::CloudFormation::WaitCondition',
                         'Properties': {'Handle': {'Ref': 'handle'},
                                        'Timeout': '60'}},
                'other': {'Type': 'OS::Heat::Value',
                          'Properties': {'value': value}}},
            'Outputs': {'url': {'Value': {'Ref': 'handle'}},
                        'data': {'Value': {
                            'Fn::GetAtt': ['wait', 'Data']}}}}

    stack = begun(api, tmpl('a'))
    signal(stack, {'Status': 'SUCCESS', 'Reason': 'r', 'Data': 'd',
                   'UniqueId': '1'})
    stack.wait('CREATE_COMPLETE')
    seen = stack.outputs()
    assert seen['url'].startswith('http://cfn.test:8000/v1/waitcondition/')
    assert json.loads(seen['data']) == {'1': 'd'}
    stack.update(tmpl('b'))
    if kind == 'OS::Heat::Update':
        # Each update waits anew.
        waits(stack)
        signal(stack, {'Status': 'SUCCESS', 'Reason': 'r', 'Data': 'e',
                       'UniqueId': '1'})
    stack.wait('UPDATE_COMPLETE')
    assert (stack.outputs()['url'] == seen['url']) == (
        kind == 'AWS::CloudFormation::')


@pytest.mark.parametrize('body', [
    {'Status': 'SUCCESS'}, {'status': 'MAYBE'}, {'more': 1}, [1], 'text', 3,
    {'status': {}}])
def test_body_that_is_no_signal(api, cfn_url, body):
    stack = api.created('w', hot({'handle': HANDLE}))
    where = identifier.ResourceIdentifier(
        api.project, 'w', stack.id, '', 'handle').arn_url_path()
    assert '%2F' not in where
    url = f'{cfn_url}/v1/waitcondition{where}'
    answer = requests.put(url, json=body, timeout=120)
    assert answer.status_code == 400
    assert '<Code>InvalidParameterValue</Code>' in answer.text
    assert requests.put(url, json={'id': 'a'}, timeout=120).json() == {
        'resource': 'handle', 'metadata': {'a': {
            'data': None, 'reason': 'Signal 1 received',
            'status': 'SUCCESS'}}}


@pytest.mark.parametrize('body', [b'{', b'{"id": ', b'\xff', b'[1', b'x'])
@pytest.mark.parametrize(('kind', 'method'), [
    ('signal', 'POST'), ('waitcondition', 'PUT')])
def test_body_that_is_no_json(api, cfn_url, kind, method, body):
    stack = api.created('w', hot({'handle': HANDLE}))
    where = identifier.ResourceIdentifier(
        api.project, 'w', stack.id, '', 'handle').arn_url_path()
    answer = requests.request(method, f'{cfn_url}/v1/{kind}{where}',
                              data=body, timeout=120)
    assert answer.status_code == 400, answer.text
    assert stack.get('resources/handle/metadata')['metadata'] == {}


@pytest.mark.parametrize('unique_id', [{}, ['a']])
def test_id_of_a_signal_that_is_none(api, cfn_url, unique_id):
    stack = api.created('w', hot({'handle': {
        'type': 'AWS::CloudFormation::WaitConditionHandle'}}))
    where = identifier.ResourceIdentifier(
        api.project, 'w', stack.id, '', 'handle').arn_url_path()
    answer = requests.put(
        f'{cfn_url}/v1/waitcondition{where}', timeout=120, json={
            'Status': 'SUCCESS', 'Reason': 'r', 'Data': 'd',
            'UniqueId': unique_id})
    assert answer.status_code == 400, answer.text
    assert '<Code>InvalidParameterValue</Code>' in answer.text


def test_stack_is_deleted_while_it_waits(driver, api, conf):
    # Until then it may still come to a good end.
    conf('error_wait_time', 1)
    stack = begun(api, template(count=5))
    stack.deleted()


def test_signals_that_are_too_large_together(api, caplog):
    """The row that holds all of them has a maximum length."""
    stack = api.created('w', hot({'handle': HANDLE}))

    def ids():
        return set(stack.get('resources/handle/metadata')['metadata'])

    known = set()
    for number in range(8):
        signal(stack, {'id': str(number), 'data': 'x' * 1000000})
        known.add(str(number))
        rest.wait_for(lambda: ids() == known, ids)
    signal(stack, {'id': 'more', 'data': 'x' * 500000})
    rest.wait_for(lambda: 'more than 8388608 characters' in caplog.text,
                  'a refusal')
    assert ids() == known
    # A signal with a known id replaces the earlier one.
    signal(stack, {'id': '0', 'data': 'y'})
    signal(stack, {'id': 'other', 'data': 'x' * 500000})
    rest.wait_for(lambda: ids() == known | {'other'}, ids)
