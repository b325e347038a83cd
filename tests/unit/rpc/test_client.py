"""The engine's client sends what the protocol says."""
import inspect
import json
import pathlib

from oslo_config import cfg
import oslo_messaging
import pytest

from heat.common import config
from heat.common import context
from heat.common import exception
from heat.common import messaging
from heat.rpc import api as rpc_api
from heat.rpc import client
from tests import additions

FACTS = json.loads((pathlib.Path(__file__).parents[2] / 'facts' /
                    'rpc_api.json').read_text())
METHODS = FACTS['engine']['methods']
CALLS = [pytest.param(name, each, id=each['client_method'])
         for name, facts in METHODS.items() for each in facts['client']]
PLUGIN_API = json.loads((pathlib.Path(__file__).parents[2] / 'facts' /
                         'plugin_api.json').read_text())
SIGNATURES = PLUGIN_API['heat.rpc.client']['EngineClient']['members']


class Recorder:
    """Keeps what an RPC client was asked to send."""

    def __init__(self, options=None, sent=None):
        self.options = options or {}
        self.sent = [] if sent is None else sent

    def prepare(self, **options):
        return Recorder({**self.options, **options}, self.sent)

    def call(self, ctxt, method, **kwargs):
        self.sent.append(('call', ctxt, method, kwargs, self.options))
        return 'answer'

    def cast(self, ctxt, method, **kwargs):
        self.sent.append(('cast', ctxt, method, kwargs, self.options))


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()

    def get_rpc_client(**target):
        recorder.options = target
        return recorder

    monkeypatch.setattr(messaging, 'get_rpc_client', get_rpc_client)
    return recorder


@pytest.fixture
def engine(recorder):
    return client.EngineClient()


def required_arguments(method):
    parameters = list(inspect.signature(method).parameters.values())[1:]
    return {each.name: 'value of ' + each.name for each in parameters
            if each.default is inspect.Parameter.empty}


@pytest.mark.parametrize(('name', 'facts'), CALLS)
def test_call_is_that_of_the_facts(engine, recorder, name, facts):
    method = getattr(engine, facts['client_method'])
    arguments = required_arguments(method)
    answer = method('ctxt', **arguments)
    [(kind, ctxt, sent_method, sent, options)] = recorder.sent
    assert (kind, ctxt, sent_method) == ('call', 'ctxt', name)
    assert answer == 'answer'
    assert sorted(sent) == facts['sent_args']
    assert options['topic'] == FACTS['engine']['topic']
    assert options['version'] == facts['requires_version']
    assert ('timeout' in options) == facts.get('uses_timeout_argument',
                                               False)
    for argument, value in arguments.items():
        assert sent[argument] == value


@pytest.mark.parametrize(('name', 'facts'), CALLS)
def test_defaults_fit_the_engine(engine, recorder, name, facts):
    method = getattr(engine, facts['client_method'])
    method('ctxt', **required_arguments(method))
    sent = recorder.sent[0][3]
    defaults = {each['name']: each.get('default')
                for each in METHODS[name]['args']
                if not each.get('required')}
    given = {key: value for key, value in sent.items() if key in defaults
             and value != 'value of ' + key}
    # What the client says on its own means what the engine would assume.
    assert {key: value or None for key, value in given.items()} == {
        key: defaults[key] or None for key in given}


@pytest.mark.parametrize('name', sorted(SIGNATURES))
def test_plugins_find_the_signatures_they_know(name):
    if name == 'ignore_error_by_name':
        return
    stated = SIGNATURES[name]['signature'].strip('()').split(', ')[1:]
    method = getattr(client.EngineClient, name)
    parameters = list(inspect.signature(method).parameters.values())[2:]
    # Plugins rely on names and defaults, not on annotations.
    assert [str(each.replace(annotation=each.empty)).replace(' ', '')
            for each in parameters] == [
        each.replace(' ', '') for each in stated]


def test_every_engine_method_can_be_called():
    for facts in METHODS.values():
        for each in facts['client']:
            assert callable(getattr(client.EngineClient,
                                    each['client_method']))


