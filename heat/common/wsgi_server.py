"""The HTTP server of the API processes.

No server of others serves both with native and with green threads, keeps
slow clients from occupying threads, and refuses all that is ambiguous; see
the decision record. So h11 reads the protocol (http_protocol), one thread
waits for the clients (http_loop), and here a pool of threads runs the
application on requests that are complete.
"""
from concurrent import futures
import http
import resource
import socket
import ssl
import threading
import time

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common import http_connection
from heat.common import http_loop
from heat.common import http_protocol
from heat.common import safe_url
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

Phase = http_connection.Phase

#: A form says a byte in up to three, and the body of a request may be one.
_FORM_GROWTH = 3
#: Open files that a process needs for connections and listeners.
_DESCRIPTORS = 8192


def _allow_descriptors():
    """Let the process have the descriptors that its listeners need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else (
        min(hard, _DESCRIPTORS))
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Server:
    """Serves one WSGI application on one address.

    Processes made after listen() share the address; start() is for each.

    :param group: the options: [heat_api] or [heat_api_cfn].
    :param application: may be set later, or given to start().
    :param shares_port: whether servers of other programs may listen on the
        same address.
    """

    def __init__(self, group, application=None, name='heat-api', *,
                 shares_port=False):
        self.name = name
        self._options = cfg.CONF[group] if isinstance(group, str) else group
        self.application = application
        self._shares_port = shares_port
        self._socket = None
        self._address = None
        self._tls = None
        self._threads = None
        self._loop = None
        self._loop_thread = None

    @property
    def address(self):
        """The (host, port) that the server listens on."""
        return self._address

    def listen(self):
        """Open the listening socket; start() does if nobody did before."""
        options = self._options
        sock = None
        try:
            info = socket.getaddrinfo(
                options.bind_host, options.bind_port, socket.AF_UNSPEC,
                socket.SOCK_STREAM, 0, socket.AI_PASSIVE)[0]
            sock = socket.socket(info[0], socket.SOCK_STREAM)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if self._shares_port:
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
        self._address = sock.getsockname()[:2]

    def start(self, application=None):
        """Begin to serve, in threads of its own."""
        if application is not None:
            self.application = application
        if self._options.cert_file:
            self._tls = self._make_tls()
        if self._socket is None:
            self.listen()
        _allow_descriptors()
        self._threads = futures.ThreadPoolExecutor(
            self._options.threads, thread_name_prefix=self.name)
        self._loop = http_loop.ConnectionLoop(
            self.name, self._socket, self._options, self._connect,
            self._submit)
        self._loop_thread = threading.Thread(
            target=self._loop.run, name=self.name + '-loop', daemon=True)
        self._loop_thread.start()
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
        if self._loop is None or self._loop.is_stopping:
            return
        self._loop.stop(timeout)
        if self._loop_thread is not None:
            self._loop_thread.join()
        if self._threads is not None:
            self._threads.shutdown(wait=False)
        LOG.info('%s stopped', self.name)

    def wait(self):
        """Return when nothing more is accepted."""
        if self._loop is not None:
            self._loop.wait_until_closed()

    def _connect(self, sock, address):
        """Return the connection of a client, in the loop's thread."""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, 'TCP_KEEPIDLE'):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE,
                            self._options.tcp_keepidle)
        reader = http_protocol.RequestReader(
            self._options.max_header_line,
            cfg.CONF.max_json_body_size * _FORM_GROWTH)
        return http_connection.Connection(sock, address, reader, self._tls)

    def _submit(self, connection, request):
        assert self._threads is not None
        self._threads.submit(self._serve, connection, request)

    # -- the threads that serve requests --------------------------------------

    def _serve(self, connection, request):
        """Answer a request and give the connection back."""
        next_phase = Phase.CLOSED
        try:
            next_phase = self._answer(connection, request)
        except http_connection.Disconnected as exc:
            LOG.debug('Connection of %s ended: %s', connection.address, exc)
        except Exception:
            LOG.exception('%s failed to serve a connection', self.name)
        finally:
            if connection.stream is not None and (
                    next_phase is not Phase.STREAM):
                connection.stream.stream.close()
            if self._loop is not None:
                self._loop.give_back(connection, next_phase)

    def _answer(self, connection, request):
        host, port = self.address
        environ = http_protocol.make_environ(
            request, connection, host, port,
            multiprocess=self._options.workers != 1)
        began = time.monotonic()
        response = http_protocol.Response(request)
        try:
            response.run(self.application, environ)
            is_last = self._loop is None or self._loop.is_stopping
            if response.stream is not None:
                data, goes_on = response.encode_head(), False
                connection.stream = response.open_stream()
            else:
                data, goes_on = response.encode(is_last=is_last)
            status = int(response.status.partition(' ')[0])
            size = response.size
        except http_protocol.ProtocolError as exc:
            status, size, goes_on = int(exc.status), len(str(exc)), False
            data = http_protocol.error_response(exc.status, str(exc))
        except Exception:
            LOG.exception('%s %s failed', request.method,
                          safe_url.masked(request.target))
            text = 'The server met an unexpected error.'
            status, size, goes_on = 500, len(text), False
            data = http_protocol.error_response(
                http.HTTPStatus.INTERNAL_SERVER_ERROR, text)
        LOG.info('%s "%s %s HTTP/%s" status: %s len: %s time: %.4f',
                 connection.address, request.method,
                 safe_url.masked(request.target), request.version,
                 status, size, time.monotonic() - began)
        connection.send(data)
        if connection.stream is not None:
            return Phase.STREAM
        if goes_on:
            return Phase.IDLE
        return Phase.END if request.is_too_long else Phase.CLOSED
