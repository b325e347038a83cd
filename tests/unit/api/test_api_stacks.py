import json

import pytest

from heat.common import exception
from heat.common import policy
from tests.fakes import engine_answers
from tests.fakes import rest

TEMPLATE = {'heat_template_version': '2018-08-31'}
BASE = 'http://localhost'


@pytest.fixture(autouse=True)
def answers(engine):
    engine.answers = dict(engine_answers.ANSWERS)


def refused(response, status=400):
    """Return the message of a refusal that names what is wrong."""
    assert response.status_int == status, response.text
    assert response.json['error']['traceback'] is None
    return response.json['error']['message']


# -- Lists

def test_list(api, engine):
    stack = api.get('/v1/p/stacks').json['stacks'][0]
    assert stack['stack_status'] == 'CREATE_COMPLETE'
    assert stack['id'] == rest.STACK_ID
    assert stack['links'] == [
        {'href': f'{BASE}{rest.STACK_PATH}', 'rel': 'self'}]
    assert 'project' not in stack
    assert engine.arguments['filters'] == {}
    assert not engine.arguments['show_deleted']


def test_list_filters_and_order(api, engine):
    api.get('/v1/p/stacks?limit=5&marker=m&sort_keys=stack_name'
            '&sort_keys=creation_time&sort_dir=asc&stack_status=COMPLETE'
            '&name=a&name=b&show_nested=true&show_hidden=True'
            '&show_deleted=TRUE&tags=a,b&not_tags_any=c&nonsense=1')
    arguments = engine.arguments
    assert arguments['limit'] == 5
    assert arguments['marker'] == 'm'
    assert arguments['sort_keys'] == ['stack_name', 'creation_time']
    assert arguments['sort_dir'] == 'asc'
    assert arguments['filters'] == {'stack_status': 'COMPLETE',
                                    'name': ['a', 'b']}
    assert arguments['show_nested'] is True
    assert arguments['show_hidden'] is True
    assert arguments['show_deleted'] is True
    assert arguments['tags'] == ['a', 'b']
    assert arguments['not_tags_any'] == ['c']
    assert arguments['tags_any'] is None


@pytest.mark.parametrize('query', [
    'limit=x', 'limit=-1', 'limit=1.5', 'show_nested=maybe',
    'show_deleted=1', 'show_hidden=', 'with_count=x', 'global_tenant=x',
    'sort_dir=up', 'stack_name=%ff', 'stack_name=a%00',
])
def test_list_with_a_query_that_is_wrong(api, engine, query):
    message = refused(api.get(f'/v1/p/stacks?{query}'))
    assert 'HTTPBadRequest' == api.get(
        f'/v1/p/stacks?{query}').json['error']['type']
    assert message
    assert engine.calls == []


def test_list_limit_zero(api, engine):
    engine.answers['list_stacks'] = []
    assert api.get('/v1/p/stacks?limit=0').json == {'stacks': []}
    assert engine.arguments['limit'] == 0


def test_list_limit_beyond_all_databases(api, engine):
    api.get(f'/v1/p/stacks?limit={10 ** 30}')
    assert engine.arguments['limit'] == 2 ** 31 - 1


def test_list_count(api, engine):
    engine.answers['count_stacks'] = 7
    body = api.get('/v1/p/stacks?with_count=true&show_nested=true'
                   '&name=a&limit=1').json
    assert body['count'] == 7
    assert engine.methods == ['list_stacks', 'count_stacks']
    assert engine.arguments['filters'] == {'name': 'a'}
    assert engine.arguments['show_nested'] is True


def test_next_page(api):
    body = api.get('/v1/p/stacks?limit=1&name=a&marker=before').json
    link, = body['links']
    assert link['rel'] == 'next'
    assert link['href'] == (
        f'{BASE}/v1/p/stacks?limit=1&name=a&marker={rest.STACK_ID}')
    assert 'links' not in api.get('/v1/p/stacks?limit=2').json
    assert 'links' not in api.get('/v1/p/stacks').json


def test_global_list_is_denied_by_default(api, engine):
    response = api.get('/v1/p/stacks?global_tenant=true')
    assert response.status_int == 403
    assert engine.calls == []


def test_global_list(api, engine):
    policy.get_enforcer().set_rules(
        {'stacks:index': '@', 'stacks:global_index': '@'})
    stack = api.get('/v1/p/stacks?global_tenant=true').json['stacks'][0]
    _method, context, _arguments = engine.calls[0]
    assert context.is_admin
    assert stack['project'] == 'p'


# -- Creation

def create(api, **body):
    return api.post('/v1/p/stacks', {
        'stack_name': 's', 'template': TEMPLATE, **body})


