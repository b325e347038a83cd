"""The description of the API, and that requests are checked against it."""
import re

import openapi_spec_validator
import pytest
import webob

from heat.api import declaration
from heat.api import routing
from heat.api.middleware import fault
from heat.api.middleware import version_negotiation
from heat.api.openstack.v1 import openapi
from heat.api.openstack.v1 import routes
from heat.api.openstack.v1.schemas import catalogue
from tests import additions
from tests.fakes import engine_answers
from tests.fakes import rest

FACTS = rest.load_facts('rest_api')
TEMPLATE = {'heat_template_version': '2018-08-31'}
WITH_BODY = (routing.Body.REQUIRED, routing.Body.OPTIONAL)


@pytest.fixture(scope='module')
def document():
    return openapi.document('http://localhost')


def test_document_is_valid(document):
    openapi_spec_validator.validate(document)
    assert document['openapi'] == '3.1.0'


def test_every_recorded_route_is_described(document):
    for row in FACTS['routes']:
        for sub in row.get('path_values', ['']):
            path = row['path'].replace('{path}', sub)
            described = document['paths'][path][row['method'].lower()]
            assert str(row['success_status']) in described['responses']
            rules = row['policy'] if isinstance(row['policy'], list) else [
                row['policy']]
            if row['controller'] == 'actions':
                rules = [*rules, *(f'actions:{name}'
                                   for name in additions.ACTIONS)]
            assert described['x-openstack-policy'] == rules


def test_every_declaration_has_a_route():
    assert {(route.controller, route.action)
            for route in routes.ROUTES} == set(catalogue.OPERATIONS)


@pytest.mark.parametrize('route', routes.ROUTES,
                         ids=lambda route: f'{route.method} {route.path}')
def test_bodies_are_declared(route):
    declared = catalogue.OPERATIONS[route.controller, route.action]
    assert (declared.body is not None) == (route.body in WITH_BODY)
    assert (declared.response is not None) == (
        route.success in (200, 201) or route.action == 'detect')
    assert bool(declared.policies) == (route.policy is None)


def _recorded_errors():
    return [pytest.param(action, error, id=f'{action} {error["status"]} '
                         f'{error.get("type", error.get("when"))}')
            for action, facts in FACTS['actions'].items()
            for error in facts.get('errors', ())]


#: What the recorded service answered by mistake.
MENDED = {
    ('software_configs.delete', 'InvalidRestrictedAction'):
        (409, 'SoftwareConfigInUse'),
    # Of these types the answer does not show the text, so nobody would
    # know what is wrong.
    ('software_configs.create', 'ValueError|TypeError'):
        (400, 'HTTPBadRequest|StackValidationFailed'),
    **{(f'stacks.{action}',
        'InvalidMergeStrategyForParam|ConflictingMergeStrategyForParam'):
       (400, 'InvalidMergeStrategyForParam|ConflictingMergeStrategyForParam')
       for action in ('create', 'preview', 'update', 'update_patch',
                      'preview_update', 'preview_update_patch')},
}


@pytest.mark.parametrize(('action', 'error'), _recorded_errors())
def test_every_recorded_error_is_declared(action, error):
    declared = catalogue.OPERATIONS[tuple(action.split('.'))]
    known = {(each.status, each.kind) for each in (
        *declared.errors, openapi.common.NO_SUCH_STACK)}
    status, kind = MENDED.get(
        (action, error.get('type')),
        (error['status'], error.get('type', 'HTTPBadRequest')))
    assert (status, kind) in known


def _names(facts):
    """Yield the names of the recorded query parameters of an action."""
    for name, about in facts.get('query', {}).items():
        if name == 'filters':
            listed = about if isinstance(about, list) else [
                *about['keys'], *about['legacy_keys']]
            yield from (each.partition(' ')[0] for each in listed)
        elif name not in ('unknown_keys', 'pagination_link'):
            yield name


@pytest.mark.parametrize('action', sorted(
    action for action, facts in FACTS['actions'].items()
    if isinstance(facts.get('query'), dict)))
def test_every_recorded_parameter_is_declared(action):
    facts = FACTS['actions'][action]
    if isinstance(facts.get('filters'), list):
        facts = {'query': {**facts['query'], 'filters': facts['filters']}}
    declared = catalogue.OPERATIONS[tuple(action.split('.'))]
    names = {each.name for each in declared.query}
    if action == 'stacks.resource_schema':
        # Recorded as accepted and without effect: as any unknown one.
        assert names == set()
    else:
        assert names == set(_names(facts))


@pytest.mark.parametrize('action', sorted(
    action for action, facts in FACTS['actions'].items()
    if isinstance(facts.get('body'), dict)))
def test_every_recorded_key_of_a_body_is_declared(action):
    recorded = FACTS['actions'][action]['body']
    body = catalogue.OPERATIONS[tuple(action.split('.'))].body
    properties = set(body.get('properties', ()))
    if 'exactly one of' in recorded:
        assert properties == {*recorded['exactly one of'],
                              *additions.ACTIONS}
    elif '<any>' in recorded:
        assert properties == set()
    else:
        # One table of keys serves both kinds of update, and creation.
        assert set(recorded) <= properties


