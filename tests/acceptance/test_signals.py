"""Signals as servers send them: with curl, by every transport.

Nothing but curl is used on the way, as in a server without our programs.
"""
import json
import subprocess

import pytest

SUCCESS = {'status': 'SUCCESS', 'data': 'fine', 'id': 'one',
           'reason': 'it works'}
#: How long to wait for anything, in seconds.
PATIENCE = 120


def curl(*arguments):
    """Run curl; return (status, headers and body)."""
    done = subprocess.run(
        ['curl', '-sS', '-i', '-w', '\n%{http_code}', *arguments],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    answer, _newline, status = done.stdout.rpartition('\n')
    return int(status), answer.replace('\r', '')


def send(method, url, body, *headers):
    """Send JSON to a URL, which has to be taken; return the answer."""
    more = [part for header in headers for part in ('-H', header)]
    status, answer = curl('-X', method, '-H', 'Content-Type: application/json',
                          *more, '--data-binary', json.dumps(body), url)
    assert 200 <= status < 300, answer
    return answer


def body_of(answer):
    """Return the JSON in an answer."""
    return json.loads(answer.partition('\n\n')[2])


def token_for(credentials):
    """Return a token for the user of a signal."""
    answer = send('POST', credentials['auth_url'].rstrip('/') +
                  '/auth/tokens', {'auth': {
                      'identity': {'methods': ['password'], 'password': {
                          'user': {'id': credentials['user_id'],
                                   'password': credentials['password']}}},
                      'scope': {'project': {
                          'id': credentials['project_id']}}}})
    [token] = [line.partition(':')[2].strip() for line in answer.split('\n')
               if line.lower().startswith('x-subject-token:')]
    return token


def url_of_queues(tenant):
    return tenant.connection('member').message.get_endpoint().rstrip('/')


def waiting(**handle):
    """Return a template that waits for signals to a handle."""
    return {'heat_template_version': 'wallaby', 'resources': {
        'handle': handle,
        'condition': {'type': 'OS::Heat::WaitCondition', 'properties': {
            'handle': {'get_resource': 'handle'}, 'timeout': PATIENCE}}},
        'outputs': {
            'data': {'value': {'get_attr': ['condition', 'data']}}}}


def handle_of(stacks, path):
    """Return the attributes of the handle once it is there."""
    stacks.wait_resource(path, 'handle')
    return stacks.resource(path, 'handle')['attributes']


def sent_token(tenant, attributes):
    send('POST', attributes['endpoint'], SUCCESS,
         'X-Auth-Token: ' + attributes['token'])


def sent_put(tenant, attributes):
    send('PUT', json.loads(attributes['signal'])['alarm_url'], SUCCESS)


def sent_heat(tenant, attributes):
    signal = json.loads(attributes['signal'])
    send('POST', signal['alarm_url'], SUCCESS,
         'X-Auth-Token: ' + token_for(signal))


def sent_zaqar(tenant, attributes):
    signal = json.loads(attributes['signal'])
    send('POST', '%s/queues/%s/messages' % (url_of_queues(tenant),
                                            signal['queue_id']),
         {'messages': [{'body': SUCCESS, 'ttl': 300}]},
         'X-Auth-Token: ' + token_for(signal),
         'Client-ID: 00000000-0000-4000-8000-000000000001')


@pytest.mark.parametrize(('transport', 'sent'), [
    ('TOKEN_SIGNAL', sent_token), ('CFN_SIGNAL', sent_put),
    ('TEMP_URL_SIGNAL', sent_put), ('HEAT_SIGNAL', sent_heat),
    ('ZAQAR_SIGNAL', sent_zaqar)])
def test_wait_condition(stacks, tenant, transport, sent):
    path = stacks.create(f'{tenant.tag}-{transport}', waiting(
        type='OS::Heat::WaitConditionHandle',
        properties={'signal_transport': transport}), wait=False)
    sent(tenant, handle_of(stacks, path))
    stacks.wait(path, 'CREATE_COMPLETE')
    assert json.loads(stacks.outputs(path)['data']) == {'one': 'fine'}
    stacks.delete(path)


def test_wait_condition_of_cloudformation(stacks, tenant):
    template = {
        'AWSTemplateFormatVersion': '2010-09-09', 'Resources': {
            'handle': {'Type': 'AWS::CloudFormation::WaitConditionHandle'},
            'condition': {
                'Type': 'AWS::CloudFormation::WaitCondition',
                'Properties': {'Handle': {'Ref': 'handle'}, 'Count': 2,
                               'Timeout': PATIENCE}}},
        'Outputs': {
            'url': {'Value': {'Ref': 'handle'}},
            'data': {'Value': {'Fn::GetAtt': ['condition', 'Data']}}}}
    path = stacks.create(f'{tenant.tag}-cfn', template, wait=False)
    stacks.wait_resource(path, 'handle')
    url = stacks.outputs(path)['url']
    # A signature is for one URL only.
    status, _answer = curl('-X', 'PUT', '--data-binary', '{}',
                           url.replace('Signature=', 'Signature=x'))
    assert status == 403
    for number in ('1', '2'):
        send('PUT', url, {'Status': 'SUCCESS', 'UniqueId': number,
                          'Reason': 'r', 'Data': 'd' + number})
    stacks.wait(path, 'CREATE_COMPLETE')
    assert json.loads(stacks.outputs(path)['data']) == {'1': 'd1',
                                                       '2': 'd2'}
    stacks.delete(path)


def test_signal_of_a_failure(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-failure', waiting(
        type='OS::Heat::WaitConditionHandle'), wait=False)
    attributes = handle_of(stacks, path)
    # The command that users are told to run.
    command = attributes['curl_cli'] + (
        " --data-binary '%s'" % json.dumps(
            {**SUCCESS, 'status': 'FAILURE', 'reason': 'disk is full'}))
    done = subprocess.run(['sh', '-c', command], capture_output=True,
                          text=True, timeout=60, check=False)
    assert ' 200 ' in done.stdout.split('\n')[0], done.stdout
    shown = stacks.wait(path, 'CREATE_FAILED')
    assert 'disk is full' in shown['stack_status_reason']
    stacks.delete(path)


