"""The HTTP server, asked over real sockets of this machine."""
import contextlib
import http.client
import socket
import ssl
import subprocess
import threading

import pytest

from heat.common import exception
from heat.common import wsgi_server

GET = b'GET / HTTP/1.1\r\nHost: x\r\n'
POST = b'POST / HTTP/1.1\r\nHost: x\r\n'


class Options:
    """What [heat_api] has."""

    bind_host = '127.0.0.1'
    bind_port = 0
    backlog = 16
    cert_file = None
    key_file = None
    workers = 0
    threads = 4
    max_header_line = 1024
    tcp_keepidle = 600
    client_socket_timeout = 60

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)


def echo(environ, start_response):
    """Answer with method, path, query and body."""
    body = environ['wsgi.input'].read()
    text = '%s %s %s ' % (environ['REQUEST_METHOD'], environ['PATH_INFO'],
                          environ['QUERY_STRING'])
    start_response('200 OK', [('Content-Type', 'text/plain'),
                              ('X-Agent', environ.get('HTTP_X_AGENT', ''))])
    return [text.encode('latin-1'), body]


@pytest.fixture
def serve(conf):
    servers = []

    def start(application=echo, **options):
        server = wsgi_server.Server(Options(**options), application)
        server.start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.stop(timeout=5)


def connect(server):
    return http.client.HTTPConnection(*server.address, timeout=60)


def everything(sock):
    """Return all that comes until the server closes."""
    received = b''
    while piece := sock.recv(65536):
        received += piece
    return received


def raw(server, data):
    """Send bytes, return all that comes until the server closes."""
    with socket.create_connection(server.address, timeout=60) as sock:
        sock.sendall(data)
        return everything(sock)


def test_request_and_answer(serve):
    client = connect(serve())
    client.request('POST', '/v1/p%20q?a=b', 'body', {'X-Agent': 'me'})
    response = client.getresponse()
    assert response.status == 200
    assert response.read() == b'POST /v1/p q a=b body'
    assert response.headers['Content-Length'] == '21'
    assert response.headers['X-Agent'] == 'me'
    assert 'Date' in response.headers
    client.close()


def test_connection_is_kept(serve):
    client = connect(serve())
    client.connect()
    sock = client.sock
    for index in range(5):
        client.request('GET', '/%d' % index)
        assert client.getresponse().read() == b'GET /%d  ' % index
        assert client.sock is sock
    client.close()


def test_idle_connections_cost_no_thread(serve):
    server = serve(threads=2)
    clients = [connect(server) for _index in range(10)]
    for _round in range(2):
        for client in clients:
            client.request('GET', '/')
            assert client.getresponse().read() == b'GET /  '
    for client in clients:
        client.close()


def test_pipelined_requests_are_all_answered(serve):
    request = b'GET /%d HTTP/1.1\r\nHost: x\r\n%s\r\n'
    received = raw(serve(), request % (1, b'') + request % (2, b'') +
                   request % (3, b'Connection: close\r\n'))
    assert received.count(b'200 OK') == 3
    assert received.endswith(b'GET /3  ')


def test_body_in_chunks(serve):
    client = connect(serve())
    client.request('PUT', '/x', iter([b'one ', b'two']),
                   encode_chunked=True,
                   headers={'Transfer-Encoding': 'chunked'})
    assert client.getresponse().read() == b'PUT /x  one two'
    client.request('GET', '/y')
    assert client.getresponse().read() == b'GET /y  '
    client.close()


def test_client_is_told_to_go_on(serve):
    with socket.create_connection(serve().address, timeout=60) as sock:
        sock.sendall(POST +
                     b'Expect: 100-continue\r\nContent-Length: 2\r\n'
                     b'Connection: close\r\n\r\n')
        first = b'HTTP/1.1 100 Continue\r\n\r\n'
        assert sock.recv(len(first), socket.MSG_WAITALL) == first
        sock.sendall(b'hi')
        received = everything(sock)
    assert received.startswith(b'HTTP/1.1 200')
    assert received.endswith(b'hi')


def test_old_protocol(serve):
    received = raw(serve(), b'GET / HTTP/1.0\r\n\r\n')
    assert b'Connection: close' in received
    assert received.endswith(b'GET /  ')


