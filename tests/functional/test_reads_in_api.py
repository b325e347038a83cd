"""Requests that an API answers itself if api_reads_database is on."""
import contextlib
import inspect

import pytest

from heat.common import context as heat_context
from heat.common import exception
from heat.common import messaging
from heat.engine import reader
from heat.rpc import local_reads
from tests.functional import rest
from tests.functional import service as service_module
from tests.functional import templates
from tests.functional.takeover import cloud
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import param

TEMPLATE = hot(
    {'a': templates.thing(value=param('secret')),
     'b': templates.thing(value=param('plain'), depends_on='a'),
     'n': {'type': 'nested.yaml'},
     'c': {'type': 'OS::Heat::SoftwareConfig', 'properties': {
         'config': 'echo', 'group': 'script'}},
     'd': {'type': 'OS::Heat::SoftwareDeployment', 'properties': {
         'config': {'get_resource': 'c'}, 'server': 'some-server',
         'signal_transport': 'NO_SIGNAL'}}},
    parameters={'secret': {'type': 'string', 'hidden': True},
                'plain': {'type': 'string', 'default': 'x'}},
    outputs={'o': {'value': attr('b', 'details')}})
FILES = {'nested.yaml': 'heat_template_version: 2018-08-31\n'
                        'resources: {k: {type: Test::Thing}}\n'}

OF_STACK = ['', 'template', 'environment', 'files', 'outputs', 'outputs/o',
            'resources', 'resources?nested_depth=2&with_detail=true',
            'events', 'events?nested_depth=1', 'resources/a/events',
            'snapshots', 'outputs/none', 'resources?limit=x']
OF_PROJECT = ['stacks', 'stacks?with_count=true&limit=1',
              'stacks?show_nested=true', 'stacks?marker=none', 'stacks/s',
              'stacks/none', 'software_configs', 'software_deployments',
              'software_deployments/metadata/some-server']


@pytest.fixture(scope='module')
def in_api(service):
    """Return a context manager in which the API reads the database."""
    one = reader.Reader()
    # Engines are asked unless a test wants it otherwise.
    local_reads.READS.install(None)

    @contextlib.contextmanager
    def reading():
        local_reads.READS.install(one)
        try:
            yield
        finally:
            local_reads.READS.install(None)
    return reading


def seen(client, path):
    """Return what a client gets, and how many messages that takes."""
    before = messaging.counters()['messages']
    answer = client.request('GET', path)
    location = answer.headers.get('Location')
    return ((answer.status, answer.json, answer.text, location),
            messaging.counters()['messages'] - before)


@pytest.fixture(scope='module')
def made(service):
    """Return a stack that stays, its nested stacks and its snapshot."""
    client = rest.Client(service.application, 'reads')
    stack = client.created('s', TEMPLATE, files=FILES,
                           parameters={'secret': 'top-secret'})
    stack.request('POST', 'snapshots', {'name': 'snap'}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')
    return stack


@pytest.mark.parametrize('path', OF_STACK)
def test_the_answer_is_that_of_an_engine(made, in_api, path):
    path = f'{made.path}/{path}' if path else made.path
    asked, messages = seen(made.client, path)
    with in_api():
        read, none = seen(made.client, path)
    assert read == asked
    # What the API refuses itself costs none in either case.
    assert none == 0
    assert messages > 0 or asked[0] == 400
    assert 'top-secret' not in read[2]


@pytest.mark.parametrize('path', OF_PROJECT)
def test_so_is_that_for_a_project(made, in_api, path):
    asked, messages = seen(made.client, path)
    with in_api():
        read, none = seen(made.client, path)
    assert read == asked
    assert (messages > 0, none) == (True, 0)


def test_another_project_sees_nothing(made):
    identity = {'tenant': made.client.project, 'stack_name': made.name,
                'stack_id': made.id, 'path': ''}
    config = made.client.get('software_configs')['software_configs'][0]['id']
    snapshot = made.get('snapshots')['snapshots'][0]['id']
    physical = made.physical('a')
    stranger = heat_context.RequestContext(
        project_id='strange', user_id='u', roles=['member'], is_admin=False)
    one, found = reader.Reader(), {}
    for method in reader.METHODS:
        parameters = inspect.signature(getattr(
            service_module.engine_service.EngineService, method)).parameters
        known = {'stack_identity': identity, 'stack_name': made.id,
                 'output_key': 'o', 'snapshot_id': snapshot,
                 'config_id': config, 'server_id': 'some-server',
                 'physical_resource_id': physical, 'export_name': 'e'}
        arguments = {name: value for name, value in known.items()
                     if name in parameters}
        try:
            found[method] = one.answer(stranger, method, arguments)
        except exception.HeatException as error:
            found[method] = type(error)
    lists = {name: value for name, value in found.items()
             if not isinstance(value, type)}
    assert lists == {'list_stacks': [], 'count_stacks': 0, 'list_exports': [],
                     'list_software_configs': [],
                     'list_software_deployments': [],
                     'metadata_software_deployments': []}
    assert {found[name] for name in set(found) - set(lists)} <= {
        exception.EntityNotFound, exception.NotFound, exception.Invalid,
        exception.InvalidTenant}


def test_what_changes_is_seen_at_once(api, driver, in_api):
    with in_api():
        stack = api.create('s', hot({
            'a': templates.thing(value='1', gate='g')},
            outputs={'o': {'value': attr('a', 'value')}}))
        assert stack.state == 'CREATE_IN_PROGRESS'
        rest.wait_for(
            lambda: stack.states().get('a') == 'CREATE_IN_PROGRESS',
            'its beginning')
        service_module.thing().opened.add('g')
        stack.wait('CREATE_COMPLETE')
        assert stack.outputs() == {'o': '1'}
        stack.updated(hot({'a': templates.thing(value='2')}, outputs={
            'o': {'value': attr('a', 'value')}}))
        assert stack.outputs() == {'o': '2'}
        stack.deleted()
        assert api.stacks() == []


def test_an_engine_asks_the_cloud(api, driver, in_api, monkeypatch):
    services = cloud.Cloud()
    services.use(monkeypatch)
    stack = api.create('s', hot({
        'a': {'type': 'OS::Nova::Server', 'properties': {
            'flavor': 'small', 'image': 'cirros',
            'networks': [{'network': 'other'}]}},
        'b': templates.thing(fail=['CREATE'], depends_on='a')}, outputs={
            'o': {'value': attr('a', 'show')}}))
    stack.wait('CREATE_FAILED')
    asked, messages = seen(api, stack.path)
    with in_api():
        read, passed_on = seen(api, stack.path)
    assert read == asked
    assert passed_on == messages == 1
    # The services are there as long as the test.
    stack.deleted()