def test_signal_by_an_object(stacks, tenant):
    template = {'heat_template_version': 'wallaby', 'resources': {
        'handle': {'type': 'OS::Heat::SwiftSignalHandle'},
        'condition': {'type': 'OS::Heat::SwiftSignal', 'properties': {
            'handle': {'get_resource': 'handle'}, 'timeout': PATIENCE,
            'count': 3}}},
        'outputs': {'data': {'value': {'get_attr': ['condition', 'data']}}}}
    path = stacks.create(f'{tenant.tag}-object', template, wait=False)
    url = handle_of(stacks, path)['endpoint']
    send('PUT', url, {'id': 'a', 'data': 1})
    # Without any body, Swift does not know how long that is.
    status, _answer = curl('-X', 'PUT', '--data-binary', '', url)
    assert status == 201
    send('PUT', url, {'id': 'c', 'data': 3, 'status': 'SUCCESS'})
    # It allows nothing else.
    status, _answer = curl(url)
    assert status == 401
    stacks.wait(path, 'CREATE_COMPLETE')
    assert json.loads(stacks.outputs(path)['data']) == {
        'a': 1, '2': None, 'c': 3}
    stacks.delete(path)


# -- software deployments ---------------------------------------------------


def deploying(server, signal):
    return {'heat_template_version': 'wallaby', 'resources': {
        'config': {'type': 'OS::Heat::SoftwareConfig', 'properties': {
            'group': 'script', 'config': 'echo hello',
            'outputs': [{'name': 'result'}]}},
        'server': {'type': 'OS::Heat::DeployedServer', 'properties': {
            'software_config_transport': server}},
        'deployment': {
            'type': 'OS::Heat::SoftwareDeployment', 'properties': {
                'config': {'get_resource': 'config'},
                'server': {'get_resource': 'server'},
                'signal_transport': signal}}},
        'outputs': {'result': {'value': {
            'get_attr': ['deployment', 'result']}}}}


