"""The running service against the recorded interface, row by row.

Each route answers what was recorded, and refuses in each way that was
recorded; every answer on the way is held against the description, too.
"""
from urllib import parse

from keystonemiddleware import auth_token
from oslo_config import cfg
import pytest

from heat.rpc import client as rpc_client
from tests.functional import described
from tests.functional import rest
from tests.functional.conformance import definitions
from tests.functional.conformance import parts
from tests.functional.conformance import stacks
from tests.functional.conformance import world as worlds
from tests.functional.templates import hot
from tests.functional.templates import thing

ROWS = worlds.rows()
ROUTES = {(route['method'], route['path'], route.get('path_pattern'))
          for route in worlds.FACTS['routes']}
ALLOWED = worlds.FACTS['allowed_methods']
CASES = (definitions, parts, stacks)
ON_STACK = [row for row in ROWS if '{stack_name}' in row.path
            and not row.arn]
WITH_BODY = frozenset(worlds.BODIES) - {'stacks.snapshot',
                                        'resource.signal'}
OPTIONAL_BODY = frozenset(('stacks.snapshot', 'resource.signal'))


@pytest.fixture
def parts_of_world(service, conf, gate, rules, monkeypatch, caplog):
    return {'service': service, 'conf': conf, 'gate': gate, 'rules': rules,
            'monkeypatch': monkeypatch, 'caplog': caplog}


@pytest.fixture
def world(api, service, parts_of_world):
    """Return a world in a project of its own."""
    return worlds.World(api=described.Client(
        service.application, api.project), **parts_of_world)


@pytest.fixture(scope='module')
def known():
    """Return the things of a world in which nothing ever happens."""
    return {}


@pytest.fixture
def still(service, known, parts_of_world):
    """Return a world that the test does not change."""
    return worlds.World(api=described.Client(service.application, 'still'),
                        known=known, **parts_of_world)


def rows(found=ROWS):
    return pytest.mark.parametrize('row', found, ids=str)


def test_all_61_routes_are_tried():
    assert len(ROUTES) == worlds.FACTS['meta']['routes'] == 61
    assert {(row.method, row.path, 'stack_name = arn:...' if row.arn
             else None) for row in ROWS} == ROUTES


def test_every_recorded_error_has_a_case():
    missing = {(action, kind) for action, index, _status, kind
               in worlds.all_errors() if (action, index) not in worlds.ERRORS}
    assert not missing
    assert len(worlds.ERRORS) == len(worlds.all_errors())


def test_description_is_served(service):
    client = rest.Client(service.application, 'nobody')
    for path in ('/v1/openapi.json', '/v1/nobody/openapi.json'):
        answer = client.request('GET', path, expect=200)
        assert answer.json == described.description()


# -- Success

@rows()
def test_success(world, row):
    world.conf('enable_stack_abandon', True)
    answer = world.ask(row, expect=row.status)
    if row.status == 302:
        values = world.values
        location = (f'http://localhost/v1/{world.api.project}/stacks/'
                    f'{values["stack_name"]}/{values["stack_id"]}')
        assert answer.headers['Location'] == (
            f'{location}/{row.sub_path}' if row.sub_path else location)
    elif row.status in (200, 201):
        assert answer.headers['Content-Type'].startswith('application/json')
    else:
        assert answer.json is None
    if row.action == 'stacks.create':
        assert answer.headers['Location'].endswith(
            answer.json['stack']['id'])
    _settle(world)


def _settle(world):
    values = world.values
    stack = rest.Stack(world.api, values['stack_name'], values['stack_id'])

    def over():
        answer = stack.request('GET')
        return answer.status == 404 or not answer.json['stack'][
            'stack_status'].endswith('IN_PROGRESS')
    rest.wait_for(over, 'the end')


def test_query_is_kept_by_redirects(world):
    row = next(row for row in ROWS if row.sub_path == 'resources')
    answer = world.ask(row, expect=302, nested_depth='2')
    assert answer.headers['Location'].endswith('/resources?nested_depth=2')


def test_null_is_as_good_as_nothing(world):
    values = world.values
    body = dict.fromkeys((
        'template', 'template_url', 'parameters', 'environment', 'files',
        'environment_files', 'files_container', 'timeout_mins', 'tags',
        'disable_rollback', 'converge', 'clear_parameters'))
    stack = rest.Stack(world.api, values['stack_name'], values['stack_id'])
    stack.request('PATCH', '', body, expect=202)
    stack.wait('UPDATE_COMPLETE')
    world.api.request('POST', 'software_configs', dict.fromkeys((
        'name', 'group', 'config', 'inputs', 'outputs', 'options')),
        expect=200)