def test_create(api, engine):
    response = create(
        api, parameters={'a': 1}, files={'f': 'x'}, timeout_mins=5,
        disable_rollback='false', tags='a,b', environment_files=['f'],
        files_container='c')
    assert response.status_int == 201
    assert response.location == f'{BASE}{rest.STACK_PATH}'
    assert response.json == {'stack': {
        'id': rest.STACK_ID,
        'links': [{'href': f'{BASE}{rest.STACK_PATH}', 'rel': 'self'}]}}
    arguments = engine.arguments
    assert arguments['stack_name'] == 's'
    assert arguments['template'] == TEMPLATE
    assert arguments['params']['parameters'] == {'a': 1}
    assert arguments['files'] == {'f': 'x'}
    assert arguments['environment_files'] == ['f']
    assert arguments['files_container'] == 'c'
    assert arguments['args'] == {
        'timeout_mins': 5, 'disable_rollback': False, 'tags': ['a', 'b']}


def test_create_leaves_what_was_made_by_default(api, engine):
    create(api)
    assert engine.arguments['args'] == {'disable_rollback': True}


def test_converge_is_for_updates(api, engine):
    assert 'converge' in refused(create(api, converge=True))
    assert engine.calls == []


@pytest.mark.parametrize('body', [
    None, b'', b'text', b'[1]', b'"x"', b'null', b'{"a": 1', b'{"a": 1}}',
    b'{\xff: 1}', b'{"a": "\xff"}', b'{"a":' * 100000, b'{}',
])
@pytest.mark.parametrize('path', ['stacks', 'stacks/preview', 'validate'])
def test_body_that_is_no_object(api, engine, path, body):
    message = refused(api.post(f'/v1/p/{path}', body))
    assert message
    assert engine.calls == []


def test_form_body_is_no_body(api):
    refused(api.post('/v1/p/stacks', b'{"stack_name": "s"}',
                     content_type='application/x-www-form-urlencoded'))


def test_body_without_content_type_is_json(api):
    response = api.post('/v1/p/stacks', json.dumps(
        {'stack_name': 's', 'template': TEMPLATE}).encode(),
        content_type='text/plain')
    assert response.status_int == 201


def test_large_body(api, engine):
    response = create(api, files={'f': 'x' * 1048576})
    assert response.status_int == 400
    assert response.json['error']['type'] == 'RequestLimitExceeded'
    assert engine.calls == []


def test_body_where_there_is_none(api, engine):
    refused(api.request('DELETE', rest.STACK_PATH, {'a': 1}))
    assert engine.calls == []


def test_malformed_template_is_located(api, engine):
    message = refused(create(api, template='a: [1,\nb: }'))
    assert 'line 2' in message
    assert engine.calls == []


@pytest.mark.parametrize(('error', 'status'), [
    (exception.StackExists(stack_name='s'), 409),
    (exception.RequestLimitExceeded(message='too many'), 400),
    (exception.StackValidationFailed(message='resources.a: wrong'), 400),
])
def test_engine_refuses(api, engine, error, status):
    engine.answers['create_stack'] = error
    response = create(api)
    assert response.status_int == status
    assert response.json['error']['type'] == type(error).__name__
    assert response.json['error']['message'] == str(error)


def test_preview(api, engine):
    response = api.post('/v1/p/stacks/preview', {
        'stack_name': 's', 'template': TEMPLATE})
    stack = response.json['stack']
    assert stack['resources'][0]['resource_identity'] == (
        engine_answers.RESOURCE_IDENTITY)
    assert engine.arguments['args'] == {'disable_rollback': True}


# -- Look-up

@pytest.mark.parametrize('method', ['GET', 'POST', 'PUT', 'PATCH',
                                    'DELETE'])
def test_lookup_redirects_every_method(api, engine, method):
    body = {'a': 1} if method != 'GET' else None
    response = api.request(method, '/v1/p/stacks/s?a=1&b=%2F', body)
    assert response.status_int == 302
    assert response.location == f'{BASE}{rest.STACK_PATH}?a=1&b=%2F'
    assert engine.arguments == {'stack_name': 's'}


def test_lookup_by_arn(api, engine):
    arn = f'arn%3Aopenstack%3Aheat%3A%3Ap%3Astacks%2Fs%2F{rest.STACK_ID}'
    response = api.get(f'/v1/p/stacks/{arn}')
    assert response.location == f'{BASE}{rest.STACK_PATH}'
    assert engine.calls == []


def test_lookup_by_a_broken_arn(api):
    refused(api.get('/v1/p/stacks/arn:openstack:heat::p'))


def test_lookup_of_unknown_stack(api, engine):
    engine.answers['identify_stack'] = exception.EntityNotFound(
        entity='Stack', name='x')
    response = api.get('/v1/p/stacks/x')
    assert response.status_int == 404
    assert response.json['error']['type'] == 'EntityNotFound'