@pytest.mark.parametrize('path', [
    '/v1/openapi.json', '/v1.0/openapi.json', '/v1/p/openapi.json'])
def test_description_asks_for_no_token(path):
    def nobody(environ, start_response):
        raise AssertionError('asked for a token')

    served = version_negotiation.VersionNegotiation(nobody, 'orchestration')
    response = webob.Request.blank(
        path, base_url='https://heat.example/orchestration').get_response(
            served)
    assert response.status_int == 200
    assert response.content_type == 'application/json'
    assert response.json['servers'] == [
        {'url': 'https://heat.example/orchestration'}]
    head = webob.Request.blank(path, method='HEAD').get_response(served)
    assert (head.status_int, head.body) == (200, b'')


def test_description_is_read_only(api):
    response = api.request('PUT', '/v1/openapi.json')
    assert response.status_int == 405
    assert response.json['error']['type'] == 'HTTPMethodNotAllowed'


@pytest.mark.parametrize(('path', 'status'), [
    ('/v1/p/stacks/openapi.json', 302), ('/v1/openapi.jsonx', 404)])
def test_what_only_looks_like_the_description(api, engine, path, status):
    engine.answers = engine_answers.ANSWERS
    assert api.get(path).status_int == status


def test_the_other_api_has_no_description():
    served = version_negotiation.VersionNegotiation(
        fault.Fault(webob.exc.HTTPNotFound()), 'cloudformation')
    response = webob.Request.blank('/v1/openapi.json').get_response(served)
    assert response.status_int == 404


@pytest.mark.parametrize(('path', 'body', 'words'), [
    ('stacks', {'template': TEMPLATE}, '"stack_name" is missing'),
    ('stacks', {'stack_name': '', 'template': TEMPLATE},
     '"stack_name" must not be empty'),
    ('stacks', {'stack_name': ['s']}, '"stack_name" must be a string, not '
                                      'a list'),
    ('stacks', {'stack_name': 's', 'files': {'a.yaml': 1}},
     'must be a string, not a number'),
    ('stacks', {'stack_name': 's', 'template': 5},
     '"template" must be an object or a string, not a number'),
    ('stacks', {'stack_name': 's', 'timeout_mins': -1},
     '"timeout_mins" must be an integer that is 0 or more, not "-1"'),
    ('stacks', {'stack_name': 's', 'timeout_mins': '1h'},
     '"timeout_mins" must be an integer that is 0 or more, not "1h"'),
    ('stacks', {'stack_name': 's', 'disable_rollback': 'no'},
     '"disable_rollback" must be true or false, not "no"'),
    ('stacks/s/i/actions', {}, 'Exactly one of suspend, resume, check'),
    ('stacks/s/i/actions', {'suspend': None, 'check': None},
     'Exactly one of suspend'),
    ('stacks/s/i/actions', {'explode': None},
     'Unexpected in the body: explode; possible are suspend'),
    ('software_configs', {'options': []},
     '"options" must be an object, not a list'),
])
def test_body_that_is_not_as_declared(api, engine, path, body, words):
    response = api.post(f'/v1/p/{path}', body)
    assert response.status_int == 400
    assert response.json['error']['type'] == 'HTTPBadRequest'
    assert words in response.json['error']['message']
    assert engine.calls == []


def test_long_wrong_value_is_not_repeated(api):
    response = api.post('/v1/p/stacks', {
        'stack_name': 's', 'disable_rollback': 'x' * 5000})
    assert len(response.json['error']['message']) < 200


@pytest.mark.parametrize('query', [
    'limit=x', 'limit=-1', 'sort_dir=up', 'show_nested=1', 'with_count=',
    'global_tenant=yes'])
def test_query_that_is_not_as_declared(api, engine, query):
    response = api.get(f'/v1/p/stacks?{query}')
    assert response.status_int == 400
    assert query.partition('=')[0] in response.json['error']['message']
    assert engine.calls == []


def test_unknown_keys_are_ignored(api, engine):
    engine.answers = engine_answers.ANSWERS
    assert api.get('/v1/p/stacks?nonsense=1').status_int == 200
    assert api.post('/v1/p/stacks', {
        'stack_name': 's', 'template': TEMPLATE,
        'nonsense': {'a': 1}}).status_int == 201


@pytest.mark.parametrize('parameter', [
    parameter for declared in catalogue.OPERATIONS.values()
    for parameter in declared.query], ids=lambda each: each.name)
def test_last_of_several_values_counts(parameter):
    assert parameter.read(None) == parameter.default
    word = {'boolean': 'true', 'integer': '7'}.get(
        parameter.schema['type'], parameter.schema.get('enum', ['w'])[0])
    once, twice = parameter.read([word]), parameter.read([word, word])
    if parameter.repeat is declaration.Repeat.LAST:
        assert once == twice
    elif parameter.repeat is declaration.Repeat.MIXED:
        assert (once, twice) == (word, [word, word])
    else:
        assert (once, twice) == ([word], [word, word])


def test_placeholders_are_explained():
    for route in routes.ROUTES:
        for name in re.findall(r'{(\w+)', route.path):
            assert name == 'path' or openapi.PLACEHOLDERS[name]