def by_url(agent, tenant, read):
    """Read metadata at a URL, as os-collect-config does."""
    status, answer = curl(agent['request']['metadata_url'])
    assert status == 200, answer
    return body_of(answer)


def by_queue(agent, tenant, read):
    """Read the last of the messages that tell of metadata."""
    zaqar = agent['zaqar']
    status, answer = curl(
        '-X', 'POST', '-H', 'X-Auth-Token: ' + token_for(zaqar),
        '-H', 'Client-ID: 00000000-0000-4000-8000-000000000001',
        '-H', 'Content-Type: application/json',
        '--data-binary', '{"ttl": 60, "grace": 60}',
        '%s/queues/%s/claims' % (url_of_queues(tenant), zaqar['queue_id']))
    assert status in (201, 204), answer
    if status == 201:
        read.extend(each['body'] for each in body_of(answer)['messages'])
    return read[-1] if read else {}


def by_api(agent, tenant, read):
    """Read metadata from the orchestration API."""
    heat = agent['heat']
    stack, name = heat['stack_id'], heat['resource_name']
    url = '%s/%s/stacks/%s/resources/%s/metadata' % (
        tenant.heat_url, heat['project_id'], stack, name)
    status, answer = curl('-H', 'X-Auth-Token: ' + token_for(heat), url)
    assert status == 200, answer
    return body_of(answer)['metadata']


@pytest.mark.parametrize(('transport', 'read', 'signal'), [
    ('POLL_TEMP_URL', by_url, 'TEMP_URL_SIGNAL'),
    ('ZAQAR_MESSAGE', by_queue, 'ZAQAR_SIGNAL'),
    ('POLL_SERVER_HEAT', by_api, 'HEAT_SIGNAL'),
    ('POLL_SERVER_HEAT', by_api, 'CFN_SIGNAL')])
def test_software_deployment(deployment, stacks, tenant, transport, read,
                             signal):
    tenant.heat_url = deployment.url
    path = stacks.create(f'{tenant.tag}-{transport}-{signal}',
                         deploying(transport, signal), wait=False)
    stacks.wait_resource(path, 'deployment', 'CREATE_IN_PROGRESS')
    agent = stacks.resource(path, 'server')['attributes'][
        'os_collect_config']
    messages = []
    offered = stacks.until(lambda: read(agent, tenant, messages).get(
        'deployments'))
    inputs = {one['name']: one.get('value') for one in
              offered[0]['inputs']}
    outputs = {'result': 'hello', 'deploy_status_code': 0}
    if signal == 'ZAQAR_SIGNAL':
        send('POST', '%s/queues/%s/messages' % (
            url_of_queues(tenant), inputs['deploy_queue_id']),
            {'messages': [{'body': outputs, 'ttl': 300}]},
            'X-Auth-Token: ' + token_for(_prefixed(inputs)),
            'Client-ID: 00000000-0000-4000-8000-000000000001')
    elif signal == 'HEAT_SIGNAL':
        signal_by_api(deployment, inputs, outputs)
    else:
        send(inputs.get('deploy_signal_verb') or 'POST',
             inputs['deploy_signal_id'], outputs)
    stacks.wait(path, 'CREATE_COMPLETE')
    assert stacks.outputs(path) == {'result': 'hello'}
    stacks.delete(path)


