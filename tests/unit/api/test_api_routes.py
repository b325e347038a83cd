"""The API against the recorded catalogue of routes."""
import re

import pytest

from heat.api import routing
from heat.api.openstack.v1 import routes
from tests import additions
from tests.fakes import engine_answers
from tests.fakes import rest

FACTS = rest.load_facts('rest_api')
ARN = f'arn:openstack:heat::p:stacks/s/{rest.STACK_ID}'
TEMPLATE = {'heat_template_version': '2018-08-31'}
VALUES = {
    'tenant_id': rest.PROJECT,
    'stack_name': 's',
    'stack_id': rest.STACK_ID,
    'resource_name': 'r',
    'event_id': engine_answers.EVENT_ID,
    'snapshot_id': 'sn',
    'output_key': 'k',
    'config_id': 'c',
    'deployment_id': 'd',
    'server_id': 'sv',
    'type_name': 'OS::Heat::Value',
    'template_version': 'heat_template_version.2018-08-31',
}
BODIES = {
    ('stacks', 'validate_template'): {'template': TEMPLATE},
    ('stacks', 'create'): {'stack_name': 's', 'template': TEMPLATE},
    ('stacks', 'preview'): {'stack_name': 's', 'template': TEMPLATE},
    ('stacks', 'update'): {'template': TEMPLATE},
    ('stacks', 'update_patch'): {'template': TEMPLATE},
    ('stacks', 'preview_update'): {'template': TEMPLATE},
    ('stacks', 'preview_update_patch'): {'template': TEMPLATE},
    ('stacks', 'snapshot'): {'name': 'n'},
    ('resource', 'signal'): {'a': 1},
    ('resource', 'mark_unhealthy'): {'mark_unhealthy': True},
    ('actions', 'action'): {'suspend': None},
    ('software_configs', 'create'): {'name': 'n'},
    ('software_deployments', 'create'): {'server_id': 's',
                                         'config_id': 'c'},
    ('software_deployments', 'update'): {'status': 'COMPLETE'},
}


def paths_of(row):
    """Return the paths to try for a row of the facts."""
    if 'path_pattern' in row:
        return [f'/v1/{rest.PROJECT}/stacks/{ARN}']
    path = row['path']
    return [filled(path, sub) for sub in row.get('path_values', [''])]


def filled(path, sub_path):
    """Return a path with sample values for its placeholders."""
    values = {**VALUES, 'path': sub_path}
    return re.sub(r'{(\w+)}', lambda found: values[found.group(1)], path)


def cases():
    """Return (row, path) for every route of the facts."""
    return [pytest.param(row, path, id=f'{row["method"]} {path}')
            for row in FACTS['routes'] for path in paths_of(row)]


def send(api, row, path):
    """Send the request a row stands for."""
    return api.request(row['method'], path,
                       BODIES.get((row['controller'], row['action'])))


