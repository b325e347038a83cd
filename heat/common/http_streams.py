"""The connections of a loop whose answers are streams.

They have no request to wait for and no time limit; what is written to their
streams is sent as the clients take it. All of it happens in the loop's
thread, but for the call that announces that a stream has more.
"""
import collections
from collections.abc import Callable
import selectors
from typing import Any

from oslo_log import log as logging

from heat.common import http_connection
from heat.common import timeutils

LOG = logging.getLogger(__name__)

Phase = http_connection.Phase

#: Seconds between two looks at silent streams.
_TICK = 1.0
#: Seconds in which a client has to take the end of a stream.
_END_SECONDS = 5
#: Bytes that a client may send although nothing is expected.
_MAX_RECEIVED = 65536


class StreamSet:
    """Sends streams to their clients.

    :param name: of the server
    :param selector: the loop's
    :param wake: wakes the loop, in any thread
    """

    def __init__(self, name: str, selector: selectors.BaseSelector,
                 wake: Callable[[], None]) -> None:
        self._name = name
        self._selector = selector
        self._wake = wake
        self._received: dict[Any, int] = {}
        self._ready: collections.deque[Any] = collections.deque()
        self._ticked = timeutils.wallclock()

    def __len__(self) -> int:
        return len(self._received)

    def add(self, connection: Any) -> None:
        """Take a connection over, once the head of its answer is sent."""
        connection.phase = Phase.STREAM
        connection.deadline = None
        self._received[connection] = 0
        self._selector.register(connection, selectors.EVENT_READ,
                                self._exchange)
        connection.stream.stream.attach(lambda: self._announce(connection))
        self._guarded(self._send, connection)

    def advance(self, *, is_stopping: bool) -> None:
        """Send what there is; drop those that do not take their end.

        :param is_stopping: whether all streams are to end
        """
        while self._ready:
            self._guarded(self._send, self._ready.popleft())
        now = timeutils.wallclock()
        if not is_stopping and now - self._ticked < _TICK:
            return
        self._ticked = now
        for connection in list(self._received):
            if is_stopping and connection.phase is Phase.STREAM:
                connection.stream.stream.dismiss()
            if connection.deadline is not None and now > connection.deadline:
                self._drop(connection)
            else:
                self._guarded(self._send, connection)

    def close(self) -> None:
        """Drop all connections."""
        for connection in list(self._received):
            self._drop(connection)

    def _announce(self, connection: Any) -> None:
        self._ready.append(connection)
        # Otherwise the one before has woken the loop.
        if len(self._ready) == 1:
            self._wake()

    def _exchange(self, connection: Any) -> None:
        """Send and receive what can be."""
        self._guarded(self._receive, connection)
        self._guarded(self._send, connection)

    def _receive(self, connection: Any) -> None:
        """Notice that a client has gone; ignore what else it sends.

        :raises Disconnected: it is gone, or sends too much.
        """
        self._received[connection] += len(connection.receive())
        if self._received[connection] > _MAX_RECEIVED:
            raise http_connection.Disconnected('sends to a stream')

    def _send(self, connection: Any) -> None:
        connection.flush()
        if connection.unsent:
            return
        if connection.phase is Phase.STREAM:
            data, is_over = connection.stream.take()
            if is_over:
                connection.phase = Phase.ANSWER
                connection.deadline = timeutils.wallclock() + _END_SECONDS
            connection.send(data)
        if connection.phase is Phase.ANSWER and not connection.unsent:
            self._drop(connection)

    def _guarded(self, step: Callable[[Any], None], connection: Any) -> None:
        """Do a step for a connection; it ends if that fails."""
        if connection not in self._received:
            return
        try:
            step(connection)
        except http_connection.Disconnected as exc:
            LOG.debug('Stream of %s ended: %s', connection.address, exc)
            self._drop(connection)
        except Exception:
            LOG.exception('%s failed to serve a stream', self._name)
            self._drop(connection)
        if connection in self._received:
            interest = selectors.EVENT_READ
            if connection.unsent:
                interest |= selectors.EVENT_WRITE
            if interest != self._selector.get_key(connection).events:
                self._selector.modify(connection, interest, self._exchange)

    def _drop(self, connection: Any) -> None:
        del self._received[connection]
        self._selector.unregister(connection)
        connection.close()
        connection.stream.stream.close()
