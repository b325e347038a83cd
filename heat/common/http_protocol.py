"""HTTP/1.1 without sockets: bytes into requests, answers into bytes.

h11 reads and writes the protocol. This module adds what h11 leaves to its
caller (limits, what may follow a head) and refuses what h11 tolerates: a
request whose end or meaning another server may see differently.
"""
import dataclasses
import email.utils
import http
import io
import ipaddress
import re
import sys
import time
from urllib import parse

import h11

from heat.common import http_stream

#: How many bytes a head may have, in maximal lines; and how many headers.
_HEAD_LINES = 4
_MAX_HEADERS = 200
#: Parsing costs for each chunk, however short it is.
_MAX_CHUNKS = 10000
#: Bytes of a body in chunks that are looked at together.
_PIECE = 4096
_BODILESS = (204, 304)
_BLANK = b'\r\n\r\n'
TOO_SLOW = http.HTTPStatus.REQUEST_TIMEOUT

#: Control characters, and ends of lines that are not CR LF.
_FORBIDDEN = re.compile(rb'[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]'
                        rb'|(?<!\r)\n|\r(?!\n|\Z)')
#: What may be left to be read of a chunk.
_END_OF_CHUNK = re.compile(rb'(\r?\n)?')
_FOLDED = re.compile(rb'\r\n[ \t]')
_HOST = re.compile(r'(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|[\w.~%-]+)'
                   r'(?::(?P<port>\d{0,5}))?', re.ASCII)
_MAX_PORT = 65535
#: What h11 quotes of a request may have any length.
_MAX_TEXT = 200


