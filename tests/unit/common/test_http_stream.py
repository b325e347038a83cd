"""Streams, by themselves and from a server to many clients."""
import contextlib
import http.client
import socket
import ssl
import subprocess
import threading
import time
import types

import pytest

from heat.common import http_stream
from heat.common import timeutils
from heat.common import wsgi_server

HEARTBEAT = (15, b': \n\n')


class Streams:
    """An application that answers with streams, which it keeps."""

    def __init__(self):
        self.made = []
        self.closed = []

    def __call__(self, environ, start_response):
        start_response('200 OK', [('Content-Type', 'text/event-stream')])
        stream = http_stream.Stream(b': hello\n\n', HEARTBEAT, b': bye\n\n',
                                    lambda: self.closed.append(stream))
        self.made.append(stream)
        return stream

    def write(self, data):
        return [each.write(data) for each in self.made]


def options(**values):
    return types.SimpleNamespace(**{
        'bind_host': '127.0.0.1', 'bind_port': 0, 'backlog': 1024,
        'cert_file': None, 'key_file': None, 'workers': 1, 'threads': 2,
        'max_header_line': 1024, 'tcp_keepidle': 600,
        'client_socket_timeout': 60, **values})


@pytest.fixture
def application():
    return Streams()


@pytest.fixture
def serve(conf, application):
    servers = []

    def start(**values):
        servers.append(wsgi_server.Server(options(**values), application))
        servers[-1].start()
        return servers[-1]

    yield start
    for server in servers:
        server.stop(timeout=5)


def listen(server, version=b'1.1'):
    sock = socket.create_connection(server.address, timeout=60)
    sock.sendall(b'GET / HTTP/' + version + b'\r\nHost: x\r\n\r\n')
    return sock


def until(sock, end):
    received = b''
    while not received.endswith(end):
        piece = sock.recv(65536)
        assert piece, received
        received += piece
    return received


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_five_hundred_listeners_share_the_threads(serve, application):
    before = threading.active_count()
    server = serve()
    clients = [listen(server) for _index in range(500)]
    for each in clients:
        until(each, b': hello\n\n\r\n')
    # Two serve requests, one is the loop.
    assert threading.active_count() - before <= 3
    assert application.write(b'data: 1\n\n') == [True] * 500
    for each in clients:
        until(each, b'data: 1\n\n\r\n')
        each.close()
    wait_for(lambda: len(application.closed) == 500)
    assert application.write(b'x') == [False] * 500


def test_end_of_an_answer(serve, application):
    server = serve()
    client = http.client.HTTPConnection(*server.address, timeout=60)
    client.request('GET', '/')
    response = client.getresponse()
    assert response.headers['Transfer-Encoding'] == 'chunked'
    assert response.headers['Connection'] == 'close'
    application.made[0].write(b'one')
    application.made[0].end(b'two')
    assert application.made[0].write(b'three') is False
    assert response.read() == b': hello\n\nonetwo'
    wait_for(lambda: application.closed == application.made)
    client.close()


def test_client_without_chunks(serve, application):
    with listen(serve(), b'1.0') as sock:
        head = until(sock, b': hello\n\n')
        assert b'chunked' not in head
        application.made[0].end(b'x')
        assert sock.recv(10) == b'x'
        assert sock.recv(10) == b''


def test_over_tls(serve, application, tmp_path):
    key, cert = tmp_path / 'key', tmp_path / 'cert'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days',
         '2', '-subj', '/CN=localhost', '-keyout', key, '-out', cert],
        check=True, capture_output=True)
    server = serve(cert_file=str(cert), key_file=str(key))
    context = ssl.create_default_context(cafile=str(cert))
    context.check_hostname = False
    with context.wrap_socket(listen_later(server)) as sock:
        sock.sendall(b'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
        until(sock, b': hello\n\n\r\n')
        application.made[0].write(b'y' * 100000)
        until(sock, b'y\r\n')
        application.made[0].end()
        until(sock, b'0\r\n\r\n')
    wait_for(lambda: application.closed)


def listen_later(server):
    return socket.create_connection(server.address, timeout=60)


def test_slow_client_is_dropped(serve, application):
    with listen(serve()) as sock:
        until(sock, b': hello\n\n\r\n')
        [stream] = application.made
        # What the kernel takes, and more than a stream keeps.
        wait_for(lambda: not stream.write(b'x' * 100000))
        assert not stream.is_open
        assert stream.pending <= http_stream.MAX_PENDING


def test_client_that_sends_much_is_dropped(serve, application):
    with listen(serve()) as sock:
        until(sock, b': hello\n\n\r\n')
        sock.sendall(b'GET / HTTP/1.1\r\n\r\n')
        application.write(b'still here')
        until(sock, b'still here\r\n')
        with contextlib.suppress(OSError):
            for _time in range(100):
                sock.sendall(b'x' * 10000)
        wait_for(lambda: application.closed)


def test_stopping_server_ends_streams(serve, application):
    server = serve()
    sock = listen(server)
    until(sock, b': hello\n\n\r\n')
    began = time.monotonic()
    server.stop(timeout=20)
    assert time.monotonic() - began < 10
    assert until(sock, b'0\r\n\r\n').count(b': bye') == 1
    assert application.closed == application.made
    sock.close()


@pytest.fixture
def clock(monkeypatch):
    reading = [100.0]
    monkeypatch.setattr(timeutils, 'wallclock', lambda: reading[0])
    return reading


def a_stream(**values):
    return http_stream.Stream(b'a', HEARTBEAT, b'z', lambda: None)


def test_silence_ends_with_a_heartbeat(clock):
    stream = a_stream()
    assert stream.take() == (b'a', False)
    clock[0] += 14
    assert stream.take() == (b'', False)
    clock[0] += 1
    assert stream.take() == (HEARTBEAT[1], False)
    assert stream.take() == (b'', False)
    clock[0] += 10
    stream.write(b'b')
    assert stream.take() == (b'b', False)
    clock[0] += 14
    assert stream.take() == (b'', False)


def test_iterator_for_servers_of_others():
    stream = a_stream()
    pieces = []

    def read():
        pieces.extend(stream)

    reader = threading.Thread(target=read)
    reader.start()
    wait_for(lambda: pieces == [b'a'])
    stream.write(b'b')
    wait_for(lambda: pieces == [b'a', b'b'])
    stream.dismiss()
    reader.join(30)
    assert pieces == [b'a', b'b', b'z']


def test_closing_is_announced_once():
    calls = []
    stream = http_stream.Stream(b'', HEARTBEAT, b'', lambda: calls.append(1))
    stream.close()
    stream.close()
    assert calls == [1]
    assert stream.take() == (b'', True)
    assert stream.write(b'x') is False
