"""RPC and notifications: transports, servers, clients, notifiers."""
import collections
import contextlib
import functools
import threading
import warnings
import weakref

import futurist
from oslo_config import cfg
from oslo_log import log as logging
import oslo_messaging
from oslo_messaging.rpc import dispatcher
from oslo_messaging.rpc import server as rpc_server
from oslo_utils import uuidutils

from heat.common import context
from heat.common import exception
from heat.common import lateness
from heat.common import local_transport
from heat.common import metrics
from heat.common import plain_values
from heat.common import progress
from heat.common import timeutils
from heat.common import tracing

LOG = logging.getLogger(__name__)

#: Modules whose exceptions come back from a call as what they were.
ALLOWED_REMOTE_EXMODS = ['heat.common.exception',
                         'heat.common.change_set_errors',
                         'heat.common.drift_errors',
                         'heat.common.protection_errors']

#: How often to look for a broker that is away before giving up: with the
#: pauses in between, this takes about as long as rpc_response_timeout.
RETRIES = 7

#: Seconds after which a call is sent again that nobody listens to.
_UNHEARD_PAUSE = 0.5

#: Keys of a context: which process asks, when by its monotonic clock, and
#: for how many seconds it waits for the answer.
_ASKER, _ASKED_AT, _PATIENCE = 'asker', 'asked_at', 'answer_within'
#: What earlier versions said instead, by a clock that may be wrong.
_ANSWER_BY = 'answer_by'

#: The key of a context that says that a user waits for the answer.
_ANSWER_SOON = 'answer_soon'

#: Seconds between attempts to reach a broker that is away.
_AWAY_PAUSE = 0.5
#: Seconds that an attempt takes: the library pauses in it, too.
_ATTEMPT = 2

#: What the servers of this process run their calls in.
_executors: weakref.WeakSet[futurist.DynamicThreadPoolExecutor]
_executors = weakref.WeakSet()

#: The id of this process among those that ask.
_asker = uuidutils.generate_uuid()
_pulse = lateness.Pulse()
_lateness = lateness.Lateness(_pulse)

_sent: collections.Counter[str] = collections.Counter()
_sent_lock = threading.Lock()
_calling = threading.local()


def counters():
    """Return how many calls and casts this process has sent."""
    return {'messages': _sent['messages']}


class RequestContextSerializer(oslo_messaging.Serializer):
    """Sends the request context along, with the trace it belongs to."""

    def __init__(self, base):
        self._base = base

    def serialize_entity(self, ctxt, entity):
        """Return an argument or result in plain values."""
        return self._base.serialize_entity(ctxt, entity)

    def deserialize_entity(self, ctxt, entity):
        """Return an argument or result as it was received."""
        return self._base.deserialize_entity(ctxt, entity)

    @staticmethod
    def serialize_context(ctxt):
        """Return the dict that stands for a context."""
        values = ctxt.to_dict()
        trace = tracing.current()
        if trace:
            values['trace_info'] = trace
        return values

    @staticmethod
    def deserialize_context(ctxt):
        """Return the context that a dict stands for."""
        values = dict(ctxt)
        for key in (_ASKER, _ASKED_AT, _PATIENCE, _ANSWER_BY):
            values.pop(key, None)
        answer_soon = values.pop(_ANSWER_SOON, False)
        trace_info = values.pop('trace_info', None)
        if trace_info:
            tracing.resume(trace_info)
        made = context.RequestContext.from_dict(values)
        made.answer_soon = bool(answer_soon)
        return made


class JsonPayloadSerializer(oslo_messaging.NoOpSerializer):
    """Turns what a method was given or returns into JSON's types."""

    def serialize_entity(self, ctxt, entity):
        """Return the entity in plain values.

        Drivers write it out before anybody could change it.
        """
        return entity if plain_values.is_plain(entity) else (
            plain_values.plain(entity))


class _ClientSerializer(RequestContextSerializer):
    """Counts what goes out; each message has one context."""

    @staticmethod
    def serialize_context(ctxt):
        with _sent_lock:
            _sent['messages'] += 1
        values = RequestContextSerializer.serialize_context(ctxt)
        if getattr(_calling, 'asked_at', None) is not None:
            values[_ASKER] = _asker
            values[_ASKED_AT] = _calling.asked_at
            values[_PATIENCE] = _calling.patience
            if _calling.is_for_user:
                values[_ANSWER_SOON] = True
        return values