class ProtocolError(Exception):
    """The bytes of the client are not a request that we serve."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = http.HTTPStatus(status)


class _LongBody(io.RawIOBase):
    """The beginning of a body that is too long; its end cannot be read."""

    def __init__(self, beginning):
        super().__init__()
        self._beginning = io.BytesIO(beginning)

    def readable(self):
        """Return True."""
        return True

    def readinto(self, buffer):
        """Read what there is.

        :raises ProtocolError: all of it has been read.
        """
        size = self._beginning.readinto(buffer)
        if len(buffer) and not size:
            raise ProtocolError(413, 'The body is too long')
        return size


@dataclasses.dataclass(slots=True)
class Request:
    """A request; of a body that is too long there is only the beginning."""

    method: str
    target: str
    version: str
    headers: list
    wire: h11.Connection
    body: bytearray = dataclasses.field(default_factory=bytearray)
    is_too_long: bool = False
    chunks: int = 0
    #: The last bytes that the body was read from.
    tail: bytes = b''
    #: Whether the line before the next chunk is still to be read.
    is_between_chunks: bool = True

    @property
    def is_chunked(self):
        """Return whether the body comes in chunks."""
        return bool(self.header('transfer-encoding'))

    def header(self, name):
        """Return the value of a header, '' if it is missing."""
        return ','.join(value for key, value in self.headers if key == name)


class RequestReader:
    """Makes requests of the bytes of one connection, one after another.

    :param max_line: bytes of a line of the head
    :param max_body: bytes of a body
    """

    def __init__(self, max_line, max_body):
        self._max_line = max_line
        self._max_body = max_body
        self._buffer = bytearray()
        self._scanned = 0
        self._request = None

    @property
    def has_begun(self):
        """Return whether a part of a request is here."""
        return bool(self._buffer) or self._request is not None

    @property
    def is_in_body(self):
        """Return whether the head of the request is complete."""
        return self._request is not None

    @property
    def size(self):
        """The number of bytes that are kept."""
        body = self._request.body if self._request else b''
        return len(self._buffer) + len(body)

    def feed(self, data):
        """Take bytes that the client has sent."""
        self._buffer += data

    def next_request(self):
        """Return the next request, or None until it is complete.

        :raises ProtocolError: it is not well-formed, or too long.
        """
        if self._request is None:
            head = self._take_head()
            if head is None:
                return None
            self._request = self._read_head(head)
        return self._request if self._read_body() else None

    def continuation(self):
        """Return what makes the client send its body, or nothing."""
        request = self._request
        if request is None or request.is_too_long or (
                not request.wire.they_are_waiting_for_100_continue):
            return b''
        return request.wire.send(h11.InformationalResponse(
            status_code=100, reason=b'Continue', headers=[]))

    def finish(self):
        """Forget the request, which has been answered."""
        assert self._request is not None
        self._buffer[:0] = self._request.wire.trailing_data[0]
        self._request = None
        self._scanned = 0

    def _take_head(self):
        """Remove the next head from the buffer and return it."""
        buffer = self._buffer
        while buffer.startswith(b'\r\n'):
            # Some clients end a body with an empty line of their own.
            del buffer[:2]
            self._scanned = 0
        end = buffer.find(_BLANK, max(self._scanned - 3, 0))
        size = len(buffer) if end < 0 else end + len(_BLANK)
        if _FORBIDDEN.search(buffer, max(self._scanned - 1, 0), size):
            raise ProtocolError(400, 'The head has a control character, or '
                                'a line that does not end with CR LF')
        if end < 0:
            last_line = size - buffer.rfind(b'\r\n') - 2
            self._check_size(size, max(last_line, 0))
            self._scanned = size
            return None
        head = bytes(buffer[:size])
        del buffer[:size]
        self._check_size(size, max(map(len, head.split(b'\r\n'))))
        return head

    def _check_size(self, size, longest_line):
        if longest_line > self._max_line:
            raise ProtocolError(431, 'A line of the head is too long')
        if size > _HEAD_LINES * self._max_line:
            raise ProtocolError(431, 'The head is too long')

    def _read_head(self, head):
        if _FOLDED.search(head):
            raise ProtocolError(400, 'A header goes on in a second line')
        wire = h11.Connection(h11.SERVER, max_incomplete_event_size=(
            _HEAD_LINES * self._max_line))
        wire.receive_data(head)
        event = _next_event(wire)
        headers = [(name.decode('latin-1'), value.decode('latin-1'))
                   for name, value in event.headers]
        request = Request(
            event.method.decode('latin-1'), event.target.decode('latin-1'),
            event.http_version.decode('latin-1'), headers, wire)
        _check_head(request)
        length = request.header('content-length')
        request.is_too_long = bool(length) and int(length) > self._max_body
        return request

    def _read_body(self):
        """Read what is there of the body; return whether it is complete."""
        request = self._request
        assert request is not None
        if request.is_too_long:
            return True
        size = _PIECE if request.is_chunked else max(len(self._buffer), 1)
        while True:
            piece = bytes(self._buffer[:size])
            del self._buffer[:size]
            if piece:
                request.tail = request.tail[-3:] + piece
                request.wire.receive_data(piece)
            if self._read_piece(len(piece)):
                return True
            if not self._buffer:
                return False

    def _read_piece(self, fed):
        """Read what h11 has; return whether the body is complete.

        :param fed: how many bytes of it are new.
        """
        request = self._request
        assert request is not None
        while True:
            if request.is_chunked and request.is_between_chunks:
                request.is_between_chunks = not _has_chunk_line(
                    request.wire.trailing_data[0])
            event = _next_event(request.wire)
            if event is h11.NEED_DATA:
                _check_line(request.wire.trailing_data[0], fed)
                return False
            if not isinstance(event, h11.Data):
                _check_end(request)
                return True
            request.body += event.data
            request.chunks += event.chunk_end
            request.is_between_chunks = event.chunk_end
            if request.chunks > _MAX_CHUNKS:
                raise ProtocolError(413, 'The body has too many chunks')
            if len(request.body) > self._max_body:
                request.is_too_long = True
                return True


def _next_event(wire):
    try:
        return wire.next_event()
    except h11.RemoteProtocolError as exc:
        raise ProtocolError(exc.error_status_hint,
                            str(exc)[:_MAX_TEXT]) from exc


def _check_line(unread, fed):
    """Refuse a line between chunks that h11 would take for incomplete.

    :param fed: how many bytes of it may be new.
    """
    if _FORBIDDEN.search(unread, max(len(unread) - fed - 1, 0)):
        raise ProtocolError(400, 'A line between chunks has a control '
                            'character, or does not end with CR LF')


def _has_chunk_line(unread):
    """Return whether the line before a chunk is complete.

    :param unread: what begins with the line, after the end of a chunk.
    :raises ProtocolError: h11 would take for an extension what is none.
    """
    found = _END_OF_CHUNK.match(unread)
    assert found is not None
    begin = found.end()
    end = unread.find(b'\r\n', begin)
    if end >= 0 and _FORBIDDEN.search(unread, begin, end + 2):
        raise ProtocolError(400, 'The line before a chunk has a control '
                            'character')
    return end >= 0


def _check_end(request):
    """Refuse chunks whose last line ends with a bare LF."""
    after = len(request.wire.trailing_data[0])
    if request.is_chunked and not (
            request.tail[:len(request.tail) - after].endswith(_BLANK)):
        raise ProtocolError(400, 'The body does not end with CR LF')


def _check_head(request):
    """Refuse what h11 lets its caller decide about."""
    if request.version not in ('1.0', '1.1'):
        raise ProtocolError(400, 'The version is neither HTTP/1.1 nor '
                            'HTTP/1.0')
    if len(request.headers) > _MAX_HEADERS:
        raise ProtocolError(431, 'The head has too many headers')
    if not request.target.startswith(('/', 'http://', 'https://')):
        raise ProtocolError(400, 'The target is neither a path nor a URL')
    if request.is_chunked and (
            request.header('content-length') or request.version == '1.0'):
        raise ProtocolError(400, 'The length of the body is ambiguous')
    hosts = [value for name, value in request.headers if name == 'host']
    named = [] if request.target.startswith('/') else [
        _split_target(request.target)[0]]
    if len(hosts) > 1 or not all(map(_is_host, hosts + named)):
        raise ProtocolError(400, 'The host is malformed')


def _is_host(text):
    """Return whether a text is a name or address, and perhaps a port."""
    found = _HOST.fullmatch(text)
    if found is None or int(found['port'] or 0) > _MAX_PORT:
        return False
    try:
        return not found['ipv6'] or bool(ipaddress.IPv6Address(found['ipv6']))
    except ValueError:
        return False


def _split_target(url):
    """Return (host, path with query) of a target that is a URL.

    Proxies use this form. The host is the one meant.
    """
    host, _slash, path = url.partition('://')[2].partition('/')
    return host, '/' + path


def make_environ(request, connection, server_name, server_port,
                 multiprocess=False):
    """Return the WSGI environment of a request."""
    target, host = request.target, request.header('host')
    if not target.startswith('/'):
        host, target = _split_target(target)
    path, _mark, query = target.partition('?')
    environ = {
        'REQUEST_METHOD': request.method,
        'SCRIPT_NAME': '',
        'RAW_PATH_INFO': path,
        'PATH_INFO': parse.unquote_to_bytes(path).decode('latin-1'),
        'QUERY_STRING': query,
        'SERVER_NAME': server_name,
        'SERVER_PORT': str(server_port),
        'SERVER_PROTOCOL': 'HTTP/' + request.version,
        'REMOTE_ADDR': connection.address,
        'wsgi.version': (1, 0),
        'wsgi.url_scheme': connection.scheme,
        'wsgi.input': (_LongBody if request.is_too_long
                       else io.BytesIO)(request.body),
        'wsgi.input_terminated': True,
        'wsgi.errors': sys.stderr,
        'wsgi.multithread': True,
        'wsgi.multiprocess': multiprocess,
        'wsgi.run_once': False,
    }
    for name, value in request.headers:
        # One with an underscore would be taken for that with a hyphen; the
        # body comes to the application without its chunks.
        if '_' in name or name in ('host', 'transfer-encoding'):
            continue
        key = name.upper().replace('-', '_')
        if key not in ('CONTENT_TYPE', 'CONTENT_LENGTH'):
            key = 'HTTP_' + key
        environ[key] = ('%s,%s' % (environ[key], value)
                        if key in environ else value)
    if host:
        environ['HTTP_HOST'] = host
    if not request.is_too_long:
        # Without it, an empty body looks like one of unknown length.
        environ['CONTENT_LENGTH'] = str(len(request.body))
    return environ


class Response:
    """The response of a WSGI application."""

    def __init__(self, request):
        self._request = request
        self._headers = None
        self._pieces = []
        self._has_length = False
        self.status = ''
        #: The body, if it goes on after the application has returned.
        self.stream: http_stream.Stream | None = None

    @property
    def size(self):
        """The length of the body in bytes."""
        return sum(map(len, self._pieces))

    def start_response(self, status, headers, exc_info=None):
        """Take status and headers, as WSGI says."""
        if self._headers is not None and exc_info is None:
            raise AssertionError('start_response was called before')
        self.status = status
        self._headers = list(headers)
        return self._pieces.append

    def run(self, application, environ):
        """Call the application and take all that it returns."""
        result = application(environ, self.start_response)
        if isinstance(result, http_stream.Stream):
            self.stream = result
            return
        try:
            self._has_length = isinstance(result, (list, tuple))
            self._pieces.extend(result)
        finally:
            close = getattr(result, 'close', None)
            if close is not None:
                close()

    def encode(self, *, is_last):
        """Return (the bytes of the answer, whether another may follow).

        :param is_last: whether the connection is to end in any case.
        :raises LocalProtocolError: of h11; the answer is not well-formed.
        """
        if self._headers is None:
            raise AssertionError('start_response has not been called')
        code, _space, reason = self.status.partition(' ')
        if self._request.method == 'HEAD' or int(code) in _BODILESS:
            size, body = self.size, b''
        else:
            body = b''.join(self._pieces)
            size = len(body)
        self._pieces = [body]
        wire = self._request.wire
        data = wire.send(h11.Response(
            status_code=int(code), reason=reason.encode('latin-1'),
            headers=self._all_headers(int(code), size, is_last)))
        if body:
            data += wire.send(h11.Data(data=body))
        data += wire.send(h11.EndOfMessage())
        return data, wire.our_state is h11.DONE and (
            wire.their_state is h11.DONE)

    def encode_head(self):
        """Return the bytes of the head of an answer that is a stream.

        The connection ends with it.
        """
        assert self._headers is not None
        code, _space, reason = self.status.partition(' ')
        return self._request.wire.send(h11.Response(
            status_code=int(code), reason=reason.encode('latin-1'),
            headers=self._all_headers(int(code), 0, is_last=True)))

    def open_stream(self):
        """Return the stream with its form on the wire."""
        return OpenStream(self.stream, self._request.wire)

    def _all_headers(self, code, size, is_last):
        headers = list(self._headers or ())
        names = {name.lower() for name, _value in headers}
        if self._has_length and code not in _BODILESS and (
                not names & {'content-length', 'transfer-encoding'}):
            headers.append(('Content-Length', str(size)))
        if 'date' not in names:
            headers.append(('Date', email.utils.formatdate(time.time(),
                                                           usegmt=True)))
        if is_last or self._request.is_too_long:
            headers.append(('Connection', 'close'))
        return headers


class OpenStream:
    """A stream, and the bytes of HTTP that it becomes."""

    def __init__(self, stream, wire):
        self.stream = stream
        self._wire = wire

    def take(self):
        """Return (bytes to be sent, whether they are the last ones)."""
        data, is_over = self.stream.take()
        sent = self._wire.send(h11.Data(data=data)) if data else b''
        if is_over:
            sent += self._wire.send(h11.EndOfMessage())
        return sent, is_over


def error_response(status, text):
    """Return an answer after which the connection ends."""
    body = text.encode('utf-8', 'replace')
    head = ('HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n'
            'Content-Length: %d\r\nConnection: close\r\n\r\n'
            % (status, status.phrase, len(body)))
    return head.encode('latin-1') + body
