"""Requests and answers as bytes, without a server."""
import pytest

from heat.common import http_protocol
from tests.security import raw_requests

MAX_LINE = 16384
MAX_BODY = 100000


def read(data, step):
    """Return (reader, request) when the bytes come in steps."""
    reader = http_protocol.RequestReader(MAX_LINE, MAX_BODY)
    if len(data) > 5000:
        # Byte by byte only what is short.
        step = max(step, 997)
    for begin in range(0, len(data), step):
        reader.feed(data[begin:begin + step])
        request = reader.next_request()
        if request is not None:
            reader.feed(data[begin + step:])
            return reader, request
    return reader, None


@pytest.mark.parametrize('step', [1, 3, 100000])
@pytest.mark.parametrize('name', raw_requests.MALFORMED)
def test_malformed(name, step):
    data, status = raw_requests.MALFORMED[name]
    with pytest.raises(http_protocol.ProtocolError) as caught:
        read(data, step)
    assert caught.value.status == status


@pytest.mark.parametrize('step', [1, 3, 100000])
@pytest.mark.parametrize('name', raw_requests.GOOD)
def test_good(name, step):
    data, body = raw_requests.GOOD[name]
    _reader, request = read(data, step)
    assert bytes(request.body) == body


@pytest.mark.parametrize('step', [1, 3, 100000])
@pytest.mark.parametrize('name', raw_requests.GOOD)
def test_what_follows_a_request_is_kept(name, step):
    data, _body = raw_requests.GOOD[name]
    reader, request = read(data + b'GET /next HTTP/1.1\r\nHost: z\r\n\r\n',
                           step)
    response = http_protocol.Response(request)
    response.start_response('200 OK', [])
    response.encode(is_last=False)
    reader.finish()
    assert reader.next_request().target == '/next'


@pytest.mark.parametrize('data', [
    raw_requests.sized(b'200000'),
    raw_requests.sized(b'9' * 20),
    raw_requests.chunked(b'30d40\r\n' + b'x' * 200000)])
def test_body_that_is_too_long_is_not_read_to_its_end(data):
    reader, request = read(data, 65536)
    assert request.is_too_long
    assert len(request.body) <= MAX_BODY + 65536
    assert reader.continuation() == b''
    body = http_protocol.make_environ(request, Peer, 'host', 80)['wsgi.input']
    with pytest.raises(http_protocol.ProtocolError) as caught:
        body.read()
    assert caught.value.status == 413


class Peer:
    address = '127.0.0.2'
    scheme = 'http'


def environ_of(data):
    return http_protocol.make_environ(read(data, 65536)[1], Peer, 'host', 80)


def test_host_of_an_absolute_target_counts():
    environ = environ_of(b'GET http://a:1/b HTTP/1.1\r\nHost: c\r\n\r\n')
    assert environ['HTTP_HOST'] == 'a:1'
    assert environ['PATH_INFO'] == '/b'


def test_headers_of_the_same_name_are_joined():
    environ = environ_of(raw_requests.GET + b'A: b\r\nA: c\r\n\r\n')
    assert environ['HTTP_A'] == 'b,c'
    assert environ['HTTP_HOST'] == 'x'


@pytest.mark.parametrize(('data', 'length'), [
    (raw_requests.GET + b'\r\n', '0'), (raw_requests.sized(b'2') + b'ab', '2'),
    (raw_requests.chunked(b'2\r\nab\r\n0\r\n\r\n'), '2')])
def test_the_length_of_a_body_is_known(data, length):
    assert environ_of(data)['CONTENT_LENGTH'] == length


def encoded(status, headers, body, request=raw_requests.GET + b'\r\n'):
    response = http_protocol.Response(read(request, 65536)[1])

    def app(environ, start_response):
        start_response(status, headers)
        return body

    response.run(app, {})
    return response.encode(is_last=False)


@pytest.mark.parametrize(('headers', 'body'), [
    ([('A', 'b\r\nC: d')], [b'']),
    ([('A', 'b\x00')], [b'']),
    ([('A b', 'c')], [b'']),
    ([('Content-Length', '3')], [b'ab']),
    ([('Content-Length', '1')], [b'ab']),
])
def test_answer_that_is_not_well_formed(headers, body):
    with pytest.raises(Exception, match='(?i)header|Content-Length|data'):
        encoded('200 OK', headers, body)


def test_answer_without_a_status():
    response = http_protocol.Response(read(raw_requests.GET + b'\r\n', 99)[1])
    response.run(lambda environ, start_response: [b'x'], {})
    with pytest.raises(AssertionError, match='start_response'):
        response.encode(is_last=False)


def test_connection_goes_on_unless_a_side_ends_it():
    assert encoded('200 OK', [], [b'x'])[1]
    assert not encoded('200 OK', [('Connection', 'close')], [b'x'])[1]
    assert not encoded('200 OK', [], [b'x'],
                       raw_requests.GET + b'Connection: close\r\n\r\n')[1]


def test_late_error_replaces_the_answer():
    response = http_protocol.Response(read(raw_requests.GET + b'\r\n', 99)[1])
    response.start_response('200 OK', [])
    with pytest.raises(AssertionError, match='before'):
        response.start_response('201 Created', [])
    response.start_response('500 Sorry', [], exc_info=(None, None, None))
    assert response.encode(is_last=False)[0].startswith(b'HTTP/1.1 500 ')
