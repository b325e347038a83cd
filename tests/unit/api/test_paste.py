"""The shipped pipelines, with the filters they name."""
import pathlib

from oslo_config import cfg
from paste import deploy
import pytest
import webob

from heat.common import policy
from heat.rpc import client as rpc_client
from tests.fakes import engine_answers

PATH = pathlib.Path(__file__).resolve().parents[3] / 'etc/heat/api-paste.ini'
API = ('heat-api', 'heat-api-standalone', 'heat-api-custombackend',
       'heat-api-noauth')
CFN = ('heat-api-cfn', 'heat-api-cfn-standalone')


class Health:
    """An engine that is well, until it is told otherwise."""

    wrong = None

    def trouble(self):
        return self.wrong


@pytest.fixture
def health():
    return Health()


@pytest.fixture
def load(monkeypatch, engine, health):
    """Return a function that loads a pipeline over the fake engine."""
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    policy.reset()
    engine.answers = dict(engine_answers.ANSWERS)
    monkeypatch.setattr(rpc_client, 'EngineClient',
                        lambda is_for_users=False: engine)
    monkeypatch.setattr(rpc_client, 'HealthClient', lambda: health)
    return lambda name: deploy.loadapp(f'config:{PATH}', name=name)


def ask(application, path, **kwargs):
    return webob.Request.blank(path, **kwargs).get_response(application)


@pytest.mark.parametrize('name', API + CFN)
def test_pipeline_lists_versions_and_is_healthy(load, name):
    application = load(name)
    response = ask(application, '/healthcheck')
    assert response.status_int == 200
    assert response.content_type == 'text/plain'
    if name != 'heat-api-custombackend':
        assert ask(application, '/').status_int == 300


@pytest.mark.parametrize('name', API + CFN)
def test_pipeline_is_as_well_as_the_engine(load, health, name):
    application = load(name)
    health.wrong = 'the database cannot be reached'
    response = ask(application, '/healthcheck')
    assert response.status_int == 503
    assert 'database' not in response.text


@pytest.mark.parametrize('name', API + CFN)
def test_every_response_has_a_request_id(load, name):
    response = ask(load(name), '/')
    assert response.headers['X-Openstack-Request-Id'].startswith('req-')


def test_noauth_takes_the_project_from_the_path(load, engine):
    response = ask(load('heat-api-noauth'), '/v1/demo/stacks')
    assert response.status_int == 200
    _method, context, _arguments = engine.calls[0]
    assert context.project_id == 'demo'
    assert context.is_admin
    request_id = response.headers['X-Openstack-Request-Id']
    assert context.request_id == request_id


def test_standalone_wants_credentials(load, engine):
    response = ask(load('heat-api-standalone'), '/v1/demo/stacks')
    assert response.status_int == 401
    assert engine.calls == []


def test_custom_backend_asks_the_engine(load, engine):
    engine.answers['authenticated_to_backend'] = False
    response = ask(load('heat-api-custombackend'), '/v1/demo/stacks')
    assert response.status_int == 401
    assert engine.methods == ['authenticated_to_backend']


def test_errors_are_in_the_form_of_the_api(load, engine):
    engine.answers['list_stacks'] = KeyError('x')
    response = ask(load('heat-api-noauth'), '/v1/demo/stacks')
    assert response.status_int == 500
    assert response.json['error']['type'] == 'KeyError'


def test_links_follow_the_proxy(load):
    application = load('heat-api-noauth')
    cfg.CONF.set_override('enable_proxy_headers_parsing', True,
                          'oslo_middleware')
    try:
        response = ask(application, '/v1/demo/stacks', headers={
            'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'cloud',
            'X-Forwarded-Prefix': '/orchestration'})
    finally:
        cfg.CONF.clear_override('enable_proxy_headers_parsing',
                                'oslo_middleware')
    link = response.json['stacks'][0]['links'][0]['href']
    assert link.startswith('https://cloud/orchestration/v1/p/stacks/s/')


def test_pipelines_have_the_recorded_filters():
    facts = engine_answers.rest.load_facts('rest_api')['http']
    loader = deploy.loadwsgi.ConfigLoader(str(PATH))
    for flavor, filters in facts['paste_pipelines'].items():
        name = 'heat-api' if flavor == 'default' else f'heat-api-{flavor}'
        text = loader.parser.get(f'pipeline:{name}', 'pipeline')
        ours = [name for name in text.split() if name != 'metrics']
        assert ours == ['healthcheck', *filters]
