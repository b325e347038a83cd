"""RPC within the process: what arrives, what comes back."""
from concurrent import futures
import threading
import time
import types

import oslo_messaging
from oslo_messaging.notify import _impl_test
from osprofiler import profiler
import pytest

from heat.common import context
from heat.common import exception
from heat.common import lateness
from heat.common import local_transport
from heat.common import messaging
from heat.common import timeutils


class Endpoint:
    """What the tests call."""

    target = oslo_messaging.Target(version='1.5')

    def __init__(self):
        self.seen = []
        self.arrived = threading.Event()

    def echo(self, ctxt, **arguments):
        """Return what was received."""
        self.seen.append((ctxt, arguments))
        self.arrived.set()
        return arguments

    @context.request_context
    def fail(self, ctxt, kind):
        """Raise an error."""
        if kind == 'ours':
            raise exception.StackExists(stack_name='s')
        if kind == 'path':
            raise exception.StackValidationFailed(path=['a', 0], message='m')
        raise ValueError('plain text')

    def _hidden(self, ctxt):
        return 'hidden'


@pytest.fixture
def transport(conf):
    messaging.cleanup()
    messaging.setup('fake://')
    messaging._executors.clear()
    yield messaging
    messaging.cleanup()


@pytest.fixture
def endpoint(transport):
    endpoint = Endpoint()
    server = messaging.get_rpc_server(
        oslo_messaging.Target(topic='t', server='s'), endpoint)
    server.start()
    yield endpoint
    # Its threads end by themselves; waiting for them takes a second.
    server.stop()


@pytest.fixture
def ctxt():
    return context.RequestContext(project_id='p', user_id='u',
                                  is_admin=False, overwrite=False,
                                  request_id='req-1')


def client(**target):
    return messaging.get_rpc_client(topic='t', version='1.0', **target)


def test_call(endpoint, ctxt):
    answer = client().call(ctxt, 'echo', a=1, b=['x', {'y': None}])
    assert answer == {'a': 1, 'b': ['x', {'y': None}]}
    received, _arguments = endpoint.seen[0]
    assert isinstance(received, context.RequestContext)
    assert received.project_id == 'p'
    assert received.request_id == 'req-1'


def test_objects_are_not_shared(endpoint, ctxt):
    value = {'list': [1]}
    client().call(ctxt, 'echo', value=value)
    endpoint.seen[0][1]['value']['list'].append(2)
    assert value == {'list': [1]}


def test_cast_to_a_server(endpoint, ctxt):
    client().prepare(server='s').cast(ctxt, 'echo', a=1)
    assert endpoint.arrived.wait(60)


def test_fanout(endpoint, ctxt):
    client().prepare(fanout=True).cast(ctxt, 'echo', a=1)
    assert endpoint.arrived.wait(60)


def test_our_error_comes_back_as_what_it_was(endpoint, ctxt):
    with pytest.raises(exception.StackExists) as caught:
        client().call(ctxt, 'fail', kind='ours')
    assert type(caught.value).__name__ == 'StackExists_Remote'
    assert '(s)' in caught.value.message
    assert 'Traceback' not in exception.text_of(caught.value)


def test_path_of_an_error_comes_back(endpoint, ctxt):
    with pytest.raises(exception.StackValidationFailed) as caught:
        client().call(ctxt, 'fail', kind='path')
    assert caught.value.path == ['a', 0]


def test_builtin_error_comes_back(endpoint, ctxt):
    with pytest.raises(ValueError, match='plain text') as caught:
        client().call(ctxt, 'fail', kind='plain')
    assert exception.text_of(caught.value) == 'plain text'


def test_only_public_methods_can_be_called(endpoint, ctxt):
    with pytest.raises(oslo_messaging.RemoteError) as caught:
        client().call(ctxt, '_hidden')
    assert caught.value.exc_type == 'NoSuchMethod'


def test_newer_version_than_offered_is_refused(endpoint, ctxt):
    with pytest.raises(oslo_messaging.RemoteError) as caught:
        client().prepare(version='1.9').call(ctxt, 'echo')
    assert caught.value.exc_type == 'UnsupportedVersion'


def test_nobody_answers(transport, ctxt):
    with pytest.raises(oslo_messaging.MessagingTimeout):
        client(server='gone').prepare(timeout=0).call(ctxt, 'echo')


