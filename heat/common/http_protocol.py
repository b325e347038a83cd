"""HTTP/1.1 on one connection: reading requests, running a WSGI application.

Strict where leniency would be a risk: a request whose end is ambiguous is
refused and its connection closed.
"""
import dataclasses
import email.utils
import http
import io
import sys
import time
from urllib import parse

from oslo_log import log as logging

LOG = logging.getLogger(__name__)

#: How many bytes all lines of a header may have, in maximal lines.
_HEADER_LINES = 4
_MAX_HEADERS = 200
#: How much of a body that nobody wanted is read all the same. Many clients
#: look for the answer only when they have sent everything.
_MAX_SKIP = 8 * 1024 * 1024
_RECEIVE = 65536
_BODILESS = (204, 304)


class ProtocolError(Exception):
    """The client's bytes are no request that we serve."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = http.HTTPStatus(status)


class Disconnected(OSError):
    """The client is gone, or was silent for too long."""


class Connection:
    """A socket with what was received from it but not asked for yet."""

    def __init__(self, sock, address, scheme='http'):
        self.sock = sock
        self.address = address
        self.scheme = scheme
        self.idle_since = 0.0
        #: Whether no request has been read yet.
        self.is_new = True
        self._buffer = bytearray()

    @property
    def has_pending(self):
        """Whether bytes are there that no selector will tell about."""
        pending = getattr(self.sock, 'pending', None)
        return bool(self._buffer) or bool(pending and pending())

    def fileno(self):
        """Return the descriptor, so that selectors take a Connection."""
        return self.sock.fileno()

    def _receive(self):
        try:
            data = self.sock.recv(_RECEIVE)
        except OSError as exc:
            raise Disconnected(str(exc)) from exc
        if not data:
            raise Disconnected('closed by the client')
        self._buffer += data

    def read_line(self, limit):
        """Return the next line without its end."""
        start = 0
        while True:
            end = self._buffer.find(b'\n', start)
            if end >= 0:
                break
            start = len(self._buffer)
            if start > limit:
                break
            self._receive()
        if end < 0 or end > limit:
            raise ProtocolError(431, 'A line of the header is too long')
        line = bytes(self._buffer[:end])
        del self._buffer[:end + 1]
        return line.rstrip(b'\r')

    def read_some(self, size):
        """Return at least one byte and at most size."""
        if not self._buffer:
            self._receive()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def send(self, data):
        """Send all of the data."""
        try:
            self.sock.sendall(data)
        except OSError as exc:
            raise Disconnected(str(exc)) from exc

    def close(self):
        """Close the socket; the client may have done so before."""
        try:
            self.sock.close()
        except OSError as exc:
            LOG.debug('Closing a connection: %s', exc)


class _Body(io.RawIOBase):
    """The body of a request; its end is the end of the file."""

    def __init__(self, connection, length, chunked, expects_continue,
                 max_line):
        super().__init__()
        self._connection = connection
        self._left = 0 if chunked else length
        self._chunked = chunked
        self._expects_continue = expects_continue
        self._max_line = max_line
        self.at_end = not chunked and not length
        self._broken = False

    def readable(self):
        """Return True."""
        return True

    def readinto(self, buffer):
        """Read what is there into the buffer."""
        if self.at_end or not len(buffer):
            return 0
        try:
            return self._read_piece(buffer)
        except ProtocolError:
            self._broken = True
            raise

    def _read_piece(self, buffer):
        if self._expects_continue:
            self._expects_continue = False
            self._connection.send(b'HTTP/1.1 100 Continue\r\n\r\n')
        if self._chunked and not self._left and not self._next_chunk():
            return 0
        data = self._connection.read_some(min(len(buffer), self._left))
        buffer[:len(data)] = data
        self._left -= len(data)
        if not self._left:
            self._end_piece()
        return len(data)

    def _end_piece(self):
        if not self._chunked:
            self.at_end = True
        elif self._connection.read_line(self._max_line):
            raise ProtocolError(400, 'A chunk is longer than it says')

    def _next_chunk(self):
        line = self._connection.read_line(self._max_line)
        digits = line.partition(b';')[0].strip()
        try:
            if not digits.isalnum():
                raise ValueError
            self._left = int(digits, 16)
        except ValueError:
            raise ProtocolError(400, 'A chunk has no valid size') from None
        if self._left:
            return True
        for _line in range(_MAX_HEADERS):
            if not self._connection.read_line(self._max_line):
                self.at_end = True
                return False
        raise ProtocolError(431, 'Too many trailers')

    def skip(self):
        """Return whether the rest could be read off the connection."""
        if self._broken or self._expects_continue:
            # In the latter case the client may send it, or not.
            return self.at_end
        skipped = 0
        while not self.at_end:
            piece = self.read(8192)
            skipped += len(piece or b'')
            if skipped > _MAX_SKIP:
                return False
        return True


@dataclasses.dataclass(slots=True)
class Request:
    """The head of a request, and its body to be read."""

    method: str
    target: str
    version: str
    headers: list
    body: _Body
    keep_alive: bool

    def header(self, name):
        """Return the value of a header, '' if it is missing."""
        values = [value for key, value in self.headers if key == name]
        return ','.join(values)


def read_request(connection, max_line):
    """Return the next request on the connection."""
    line = connection.read_line(max_line)
    if not line:
        # Some clients end a body with an empty line of their own.
        line = connection.read_line(max_line)
    parts = line.decode('latin-1').split(' ')
    if len(parts) != 3 or not parts[2].startswith('HTTP/1.'):
        raise ProtocolError(400, 'The request line is malformed')
    method, target, version = parts
    if not method.isascii() or not method.replace('-', '').isalpha():
        raise ProtocolError(400, 'The method is malformed')
    headers = _read_headers(connection, max_line)
    request = Request(method, target, version, headers, None, False)
    length, chunked = _body_size(request)
    expects = (version == 'HTTP/1.1' and
               request.header('expect').lower() == '100-continue')
    request.body = _Body(connection, length, chunked, expects, max_line)
    options = {option.strip().lower()
               for option in request.header('connection').split(',')}
    request.keep_alive = 'close' not in options and (
        version != 'HTTP/1.0' or 'keep-alive' in options)
    return request


def _read_headers(connection, max_line):
    headers = []
    total = 0
    while True:
        line = connection.read_line(max_line)
        if not line:
            return headers
        total += len(line)
        name, colon, value = line.decode('latin-1').partition(':')
        if not colon or not name or name != name.strip():
            raise ProtocolError(400, 'A header line is malformed')
        if len(headers) >= _MAX_HEADERS or total > _HEADER_LINES * max_line:
            raise ProtocolError(431, 'The header is too long')
        headers.append((name.lower(), value.strip()))


def _body_size(request):
    """Return (length, whether it comes in chunks) of the body."""
    coding = request.header('transfer-encoding').lower()
    length = request.header('content-length')
    if coding:
        if coding != 'chunked':
            raise ProtocolError(501, 'Unknown transfer encoding')
        if length:
            raise ProtocolError(400, 'Both a length and chunks are given')
        return 0, True
    if length and not (length.isascii() and length.isdigit()):
        raise ProtocolError(400, 'The content length is no number')
    return int(length or 0), False


def make_environ(request, connection, server_name, server_port,
                 multiprocess=False):
    """Return the WSGI environment of a request."""
    target = request.target
    if target.startswith(('http://', 'https://')):
        # The absolute form, which proxies use.
        target = '/' + ''.join(target.split('/', 3)[3:])
    path, _mark, query = target.partition('?')
    environ = {
        'REQUEST_METHOD': request.method,
        'SCRIPT_NAME': '',
        'RAW_PATH_INFO': path,
        'PATH_INFO': parse.unquote_to_bytes(path).decode('latin-1'),
        'QUERY_STRING': query,
        'SERVER_NAME': server_name,
        'SERVER_PORT': str(server_port),
        'SERVER_PROTOCOL': request.version,
        'REMOTE_ADDR': connection.address,
        'wsgi.version': (1, 0),
        'wsgi.url_scheme': connection.scheme,
        'wsgi.input': io.BufferedReader(request.body),
        'wsgi.input_terminated': True,
        'wsgi.errors': sys.stderr,
        'wsgi.multithread': True,
        'wsgi.multiprocess': multiprocess,
        'wsgi.run_once': False,
    }
    for name, value in request.headers:
        if '_' in name:
            # Would be taken for the header with hyphens.
            continue
        key = name.upper().replace('-', '_')
        if key not in ('CONTENT_TYPE', 'CONTENT_LENGTH'):
            key = 'HTTP_' + key
        environ[key] = ('%s,%s' % (environ[key], value)
                        if key in environ else value)
    if 'HTTP_TRANSFER_ENCODING' in environ:
        # The application reads the body without its chunks.
        del environ['HTTP_TRANSFER_ENCODING']
    return environ


class Response:
    """Sends what a WSGI application answers.

    :param is_last: asked when the answer begins; True closes the
                    connection after it.
    """

    def __init__(self, connection, request, is_last=bool):
        self._connection = connection
        self._is_last = is_last
        self._request = request
        self._head = None
        self._chunked = False
        self._bodiless = request.method == 'HEAD'
        self.started = False
        self.status = ''
        self.sent = 0
        self.keep_alive = request.keep_alive

    def start_response(self, status, headers, exc_info=None):
        """Take status and headers, as WSGI says."""
        if exc_info is not None:
            try:
                if self.started:
                    raise exc_info[1].with_traceback(exc_info[2])
            finally:
                exc_info = None
        elif self._head is not None:
            raise AssertionError('start_response was called before')
        self.status = status
        self._head = list(headers)
        return self.write

    def write(self, data):
        """Send a piece of the body."""
        if not self.started:
            self._start(None)
        if not data or self._bodiless:
            return
        self.sent += len(data)
        if self._chunked:
            data = b'%x\r\n%s\r\n' % (len(data), data)
        self._connection.send(data)

    def _start(self, length):
        if self._head is None:
            raise AssertionError('start_response has not been called')
        code = int(self.status.split(' ', 1)[0])
        names = {name.lower() for name, _value in self._head}
        head = list(self._head)
        if code in _BODILESS or code < 200:
            self._bodiless = True
        elif 'content-length' not in names:
            if length is not None:
                head.append(('Content-Length', str(length)))
            elif self._request.version == 'HTTP/1.1':
                self._chunked = not self._bodiless
                head.append(('Transfer-Encoding', 'chunked'))
            else:
                self.keep_alive = False
        if 'date' not in names:
            head.append(('Date', email.utils.formatdate(time.time(),
                                                        usegmt=True)))
        if self.keep_alive and (self._is_last() or not self._can_go_on()):
            self.keep_alive = False
        head.append(('Connection',
                     'keep-alive' if self.keep_alive else 'close'))
        lines = [self.status] + ['%s: %s' % pair for pair in head]
        if any('\r' in line or '\n' in line for line in lines):
            raise ValueError('A header has more than one line')
        text = 'HTTP/1.1 %s\r\n\r\n' % '\r\n'.join(lines)
        self.started = True
        self._connection.send(text.encode('latin-1'))

    def _can_go_on(self):
        """Return whether the next request can be told from this body."""
        try:
            return self._request.body.skip()
        except ProtocolError:
            return False

    def run(self, application, environ):
        """Call the application and send all that it returns."""
        result = application(environ, self.start_response)
        try:
            length = None
            if isinstance(result, (list, tuple)):
                length = sum(len(piece) for piece in result)
            for piece in result:
                if not piece:
                    continue
                if not self.started:
                    self._start(length)
                self.write(piece)
            if not self.started:
                self._start(0)
            if self._chunked:
                self._connection.send(b'0\r\n\r\n')
        finally:
            close = getattr(result, 'close', None)
            if close is not None:
                close()


def send_error(connection, status, text):
    """Answer a request that was not understood; the connection ends."""
    body = text.encode('utf-8')
    head = ('HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n'
            'Content-Length: %d\r\nConnection: close\r\n\r\n'
            % (status, status.phrase, len(body)))
    connection.send(head.encode('latin-1') + body)