def _serializer(kind=RequestContextSerializer):
    return kind(JsonPayloadSerializer())


def get_specific_transport(url, optional, exmods,
                           is_for_notifications=False):
    """Return a transport for the URL, or the configured one.

    :param optional: whether to return None if none is configured.
    """
    try:
        transport = (
            oslo_messaging.get_notification_transport if is_for_notifications
            else oslo_messaging.get_rpc_transport)(
                cfg.CONF, url, allowed_remote_exmods=exmods)
    except oslo_messaging.InvalidTransportURL as exc:
        if not optional or exc.url:
            # A URL that is given but wrong is an error in any case.
            raise
        return None
    _bound_connecting(transport)
    _expire_queues(transport)
    parsed = oslo_messaging.TransportURL.parse(cfg.CONF, url)
    if parsed.transport != 'fake':
        return transport
    return type(transport)(local_transport.LocalDriver(
        cfg.CONF, parsed, default_exchange=cfg.CONF.control_exchange,
        allowed_remote_exmods=exmods))


def _bound_connecting(transport):
    """Have a call that finds no broker fail, instead of trying for ever.

    The library holds a lock meanwhile that all other calls wait for.
    """
    driver = getattr(transport, '_driver', None)
    connect = getattr(driver, '_get_connection', None)
    if driver is None or connect is None:
        return

    def get_connection(*args, **kwargs):
        if getattr(_calling, 'asked_at', None) is None:
            return connect(*args, **kwargs)
        if len(args) < 2:
            kwargs.setdefault('retry', 0)
        try:
            return connect(*args, **kwargs)
        except oslo_messaging.MessagingException:
            raise
        except Exception as error:
            # Of the library below, for which there is no common base.
            raise oslo_messaging.MessageDeliveryFailure(
                'The broker is away') from error

    driver._get_connection = (  # noqa: SLF001 (oslo.messaging has no hook)
        get_connection)
    pool = getattr(driver, '_connection_pool', None)
    if pool is not None:
        pool.create = functools.partial(_create, pool.create)


def _create(create, *args, **kwargs):
    """Make a connection; try only once if a call waits for it.

    The library ignores the number of attempts for the connection that receives
    answers, which the first call of a process opens.
    """
    if 'retry' in kwargs or getattr(_calling, 'asked_at', None) is None:
        return create(*args, **kwargs)
    made = create(*args, retry=0, **kwargs)
    # The listener for answers reconnects until the broker is back.
    made.max_retries = None
    return made


def _expire_queues(transport):
    """Have RabbitMQ remove the queues of single engines that are gone.

    They are named after an id that no other engine will ever have. The
    library expires only queues that it has named itself.
    """
    driver = getattr(transport, '_driver', None)
    connect = getattr(driver, '_get_connection', None)
    if driver is None or connect is None or (
            'oslo_messaging_rabbit' not in cfg.CONF):
        return
    seconds = cfg.CONF.oslo_messaging_rabbit.rabbit_transient_queues_ttl

    def get_connection(*args, **kwargs):
        made = connect(*args, **kwargs)
        # One that comes from a pool may have been here before.
        if 'declare_consumer' not in vars(made.connection):
            made.connection.declare_consumer = functools.partial(
                _declare, made.connection.declare_consumer, seconds)
        return made

    if seconds:
        driver._get_connection = (  # noqa: SLF001 (oslo.messaging has no hook)
            get_connection)


def _declare(declare, seconds, consumer):
    """Declare a consumer; its queue expires if it is that of an engine."""
    topic, _dot, server = consumer.queue_name.rpartition('.')
    if topic and uuidutils.is_uuid_like(server):
        consumer.queue_arguments['x-expires'] = seconds * 1000
    return declare(consumer)


class Transports:
    """The transports of a process, and its notifier."""

    def __init__(self):
        self.rpc = None
        self.notifications = None
        self.notifier = None

    def open(self, url, optional):
        """Make what is not there yet; see setup()."""
        if self.rpc is not None:
            return
        oslo_messaging.set_transport_defaults('heat')
        self.rpc = get_specific_transport(url, optional,
                                          ALLOWED_REMOTE_EXMODS)
        self.notifications = get_specific_transport(
            url, optional, ALLOWED_REMOTE_EXMODS, is_for_notifications=True)
        if self.notifications is not None:
            self.notifier = oslo_messaging.Notifier(self.notifications,
                                                    serializer=_serializer())

    def close(self):
        """Close what is there."""
        for transport in (self.rpc, self.notifications):
            if transport is not None:
                transport.cleanup()
        self.rpc = self.notifications = self.notifier = None


