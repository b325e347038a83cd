"""What engines send to each other is what the protocol says."""
import inspect
import json
import pathlib

import oslo_messaging
import pytest

from heat.common import config
from heat.common import messaging
from heat.rpc import listener_api
from heat.rpc import listener_client
from heat.rpc import worker_client

FACTS = json.loads((pathlib.Path(__file__).parents[2] / 'facts' /
                    'rpc_api.json').read_text())
WORKER = FACTS['worker']['methods']


class Recorder:
    """Keeps what an RPC client was asked to send."""

    def __init__(self, options=None, sent=None, answer=None):
        self.options = options or {}
        self.sent = [] if sent is None else sent
        self.answer = answer

    def prepare(self, **options):
        return Recorder({**self.options, **options}, self.sent, self.answer)

    def call(self, ctxt, method, **kwargs):
        self.sent.append(('call', method, kwargs, self.options))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def cast(self, ctxt, method, **kwargs):
        self.sent.append(('cast', method, kwargs, self.options))
        if isinstance(self.answer, Exception):
            raise self.answer


@pytest.fixture
def recorder(monkeypatch):
    config.register_opts()
    recorder = Recorder()

    def get_rpc_client(**target):
        recorder.options = target
        return recorder

    monkeypatch.setattr(messaging, 'get_rpc_client', get_rpc_client)
    return recorder


@pytest.mark.parametrize('name', sorted(WORKER))
def test_worker_is_told_what_the_facts_say(recorder, name):
    facts = WORKER[name]
    method = getattr(worker_client.WorkerClient(), name)
    parameters = list(inspect.signature(method).parameters.values())[1:]
    arguments = {each.name: 'value of ' + each.name for each in parameters}
    method('ctxt', **arguments)
    [(kind, sent_method, sent, options)] = recorder.sent
    assert (kind, sent_method) == (facts['kind'], name)
    assert set(sent) == {each['name'] for each in facts['args']}
    assert sent == {key: arguments[key] for key in sent}
    assert options['topic'] == FACTS['worker']['topic']
    assert options['version'] == facts['requires_version']
    to_one = facts.get('sent_to') == 'server=engine_id'
    assert options.get('server') == (
        'value of engine_id' if to_one else None)


@pytest.mark.parametrize('name', sorted(WORKER))
def test_defaults_of_the_worker_client(name):
    parameters = inspect.signature(
        getattr(worker_client.WorkerClient, name)).parameters
    for each in WORKER[name]['args']:
        if 'default' in each:
            assert parameters[each['name']].default == each['default']


def test_worker_is_told_of_several_nodes(recorder):
    worker_client.WorkerClient().check_nodes(
        'ctxt', 's', 't', [(1, True), (2, False)])
    [(kind, method, sent, options)] = recorder.sent
    assert (kind, method) == ('cast', 'check_nodes')
    assert sent == {'stack_id': 's', 'traversal_id': 't',
                    'nodes': [[1, True], [2, False]]}
    assert options['version'] == '1.10'


def test_message_that_cannot_be_sent_is_dropped(recorder, caplog):
    recorder.answer = OSError('broker away')
    worker_client.WorkerClient().check_nodes('ctxt', 's', 't', [(1, True)])
    assert 'broker away' in caplog.text


IDENTITY = {'tenant': 't', 'stack_name': 's', 'stack_id': 'i', 'path': ''}


def test_engine_that_answers_is_alive(recorder):
    recorder.answer = True
    client = listener_client.EngineListenerClient()
    assert client.is_alive('ctxt', 'engine-1') is True
    [(kind, method, sent, options)] = recorder.sent
    assert (kind, method, sent) == ('call', 'listening', {})
    assert options['server'] == 'engine-1'
    assert options['topic'] == FACTS['listener']['topic']
    assert options['timeout'] == 2


def test_silent_engine_is_dead(recorder):
    recorder.answer = oslo_messaging.MessagingTimeout()
    client = listener_client.EngineListenerClient('engine-2')
    assert client.is_alive('ctxt') is False
    assert recorder.sent[0][3]['server'] == 'engine-2'


def test_engine_that_cannot_be_asked_is_taken_to_be_alive(recorder, caplog):
    recorder.answer = OSError('broker away')
    client = listener_client.EngineListenerClient()
    assert client.is_alive('ctxt', 'engine-1') is True
    assert 'engine-1' in caplog.text


def test_engine_says_how_much_it_has_to_do(recorder):
    recorder.answer = {'stacks': 2}
    client = listener_client.EngineListenerClient()
    assert client.load('ctxt', 'engine-1') == {'stacks': 2}
    [(kind, method, sent, options)] = recorder.sent
    assert (kind, method, sent) == ('call', 'load', {})
    assert options['server'] == 'engine-1'
    assert (options['version'], options['timeout']) == ('1.1', 2)


@pytest.mark.parametrize('error', [
    oslo_messaging.MessagingTimeout(), OSError('broker away'),
    oslo_messaging.UnsupportedVersion('1.1')])
def test_engine_that_does_not_say_its_load(recorder, error):
    recorder.answer = error
    client = listener_client.EngineListenerClient()
    assert client.load('ctxt', 'engine-1') is None


def test_stack_is_stopped_on_an_engine(recorder):
    listener_client.EngineListenerClient().stop_stack(
        'ctxt', 'engine-1', IDENTITY)
    [(kind, method, sent, options)] = recorder.sent
    assert (kind, method) == ('call', 'stop_stack')
    assert sent == {'stack_identity': IDENTITY}
    assert options['timeout'] == 30


def test_message_for_a_stack_known_by_its_id(recorder):
    listener_client.EngineListenerClient().send(
        'ctxt', 'engine-1', 'i', 'cancel')
    sent = recorder.sent[0][2]
    assert sent['message'] == 'cancel'
    assert sent['stack_identity']['stack_id'] == 'i'
    assert set(sent['stack_identity']) == set(IDENTITY)


def test_listener_arguments_are_those_of_the_facts(recorder):
    client = listener_client.EngineListenerClient('e')
    client.stop_stack('ctxt', None, IDENTITY)
    client.send('ctxt', None, IDENTITY, 'cancel')
    client.is_alive('ctxt')
    for kind, method, sent, _options in recorder.sent:
        facts = FACTS['listener']['methods'][method]
        assert kind == facts['kind']
        assert set(sent) == {each['name'] for each in facts['args']}
    assert listener_api.TOPIC == FACTS['listener']['topic']
