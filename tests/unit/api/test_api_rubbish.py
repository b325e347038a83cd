"""Whatever is sent, the answer is never a server error."""
import re

import hypothesis
from hypothesis import strategies as st
import pytest

from heat.api import routing
from heat.api.openstack.v1 import routes
from tests.fakes import engine_answers
from tests.fakes import rest

KEYS = st.sampled_from((
    'stack_name', 'template', 'template_url', 'parameters', 'environment',
    'files', 'environment_files', 'files_container', 'timeout_mins',
    'disable_rollback', 'tags', 'converge', 'clear_parameters', 'existing',
    'adopt_stack_data', 'name', 'mark_unhealthy', 'resource_status_reason',
    'suspend', 'config', 'inputs', 'options', 'server_id', 'config_id',
    'status', 'input_values', 'x'))
# Surrogates, too: JSON can name them, and databases do not take them.
TEXTS = st.text(max_size=12) | st.sampled_from((
    '', 'true', '5', 'a: 1', 'heat_template_version: 2018-08-31', '{', '[',
    'a\0', 'a\ud800', 'file:///etc/passwd', '&a [*a]'))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (st.lists(inner, max_size=3)
                   | st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6)
BODIES = st.dictionaries(KEYS, VALUES, max_size=5)
WITH_BODY = [route for route in routes.ROUTES
             if route.body in (routing.Body.REQUIRED,
                               routing.Body.OPTIONAL)]
SETTINGS = hypothesis.settings(
    max_examples=40, deadline=None, derandomize=True, database=None,
    suppress_health_check=[
        hypothesis.HealthCheck.function_scoped_fixture])


def url_of(route, value='x'):
    """Return a URL of a route, the same value for each placeholder."""
    path = re.sub(r'{tenant_id}', rest.PROJECT, route.path)
    path = re.sub(r'{path:(\w+)[^}]*}', r'\1', path)
    path = re.sub(r'{stack_name:[^}]*}', 'arn:x', path)
    return '/v1' + re.sub(r'{\w+}', lambda found: value, path)


@pytest.mark.parametrize('route', WITH_BODY,
                         ids=lambda route: f'{route.method} {route.action}')
@SETTINGS
@hypothesis.given(body=BODIES)
def test_bodies(api, engine, route, body):
    engine.answers = engine_answers.ANSWERS
    response = api.request(route.method, url_of(route), body)
    assert response.status_int < 500, response.text


@pytest.mark.parametrize('route', routes.ROUTES,
                         ids=lambda route: f'{route.method} {route.path}')
@SETTINGS
@hypothesis.given(query=st.dictionaries(st.sampled_from((
    'limit', 'marker', 'nested_depth', 'with_attr', 'tags', 'sort_keys',
    'sort_dir', 'show_nested', 'template_type', 'ignore_errors', 'name',
    'with_count', 'global_tenant')), st.binary(max_size=8), max_size=3))
def test_queries(api, engine, route, query):
    engine.answers = engine_answers.ANSWERS
    quoted = '&'.join(
        name + '=' + ''.join(f'%{byte:02x}' for byte in value)
        for name, value in query.items())
    response = api.request(route.method, f'{url_of(route)}?{quoted}')
    assert response.status_int < 500, response.text


@SETTINGS
@hypothesis.given(part=st.binary(min_size=1, max_size=12))
def test_paths(api, engine, part):
    engine.answers = engine_answers.ANSWERS
    quoted = ''.join(f'%{byte:02x}' for byte in part)
    for path in (f'/{quoted}', f'/v1/p/{quoted}', f'/v1/p/stacks/{quoted}',
                 f'/v1/p/stacks/{quoted}/{quoted}'):
        assert api.get(path).status_int < 500
