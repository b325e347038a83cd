"""What hostile clients send, to real processes of both concurrency kinds."""
import contextlib
import os
import pathlib
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import time

import pytest

from tests import machine
from tests.security import raw_requests

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GET = b'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
#: Seconds that an answer takes only if others hold it up; the machine may be
#: busy.
PROMPT = 30
IDLE = 1500


class Process:
    """A server in a process of its own."""

    def __init__(self, kind, directory, options):
        self.log = directory / 'log'
        with self.log.open('wb') as log:
            self._process = subprocess.Popen(
                [sys.executable, '-m', 'tests.security.http_process',
                 options], cwd=ROOT, stdout=subprocess.PIPE, stderr=log,
                env={**os.environ, 'HEAT_CONCURRENCY': kind})
        self.port = int(self.said())

    def said(self):
        """Return the next line of its standard output."""
        line = self._process.stdout.readline()
        assert line, self.log.read_text()
        return line.strip()

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self):
        """Return the exit code."""
        return self._process.wait(60)

    def end(self):
        self._process.kill()
        self._process.wait(60)
        self._process.stdout.close()

    def connect(self, timeout=60):
        return socket.create_connection(('127.0.0.1', self.port), timeout)

    def ask(self, data=GET, timeout=60):
        """Send bytes, return all that comes until the server closes."""
        with self.connect(timeout) as sock:
            # It may have seen enough before it has been sent all.
            with contextlib.suppress(ConnectionError):
                sock.sendall(data)
            return everything(sock)

    def cpu(self):
        """Return the seconds of CPU time that it has used."""
        return machine.cpu_seconds(self._process.pid)

    def threads(self):
        """Return how many native threads it has."""
        return len(list(
            pathlib.Path(f'/proc/{self._process.pid}/task').iterdir()))


def everything(sock):
    received = b''
    with contextlib.suppress(ConnectionError):
        while piece := sock.recv(65536):
            received += piece
    return received


@pytest.fixture(scope='module', params=['eventlet', 'threading'])
def kind(request):
    return request.param


@pytest.fixture(scope='module')
def server(kind, tmp_path_factory):
    process = Process(kind, tmp_path_factory.mktemp(kind), '{}')
    yield process
    process.end()


@pytest.mark.parametrize('name', raw_requests.MALFORMED)
def test_malformed_request_is_refused(server, name):
    data, status = raw_requests.MALFORMED[name]
    received = server.ask(data)
    assert received.startswith(b'HTTP/1.1 %d ' % status)
    assert len(re.findall(rb'HTTP/1\.1 \d', received)) == 1
    assert b'Connection: close' in received


@pytest.mark.parametrize('name', raw_requests.GOOD)
def test_good_request_is_served(server, name):
    data, body = raw_requests.GOOD[name]
    received = server.ask(data + GET)
    assert received.startswith(b'HTTP/1.1 200 ')
    assert received.partition(b'\r\n\r\n')[2].startswith(body)


def test_refusals_leave_no_traceback_and_no_control_characters(server):
    for data, _status in raw_requests.MALFORMED.values():
        server.ask(data)
    server.ask(b'GET /%1b%5b2J%00%0d%0a HTTP/1.1\r\nHost: x\r\n'
               b'Connection: close\r\n\r\n')
    text = server.log.read_bytes()
    assert b'/%1b%5b2J%00%0d%0a' in text
    assert b'Traceback' not in text
    assert not re.search(rb'[\x00-\x09\x0b-\x1f\x7f]', text)


@pytest.mark.parametrize('begin', [
    b'', b'GET / HTTP/1.1\r\nHo', b'\x16\x03\x01',
    b'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n',
    b'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n'
    b'Expect: 100-continue\r\n\r\n',
    b'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
    b'GET /much HTTP/1.1\r\nHost: x\r\n\r\n'],
    ids=['nothing', 'head', 'hello', 'length', 'continue', 'chunk', 'answer'])
def test_slow_clients_hold_up_nobody(server, begin):
    with contextlib.ExitStack() as stack:
        for _index in range(100):
            stack.enter_context(server.connect()).sendall(begin)
        for _round in range(3):
            assert server.ask(timeout=PROMPT).startswith(b'HTTP/1.1 200 ')


def test_idle_connections_hold_up_nobody(server):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE + 500
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    began, threads = server.cpu(), server.threads()
    with contextlib.ExitStack() as stack:
        for _index in range(IDLE):
            stack.enter_context(server.connect())
        for _round in range(20):
            assert server.ask(timeout=PROMPT).startswith(b'HTTP/1.1 200 ')
        assert server.threads() <= threads + 4
    assert server.cpu() - began < 3


def test_request_in_progress_is_finished_at_the_end(kind, tmp_path):
    process = Process(kind, tmp_path, '{}')
    try:
        with process.connect() as served, process.connect() as idle, (
                process.connect()) as begun:
            begun.sendall(b'POST / HTTP/1.1\r\nHost: x\r\n'
                          b'Content-Length: 2\r\n\r\na')
            served.sendall(b'GET /held HTTP/1.1\r\nHost: x\r\n\r\n')
            assert process.said() == b'held'
            process.signal(signal.SIGTERM)
            assert everything(idle) == b''
            begun.sendall(b'b')
            assert everything(begun).endswith(b'ab')
            process.signal(signal.SIGUSR1)
            received = everything(served)
        assert received.startswith(b'HTTP/1.1 200 ')
        assert b'Connection: close' in received
        assert process.wait() == 0
        with pytest.raises(ConnectionRefusedError):
            process.connect()
    finally:
        process.end()


def test_slow_clients_do_not_hold_up_the_end(kind, tmp_path):
    process = Process(kind, tmp_path, '{}')
    try:
        with process.connect() as head, process.connect() as body:
            head.sendall(b'GET / HTTP/1.1\r\nHo')
            body.sendall(b'POST / HTTP/1.1\r\nHost: x\r\n'
                         b'Content-Length: 2\r\n\r\n')
            assert process.ask().startswith(b'HTTP/1.1 200 ')
            began = time.monotonic()
            process.signal(signal.SIGTERM)
            assert process.wait() == 0
            # Five seconds for what has begun, and some for a busy machine.
            assert time.monotonic() - began < 20
    finally:
        process.end()


@pytest.fixture(scope='module')
def tls_server(kind, tmp_path_factory):
    directory = tmp_path_factory.mktemp('tls')
    cert, key = directory / 'cert.pem', directory / 'key.pem'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes',
         '-days', '2', '-subj', '/CN=localhost', '-addext',
         'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
        check=True, capture_output=True)
    process = Process(kind, directory,
                      f'{{"cert_file": "{cert}", "key_file": "{key}"}}')
    process.context = ssl.create_default_context(cafile=cert)
    yield process
    process.end()


@pytest.mark.parametrize('begin', [b'', b'\x16\x03\x01', b'GET / HTTP'],
                         ids=['nothing', 'hello', 'no TLS'])
def test_slow_handshakes_hold_up_nobody(tls_server, begin):
    with contextlib.ExitStack() as stack:
        for _index in range(100):
            stack.enter_context(tls_server.connect()).sendall(begin)
        with tls_server.connect(PROMPT) as plain, (
                tls_server.context.wrap_socket(
                    plain, server_hostname='127.0.0.1')) as sock:
            sock.sendall(raw_requests.chunked(b'3\r\nabc\r\n0\r\n\r\n') + GET)
            assert b'\r\n\r\nabcHTTP/1.1 200 ' in everything(sock)
