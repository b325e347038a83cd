"""How long clients may take, and how many there may be."""
import contextlib
import socket
import ssl
import threading
import time

import pytest

from heat.common import http_loop
from heat.common import timeutils
from heat.common import wsgi_server
from tests.security import raw_requests
from tests.unit.common import test_wsgi_server

GET = raw_requests.GET + b'Connection: close\r\n\r\n'


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.ahead = 0.0

    def now(self):
        return time.monotonic() + self.ahead


@pytest.fixture
def clock(monkeypatch):
    one = Clock()
    monkeypatch.setattr(timeutils, 'wallclock', one.now)
    return one


@pytest.fixture
def serve(conf):
    servers = []

    def start(application=test_wsgi_server.echo, **options):
        server = wsgi_server.Server(test_wsgi_server.Options(**options),
                                    application)
        server.start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.stop(timeout=5)


@contextlib.contextmanager
def connected(server, data=b''):
    with socket.create_connection(server.address, timeout=60) as sock:
        sock.sendall(data)
        # What was sent before has been looked at when both are answered.
        let_pass(server)
        yield sock


def let_pass(server):
    for _index in range(2):
        assert b' 200 OK' in test_wsgi_server.raw(server, GET)


def everything(sock):
    with contextlib.suppress(ConnectionError):
        return test_wsgi_server.everything(sock)
    return b''


@pytest.mark.parametrize(('begin', 'seconds'), [
    (b'GET / HTTP/1.1\r\nHo', 30), (raw_requests.sized(b'10') + b'ab', 60),
    (raw_requests.chunked(b'5\r\nab'), 60)], ids=['head', 'length', 'chunk'])
def test_request_has_to_be_complete_in_time(serve, clock, begin, seconds):
    server = serve()
    with connected(server, begin) as sock:
        clock.ahead += seconds - 5
        let_pass(server)
        clock.ahead += 10
        received = everything(sock)
    assert received.startswith(b'HTTP/1.1 408 ')
    assert b'Connection: close' in received


def test_bytes_now_and_then_do_not_prolong_a_head(serve, clock):
    server = serve()
    with connected(server, b'GET / HTTP/1.1\r\n') as sock:
        for _index in range(3):
            clock.ahead += 12
            with contextlib.suppress(ConnectionError):
                sock.sendall(b'A: b\r\n')
            let_pass(server)
        assert everything(sock).startswith(b'HTTP/1.1 408 ')


def test_bytes_now_and_then_hardly_prolong_a_body(serve, clock):
    server = serve()
    with connected(server, raw_requests.sized(b'100')) as sock:
        for _index in range(3):
            clock.ahead += 25
            with contextlib.suppress(ConnectionError):
                sock.sendall(b'x')
            let_pass(server)
        assert everything(sock).startswith(b'HTTP/1.1 408 ')


def test_silent_connection_is_closed_in_the_end(serve, clock):
    # One thread: it has left an answer when it has given the next.
    server = serve(client_socket_timeout=900, threads=1)
    with connected(server) as silent, connected(
            server, raw_requests.GET + b'\r\n') as kept:
        clock.ahead += 40
        assert everything(silent) == b''
        kept.sendall(raw_requests.GET + b'\r\n')
        let_pass(server)
        clock.ahead += 1000
        let_pass(server)
        assert everything(kept).count(b' 200 OK') == 2


def test_connection_without_timeout_stays(serve, clock):
    server = serve(client_socket_timeout=0)
    with connected(server, raw_requests.GET + b'\r\n') as kept:
        for _index in range(5):
            let_pass(server)
            clock.ahead += 100000
        kept.sendall(GET)
        assert everything(kept).count(b'200 OK') == 2


def much(environ, start_response):
    start_response('200 OK', [])
    return [b'x' * (20000000 if environ['PATH_INFO'] == '/much' else 1)]


def test_answer_has_to_be_received_in_time(serve, clock):
    # One thread: it has left the answer when it has given the next.
    server = serve(much, threads=1)
    with connected(server, GET.replace(b'/ ', b'/much ', 1)) as sock:
        # A minute, and what so many bytes take at the least rate.
        clock.ahead += 60 + 20000000 / 8192 + 10
        let_pass(server)
        assert len(everything(sock)) < 20000000


def test_slow_receiver_gets_all(serve):
    server = serve(much, threads=1)
    with connected(server, GET.replace(b'/ ', b'/much ', 1)) as sock:
        assert len(everything(sock)) > 20000000


def test_oldest_of_too_many_connections_is_closed(serve, monkeypatch):
    monkeypatch.setattr(http_loop, '_MAX_WAITING', 10)
    server = serve()
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(socket.create_connection(
            server.address, timeout=60)) for _index in range(15)]
        for sock in socks[:5]:
            assert everything(sock) == b''
        socks[-1].sendall(GET)
        assert everything(socks[-1]).startswith(b'HTTP/1.1 200 ')


def test_too_many_bytes_are_not_kept(serve, monkeypatch):
    monkeypatch.setattr(http_loop, '_MAX_KEPT', 1000000)
    server = serve()
    begun = raw_requests.sized(b'800000') + b'x' * 600000
    with connected(server, begun) as first, connected(
            server, begun) as second:
        assert everything(first) == b''
        second.sendall(b'x' * 200000 + GET)
        assert b'POST /  xxx' in everything(second)


def test_request_that_has_begun_gets_some_time_at_the_end(serve, clock):
    server = serve()
    with connected(server, raw_requests.sized(b'2') + b'a') as sock, (
            connected(server)) as idle:
        stopper = threading.Thread(target=server.stop)
        stopper.start()
        assert everything(idle) == b''
        sock.sendall(b'b')
        assert everything(sock).endswith(b'ab')
        stopper.join(60)


def test_plain_text_on_a_tls_port_ends_the_connection(serve, certificate):
    cert, key = certificate
    server = serve(cert_file=cert, key_file=key)
    assert b'200' not in everything_of(server, GET)
    context = ssl.create_default_context(cafile=cert)
    with socket.create_connection(server.address, timeout=60) as plain, (
            context.wrap_socket(plain, server_hostname='127.0.0.1')) as sock:
        sock.sendall(GET)
        assert b' 200 OK' in everything(sock)


def everything_of(server, data):
    with socket.create_connection(server.address, timeout=60) as sock:
        sock.sendall(data)
        return everything(sock)


certificate = test_wsgi_server.certificate
