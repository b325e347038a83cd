"""The HTTP server of the API processes.

Written for this service because it has to work in two worlds: with native
threads, and with green ones when heat/cmd has patched the standard library.
Servers that bring an event loop of their own work in one of them only.
It uses plain sockets, a selector for idle connections and a pool of threads
for requests, so a client that keeps its connection open costs no thread.
"""
import collections
from concurrent import futures
import http
import selectors
import socket
import ssl
import threading
import time

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common import http_protocol
from heat.common import safe_url
from heat.common import timeutils
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

#: How many connections may be open beyond the threads there are.
_MAX_IDLE = 2000
#: How long a client may take over each piece of a request's head.
_HEAD_TIMEOUT = 60
_SWEEP = 5.0


class Server:
    """Serves one WSGI application on one address.

    :param group: the options: [heat_api] or [heat_api_cfn].
    :param application: may be given to start() instead.
    """

    def __init__(self, group, application=None, name='heat-api'):
        self.name = name
        self._options = cfg.CONF[group] if isinstance(group, str) else group
        self._application = application
        self._socket = None
        self._tls = None
        self._selector = None
        self._threads = None
        self._acceptor = None
        self._stopping = threading.Event()
        self._returned = collections.deque()
        self._busy = 0
        self._changed = threading.Condition()

    @property
    def address(self):
        """The (host, port) that the server listens on."""
        return self._socket.getsockname()[:2]

    def listen(self):
        """Open the listening socket; start() does if nobody did before.

        Processes made later may share the socket.
        """
        options = self._options
        sock = None
        try:
            info = socket.getaddrinfo(
                options.bind_host, options.bind_port, socket.AF_UNSPEC,
                socket.SOCK_STREAM, 0, socket.AI_PASSIVE)[0]
            sock = socket.socket(info[0], socket.SOCK_STREAM)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if options.workers > 1:
                # Each worker process listens for itself.
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            sock.bind(info[4])
            sock.listen(options.backlog)
        except OSError as exc:
            if sock is not None:
                sock.close()
            raise exception.Error(
                _('Cannot listen on %(host)s port %(port)s: %(why)s')
                % {'host': options.bind_host, 'port': options.bind_port,
                   'why': exc}) from exc
        self._socket = sock

    def start(self, application=None):
        """Begin to serve, in threads of its own."""
        if application is not None:
            self._application = application
        if self._options.cert_file:
            self._tls = self._make_tls()
        if self._socket is None:
            self.listen()
        self._socket.setblocking(False)
        self._threads = futures.ThreadPoolExecutor(
            self._options.threads, thread_name_prefix=self.name)
        self._selector = selectors.DefaultSelector()
        self._waker, self._alarm = socket.socketpair()
        self._waker.setblocking(False)
        self._alarm.setblocking(False)
        self._selector.register(self._alarm, selectors.EVENT_READ)
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._acceptor = threading.Thread(
            target=self._accept_loop, name=self.name + '-accept',
            daemon=True)
        self._acceptor.start()
        LOG.info('%s listens on %s port %s', self.name, *self.address)

    def _make_tls(self):
        options = self._options
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            tls.load_cert_chain(options.cert_file, options.key_file)
        except OSError as exc:
            raise exception.Error(
                _('The certificate %(cert)s cannot be used: %(why)s')
                % {'cert': options.cert_file, 'why': exc}) from exc
        return tls

    def stop(self, timeout=60):
        """Accept nothing more, let requests finish, close all.

        :param timeout: seconds to wait for requests that are running.
        """
        if self._stopping.is_set() or self._acceptor is None:
            return
        self._stopping.set()
        self._wake()
        self._acceptor.join()
        end = timeutils.wallclock() + timeout
        with self._changed:
            while self._busy and timeutils.wallclock() < end:
                self._changed.wait(end - timeutils.wallclock())
            if self._busy:
                LOG.warning('%s stops with %s requests unfinished',
                            self.name, self._busy)
        self._threads.shutdown(wait=False)
        while self._returned:
            self._returned.popleft().close()
        self._waker.close()
        self._alarm.close()
        LOG.info('%s stopped', self.name)

    def wait(self):
        """Return when the server has been stopped."""
        if self._acceptor is not None:
            self._acceptor.join()

    # -- the thread that accepts and watches idle connections -----------------

    def _wake(self):
        try:
            self._waker.send(b'x')
        except OSError as exc:
            # Full of calls to wake up, of which one is enough; or closed.
            LOG.debug('Waking the acceptor: %s', exc)

    def _accept_loop(self):
        swept = timeutils.wallclock()
        accepting = True
        while not self._stopping.is_set():
            for key, _events in self._selector.select(_SWEEP):
                if key.fileobj is self._socket:
                    self._accept()
                elif key.fileobj is self._alarm:
                    self._drain_alarm()
                else:
                    self._selector.unregister(key.fileobj)
                    self._submit(key.fileobj)
            while self._returned:
                self._watch(self._returned.popleft())
            accepting = self._throttle(accepting)
            if timeutils.wallclock() - swept > _SWEEP:
                swept = timeutils.wallclock()
                self._sweep(swept)
        self._close_all()

    def _drain_alarm(self):
        try:
            while self._alarm.recv(4096):
                pass
        except (BlockingIOError, InterruptedError):
            return

    def _throttle(self, accepting):
        """Leave new connections in the backlog while all threads work."""
        wanted = self._busy < self._options.threads * 2
        if wanted and not accepting:
            self._selector.register(self._socket, selectors.EVENT_READ)
        elif accepting and not wanted:
            self._selector.unregister(self._socket)
        return wanted

    def _accept(self):
        try:
            sock, address = self._socket.accept()
        except (BlockingIOError, ConnectionError, InterruptedError):
            # Another process was faster, or the client is gone already.
            return
        except OSError as exc:
            # Most likely out of descriptors; those in use will be closed.
            LOG.error('%s cannot accept a connection: %s', self.name, exc)
            timeutils.sleep(0.1)
            return
        sock.setblocking(True)
        self._tune(sock)
        self._watch(http_protocol.Connection(sock, address[0]))

    def _tune(self, sock):
        sock.settimeout(self._timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, 'TCP_KEEPIDLE'):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE,
                            self._options.tcp_keepidle)

    @property
    def _timeout(self):
        return self._options.client_socket_timeout or None

    def _watch(self, connection):
        """Wait, without a thread, for the next bytes of a client."""
        connection.idle_since = timeutils.wallclock()
        self._selector.register(connection, selectors.EVENT_READ)

    def _idle(self):
        return [key.fileobj for key in self._selector.get_map().values()
                if isinstance(key.fileobj, http_protocol.Connection)]

    def _sweep(self, now):
        """Close what has been idle for too long, or is too much."""
        idle = sorted(self._idle(), key=lambda each: each.idle_since)
        excess = len(idle) - _MAX_IDLE
        for index, connection in enumerate(idle):
            old = self._timeout and (
                now - connection.idle_since > self._timeout)
            if old or index < excess:
                self._selector.unregister(connection)
                connection.close()

    def _close_all(self):
        for connection in self._idle():
            connection.close()
        self._selector.close()
        self._socket.close()

    # -- the threads that serve requests --------------------------------------

    def _submit(self, connection):
        with self._changed:
            self._busy += 1
        self._threads.submit(self._serve, connection)

    def _serve(self, connection):
        """Serve the requests that are there, then go back to waiting."""
        keep = False
        try:
            if connection.is_new:
                self._greet(connection)
            keep = self._serve_one(connection)
            while keep and connection.has_pending:
                keep = self._serve_one(connection)
        except http_protocol.Disconnected as exc:
            LOG.debug('Connection of %s ended: %s', connection.address, exc)
            keep = False
        except Exception:
            LOG.exception('%s failed to serve a connection', self.name)
            keep = False
        finally:
            self._release(connection, keep)

    def _greet(self, connection):
        connection.is_new = False
        if self._tls is None:
            return
        connection.sock.settimeout(_HEAD_TIMEOUT)
        try:
            connection.sock = self._tls.wrap_socket(connection.sock,
                                                    server_side=True)
        except OSError as exc:
            raise http_protocol.Disconnected(str(exc)) from exc
        connection.scheme = 'https'

    def _release(self, connection, keep):
        if keep and not self._stopping.is_set():
            self._returned.append(connection)
        else:
            connection.close()
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()
        self._wake()

    def _serve_one(self, connection):
        """Serve one request; return whether the connection stays open."""
        connection.sock.settimeout(_HEAD_TIMEOUT)
        try:
            request = http_protocol.read_request(
                connection, self._options.max_header_line)
        except http_protocol.ProtocolError as exc:
            http_protocol.send_error(connection, exc.status, str(exc))
            return False
        connection.sock.settimeout(self._timeout)
        return self._answer(connection, request)

    def _answer(self, connection, request):
        host, port = self.address
        environ = http_protocol.make_environ(
            request, connection, host, port,
            multiprocess=self._options.workers > 1)
        response = http_protocol.Response(connection, request,
                                          is_last=self._stopping.is_set)
        began = time.monotonic()
        try:
            response.run(self._application, environ)
        except http_protocol.Disconnected:
            raise
        except http_protocol.ProtocolError as exc:
            self._fail(connection, response, exc.status, str(exc))
        except Exception:
            LOG.exception('%s %s failed', request.method, environ['PATH_INFO'])
            self._fail(connection, response,
                       http.HTTPStatus.INTERNAL_SERVER_ERROR,
                       'The server met an unexpected error.')
        LOG.info('%s "%s %s %s" status: %s len: %s time: %.4f',
                 connection.address, request.method,
                 safe_url.masked(request.target),
                 request.version, response.status.partition(' ')[0],
                 response.sent, time.monotonic() - began)
        return response.keep_alive

    @staticmethod
    def _fail(connection, response, status, text):
        """Answer with an error, if nothing has been sent yet."""
        response.keep_alive = False
        if not response.started:
            response.status = str(int(status))
            http_protocol.send_error(connection, status, text)