def check_shape(shape, value, where='body'):
    """Compare the keys and kinds of a value with a recorded shape."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), where
        if shape:
            assert sorted(value) == sorted(shape), where
            for key in shape:
                check_shape(shape[key], value[key], f'{where}.{key}')
    elif isinstance(shape, list):
        assert isinstance(value, list), where
        for item in value if shape else ():
            check_shape(shape[0], item, f'{where}[]')
    else:
        kinds = {'string': str, 'number': int, 'bool': bool,
                 'null': type(None)}
        assert isinstance(value, kinds[shape]), where


@pytest.fixture
def asked(api, engine):
    """Return the API as the catalogue was recorded: with an admin."""
    engine.answers = engine_answers.ANSWERS
    api.is_admin = True
    api.roles = ('admin', 'member', 'reader')
    return api


@pytest.mark.parametrize(('row', 'path'), cases())
def test_route_answers_as_recorded(asked, engine, row, path):
    response = send(asked, row, path)
    assert response.status_int == row['success_status'], response.text
    assert engine.methods == row['rpc_calls']
    assert response.content_type == row['response_content_type']
    if row['success_status'] in (200, 201) and row['response'] != 'null':
        check_shape(row['response'], response.json)
    elif row['success_status'] == 200:
        assert response.text == 'null'
    if row['success_status'] in (202, 204):
        assert not response.text.startswith('{')


@pytest.mark.parametrize(('row', 'path'), [
    case for case in cases() if 'response_location' in case.values[0]])
def test_location(asked, row, path):
    expected = row['response_location'].replace('/sid', f'/{rest.STACK_ID}')
    if 'path_values' in row:
        expected = expected.replace('/resources',
                                    f'/{path.rpartition("/")[2]}')
    location = send(asked, row, path).location
    assert location == f'http://localhost{expected}'


@pytest.mark.parametrize(('row', 'path'), cases())
def test_policy_is_enforced_before_the_engine_is_asked(
        api, engine, row, path):
    api.roles = ()
    response = send(api, row, path)
    assert response.status_int == 403
    assert response.json['error']['type'] == 'Forbidden'
    assert engine.calls == []


@pytest.mark.parametrize(('row', 'path'), cases())
def test_other_project_is_forbidden(api, engine, row, path):
    api.project = 'another'
    response = send(api, row, path)
    assert response.status_int == 403
    assert response.json['error']['type'] == 'HTTPForbidden'
    assert engine.calls == []


def test_table_names_the_recorded_rules():
    recorded = {(row['method'], row['controller'], row['action']):
                row['policy'] for row in FACTS['routes']}
    recorded.update(additions.ROUTES)
    for route in routes.ROUTES:
        rule = recorded[route.method, route.controller, route.action]
        if isinstance(rule, list):
            # Which one depends on the body; the action checks it.
            assert route.policy is None
        else:
            assert route.policy == rule


def test_table_has_no_route_beside_the_recorded():
    recorded = {(row['method'], row['controller'], row['action'])
                for row in FACTS['routes']}
    assert {(route.method, route.controller, route.action)
            for route in routes.ROUTES} == (
                recorded | set(additions.ROUTES))


def test_every_row_has_an_action():
    for route in routes.ROUTES:
        assert hasattr(routes.CONTROLLERS[route.controller], route.action)


@pytest.mark.parametrize('path', sorted(FACTS['allowed_methods']))
def test_options_and_other_methods(api, path):
    allowed = set(FACTS['allowed_methods'][path])
    url = filled(path, 'resources')
    if path.endswith('/services'):
        assert api.request('OPTIONS', url).status_int == 404
        assert api.request('PUT', url).status_int == 404
        return
    response = api.request('OPTIONS', url)
    assert response.status_int == 204
    assert set(response.headers['Allow'].split(',')) == allowed
    response = api.request('LINK', url)
    assert response.status_int == 405
    assert set(response.headers['Allow'].split(',')) == allowed
    assert response.json['error']['type'] == 'HTTPMethodNotAllowed'


def test_unknown_path_is_plainly_unknown(api):
    response = api.get('/v1/p/nothing')
    assert response.status_int == 404
    assert response.content_type == 'text/plain'


def test_outputs_by_name_redirects(asked):
    response = asked.get('/v1/p/stacks/s/outputs')
    assert response.status_int == 302
    assert response.location == (
        f'http://localhost{rest.STACK_PATH}/outputs')


def test_fixed_paths_come_before_names():
    router = routing.Router(routes.ROUTES, {}, operations={})
    template, values = router.paths.match('/p/stacks/detail')
    assert list(router.methods[template]) == ['GET']
    assert template.endswith('/detail')
    assert values == {'tenant_id': 'p'}


@pytest.mark.parametrize('path', ['/p/stacks/', '/p/stacks\n', '//stacks',
                                  '/p/stacks/s/x/resources/\n'])
def test_no_template_fits(path):
    router = routing.Router(routes.ROUTES, {}, operations={})
    assert router.paths.match(path) == (None, None)


@pytest.mark.parametrize('path', ['/v1/p/stacks/%ff', '/v1/p/stacks/a%00b'])
def test_path_that_no_name_can_have(api, path):
    response = api.get(path)
    assert response.status_int == 400
    assert response.json['error']['type'] == 'HTTPBadRequest'


def test_request_id_is_answered(api):
    response = api.get('/v1/p/nothing')
    assert response.headers['X-Openstack-Request-Id'].startswith('req-')


def test_admin_of_one_project_asks_in_its_own(asked, engine):
    response = asked.get(f'/v1/other/stacks/s/{rest.STACK_ID}')
    assert response.status_int == 200
    assert engine.arguments['stack_identity']['tenant'] == rest.PROJECT
