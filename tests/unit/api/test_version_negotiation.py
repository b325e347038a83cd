import pytest
import webob

from heat.api.cfn.v1 import routes as cfn_routes
from heat.api.middleware import version_negotiation
from tests.fakes import engine_answers
from tests.fakes import rest

FACTS = rest.load_facts('rest_api')['version_negotiation']
PROBES = [probe for probe in FACTS['probes']
          if probe['path'] != '/healthcheck']


@pytest.mark.parametrize('probe', PROBES,
                         ids=lambda p: f'{p["path"]} {p["accept"]}')
def test_probe(api, engine, probe):
    engine.answers = engine_answers.ANSWERS
    headers = {'Accept': probe['accept']} if probe['accept'] else {}
    response = api.get(probe['path'], headers=headers)
    assert response.status_int == probe['status']
    if probe['status'] != 404:
        assert response.content_type == probe['content_type']


@pytest.mark.parametrize(('base', 'script_name'), [
    ('http://localhost', ''),
    ('http://localhost/orchestration', '/orchestration'),
])
def test_version_document(api, base, script_name):
    api.environ = {'SCRIPT_NAME': script_name}
    assert api.get('/').json == {'versions': [{
        'id': 'v1.0', 'status': 'CURRENT',
        'links': [{'rel': 'self', 'href': f'{base}/v1/'}]}]}


def test_links_keep_the_prefix_of_the_request(api, engine):
    engine.answers = engine_answers.ANSWERS
    api.environ = {'SCRIPT_NAME': '/orchestration'}
    link = api.get('/v1/p/stacks').json['stacks'][0]['links'][0]
    assert link['href'] == (
        f'http://localhost/orchestration{rest.STACK_PATH}')


@pytest.mark.parametrize(('text', 'version'), [
    ('v1', (1, 0)), ('v1.0', (1, 0)), ('v1.1', (1, 1)), ('v2', (2, 0)),
    ('p', None), ('', None),
])
def test_parse_version(text, version):
    assert version_negotiation.parse_version(text) == version


def cfn_app():
    return version_negotiation.filter_factory(
        {}, service='cloudformation')(cfn_routes.Dispatcher(None, None))


def test_cfn_lists_versions():
    response = webob.Request.blank('/').get_response(cfn_app())
    assert response.status_int == 300
    assert response.json['versions'][0]['id'] == 'v1.0'


@pytest.mark.parametrize(('query', 'code'), [
    ('', 'MissingAction'), ('?Action=Nothing', 'InvalidAction'),
    ('?Action=%ff', 'InvalidParameterValue'),
])
def test_cfn_refuses_what_is_no_action(query, code):
    response = webob.Request.blank(f'/v1/{query}').get_response(cfn_app())
    assert response.status_int == 400
    assert response.content_type == 'application/xml'
    assert f'<Code>{code}</Code>' in response.text


def test_cfn_has_one_path():
    response = webob.Request.blank('/v1/%ff').get_response(cfn_app())
    assert response.status_int == 404


def test_cfn_error_as_json():
    request = webob.Request.blank('/v1/?Action=No&ContentType=JSON')
    error = request.get_response(cfn_app()).json['ErrorResponse']['Error']
    assert error['Code'] == 'InvalidAction'
    assert error['Type'] == 'Sender'
