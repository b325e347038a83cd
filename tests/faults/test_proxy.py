"""The proxy passes, and disturbs only while it is asked to."""
import socket
import socketserver
import threading

import pytest

from tests.faults import proxy as proxy_module


class _Echo(socketserver.BaseRequestHandler):
    def handle(self):
        """Send back what comes."""
        while data := self.request.recv(4096):
            self.request.sendall(self.server.prefix + data)


@pytest.fixture
def echoes():
    """Return a function that starts servers; it returns their ports."""
    servers = []

    def start(prefix=b''):
        server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), _Echo)
        server.daemon_threads = True
        server.prefix = prefix
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        servers.append(server)
        return server.server_address[1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def proxy(echoes):
    """Return a proxy of an echo server."""
    one = proxy_module.Proxy(echoes())
    yield one
    one.close()


def ask(proxy, text=b'0123456789'):
    """Return what comes back by a new connection until it ends."""
    with socket.create_connection(('127.0.0.1', proxy.port),
                                  timeout=30) as connection:
        return answer(connection, text)


def answer(connection, text=b'0123456789'):
    """Return what comes back by a connection, None if it is reset."""
    try:
        connection.sendall(text)
        return connection.recv(4096)
    except OSError:
        return None


def test_it_passes_what_comes(proxy):
    assert ask(proxy) == b'0123456789'


def test_it_cuts_connections(proxy):
    with socket.create_connection(('127.0.0.1', proxy.port),
                                  timeout=30) as connection:
        assert answer(connection) == b'0123456789'
        proxy.cut()
        assert not answer(connection)
    assert ask(proxy) == b'0123456789'


def test_it_refuses_for_a_time(proxy):
    with proxy.refusing():
        assert not ask(proxy)
    assert ask(proxy) == b'0123456789'


def test_it_truncates_answers_for_a_time(proxy):
    with proxy.truncating():
        assert ask(proxy) == b'01234'
    assert ask(proxy) == b'0123456789'


def test_it_swallows_for_a_time(proxy):
    with socket.create_connection(('127.0.0.1', proxy.port),
                                  timeout=0.2) as connection:
        assert answer(connection) == b'0123456789'
        with proxy.swallowing():
            connection.sendall(b'lost')
            with pytest.raises(TimeoutError):
                connection.recv(4096)
        connection.settimeout(30)
        assert not answer(connection)
    assert ask(proxy) == b'0123456789'


def test_it_delays_for_a_time(proxy):
    with proxy.delaying(3600), socket.create_connection(
            ('127.0.0.1', proxy.port), timeout=0.2) as connection:
        connection.sendall(b'late')
        with pytest.raises(TimeoutError):
            connection.recv(4096)
    assert ask(proxy) == b'0123456789'


def test_it_leads_to_another_server(proxy, echoes):
    with socket.create_connection(('127.0.0.1', proxy.port),
                                  timeout=30) as connection:
        assert answer(connection) == b'0123456789'
        proxy.point_to(echoes(b'other '))
        assert not answer(connection)
    assert ask(proxy) == b'other 0123456789'