@pytest.fixture
def clocks(endpoint, monkeypatch):
    """The monotonic clocks of who asks and of who answers.

    That of the latter began an hour later, and counts on by itself.
    """
    own = types.SimpleNamespace(asking=5000.0, answering=1400.0)
    pulse = lateness.Pulse(lambda: own.answering)
    monkeypatch.setattr(messaging, '_pulse', pulse)
    monkeypatch.setattr(messaging, '_lateness', lateness.Lateness(
        pulse, lambda: own.answering))
    monkeypatch.setattr(pulse, 'start', lambda: None)
    monkeypatch.setattr(timeutils, 'wallclock', lambda: own.asking)
    own.pulse = pulse
    return own


def delay(monkeypatch, clocks, seconds):
    """Have a message arrive so many seconds after it was sent."""
    judge = messaging._is_too_late
    judged = threading.Event()

    def late(values):
        clocks.answering += seconds
        try:
            return judge(values)
        finally:
            judged.set()

    monkeypatch.setattr(messaging, '_is_too_late', late)
    return judged


@pytest.mark.parametrize(('patience', 'late', 'seen'), [
    (60, 50, 1), (0.5, 20, 0)])
def test_what_nobody_waits_for_any_more_is_not_done(
        clocks, endpoint, ctxt, monkeypatch, patience, late, seen):
    client().call(ctxt, 'echo')
    endpoint.seen.clear()
    # The process is stopped while the request is under way.
    judged = delay(monkeypatch, clocks, late)
    try:
        client().prepare(timeout=patience).call(ctxt, 'echo')
    except oslo_messaging.MessagingTimeout:
        assert not seen
    assert judged.wait(60)
    assert len(endpoint.seen) == seen


@pytest.mark.parametrize('jump', [-600, 60, 86400])
def test_clocks_of_hosts_may_differ_and_be_set(clocks, endpoint, ctxt,
                                               monkeypatch, jump):
    monkeypatch.setattr(timeutils, 'epoch', lambda: 1000.0)
    client().call(ctxt, 'echo')
    monkeypatch.setattr(timeutils, 'epoch', lambda: 1000.0 + jump)
    # Who asks is on another host now, or was suspended there.
    clocks.asking += jump
    clocks.pulse.beat()
    client().prepare(timeout=5).call(ctxt, 'echo')
    assert len(endpoint.seen) == 2


def test_casts_may_take_any_time(clocks, endpoint, ctxt, monkeypatch):
    client().call(ctxt, 'echo')
    delay(monkeypatch, clocks, 10.0 ** 6)
    endpoint.arrived.clear()
    client().cast(ctxt, 'echo')
    assert endpoint.arrived.wait(60)


def test_message_waits_for_the_first_server(transport, ctxt):
    client().cast(ctxt, 'echo', a=1)
    endpoint = Endpoint()
    server = messaging.get_rpc_server(
        oslo_messaging.Target(topic='t', server='s'), endpoint)
    server.start()
    assert endpoint.arrived.wait(60)
    server.stop()


class Meeting:
    """An endpoint whose callers wait for each other."""

    target = oslo_messaging.Target(version='1.5')

    def __init__(self, parties):
        self._all_here = threading.Barrier(parties)

    def one_by_one(self, ctxt):
        """Return the thread that answers."""
        return threading.get_ident()

    def together(self, ctxt):
        """Return the thread that answers when everybody has called."""
        self._all_here.wait(60)
        return threading.get_ident()


def test_server_has_as_many_threads_as_it_needs(transport, ctxt):
    server = messaging.get_rpc_server(
        oslo_messaging.Target(topic='t', server='s'), Meeting(8))
    server.start()
    [executor] = messaging._executors
    for _call in range(20):
        client().call(ctxt, 'one_by_one')
    assert executor.num_workers <= 3
    with futures.ThreadPoolExecutor(8) as pool:
        threads = set(pool.map(
            lambda _n: client().call(ctxt, 'together'), range(8)))
    assert len(threads) == 8
    deadline = time.monotonic() + 60
    while executor.num_workers > 2 and time.monotonic() < deadline:
        messaging.end_idle_threads()
    assert executor.num_workers <= 2
    assert client().call(ctxt, 'one_by_one')
    server.stop()


