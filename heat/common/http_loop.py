"""The thread that waits for all clients of a server.

It accepts connections, receives requests, sends what an answer's own thread
could not send at once, and closes connections that take too long. So a
thread is occupied only while an application works on a complete request,
and no client occupies one by being slow.
"""
import collections
import resource
import selectors
import socket
import threading

from oslo_log import log as logging

from heat.common import http_connection
from heat.common import http_protocol
from heat.common import http_streams
from heat.common import timeutils

LOG = logging.getLogger(__name__)

Phase = http_connection.Phase

#: How many connections wait at most; in any case not more than half of the
#: descriptors that the process may have.
_MAX_WAITING = 2000
#: How many are accepted before others get on.
_ACCEPTED_AT_ONCE = 64
#: Bytes of requests and answers that are kept for all connections; and what
#: one has to keep for that to be too much.
_MAX_KEPT = 128 * 1024 * 1024
_MANY = 65536
#: Seconds that a phase may last. A phase that transfers data lasts longer by
#: the time of the transfer at the least rate, in bytes per second.
_SECONDS = {Phase.HEAD: 30, Phase.BODY: 60, Phase.ANSWER: 60, Phase.END: 5}
_LEAST_RATE = 8192
#: Seconds for requests that have begun when the server stops.
_GRACE = 3
_TICK = 1.0
#: Seconds without accepting when there are no descriptors.
_PAUSE = 1.0