def test_head_has_no_body(serve):
    received = raw(serve(), b'HEAD / HTTP/1.1\r\nHost: x\r\n'
                   b'Connection: close\r\n\r\n')
    assert received.endswith(b'\r\n\r\n')
    assert b'Content-Length: 8' in received


def test_answer_of_unknown_length_comes_in_chunks(serve):
    def app(environ, start_response):
        start_response('200 OK', [])
        yield b'one '
        yield b''
        yield b'two'

    server = serve(app)
    client = connect(server)
    client.request('GET', '/')
    response = client.getresponse()
    assert response.headers['Transfer-Encoding'] == 'chunked'
    assert response.read() == b'one two'
    client.close()
    assert raw(server, b'GET / HTTP/1.0\r\n\r\n').endswith(b'\r\n\r\none two')


def test_written_answer(serve):
    def app(environ, start_response):
        write = start_response('200 OK', [('Content-Length', '3')])
        write(b'abc')
        return []

    client = connect(serve(app))
    client.request('GET', '/')
    assert client.getresponse().read() == b'abc'
    client.close()


def test_no_content(serve):
    def app(environ, start_response):
        start_response('204 No Content', [])
        return [b'ignored']

    client = connect(serve(app))
    for _round in range(2):
        client.request('DELETE', '/')
        response = client.getresponse()
        assert (response.status, response.read()) == (204, b'')
        assert 'Content-Length' not in response.headers
    client.close()


def test_unread_body_does_not_spoil_the_next_request(serve, conf):
    conf.set(max_json_body_size=20000)

    def app(environ, start_response):
        start_response('200 OK', [])
        return [environ['PATH_INFO'].encode()]

    client = connect(serve(app))
    for path in ('/a', '/b'):
        client.request('POST', path, b'x' * 1000)
        assert client.getresponse().read() == path.encode()
    # The server may close the connection before all has been sent.
    with contextlib.suppress(ConnectionError):
        client.request('POST', '/c', b'x' * 1000000)
    response = client.getresponse()
    assert response.read() == b'/c'
    assert response.headers['Connection'] == 'close'
    client.close()