def test_names_are_quoted_in_links(api, engine):
    engine.answers['identify_stack'] = {
        **engine_answers.IDENTITY, 'stack_name': 'ä b'}
    assert '/stacks/%C3%A4%20b/' in api.get('/v1/p/stacks/x').location


# -- One stack

@pytest.mark.parametrize(('query', 'resolve'), [
    ('', True), ('?resolve_outputs=False', False),
    ('?resolve_outputs=true', True)])
def test_show_resolves_outputs(api, engine, query, resolve):
    assert api.get(rest.STACK_PATH + query).status_int == 200
    assert engine.arguments['resolve_outputs'] is resolve


def test_show_with_a_wrong_flag(api):
    refused(api.get(f'{rest.STACK_PATH}?resolve_outputs=x'))


def test_update(api, engine):
    response = api.request('PUT', rest.STACK_PATH, {
        'template': TEMPLATE, 'converge': True, 'timeout_mins': 0})
    assert response.status_int == 202
    assert response.content_type == 'text/plain'
    assert engine.arguments['stack_identity'] == engine_answers.IDENTITY
    assert engine.arguments['args'] == {'converge': True}


def test_update_needs_a_template(api, engine):
    refused(api.request('PUT', rest.STACK_PATH, {'parameters': {}}))
    assert engine.calls == []


def test_patch_keeps_what_it_does_not_name(api, engine):
    response = api.request('PATCH', rest.STACK_PATH, {
        'parameters': {'a': 1}, 'clear_parameters': ['b']})
    assert response.status_int == 202
    assert engine.arguments['template'] is None
    assert engine.arguments['args'] == {
        'existing': True, 'clear_parameters': ['b']}


@pytest.mark.parametrize(('body', 'status'), [
    ({'existing': True}, 202), ({'parameters': {'a': 1}}, 403)])
def test_patch_without_change_has_a_rule_of_its_own(api, body, status):
    policy.get_enforcer().set_rules(
        {'stacks:update_no_change': '@', 'stacks:update_patch': '!'})
    response = api.request('PATCH', rest.STACK_PATH, body)
    assert response.status_int == status


def test_preview_update(api, engine):
    path = f'{rest.STACK_PATH}/preview'
    api.request('PUT', f'{path}?show_nested=true', {'template': TEMPLATE})
    assert engine.arguments['args'] == {'show_nested': True}
    api.request('PATCH', path, {'parameters': {'a': 1}})
    assert engine.arguments['args'] == {'existing': True}
    refused(api.request('PUT', f'{path}?show_nested=x',
                        {'template': TEMPLATE}))


def test_delete(api, engine):
    response = api.request('DELETE', rest.STACK_PATH)
    assert response.status_int == 204
    assert response.body == b''
    assert engine.arguments['cast'] is False


@pytest.mark.parametrize('body', [None, {}, {'name': None}, {'name': 'n'}])
def test_snapshot_name_is_optional(api, engine, body):
    response = api.post(f'{rest.STACK_PATH}/snapshots', body)
    assert response.json == engine_answers.SNAPSHOT
    assert engine.arguments['name'] == (body or {}).get('name')


@pytest.mark.parametrize('name', [5, ['a'], 'a\0'])
def test_snapshot_name_that_is_none(api, name):
    refused(api.post(f'{rest.STACK_PATH}/snapshots', {'name': name}))


# -- Templates and types

def test_validate(api, engine):
    api.post('/v1/p/validate?show_nested=true&ignore_errors=99001,2', {
        'template': TEMPLATE, 'files': {'f': 'x'}})
    assert engine.arguments['show_nested'] is True
    assert engine.arguments['ignorable_errors'] == ['99001', '2']
    assert engine.arguments['files'] == {'f': 'x'}


def test_validate_says_what_is_wrong(api, engine):
    engine.answers['validate_template'] = {'Error': 'resources.a: wrong'}
    message = refused(api.post('/v1/p/validate', {'template': TEMPLATE}))
    assert message == 'resources.a: wrong'


def test_resource_types(api, engine):
    api.get('/v1/p/resource_types?name=OS.*&support_status=SUPPORTED'
            '&version=5&with_description=true')
    assert engine.arguments == {
        'type_name': 'OS.*', 'support_status': 'SUPPORTED',
        'heat_version': '5', 'with_description': True}


@pytest.mark.parametrize(('query', 'kind'), [
    ('', 'cfn'), ('?template_type=hot', 'hot')])
def test_generated_template_type(api, engine, query, kind):
    api.get(f'/v1/p/resource_types/T/template{query}')
    assert engine.arguments['template_type'] == kind


def test_generated_template_type_that_is_none(api):
    refused(api.get('/v1/p/resource_types/T/template?template_type=x'))


def test_condition_functions(api, engine):
    api.get('/v1/p/template_versions/v/functions?with_condition_func=true')
    assert engine.arguments == {'template_version': 'v',
                                'with_condition': True}
