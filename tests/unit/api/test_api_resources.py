import oslo_messaging
import pytest

from heat.common import exception
from tests.fakes import engine_answers
from tests.fakes import rest

BASE = 'http://localhost'
RESOURCES = f'{rest.STACK_PATH}/resources'
EVENTS = f'{rest.STACK_PATH}/events'


@pytest.fixture(autouse=True)
def answers(engine):
    engine.answers = dict(engine_answers.ANSWERS)


def refused(response, status=400):
    assert response.status_int == status, response.text
    return response.json['error']['message']


# -- Resources

def test_list(api, engine):
    resource = api.get(RESOURCES).json['resources'][0]
    assert resource['resource_status'] == 'CREATE_COMPLETE'
    assert resource['logical_resource_id'] == 'r'
    assert 'attributes' not in resource
    assert 'metadata' not in resource
    nested = engine_answers.NESTED_IDENTITY
    assert resource['links'] == [
        {'href': f'{BASE}{RESOURCES}/r', 'rel': 'self'},
        {'href': f'{BASE}{rest.STACK_PATH}', 'rel': 'stack'},
        {'href': f'{BASE}/v1/p/stacks/{nested["stack_name"]}/'
                 f'{nested["stack_id"]}', 'rel': 'nested'}]
    assert engine.arguments == {
        'stack_identity': engine_answers.IDENTITY, 'nested_depth': 0,
        'with_detail': False, 'filters': {}}


def test_list_with_detail(api):
    shape = rest.load_facts('rest_api')['extra_response_shapes']
    resource = api.get(f'{RESOURCES}?with_detail=True').json['resources'][0]
    assert set(resource) == set(
        shape['resources_with_detail']['resources'][0])


def test_list_filters(api, engine):
    api.get(f'{RESOURCES}?type=A&status=FAILED&status=COMPLETE&name=n'
            '&nested_depth=2')
    assert engine.arguments['filters'] == {
        'type': 'A', 'status': ['FAILED', 'COMPLETE'], 'name': 'n'}
    assert engine.arguments['nested_depth'] == 2


def test_nested_depth_is_capped(api, engine):
    api.get(f'{RESOURCES}?nested_depth=99')
    assert engine.arguments['nested_depth'] == 5


@pytest.mark.parametrize('query', [
    'nonsense=1', 'nested_depth=x', 'nested_depth=-1', 'with_detail=1'])
def test_list_with_a_query_that_is_wrong(api, engine, query):
    refused(api.get(f'{RESOURCES}?{query}'))
    assert engine.calls == []


def test_show_with_attributes(api, engine):
    api.get(f'{RESOURCES}/r?with_attr=a&with_attr=b')
    assert engine.arguments['with_attr'] == ['a', 'b']
    api.get(f'{RESOURCES}/r')
    assert engine.arguments['with_attr'] is None


def test_name_with_special_characters(api, engine):
    api.get(f'{RESOURCES}/a%20%C3%A4%3A')
    assert engine.arguments['resource_name'] == 'a ä:'


@pytest.mark.parametrize('body', [None, {}, {'a': [1]}])
def test_signal(api, engine, body):
    response = api.post(f'{RESOURCES}/r/signal', body)
    assert response.text == 'null'
    assert engine.arguments['details'] == body
    assert engine.arguments['sync_call'] is False


@pytest.mark.parametrize(('body', 'unhealthy', 'reason'), [
    ({'mark_unhealthy': True}, True, ''),
    ({'mark_unhealthy': 'false', 'resource_status_reason': 'r'}, False,
     'r'),
])
def test_mark_unhealthy(api, engine, body, unhealthy, reason):
    response = api.request('PATCH', f'{RESOURCES}/r', body)
    assert response.text == 'null'
    assert engine.arguments['mark_unhealthy'] is unhealthy
    assert engine.arguments['resource_status_reason'] == reason


@pytest.mark.parametrize('body', [
    None, {}, {'mark_unhealthy': 'x'}, {'mark_unhealthy': True, 'x': 1},
    {'resource_status_reason': 'r'},
    {'mark_unhealthy': True, 'resource_status_reason': 5},
])
def test_mark_unhealthy_with_a_wrong_body(api, engine, body):
    refused(api.request('PATCH', f'{RESOURCES}/r', body))
    assert engine.calls == []


# -- Events

def test_events(api, engine):
    event = api.get(f'{EVENTS}?limit=3&marker=m&sort_keys=event_time'
                    '&sort_dir=desc&resource_name=r&nested_depth=1'
                    '&nonsense=1').json['events'][0]
    assert event['id'] == engine_answers.EVENT_ID
    assert event['resource_status'] == 'CREATE_COMPLETE'
    assert [link['rel'] for link in event['links']] == [
        'self', 'resource', 'stack']
    assert event['links'][0]['href'] == (
        f'{BASE}{RESOURCES}/r/events/{engine_answers.EVENT_ID}')
    assert engine.arguments == {
        'stack_identity': engine_answers.IDENTITY,
        'filters': {'resource_name': 'r'}, 'limit': 3, 'marker': 'm',
        'sort_keys': ['event_time'], 'sort_dir': 'desc', 'nested_depth': 1}