#: Those of this process. Clients are made wherever something is sent.
TRANSPORTS = Transports()


def setup(url=None, optional=False):
    """Make the transports of this process; a second call does nothing.

    :param url: where the broker is, instead of what is configured;
                fake:// keeps messages within the process.
    :param optional: whether the process can do without.
    """
    TRANSPORTS.open(url, optional)


def cleanup():
    """Close the transports of this process."""
    TRANSPORTS.close()


def _transport():
    if TRANSPORTS.rpc is None:
        raise RuntimeError('messaging.setup() has not been called')
    return TRANSPORTS.rpc


class Calls:
    """The calls that the servers of this process have taken.

    Its figures are read without taking a lock.
    """

    def __init__(self):
        self._queued = {}
        self._running = {}
        self._done = 0

    def watched(self, submit):
        """Return a submit() of an executor whose calls are counted."""
        def counted(function, *args, **kwargs):
            call = object()
            self._queued[call] = True
            try:
                return submit(self._run, call, function, args, kwargs)
            except BaseException:
                self._queued.pop(call, None)
                raise
        return counted

    def _run(self, call, function, args, kwargs):
        ident = threading.get_ident()
        self._running[ident] = self._queued.pop(call, None)
        try:
            return function(*args, **kwargs)
        finally:
            self._running.pop(ident, None)
            self._done += 1

    def pulse(self):
        """Return how far the servers have got."""
        return progress.Pulse(self._done, bool(self._queued),
                              list(self._running))


CALLS = Calls()


def _executor(max_workers):
    """Return a pool that has about as many threads as calls in progress."""
    if max_workers == 1:
        executor = futurist.ThreadPoolExecutor(max_workers)
    else:
        executor = futurist.DynamicThreadPoolExecutor(max_workers)
        _executors.add(executor)
    executor.submit = CALLS.watched(  # type: ignore[method-assign]
        executor.submit)
    return executor


def end_idle_threads():
    """End threads of servers that have nothing to do."""
    for executor in list(_executors):
        executor.maintain()


def _is_too_late(values):
    """Return whether nobody waits any more for the answer to a call."""
    if _ASKED_AT not in values:
        return False
    late = _lateness.of(values[_ASKER], values[_ASKED_AT])
    return late > values[_PATIENCE]