def signal_by_api(deployment, inputs, outputs):
    """Tell the outputs of a deployment as its inputs say."""
    signalled = _prefixed(inputs)
    send('POST', '%s/%s/stacks/%s/resources/%s/signal' % (
        deployment.url, signalled['project_id'],
        inputs['deploy_stack_id'], inputs['deploy_resource_name']),
        outputs, 'X-Auth-Token: ' + token_for(signalled))


def _prefixed(inputs):
    return {key: inputs['deploy_' + key] for key in (
        'auth_url', 'user_id', 'password', 'project_id')}


# -- what else goes through a queue or a container --------------------------


def test_events_go_into_a_queue(stacks, tenant):
    message = tenant.connection('member').message
    message.create_queue(name=f'{tenant.tag}-events')
    path = stacks.create(
        f'{tenant.tag}-sink', {
            'heat_template_version': 'wallaby',
            'resources': {'it': {'type': 'OS::Heat::RandomString'}}},
        environment={'event_sinks': [{
            'type': 'zaqar-queue', 'target': f'{tenant.tag}-events',
            'ttl': 600}]})
    stacks.delete(path)

    def told():
        found = {(each.body['payload']['resource_name'],
                  each.body['payload']['resource_action'],
                  each.body['payload']['resource_status'])
                 for each in message.messages(f'{tenant.tag}-events',
                                              echo=True, limit=20)}
        return ('it', 'CREATE', 'COMPLETE') in found and (
            'it', 'DELETE', 'COMPLETE') in found

    stacks.until(told)
    message.delete_queue(f'{tenant.tag}-events')


def test_files_in_a_container(stacks, tenant):
    store = tenant.connection('member').object_store
    name = f'{tenant.tag}-files'
    store.create_container(name)
    store.upload_object(name, 'inner.yaml', data=json.dumps({
        'heat_template_version': 'wallaby',
        'parameters': {'length': {'type': 'number'}},
        'resources': {'it': {'type': 'OS::Heat::RandomString', 'properties': {
            'length': {'get_param': 'length'}}}},
        'outputs': {'value': {'value': {'get_attr': ['it', 'value']}}}}))
    store.upload_object(name, 'env.yaml',
                        data='parameters: {length: 12}')
    path = stacks.create(
        f'{tenant.tag}-files', {
            'heat_template_version': 'wallaby',
            'parameters': {'length': {'type': 'number'}},
            'resources': {'it': {
                'type': 'inner.yaml',
                'properties': {'length': {'get_param': 'length'}}}},
            'outputs': {'value': {'value': {
                'get_attr': ['it', 'value']}}}},
        files_container=name, environment_files=['env.yaml'])
    assert len(stacks.outputs(path)['value']) == 12
    for one in ('inner.yaml', 'env.yaml'):
        store.delete_object(one, container=name)
    store.delete_container(name)
    stacks.delete(path)


def test_signed_url_of_a_queue(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-signed', {
        'heat_template_version': 'wallaby', 'resources': {
            'queue': {'type': 'OS::Zaqar::Queue'},
            'signed': {'type': 'OS::Zaqar::SignedQueueURL', 'properties': {
                'queue': {'get_resource': 'queue'}, 'ttl': 600,
                'paths': ['messages'], 'methods': ['POST']}}}})
    signed = stacks.resource(path, 'signed')['attributes']
    queue = stacks.physical_ids(path)['queue']
    url = f'{url_of_queues(tenant)}/queues/{queue}/messages'
    headers = ['URL-Signature: ' + signed['signature'],
               'URL-Expires: ' + signed['expires'],
               'URL-Methods: ' + signed['methods'],
               'URL-Paths: ' + signed['paths'],
               'X-Project-Id: ' + signed['project'],
               'Client-ID: 00000000-0000-4000-8000-000000000001']
    send('POST', url, {'messages': [{'body': 'hello', 'ttl': 300}]},
         *headers)
    [found] = tenant.connection('member').message.messages(
        queue, echo=True, limit=5)
    assert found.body == 'hello'
    stacks.delete(path)
