"""One connection of a client: a socket that nobody waits for, and its TLS.

TLS works on buffers in memory, not on the socket. So it is the same with
native and with green threads, and a handshake costs no thread.
"""
import enum
import socket
import ssl

from oslo_log import log as logging

LOG = logging.getLogger(__name__)

_RECEIVE = 65536


class Disconnected(OSError):
    """The client is gone, or does not speak TLS."""


class Phase(enum.StrEnum):
    """The phases of a connection."""

    IDLE = 'idle'            # the next request
    HEAD = 'head'            # the first request, or the rest of a head
    BODY = 'body'            # the rest of its body
    ANSWER = 'answer'        # the client to receive the answer
    STREAM = 'stream'        # what is written to its stream
    END = 'end'              # the client to end it, having seen the answer
    CLOSED = 'closed'        # nothing


class _Tls:
    """The server's side of a TLS connection."""

    def __init__(self, context):
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing,
                                     server_side=True)
        self._is_ready = False

    def decrypt(self, data):
        """Return what the data says, and what to send in return."""
        self._incoming.write(data)
        pieces = []
        try:
            if not self._is_ready:
                self._tls.do_handshake()
                self._is_ready = True
            while piece := self._tls.read(_RECEIVE):
                pieces.append(piece)
        except ssl.SSLWantReadError:
            return b''.join(pieces), self._outgoing.read()
        # The client has said that nothing more comes.
        raise Disconnected('closed by the client')

    def encrypt(self, data):
        """Return the data in the form in which it is sent."""
        self._tls.write(data)
        return self._outgoing.read()


class Connection:
    """A socket that never blocks, with what is still to be sent.

    It belongs to one thread at a time: to the loop that waits for the
    client, or to the one that serves the request.

    :param reader: the RequestReader that gets what is received
    :param tls: the SSLContext, or None
    """

    def __init__(self, sock, address, reader, tls=None):
        self._sock = sock
        self._tls = _Tls(tls) if tls else None
        self._unsent = memoryview(b'')
        self.address = address
        self.scheme = 'https' if tls else 'http'
        self.reader = reader
        self.phase = Phase.HEAD
        #: The phase after the answer.
        self.next_phase = Phase.IDLE
        #: The OpenStream that is its answer, or None.
        self.stream = None
        #: When the phase is over at the latest, or None; and when the
        #: client was last heard of.
        self.deadline = None
        self.active_at = 0.0
        #: How many bytes of it count as kept.
        self.counted = 0

    def fileno(self):
        """Return the descriptor, so that selectors take a Connection."""
        return self._sock.fileno()

    @property
    def unsent(self):
        """The number of bytes that are still to be sent."""
        return len(self._unsent)

    @property
    def size(self):
        """The number of bytes that are kept for the connection."""
        return self.reader.size + self.unsent

    def receive(self):
        """Return what has come, b'' if there is nothing to be read.

        :raises Disconnected: nothing more comes.
        """
        try:
            data = self._sock.recv(_RECEIVE)
            if not data:
                raise Disconnected('closed by the client')
            if self.phase is Phase.END:
                # Not even decrypted: nobody looks at it.
                return data
            if self._tls:
                data, reply = self._tls.decrypt(data)
                self._queue(reply)
        except BlockingIOError:
            return b''
        except OSError as exc:
            raise Disconnected(str(exc)) from exc
        return data

    def send(self, data):
        """Send the data as far as the client takes it, and keep the rest."""
        try:
            self._queue(self._tls.encrypt(data) if self._tls else data)
        except OSError as exc:
            raise Disconnected(str(exc)) from exc

    def _queue(self, data):
        if data:
            self._unsent = memoryview(bytes(self._unsent) + data)
            self.flush()

    def flush(self):
        """Send more of what has been kept."""
        try:
            while self._unsent:
                sent = self._sock.send(self._unsent)
                self._unsent = self._unsent[sent:]
        except BlockingIOError:
            return
        except OSError as exc:
            raise Disconnected(str(exc)) from exc

    def end_sending(self):
        """Let the client see that nothing more comes."""
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError as exc:
            LOG.debug('Ending a connection: %s', exc)

    def close(self):
        """Close the socket; the client may have done so before."""
        try:
            self._sock.close()
        except OSError as exc:
            LOG.debug('Closing a connection: %s', exc)