def test_deletion_may_be_cast(engine, recorder):
    assert engine.delete_stack('ctxt', {'stack_id': 'i'}, cast=True) is None
    assert recorder.sent[0][0] == 'cast'


def test_timeout_of_a_deployment_check(engine, recorder):
    engine.check_software_deployment('ctxt', 'd', 7)
    assert recorder.sent[0][4]['timeout'] == 7


def test_errors_are_ignored_by_name(engine):
    with engine.ignore_error_by_name('NotFound'):
        raise exception.NotFound()
    with pytest.raises(exception.StackExists):
        with engine.ignore_error_by_name('NotFound'):
            raise exception.StackExists(stack_name='s')
    remote = type('NotFound_Remote', (exception.NotFound,), {})()
    with engine.ignore_error_by_name('NotFound'):
        raise remote
    assert engine.local_error_name(remote) == 'NotFound'
    engine.ignore_error_named(remote, 'NotFound')
    with pytest.raises(exception.NotFound):
        engine.ignore_error_named(remote, 'Other')


@pytest.mark.parametrize('name', sorted(FACTS['key_sets']))
def test_names_are_those_of_the_facts(name):
    assert list(getattr(rpc_api, name)) == FACTS['key_sets'][name]


def test_constants_of_plugins():
    for name, facts in PLUGIN_API['heat.rpc.api'].items():
        assert getattr(rpc_api, name) == facts['value']


@pytest.mark.parametrize(('method', 'arguments'), [
    ('list_exports', {'marker': 'm'}), ('list_imports', {'export_name': 'e'})])
def test_exports_need_an_engine_that_knows_them(engine, recorder, method,
                                                arguments):
    assert getattr(engine, method)('context', **arguments) == 'answer'
    [(_kind, _context, sent, given, options)] = recorder.sent
    assert (sent, given) == (method, arguments)
    assert options['version'] == '1.37'


METRIC = {'namespace': 'n', 'name': 'm', 'dimensions': {}}


@pytest.mark.parametrize(('method', 'arguments'), [
    ('put_metric_data', {'namespace': 'n', 'data': []}),
    ('list_metrics', {'namespace': 'n', 'name': None, 'recent': True}),
    ('get_metric_statistics', {'metric': METRIC, 'start': 0, 'end': 60,
                               'period': 60, 'unit': None}),
    ('describe_alarms', {'limit': 1, 'marker': None, 'names': ['a'],
                         'prefix': None, 'state': 'ALARM',
                         'metric': METRIC}),
    ('describe_alarm_history', {'limit': 1, 'filters': {}, 'marker': 2}),
    ('set_alarm_state', {'name': 'a', 'state': 'ALARM', 'reason': 'r'})])
def test_metrics_need_an_engine_that_knows_them(engine, recorder, method,
                                                arguments):
    assert getattr(engine, method)('context', **arguments) == 'answer'
    [(_kind, _context, sent, given, options)] = recorder.sent
    assert (sent, given) == (method, arguments)
    assert options['version'] == '1.38'


@pytest.mark.parametrize(('method', 'arguments'), [
    ('show_stack_protection', {}), ('update_stack_protection', {
        'termination': True}), ('delete_stack_but', {'retain': ['a']})])
def test_protection_needs_an_engine_that_knows_it(engine, recorder, method,
                                                  arguments):
    engine_method = {'delete_stack_but': 'delete_stack'}.get(method, method)
    assert getattr(engine, method)('context', 'id', **arguments) == 'answer'
    [(_kind, _context, sent, given, options)] = recorder.sent
    assert (sent, given) == (engine_method,
                             {'stack_identity': 'id', **arguments})
    assert options['version'] == '1.39'


@pytest.mark.parametrize(('given', 'version'), [
    ({}, '1.37'), ({'moves': []}, '1.37'), ({'revert_drift': True}, '1.40'),
    ({'moves': [{'from': 'a', 'to': 'b'}]}, '1.41'),
    ({'imports': [{'resource': 'a', 'id': 'b'}], 'revert_drift': True},
     '1.41'),
    ({'moves': [{'from': 'a', 'to': 'b'}, {'from': {
        'stack': 's', 'resource': 'c'}, 'to': 'd'}]}, '1.46'),
    # What is wrong with it, the engine says.
    ({'moves': 'a'}, '1.41'), ({'moves': [7]}, '1.41')])
