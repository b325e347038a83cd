"""Paste configurations written for earlier releases load unchanged."""
import pathlib
import pkgutil

from oslo_config import cfg
from paste import deploy
from paste.deploy import loadwsgi
import pytest
import webob

from heat.api import composite
from heat.common import policy
from heat.common import wsgi
from heat.rpc import client as rpc_client
from tests.fakes import engine_answers

DATA = pathlib.Path(__file__).parents[2] / 'fakes' / 'data'
FLAVORS = ('standalone', 'custombackend', 'noauth')


@pytest.fixture(params=['earlier-paste.ini', 'composite-paste.ini'])
def path(request):
    """Return the path of a paste configuration."""
    return DATA / request.param


@pytest.fixture
def load(monkeypatch, engine, path):
    """Return a function that loads an application over the fake engine."""
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    policy.reset()
    engine.answers = dict(engine_answers.ANSWERS)
    monkeypatch.setattr(rpc_client, 'EngineClient',
                        lambda is_for_users=False: engine)

    def load(name, path=path):
        flavor = next((each for each in FLAVORS if name.endswith(each)),
                      None)
        cfg.CONF.set_override('flavor', flavor, 'paste_deploy')
        return deploy.loadapp(f'config:{path}', name=name)

    yield load
    cfg.CONF.clear_override('flavor', 'paste_deploy')


def ask(application, path, **kwargs):
    return webob.Request.blank(path, **kwargs).get_response(application)


@pytest.mark.parametrize('name', [
    'heat-api', 'heat-api-standalone', 'heat-api-noauth', 'heat-api-cfn',
    'heat-api-cfn-standalone'])
def test_pipeline_lists_versions(load, name):
    assert ask(load(name), '/').status_int == 300


def test_custom_backend_asks_the_engine(load, engine):
    # What the backend knows is of no use without a user.
    engine.answers['authenticated_to_backend'] = True
    response = ask(load('heat-api-custombackend'), '/v1/p/stacks',
                   headers={'X-Project-Id': 'p', 'X-Roles': 'admin'})
    assert response.status_int == 401
    assert engine.methods == ['authenticated_to_backend']


@pytest.mark.parametrize(('name', 'path'), [
    ('whole', DATA / 'earlier-paste.ini'),
    ('heat-api-noauth', DATA / 'composite-paste.ini')])
def test_requests_are_served(load, engine, name, path):
    application = load(name, path)
    assert ask(application, '/v1/p/stacks').json['stacks']
    engine.answers['list_stacks'] = KeyError('x')
    response = ask(application, '/v1/p/stacks')
    assert response.json['error']['type'] == 'KeyError'
    assert ask(application, '/healthcheck').status_int == 200
    assert ask(application, '/healthchecks').status_int == 404


def test_every_name_of_a_factory_is_known(path):
    parser = loadwsgi.ConfigLoader(str(path)).parser
    names = {value for section in parser.sections()
             for key, value in parser.items(section)
             if key.endswith('_factory')}
    assert len(names) > 15
    for name in names:
        assert callable(pkgutil.resolve_name(name))


def test_flavor_that_a_composite_lacks(load):
    with pytest.raises(LookupError, match='no pipeline default.*standalone'):
        composite.pipeline_factory(None, {}, standalone='a b')


@pytest.mark.parametrize('name', ['heat-api-cfn', 'heat-api-cfn-standalone'])
def test_unsigned_requests_are_refused(load, name):
    response = ask(load(name), '/v1/?Action=ListStacks&ContentType=JSON')
    assert response.status_int == 403
    assert response.json['ErrorResponse']['Error']['Code'] == (
        'MissingAuthenticationToken')


def test_nobody_passes_the_signature_filter_by_saying_who_he_is(load):
    response = ask(load('heat-api-cfn-standalone'), '/v1/?Action=ListStacks',
                   headers={'X-Auth-User': 'u', 'X-Roles': 'admin',
                            'X-Project-Id': 'p'})
    assert response.status_int == 403
    assert b'<Code>AccessDenied</Code>' in response.body


@pytest.mark.parametrize('name', ['', 'heat.api.nowhere:API',
                                  'heat.api.openstack.v1:Nothing'])
def test_name_that_leads_nowhere_is_named(name):
    with pytest.raises(LookupError, match=f'heat.app_factory = {name}'):
        wsgi.app_factory({}, **{'heat.app_factory': name})