@pytest.mark.parametrize(('request_', 'status'), [
    (b'nonsense\r\n\r\n', 400),
    (b'GET /\r\n\r\n', 400),
    (b'GET / HTTP/2.0\r\n\r\n', 400),
    (b'G{T / HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    (GET + b'no colon\r\n\r\n', 400),
    (GET + b'A : b\r\n\r\n', 400),
    (GET + b'A: b\r\n folded\r\n\r\n', 400),
    (GET.replace(b'/', b'/' + b'x' * 2000, 1) + b'\r\n', 431),
    (GET + b'A: %s\r\n\r\n' % (b'x' * 2000), 431),
    (GET + b'A: b\r\n' * 300 + b'\r\n', 431),
    (GET + b'A: %s\r\n' % (b'x' * 1000) * 5 + b'\r\n', 431),
    (POST + b'Content-Length: x\r\n\r\n', 400),
    (POST + b'Content-Length: -1\r\n\r\n', 400),
    (POST + b'Content-Length: 1\r\nContent-Length: 2\r\n\r\n',
     400),
    (POST + b'Content-Length: 1\r\n'
     b'Transfer-Encoding: chunked\r\n\r\n', 400),
    (POST + b'Transfer-Encoding: gzip\r\n\r\n', 501),
    (POST + b'Transfer-Encoding: chunked\r\n\r\nzz\r\n', 400),
    (POST + b'Transfer-Encoding: chunked\r\n\r\n'
     b'2\r\nabcd\r\n', 400),
])
def test_what_is_no_request(serve, request_, status):
    received = raw(serve(), request_)
    assert received.startswith(b'HTTP/1.1 %d ' % status)
    assert b'Connection: close' in received


@pytest.mark.parametrize('begin', ['GET /?', GET.decode() + 'A: '])
def test_length_of_a_line(serve, begin):
    server, first = serve(), begin.rpartition('\n')[2]
    end, rest = (('', '') if '\n' in begin
                 else (' HTTP/1.1', 'Host: x\r\n'))

    def send(length):
        # The end of the line is not part of it.
        fill = 'x' * (length - len(first) - len(end))
        return raw(server, (f'{begin}{fill}{end}\r\n{rest}Connection: close'
                            '\r\n\r\n').encode())

    limit = Options.max_header_line
    assert send(limit - 1).startswith(b'HTTP/1.1 200 ')
    assert send(limit + 1).startswith(b'HTTP/1.1 431 ')


def test_header_with_underscore_is_not_taken_for_another(serve):
    received = raw(serve(), GET + b'X_Agent: forged\r\n'
                   b'Connection: close\r\n\r\n')
    assert b'forged' not in received


def test_absolute_target_of_a_proxy(serve):
    received = raw(serve(), b'GET http://h/a/b?c HTTP/1.1\r\nHost: x\r\n'
                   b'Connection: close\r\n\r\n')
    assert received.endswith(b'GET /a/b c ')


def test_failing_application(serve):
    def app(environ, start_response):
        raise KeyError('secret detail')

    received = raw(serve(app), GET + b'\r\n')
    assert received.startswith(b'HTTP/1.1 500 ')
    assert b'secret' not in received


def test_header_injection_is_refused(serve):
    def app(environ, start_response):
        start_response('200 OK', [('X-A', 'b\r\nSet-Cookie: c')])
        return [b'x']

    received = raw(serve(app), GET + b'\r\n')
    assert received.startswith(b'HTTP/1.1 500 ')
    assert b'Set-Cookie' not in received


def test_more_clients_than_threads(serve):
    gate = threading.Semaphore(0)
    arrived = threading.Semaphore(0)

    def app(environ, start_response):
        arrived.release()
        assert gate.acquire(timeout=60)
        start_response('200 OK', [])
        return [b'done']

    server = serve(app, threads=2)
    clients = [connect(server) for _index in range(8)]
    for client in clients:
        client.request('GET', '/')
    assert arrived.acquire(timeout=60)
    for _client in clients:
        gate.release()
    for client in clients:
        assert client.getresponse().read() == b'done'
        client.close()


def test_stop_lets_requests_finish(serve):
    gate = threading.Event()
    arrived = threading.Event()

    def app(environ, start_response):
        arrived.set()
        assert gate.wait(60)
        start_response('200 OK', [])
        return [b'done']

    server = serve(app)
    address = server.address
    client = connect(server)
    client.request('GET', '/')
    assert arrived.wait(60)
    stopper = threading.Thread(target=server.stop)
    stopper.start()
    server.wait()
    gate.set()
    response = client.getresponse()
    assert response.read() == b'done'
    assert response.headers['Connection'] == 'close'
    stopper.join(60)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=5)
    client.close()


def test_port_in_use_is_named(serve):
    taken = serve().address[1]
    with pytest.raises(exception.Error, match='port %d' % taken):
        wsgi_server.Server(Options(bind_port=taken), echo).start()


@pytest.fixture(scope='module')
def certificate(tmp_path_factory):
    directory = tmp_path_factory.mktemp('tls')
    cert, key = directory / 'cert.pem', directory / 'key.pem'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes',
         '-days', '2', '-subj', '/CN=localhost', '-addext',
         'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
        check=True, capture_output=True)
    return str(cert), str(key)


def test_tls(serve, certificate):
    cert, key = certificate
    seen = []

    def app(environ, start_response):
        seen.append(environ['wsgi.url_scheme'])
        return echo(environ, start_response)

    server = serve(app, cert_file=cert, key_file=key)
    client = http.client.HTTPSConnection(
        *server.address, timeout=60,
        context=ssl.create_default_context(cafile=cert))
    for _round in range(2):
        client.request('POST', '/', b'x' * 100000)
        assert len(client.getresponse().read()) == 100008
    assert seen == ['https', 'https']
    client.close()
    # Who does not speak TLS gets no answer, and breaks nothing.
    with contextlib.suppress(ConnectionError):
        assert b'200' not in raw(server, GET + b'\r\n')
    client.request('GET', '/')
    assert client.getresponse().status == 200
    client.close()


def test_wrong_certificate_is_named(tmp_path):
    server = wsgi_server.Server(Options(cert_file=str(tmp_path / 'none')),
                                echo)
    with pytest.raises(exception.Error, match='none'):
        server.start()