def test_events_of_nested_stacks_name_the_root(api, engine):
    engine.answers['list_events'] = [
        {**engine_answers.EVENT, 'root_stack_id': engine_answers.IDENTITY}]
    event = api.get(EVENTS).json['events'][0]
    assert event['links'][-1] == {
        'href': f'{BASE}{rest.STACK_PATH}', 'rel': 'root_stack'}
    assert 'root_stack_id' not in event


def test_resource_without_events(api, engine):
    engine.answers['list_events'] = []
    assert api.get(EVENTS).json == {'events': []}
    response = api.get(f'{RESOURCES}/r/events')
    refused(response, 404)
    assert response.json['error']['type'] == 'HTTPNotFound'


def test_event_by_id(api, engine):
    path = f'{RESOURCES}/r/events'
    event = api.get(f'{path}/{engine_answers.EVENT_ID}').json['event']
    assert event['resource_properties'] == {'p': 1}
    assert engine.arguments['filters'] == {
        'resource_name': 'r', 'uuid': engine_answers.EVENT_ID}
    refused(api.get(f'{path}/other'), 404)


@pytest.mark.parametrize('query', [
    'limit=x', 'limit=-1', 'nested_depth=x', 'sort_dir=x'])
def test_events_with_a_query_that_is_wrong(api, query):
    refused(api.get(f'{EVENTS}?{query}'))


# -- Actions

@pytest.mark.parametrize(('action', 'method', 'rollback'), [
    ('suspend', 'stack_suspend', None),
    ('resume', 'stack_resume', None),
    ('check', 'stack_check', None),
    ('cancel_update', 'stack_cancel_update', True),
    ('cancel_without_rollback', 'stack_cancel_update', False),
])
def test_action(api, engine, action, method, rollback):
    response = api.post(f'{rest.STACK_PATH}/actions', {action: None})
    assert (response.status_int, response.text) == (200, 'null')
    assert engine.methods == [method]
    assert engine.arguments.get('cancel_with_rollback') is rollback


@pytest.mark.parametrize('body', [
    None, {}, {'nothing': None}, {'suspend': None, 'resume': None},
    {'__init__': None}])
def test_action_that_is_none(api, engine, body):
    refused(api.post(f'{rest.STACK_PATH}/actions', body))
    assert engine.calls == []


@pytest.mark.parametrize(('action', 'status'), [
    ('check', 200), ('suspend', 403)])
def test_action_has_its_own_rule(api, action, status):
    api.roles = ('reader',)
    response = api.post(f'{rest.STACK_PATH}/actions', {action: None})
    assert response.status_int == status


# -- The service itself

@pytest.mark.parametrize(('roles', 'status'), [
    (('admin',), 200), (('member', 'reader'), 403)])
def test_services_are_for_admins(api, roles, status):
    api.roles = roles
    assert api.get('/v1/p/services').status_int == status


def test_services_without_an_engine(api, engine):
    api.roles = ('admin',)
    engine.answers['list_services'] = oslo_messaging.MessagingTimeout()
    response = api.get('/v1/p/services')
    refused(response, 503)
    assert response.json['error']['type'] == 'HTTPServiceUnavailable'


# -- Software configs and deployments

def test_config_create(api, engine):
    body = {'name': 'n', 'group': 'g', 'config': 'c', 'inputs': [],
            'outputs': [], 'options': {}}
    api.post('/v1/p/software_configs', body)
    assert engine.arguments == body


def test_config_list(api, engine):
    body = api.get('/v1/p/software_configs?limit=3&marker=m').json
    assert 'project' not in body['software_configs'][0]
    assert engine.arguments['limit'] == 3
    assert engine.arguments['marker'] == 'm'
    assert api.get('/v1/p/software_configs?global_tenant=true'
                   ).status_int == 403
    refused(api.get('/v1/p/software_configs?limit=x'))


def test_config_in_use(api, engine):
    engine.answers['delete_software_config'] = (
        exception.SoftwareConfigInUse(config_id='c'))
    response = api.request('DELETE', '/v1/p/software_configs/c')
    refused(response, 409)
    assert response.json['error']['type'] == 'SoftwareConfigInUse'


def test_deployment_create(api, engine):
    api.post('/v1/p/software_deployments', {
        'server_id': 's', 'config_id': 'c', 'output_values': {},
        'nonsense': 1})
    arguments = engine.arguments
    assert arguments['server_id'] == 's'
    assert arguments['status_reason'] == ''
    assert arguments['status'] is None


def test_deployment_update(api, engine):
    api.request('PUT', '/v1/p/software_deployments/d', {
        'status': 'FAILED', 'output_values': {'a': 1}})
    assert engine.arguments['deployment_id'] == 'd'
    assert engine.arguments['output_values'] == {'a': 1}
    assert engine.arguments['status'] == 'FAILED'
    assert engine.arguments['action'] is None


@pytest.mark.parametrize('body', [
    {'status': 5}, {'config_id': ['a']}, {'output_values': 'x'},
    {'status_reason': 'a\0'}])
def test_deployment_that_is_none(api, engine, body):
    refused(api.request('PUT', '/v1/p/software_deployments/d', body))
    refused(api.post('/v1/p/software_deployments', {
        'server_id': 's', 'input_values': 'x', **body}))
    assert engine.calls == []


def test_deployments_of_a_server(api, engine):
    api.get('/v1/p/software_deployments?server_id=s')
    assert engine.arguments == {'server_id': 's'}
    api.get('/v1/p/software_deployments')
    assert engine.arguments == {'server_id': None}