class _Server(rpc_server.RPCServer):
    """Answers what somebody waits for, and only that.

    Also what came in while its connection was being closed: RabbitMQ hands
    requests out until then. The driver takes them from the broker and
    forgets them, and whoever asked waits for nothing.

    A process that was stopped may find requests when it goes on whose
    senders have given up and asked somebody else, or for something else.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # That of the library starts a thread for each of the first messages,
        # up to all that are allowed, and never ends one.
        self._executor_cls = _executor

    def _process_incoming(self, incoming):
        message = incoming[0]
        if _is_too_late(message.ctxt):
            LOG.warning('%s was asked for too long ago; it is not done',
                        message.message.get('method'))
            message.acknowledge()
            return
        super()._process_incoming(incoming)

    def _create_listener(self):
        listener = super()._create_listener()
        source = getattr(listener, '_poll_style_listener', None)
        late = getattr(source, 'incoming', [])
        close = listener.cleanup

        def cleanup():
            close()
            while late:
                self._process_incoming([late.pop(0)])

        listener.cleanup = cleanup
        return listener


def get_rpc_server(target, *endpoints):
    """Return a server that calls the public methods of the endpoints.

    Calls run in a pool of executor_thread_pool_size threads.
    """
    _pulse.start()
    with warnings.catch_warnings():
        # The argument is deprecated, but without it a patched process gets
        # the executor for eventlet, which is more so.
        warnings.simplefilter('ignore', DeprecationWarning)
        return oslo_messaging.get_rpc_server(
            _transport(), target, endpoints, executor='threading',
            serializer=_serializer(),
            access_policy=dispatcher.DefaultRPCAccessPolicy,
            server_cls=_Server)


def get_rpc_client(retry=RETRIES, is_for_users=False, **kwargs):
    """Return a client; the other arguments are those of a Target.

    :param retry: how often to try to send a cast again when the broker is
                  away. Left to itself the library would try for ever.
    :param is_for_users: whether users wait for the answers.
    """
    def make(retry, **options):
        return oslo_messaging.get_rpc_client(
            _transport(), oslo_messaging.Target(**kwargs), retry=retry,
            serializer=_serializer(_ClientSerializer), **options)

    # A call is repeated here, in the time that it has. A connection that
    # broke meanwhile is made anew by the one attempt of the library.
    return _Client(make(retry), make(
        1, transport_options=oslo_messaging.TransportOptions(
            at_least_once=True)), {}, is_for_users)


@contextlib.contextmanager
def _observed(method, kind):
    """Count what is sent, and what comes of it.

    That the engine refuses what a user asks for is an answer, too.
    """
    began, outcome = timeutils.wallclock(), 'error'
    try:
        yield
        outcome = 'ok'
    except oslo_messaging.MessagingTimeout:
        outcome = 'timeout'
        raise
    except oslo_messaging.MessagingException:
        raise
    except exception.HeatException:
        outcome = 'refused'
        raise
    finally:
        metrics.RPC_SENT.labels(method, kind, outcome).inc()
        metrics.RPC_SENT_SECONDS.labels(method).observe(
            timeutils.wallclock() - began)


class _Client:
    """Calls and casts; a call waits for somebody who listens.

    RabbitMQ drops what comes before the first server has made its queue,
    and whoever asked would wait for an answer to nothing.
    """

    def __init__(self, telling, asking, options, is_for_users):
        self._telling = telling
        self._asking = asking
        self._options = options
        self._is_for_users = is_for_users

    def prepare(self, **options):
        """Return a client with other options for its messages.

        Besides those of the library there is `reach_within`: the seconds
        in which an engine has to take the call up.
        """
        return _Client(self._telling, self._asking,
                       {**self._options, **options}, self._is_for_users)

    def cast(self, ctxt, method, **kwargs):
        """Send a message."""
        with _observed(method, 'cast'):
            options = dict(self._options)
            options.pop('reach_within', None)
            return self._telling.prepare(**options).cast(
                ctxt, method, **kwargs)

    def call(self, ctxt, method, **kwargs):
        """Send a message and return the answer."""
        with _observed(method, 'call'):
            return self._call(ctxt, method, kwargs)

    def _call(self, ctxt, method, kwargs):
        patience = self._options.get('timeout')
        if patience is None:
            patience = cfg.CONF.rpc_response_timeout
        _calling.asked_at = timeutils.wallclock()
        _calling.patience = patience
        _calling.is_for_user = self._is_for_users
        try:
            return self._call_within(patience, ctxt, method, kwargs)
        finally:
            _calling.asked_at = None

    def _call_within(self, patience, ctxt, method, kwargs):
        """Call until there is an answer, or nobody to give one."""
        options = dict(self._options)
        reach_within = options.pop('reach_within', None)
        if reach_within is not None and reach_within < patience:
            # An engine that is at work says so meanwhile.
            options['call_monitor_timeout'] = int(reach_within)
        began = timeutils.wallclock()
        reach_by = began + min(patience, reach_within or patience)
        while True:
            left = max(began + patience - timeutils.wallclock(), 0)
            asking = self._asking.prepare(**{**options, 'timeout': left})
            try:
                return asking.call(ctxt, method, **kwargs)
            except oslo_messaging.MessageUndeliverable as error:
                if timeutils.wallclock() + _UNHEARD_PAUSE >= reach_by:
                    raise oslo_messaging.MessagingTimeout(
                        'Nobody listens to %s' % method) from error
                timeutils.sleep(_UNHEARD_PAUSE)
            except oslo_messaging.MessageDeliveryFailure:
                # The next attempt may take as long as this one.
                if timeutils.wallclock() + _ATTEMPT >= reach_by:
                    raise
                timeutils.sleep(_AWAY_PAUSE)


def get_notifier(publisher_id):
    """Return a notifier that names the publisher."""
    if TRANSPORTS.notifier is None:
        raise RuntimeError('messaging.setup() has not been called')
    return TRANSPORTS.notifier.prepare(publisher_id=publisher_id)
