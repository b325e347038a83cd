"""RPC within one process, for API and engine that live together.

oslo.messaging's own driver for fake:// is made for tests: it looks for
messages every 50 ms, hands over the very objects it was given, and raises
the engine's exception object in the caller. Here a message wakes who waits
for it, and everything passes through JSON, so that what works in one
process works between processes too.
"""
import collections
import json
import queue
import threading
from typing import Any

import oslo_messaging
from oslo_messaging._drivers import base
from oslo_messaging._drivers import common
from oslo_serialization import jsonutils

from heat.common import timeutils


class Exchange:
    """The queues that topics and servers have, guarded by one lock.

    Each topic has its own condition: waking the threads that wait for other
    topics takes longer than delivering the message.
    """

    def __init__(self):
        self._lock = threading.RLock()
        self._changed = collections.defaultdict(
            lambda: threading.Condition(self._lock))
        self._queues = collections.defaultdict(collections.deque)
        self._servers: collections.Counter[Any] = collections.Counter()

    def open(self, topic, server):
        """Begin to keep messages for a server of a topic."""
        with self._lock:
            self._servers[topic, server] += 1

    def close(self, topic, server):
        """Forget the messages for a server that is gone."""
        with self._lock:
            self._servers[topic, server] -= 1
            if not self._servers[topic, server]:
                del self._servers[topic, server]
                self._queues.pop((topic, server), None)

    def deliver(self, target, message):
        """Put a message where the target says.

        Messages for a topic wait for its first server; those for a server
        that does not exist are dropped, as a broker does.
        """
        with self._lock:
            if target.fanout:
                keys = [key for key in self._servers if key[0] == target.topic]
            elif target.server is None:
                keys = [(target.topic, None)]
            else:
                keys = [key for key in [(target.topic, target.server)]
                        if key in self._servers]
            for key in keys:
                self._queues[key].append(message)
            self._changed[target.topic].notify_all()

    def take(self, keys, timeout, stopped):
        """Return the next message of the queues, or None after a while.

        :param keys: the topic and server of queues, which have one topic
        """
        end = None if timeout is None else timeutils.wallclock() + timeout
        with self._lock:
            while not stopped.is_set():
                for key in keys:
                    if self._queues.get(key):
                        return self._queues[key].popleft()
                left = None if end is None else end - timeutils.wallclock()
                if left is not None and left <= 0:
                    break
                self._changed[keys[0][0]].wait(left)
        return None

    def wake(self):
        """Make everybody who waits look again."""
        with self._lock:
            for changed in self._changed.values():
                changed.notify_all()


class Exchanges:
    """The exchanges of the process, by name."""

    _lock = threading.Lock()
    _by_name: dict[str, Exchange] = {}

    @classmethod
    def get(cls, name):
        """Return the exchange of that name, new if need be."""
        with cls._lock:
            return cls._by_name.setdefault(name, Exchange())

    @classmethod
    def clear(cls):
        """Forget all exchanges with what is queued in them."""
        with cls._lock:
            cls._by_name.clear()


class IncomingMessage(base.RpcIncomingMessage):
    """A message at the server's side."""

    def __init__(self, envelope, reply_queue):
        content = json.loads(envelope)
        super().__init__(content['context'], content['message'])
        self._reply_queue = reply_queue

    def reply(self, reply=None, failure=None):
        """Send the outcome to the caller, if there is one who waits."""
        if self._reply_queue is None:
            return
        if failure:
            answer = {'failure': common.serialize_remote_exception(failure)}
        else:
            answer = {'result': reply}
        self._reply_queue.put(jsonutils.dumps(answer))

    def requeue(self):
        """Refuse: an RPC message has been acknowledged before."""
        raise NotImplementedError

    def heartbeat(self):
        """Do nothing; the caller sees that this process is alive."""


class Listener(base.PollStyleListener):
    """Waits for messages to a topic, and to one server of it."""

    def __init__(self, exchange, target):
        super().__init__()
        self._exchange = exchange
        self._target = target
        self._keys = ((target.topic, target.server), (target.topic, None))
        self._stopped = threading.Event()
        exchange.open(target.topic, target.server)

    @base.batch_poll_helper
    def poll(self, timeout=None):
        """Return the next message."""
        found = self._exchange.take(self._keys, timeout, self._stopped)
        return None if found is None else IncomingMessage(*found)

    def stop(self):
        """Make poll() return; messages of the topic stay for others."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._exchange.close(self._target.topic, self._target.server)
            self._exchange.wake()


class LocalDriver(base.BaseDriver):
    """The driver behind fake:// in this service."""

    def __init__(self, conf, url, default_exchange=None,
                 allowed_remote_exmods=None):
        super().__init__(conf, url, default_exchange, allowed_remote_exmods)
        self._exmods = allowed_remote_exmods or []
        self._exchange_name = default_exchange

    def _exchange(self, target):
        return Exchanges.get(target.exchange or self._exchange_name)

    def send(self, target, ctxt, message, wait_for_reply=None, timeout=None,
             call_monitor_timeout=None, retry=None, transport_options=None):
        """Deliver a message; wait for the answer if there is to be one."""
        answers: queue.SimpleQueue[Any] | None = (
            queue.SimpleQueue() if wait_for_reply else None)
        envelope = jsonutils.dumps({'context': ctxt, 'message': message})
        self._exchange(target).deliver(target, (envelope, answers))
        if answers is None:
            return None
        try:
            answer = json.loads(answers.get(timeout=timeout))
        except queue.Empty:
            raise oslo_messaging.MessagingTimeout(
                'No reply on topic %s' % target.topic) from None
        if 'failure' in answer:
            raise common.deserialize_remote_exception(answer['failure'],
                                                      self._exmods)
        return answer['result']

    def send_notification(self, target, ctxt, message, version, retry=None):
        """Drop a notification: nobody else is in this process."""

    def listen(self, target, batch_size, batch_timeout):
        """Return the listener of an RPC server."""
        listener = Listener(self._exchange(target), target)
        return base.PollStyleListenerAdapter(listener, batch_size,
                                             batch_timeout)

    def listen_for_notifications(self, targets_and_priorities, pool,
                                 batch_size, batch_timeout):
        """Refuse: notifications need a broker."""
        raise NotImplementedError

    def cleanup(self):
        """Forget what is queued in the process."""
        Exchanges.clear()