def test_names_of_any_language(world):
    stack = world.stack(hot(
        {'Größe': thing(value='漢字')},
        outputs={'\U0001f600': {'value': {
            'get_attr': ['Größe', 'value']}}}))
    for path in ('resources/Größe', 'outputs/\U0001f600',
                 'resources/Größe/metadata', 'resources/Größe/events'):
        stack.request('GET', parse.quote(path), expect=200)
    assert stack.outputs() == {'\U0001f600': '漢字'}


# -- The errors that are one action's own

def _errors():
    return [pytest.param(action, index, status, kind,
                         id=f'{action} {status} {kind} {index}')
            for action, index, status, kind in worlds.all_errors()]


@pytest.mark.parametrize(('action', 'index', 'status', 'kind'), _errors())
def test_error(world, action, index, status, kind):
    answers = list(worlds.ERRORS[action, index](world))
    assert answers
    for answer in answers:
        assert (answer.status, answer.error) == (status, answer.error)
        assert answer.error in kind.split('|'), answer.message
        assert answer.json['code'] == status
        assert answer.message


# -- The errors that all have

@rows()
def test_malformed_request(still, row):
    if row.status == 302:
        # The body of what is redirected is for the target to judge.
        path = still.path(row).replace(still.values['stack_name'], 'a%00b')
        answer = still.api.request(row.method, path)
    elif row.action in WITH_BODY:
        answer = still.api.request(row.method, still.path(row))
    elif row.action in OPTIONAL_BODY:
        answer = still.api.request(row.method, still.path(row), raw=b'{')
    else:
        answer = still.api.request(row.method, still.path(row), {'a': 1})
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    assert answer.message


@rows()
def test_no_token(still, row):
    own = cfg.ConfigOpts()
    own([], project='heat', default_config_files=[], default_config_dirs=[])
    application = auth_token.AuthProtocol(still.service.application, {
        'oslo_config_config': own,
        'www_authenticate_uri': 'http://keystone.invalid',
        'auth_type': 'password', 'auth_url': 'http://keystone.invalid',
        'username': 'heat', 'password': 'x', 'project_name': 'service',
        'user_domain_id': 'default', 'project_domain_id': 'default'})
    client = described.Client(application, still.api.project)
    answer = still.ask(row, client, expect=401)
    assert 'keystone.invalid' in answer.headers['WWW-Authenticate']


@rows()
def test_policy(still, row):
    path = still.path(row)
    recorded = next(
        route['policy'] for route in worlds.FACTS['routes']
        if (route['method'], route['path']) == (row.method, row.path))
    names = [recorded] if isinstance(recorded, str) else recorded
    still.rules(**dict.fromkeys(names, '!'))
    body = still.body(row)
    answer = still.api.request(row.method, path, body)
    assert (answer.status, answer.error) == (403, 'Forbidden')
    still.rules()


@rows()
def test_foreign_project(still, row):
    client = still.as_user('member', 'reader', 'admin', project='other')
    answer = still.ask(row, client)
    assert (answer.status, answer.error) == (403, 'HTTPForbidden')


@rows(ON_STACK)
def test_unknown_stack(still, row):
    still.conf('enable_stack_abandon', True)
    path = still.path(row, stack_name='unknown', stack_id=worlds.UNKNOWN)
    answer = still.api.request(row.method, path, still.body(row))
    assert (answer.status, answer.error) == (404, 'EntityNotFound')


@pytest.mark.parametrize('path', sorted(ALLOWED))
def test_other_methods(still, path):
    row = next(row for row in ROWS if row.path == path)
    url = still.path(row)
    for method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'LINK'):
        if method in ALLOWED[path]:
            continue
        answer = still.api.request(method, url)
        if path.endswith('/services'):
            assert (answer.status, answer.json) == (404, None)
            continue
        assert (answer.status, answer.error) == (405, 'HTTPMethodNotAllowed')
        assert set(answer.headers['Allow'].split(',')) == set(ALLOWED[path])
    answer = still.api.request('OPTIONS', url)
    # The filter for CORS makes a 200 of a 404 to that method.
    assert answer.status == (200 if path.endswith('/services') else 204)


@pytest.mark.parametrize('row', [row for row in ROWS if not row.arn],
                         ids=str)
def test_failure_of_the_service(still, row):
    """Nothing of what went wrong is told."""
    def call(*_args, **_kwargs):
        raise KeyError('mysql://heat:secret@db')

    body = still.body(row)
    path = still.path(row)
    with still.monkeypatch.context() as patch:
        patch.setattr(rpc_client.EngineClient, 'call', call)
        answer = still.api.request(row.method, path, body)
    assert (answer.status, answer.error) == (500, 'KeyError')
    assert 'secret' not in answer.text
    assert answer.json['error']['traceback'] is None
    assert not cfg.CONF.debug
