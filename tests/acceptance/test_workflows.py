"""Workflows of Mistral that stacks run, and alarms of Aodh at rest."""
import json

import requests

from tests.acceptance import looks
from tests.acceptance import test_signals


def flow(output=None, **task):
    """Return a workflow of one task."""
    return {'type': 'OS::Mistral::Workflow', 'properties': {
        'type': 'direct', 'input': {'size': 1}, 'output': output or {},
        'tasks': [{'name': 'only', 'action': 'std.noop', **task}]}}


def template(resources, **outputs):
    return {'heat_template_version': 'wallaby', 'resources': resources,
            'outputs': {key: {'value': {'get_attr': value}}
                        for key, value in outputs.items()}}


def executions(tenant, workflow_id):
    """Return the executions of a workflow."""
    found = looks.own(tenant, 'workflowv2', '/executions').json()
    return [each for each in found['executions']
            if each['workflow_id'] == workflow_id]


def external(size):
    before = '<% env().heat_extresource_data.resource_id %>'
    return template({
        'make': flow({'resource_id': '<% $.size %>'}),
        'change': flow({'before': before, 'size': '<% $.size %>'}),
        'remove': flow(),
        'it': {'type': 'OS::Mistral::ExternalResource', 'properties': {
            'input': {'size': size},
            'actions': {
                action: {'workflow': {'get_resource': name}}
                for action, name in (('CREATE', 'make'),
                                     ('UPDATE', 'change'),
                                     ('DELETE', 'remove'))}}}},
        output=['it', 'output'])


def test_external_resource(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-external', external('one'))
    ids = stacks.physical_ids(path)
    assert ids['it'] == 'one'
    assert stacks.outputs(path) == {'output': {'resource_id': 'one'}}
    stacks.update(path, external('other'))
    assert stacks.outputs(path) == {
        'output': {'before': 'one', 'size': 'other'}}
    stacks.delete(path)
    [removal] = executions(tenant, ids['remove'])
    assert json.loads(removal['input']) == {'size': 'other'}
    assert removal['state'] == 'SUCCESS'


def test_external_resource_whose_workflow_fails(stacks, tenant):
    wrong = external('one')
    wrong['resources']['make'] = flow(action='std.fail')
    path = stacks.create(f'{tenant.tag}-failure', wrong, wait=False)
    stack = stacks.wait(path, 'CREATE_FAILED')
    assert 'is in state ERROR' in stack['stack_status_reason']
    stacks.delete(path)


def test_signal_runs_a_workflow(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-signal', template(
        {'it': flow()}, url=['it', 'alarm_url'],
        runs=['it', 'executions']))
    test_signals.send('POST', stacks.outputs(path)['url'],
                      {'input': {'size': 7}})
    workflow_id = stacks.physical_ids(path)['it']
    [found] = stacks.until(lambda: executions(tenant, workflow_id))
    assert json.loads(found['input']) == {'size': 7}
    [run] = stacks.outputs(path)['runs']
    assert (run['id'], run['input']) == (found['id'], {'size': 7})
    stacks.delete(path)
    assert executions(tenant, workflow_id) == []


def test_message_runs_a_workflow(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-message', template({
        'queue': {'type': 'OS::Zaqar::Queue'},
        'flow': flow({'got': '<% env().notification %>'}),
        'it': {'type': 'OS::Zaqar::MistralTrigger', 'properties': {
            'queue_name': {'get_resource': 'queue'}, 'input': {'size': 5},
            'workflow_id': {'get_resource': 'flow'}}}}))
    ids = stacks.physical_ids(path)
    queues = tenant.connection('member').session
    queues.post(f'/v2/queues/{ids["queue"]}/messages', json={
        'messages': [{'body': 'hello', 'ttl': 300}]}, endpoint_filter={
            'service_type': 'messaging'}, headers=looks.CLIENT)
    [found] = stacks.until(lambda: executions(tenant, ids['flow']))
    assert json.loads(found['input']) == {'size': 5}
    notification = json.loads(found['params'])['env']['notification']
    assert 'hello' in json.dumps(notification)
    stacks.delete(path)
    looks.trusts(tenant)


def test_signed_url_of_a_queue(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-signed', template({
        'queue': {'type': 'OS::Zaqar::Queue'},
        'it': {'type': 'OS::Zaqar::SignedQueueURL', 'properties': {
            'queue': {'get_resource': 'queue'}, 'ttl': 600,
            'paths': ['messages'], 'methods': ['GET', 'POST']}}},
        **{name: ['it', name] for name in (
            'signature', 'expires', 'paths', 'methods', 'project')}))
    signed = stacks.outputs(path)
    queue = stacks.physical_ids(path)['queue']
    session = tenant.connection('member').session
    url = '%s/v2/queues/%s/messages' % (session.get_endpoint(
        service_type='messaging').rstrip('/'), queue)
    headers = {
        **looks.CLIENT, 'URL-Signature': signed['signature'],
        'URL-Expires': signed['expires'], 'URL-Paths': signed['paths'],
        'URL-Methods': signed['methods'],
        'X-Project-ID': signed['project']}
    # Nobody's token is needed, and other queues stay closed.
    sent = requests.post(url, headers=headers, timeout=60, json={
        'messages': [{'body': 'hello', 'ttl': 300}]})
    assert sent.status_code == 201, sent.text
    got = requests.get(url + '?echo=true', headers=headers, timeout=60)
    assert [each['body'] for each in got.json()['messages']] == ['hello']
    other = requests.get(url.replace(queue, 'other'), headers=headers,
                         timeout=60)
    assert other.status_code in (401, 403, 404)
    stacks.delete(path)


def test_suspended_alarm(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-alarm', template({
        'queue': {'type': 'OS::Zaqar::Queue'},
        'it': {'type': 'OS::Aodh::EventAlarm', 'properties': {
            'alarm_queues': [{'get_resource': 'queue'}]}}}))
    ids = stacks.physical_ids(path)
    for action, enabled in (('suspend', False), ('resume', True)):
        stacks.act(path, action)
        live = looks.alarm(tenant, ids)
        assert live['enabled'] is enabled
        assert live['alarm_queues'] == [ids['queue']]
    stacks.delete(path)