class ConnectionLoop:
    """Waits for the clients of one listening socket.

    :param listener: the socket
    :param options: those of the server
    :param connect: returns the Connection of a socket and an address
    :param serve: takes a Connection and its request, to be served in
        another thread, which calls give_back()
    """

    def __init__(self, name, listener, options, connect, serve):
        self._name = name
        self._listener = listener
        self._options = options
        self._connect = connect
        self._serve = serve
        self._selector = selectors.DefaultSelector()
        self._waker, self._alarm = socket.socketpair()
        for each in (listener, self._waker, self._alarm):
            each.setblocking(False)
        # Those that wait, in the order in which they began to.
        self._waiting = {}
        self._returned: collections.deque[object] = (
            collections.deque())
        self._streams = http_streams.StreamSet(
            name, self._selector, self._wake)
        self._kept = 0
        self._busy = 0
        self._is_accepting = False
        self._accepts_after = 0.0
        self._ticked = timeutils.wallclock()
        self._stops_at = None
        self._grace_ends = None
        self._closed = threading.Event()
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self._most = _MAX_WAITING if limit == resource.RLIM_INFINITY else (
            min(_MAX_WAITING, limit // 2))

    # -- for other threads ----------------------------------------------------

    @property
    def is_stopping(self):
        """Return whether connections end with the request that they serve."""
        return self._stops_at is not None

    def give_back(self, connection, next_phase):
        """Take back a connection whose request has been answered."""
        connection.next_phase = next_phase
        self._returned.append(connection)
        self._wake()

    def stop(self, timeout):
        """Let run() end when requests are finished, or by the timeout."""
        now = timeutils.wallclock()
        self._grace_ends = now + min(timeout, _GRACE)
        self._stops_at = now + timeout
        self._wake()

    def wait_until_closed(self):
        """Return when nothing more is accepted."""
        self._closed.wait()

    def _wake(self):
        try:
            self._waker.send(b'x')
        except OSError as exc:
            # Full of calls to wake up, of which one is enough; or closed.
            LOG.debug('Waking the loop: %s', exc)

    # -- the loop -------------------------------------------------------------

    def run(self):
        """Serve until stop() is called."""
        self._selector.register(self._alarm, selectors.EVENT_READ,
                                self._drain_alarm)
        while not self._is_done():
            self._throttle()
            for key, _events in self._selector.select(_TICK):
                key.data(key.fileobj)
            while self._returned:
                self._take_back(self._returned.popleft())
            self._streams.advance(is_stopping=self.is_stopping)
            self._tick()
        self._close_listener()
        if self._busy:
            LOG.warning('%s stops with %s requests unfinished', self._name,
                        self._busy)
        for connection in list(self._waiting):
            self._drop(connection)
        self._streams.close()
        for each in (self._selector, self._waker, self._alarm):
            each.close()

    def _is_done(self):
        if self._stops_at is None:
            return False
        if not (self._busy or self._waiting or self._returned or
                self._streams):
            return True
        return timeutils.wallclock() > self._stops_at

    @staticmethod
    def _drain_alarm(alarm):
        try:
            while alarm.recv(4096):
                pass
        except (BlockingIOError, InterruptedError):
            return

    def _throttle(self):
        """Leave new connections in the backlog while all threads work."""
        if self.is_stopping:
            self._close_listener()
        elif self._busy >= self._options.threads * 2 or (
                timeutils.wallclock() < self._accepts_after):
            self._accept_no_more()
        elif not self._is_accepting:
            self._is_accepting = True
            self._selector.register(self._listener, selectors.EVENT_READ,
                                    self._accept)

    def _close_listener(self):
        if not self._closed.is_set():
            self._accept_no_more()
            self._listener.close()
            self._closed.set()

    def _accept_no_more(self):
        if self._is_accepting:
            self._is_accepting = False
            self._selector.unregister(self._listener)

    def _accept(self, listener):
        for _time in range(_ACCEPTED_AT_ONCE):
            try:
                sock, address = listener.accept()
            except (BlockingIOError, ConnectionError, InterruptedError):
                # Another process was faster, or the client is gone already.
                return
            except OSError as exc:
                # Most likely out of descriptors; those in use will be freed.
                LOG.error('%s cannot accept a connection: %s', self._name,
                          exc)
                self._accepts_after = timeutils.wallclock() + _PAUSE
                return
            connection = self._connect(sock, address[0])
            connection.active_at = timeutils.wallclock()
            self._begin_waiting(connection)
            self._become(connection, Phase.HEAD)
            if len(self._waiting) > self._most:
                self._drop(next(iter(self._waiting)))

    def _begin_waiting(self, connection):
        self._selector.register(connection, selectors.EVENT_READ,
                                self._advance)
        self._waiting[connection] = None

    def _end_waiting(self, connection):
        del self._waiting[connection]
        self._selector.unregister(connection)

    def _drop(self, connection):
        """Close a connection that waits."""
        self._end_waiting(connection)
        self._kept -= connection.counted
        connection.close()

    def _become(self, connection, phase):
        connection.phase = phase
        seconds = _SECONDS.get(phase)
        connection.deadline = None if seconds is None else (
            timeutils.wallclock() + seconds)
        if phase is Phase.ANSWER:
            connection.deadline += connection.unsent / _LEAST_RATE

    def _take_back(self, connection):
        self._busy -= 1
        if connection.next_phase is Phase.STREAM:
            self._streams.add(connection)
            return
        connection.active_at = timeutils.wallclock()
        self._begin_waiting(connection)
        self._guarded(self._follow_answer, connection)

    # -- what a client does ---------------------------------------------------

    def _advance(self, connection):
        """Send and receive what can be."""
        connection.active_at = timeutils.wallclock()
        self._guarded(self._exchange, connection)

    def _guarded(self, step, connection, *args):
        """Do a step for a connection; it ends if that fails."""
        try:
            step(connection, *args)
        except http_connection.Disconnected as exc:
            LOG.debug('Connection of %s ended: %s', connection.address, exc)
            self._drop(connection)
        except http_protocol.ProtocolError as exc:
            self._guarded(self._refuse, connection, exc.status, str(exc))
        except Exception:
            LOG.exception('%s failed to serve a connection', self._name)
            self._drop(connection)
        if connection in self._waiting:
            interest = (selectors.EVENT_WRITE if connection.unsent
                        else selectors.EVENT_READ)
            if interest != self._selector.get_key(connection).events:
                self._selector.modify(connection, interest, self._advance)
            self._count(connection)

    def _exchange(self, connection):
        connection.flush()
        if connection.unsent:
            return
        if connection.phase is Phase.ANSWER:
            self._follow_answer(connection)
            return
        data = connection.receive()
        if not data or connection.phase is Phase.END:
            return
        connection.reader.feed(data)
        if connection.phase is Phase.BODY:
            connection.deadline += len(data) / _LEAST_RATE
        self._proceed(connection)

    def _proceed(self, connection):
        """Have the request served, if it is complete."""
        reader = connection.reader
        request = reader.next_request()
        if request is not None:
            self._end_waiting(connection)
            self._busy += 1
            self._serve(connection, request)
            return
        if reader.is_in_body:
            if connection.phase is not Phase.BODY:
                self._become(connection, Phase.BODY)
                connection.send(reader.continuation())
        elif reader.has_begun and connection.phase is not Phase.HEAD:
            self._become(connection, Phase.HEAD)

    def _follow_answer(self, connection):
        """Bring a connection to what follows its answer, once it is sent."""
        if connection.unsent:
            self._become(connection, Phase.ANSWER)
        elif connection.next_phase is Phase.CLOSED:
            self._drop(connection)
        else:
            self._become(connection, connection.next_phase)
            if connection.phase is Phase.END:
                connection.end_sending()
            else:
                connection.reader.finish()
                self._proceed(connection)

    def _refuse(self, connection, status, text):
        """Answer what is not a request, and let the client see that."""
        LOG.info('%s refused: status: %d, %s', connection.address, status,
                 text)
        connection.next_phase = Phase.END
        connection.send(http_protocol.error_response(status, text))
        self._follow_answer(connection)

    # -- limits ---------------------------------------------------------------

    def _count(self, connection):
        """Close those that wait longest when too many bytes are kept."""
        self._kept += connection.size - connection.counted
        connection.counted = connection.size
        while self._kept > _MAX_KEPT:
            first = next((each for each in self._waiting
                          if each.counted > _MANY), None)
            if first is None:
                return
            LOG.warning('%s keeps too many bytes; the connection of %s ends',
                        self._name, first.address)
            self._drop(first)

    def _tick(self):
        """End what has taken too long."""
        now = timeutils.wallclock()
        if not self.is_stopping and now - self._ticked < _TICK:
            return
        self._ticked = now
        for connection in list(self._waiting):
            if self._is_due(connection, now):
                self._expire(connection)

    def _is_due(self, connection, now):
        if self.is_stopping and connection.phase is not Phase.ANSWER:
            return now > self._grace_ends or not connection.reader.has_begun
        timeout = self._options.client_socket_timeout
        return (connection.deadline is not None and
                now > connection.deadline) or bool(
                    timeout and now - connection.active_at > timeout)

    def _expire(self, connection):
        if connection.phase in (Phase.HEAD, Phase.BODY) and (
                connection.reader.has_begun):
            connection.deadline = None
            self._guarded(self._refuse, connection, http_protocol.TOO_SLOW,
                          'The request was not complete in time')
        else:
            self._drop(connection)