def test_moves_and_imports_need_an_engine_that_knows_them(
        engine, recorder, given, version):
    assert engine.create_change_set('context', 'id', None, {}, {}, {}, {},
                                    **given) == 'answer'
    [(_kind, _context, _sent, arguments, options)] = recorder.sent
    assert options['version'] == version
    for name in ('moves', 'imports', 'revert_drift'):
        assert arguments.get(name) == (given.get(name) or None)


@pytest.mark.parametrize(('method', 'arguments'), [
    ('list_events_since', {'last': 7, 'holes': [[1, 2]], 'tenants': ['p'],
                           'limit': 5}),
    ('list_events_between', {'ranges': [[1, 2]], 'limit': 5, 'tenant': 'p',
                             'stack_identity': {}})])
def test_streams_need_an_engine_that_knows_them(engine, recorder, method,
                                                arguments):
    assert getattr(engine, method)('context', **arguments) == 'answer'
    [(_kind, _context, sent, given, options)] = recorder.sent
    assert (sent, given) == (method, arguments)
    assert options['version'] == '1.42'


def test_interval_of_drift_needs_an_engine_that_knows_it(engine, recorder):
    assert engine.update_stack_drift('context', 'id', 60) == 'answer'
    [(_kind, _context, sent, given, options)] = recorder.sent
    assert (sent, given) == ('update_stack_drift', {
        'stack_identity': 'id', 'interval': 60})
    assert options['version'] == '1.45'


def test_timeline_needs_an_engine_that_knows_it(engine, recorder):
    assert engine.stack_timeline('context', 'id', nested_depth=2) == 'answer'
    [(_kind, _context, sent, given, options)] = recorder.sent
    assert (sent, given) == ('stack_timeline', {
        'stack_identity': 'id', 'nested_depth': 2})
    assert options['version'] == '1.43'


def test_load_needs_an_engine_that_knows_it(engine, recorder):
    engine.list_services('context')
    engine.list_services('context', with_load=True)
    assert [(given, options['version'])
            for _kind, _context, _sent, given, options in recorder.sent] == [
                ({}, '1.4'), ({'with_load': True}, '1.44')]


def test_version_is_that_of_the_facts():
    assert rpc_api.RPC_API_VERSION == additions.RPC_API_VERSION
    assert rpc_api.ENGINE_TOPIC == FACTS['engine']['topic']
    assert rpc_api.LISTENER_TOPIC == FACTS['listener']['topic']


@pytest.fixture
def one_at_once():
    config.register_opts()
    cfg.CONF.set_override('project_requests_at_once', 1)
    yield
    cfg.CONF.clear_override('project_requests_at_once')


def test_requests_of_a_project_that_change_something_take_turns(
        recorder, one_at_once, monkeypatch):
    one, other = (context.RequestContext(project_id=project)
                  for project in ('one', 'other'))
    users = client.EngineClient(is_for_users=True)

    def ask(ctxt, method, seconds=60):
        return users.call(ctxt, users.make_msg(method), timeout=seconds)

    ask(one, 'delete_stack')
    inside = []

    def call(self, ctxt, method, **_kwargs):
        if method != 'create_stack':
            return method
        with pytest.raises(oslo_messaging.MessagingTimeout, match='project'):
            ask(one, 'update_stack', 0.01)
        inside.extend([ask(other, 'update_stack'), ask(one, 'show_stack'),
                       client.EngineClient().call(
                           one, users.make_msg('stack_cancel_update'))])
        return method

    monkeypatch.setattr(Recorder, 'call', call)
    assert ask(one, 'create_stack') == 'create_stack'
    assert inside == ['update_stack', 'show_stack', 'stack_cancel_update']
    assert ask(one, 'create_stack') == 'create_stack'