def test_one_thread_is_enough(transport, ctxt, conf):
    server = messaging.get_rpc_server(
        oslo_messaging.Target(topic='t', server='s'), Meeting(1))
    conf.set(None, executor_thread_pool_size=1)
    server.start()
    assert client().call(ctxt, 'one_by_one') == client().call(
        ctxt, 'together')
    server.stop()


def test_sent_messages_are_counted(endpoint, ctxt):
    before = messaging.counters()['messages']
    client().call(ctxt, 'echo')
    client().prepare(server='s').cast(ctxt, 'echo')
    assert messaging.counters()['messages'] == before + 2


def test_trace_travels_along(endpoint, ctxt):
    profiler.init('key', base_id='base', parent_id='parent')
    try:
        sent = messaging.RequestContextSerializer.serialize_context(ctxt)
        assert sent['trace_info']['base_id'] == 'base'
        profiler.clean()
        messaging.RequestContextSerializer.deserialize_context(sent)
        assert profiler.get().get_base_id() == 'base'
    finally:
        profiler.clean()


@pytest.fixture
def sent(transport, conf):
    """Configure two drivers, and return what the second one was given."""
    conf.set('oslo_messaging_notifications', driver=['messagingv2', 'test'])
    messaging.cleanup()
    messaging.setup('fake://')
    _impl_test.reset()
    yield _impl_test.NOTIFICATIONS
    _impl_test.reset()


def test_notifier_needs_no_broker(sent, ctxt, caplog):
    messaging.get_notifier('orchestration.host').info(
        ctxt, 'orchestration.stack.create.start', {'a': 1})
    [(requester, message, priority, _retry)] = sent
    assert requester['project_id'] == 'p'
    assert (message['publisher_id'], message['event_type'],
            message['payload'], priority) == (
        'orchestration.host', 'orchestration.stack.create.start', {'a': 1},
        'INFO')
    # The driver in front of it sends to a broker, and logs what fails.
    assert [each for each in caplog.records if each.levelname in (
        'WARNING', 'ERROR')] == []


def test_setup_is_needed(conf):
    messaging.cleanup()
    with pytest.raises(RuntimeError, match='setup'):
        messaging.get_rpc_client(topic='t')
    with pytest.raises(RuntimeError, match='setup'):
        messaging.get_notifier('p')


def test_second_setup_does_nothing(transport):
    before = messaging.TRANSPORTS.rpc
    messaging.setup('fake://')
    assert messaging.TRANSPORTS.rpc is before


def test_wrong_url(conf):
    messaging.cleanup()
    with pytest.raises(oslo_messaging.InvalidTransportURL):
        messaging.get_specific_transport('no-url', True, [])


def test_a_first_call_is_tried_once_but_its_answers_for_ever(
        transport, monkeypatch):
    """The library drops the number of attempts for what answers come by."""
    made = []

    class Connection:
        def __init__(self, conf, url, purpose, retry=None):
            self.max_retries = retry
            made.append((purpose, retry))

        def __getattr__(self, name):
            return lambda *args, **kwargs: None

    driver = messaging.get_specific_transport(
        'rabbit://127.0.0.1:1/', False, [])._driver
    driver._connection_pool.connection_cls = Connection
    waits = driver._get_connection('listen')
    monkeypatch.setattr(messaging._calling, 'asked_at', 1, raising=False)
    answers = driver._get_connection('listen')
    assert made == [('listen', None), ('listen', 0)]
    assert waits.connection.max_retries is None
    assert answers.connection.max_retries is None
    driver._get_connection('send')
    assert made[2:] == [('send', 0)]


def test_exchange_forgets_servers_that_are_gone():
    exchange = local_transport.Exchange()
    target = oslo_messaging.Target(topic='t', server='s')
    exchange.deliver(target, 'dropped')
    exchange.open('t', 's')
    exchange.deliver(target, 'kept')
    stopped = threading.Event()
    assert exchange.take([('t', 's')], 0, stopped) == 'kept'
    assert exchange.take([('t', 's')], 0, stopped) is None
    exchange.deliver(target, 'late')
    exchange.close('t', 's')
    exchange.open('t', 's')
    assert exchange.take([('t', 's')], 0, stopped) is None
    stopped.set()
    assert exchange.take([('t', 's')], None, stopped) is None
