"""A response body that continues after the application has returned.

Producers write from any thread and never block. The server's event loop sends
the data when the client can receive it, so a stream occupies no thread. Under
other WSGI servers the body is a blocking iterator, and each stream occupies a
thread.
"""
from collections.abc import Callable, Iterator
import threading

from heat.common import timeutils

#: Bytes that wait for a client at most; one that is slower is dropped.
MAX_PENDING = 512 * 1024


class Stream:
    """A response body that is written while the client reads it.

    :param beginning: what comes first
    :param heartbeat: (seconds of silence, the bytes that end it)
    :param farewell: what comes last when the server stops
    :param on_close: called once, when nothing more can be sent
    """

    def __init__(self, beginning: bytes, heartbeat: tuple[float, bytes],
                 farewell: bytes, on_close: Callable[[], None]) -> None:
        self._pieces = [beginning]
        self._pending = len(beginning)
        self._heartbeat = heartbeat
        self._farewell = farewell
        self._on_close = on_close
        self._condition = threading.Condition()
        self._notify: Callable[[], None] | None = None
        self._sent_at = timeutils.wallclock()
        self._is_ended = self._is_closed = False

    @property
    def is_open(self) -> bool:
        """Return whether what is written may still be sent."""
        return not (self._is_ended or self._is_closed)

    @property
    def pending(self) -> int:
        """The number of bytes that wait for the client."""
        return self._pending

    def write(self, data: bytes) -> bool:
        """Add to the stream; return whether it is still open.

        A client that reads too slowly is disconnected in mid-response.
        """
        with self._condition:
            if not self.is_open:
                return False
            if self._pending + len(data) > MAX_PENDING:
                self._pieces.clear()
                self._is_ended = True
            else:
                self._pieces.append(data)
                self._pending += len(data)
            self._condition.notify()
        self._wake()
        return self.is_open

    def end(self, last: bytes = b'') -> None:
        """End the stream after what has been written.

        :param last: what is sent at the end, however slow the client is
        """
        with self._condition:
            if not self.is_open:
                return
            self._pieces.append(last)
            self._pending += len(last)
            self._is_ended = True
            self._condition.notify()
        self._wake()

    def dismiss(self) -> None:
        """End the stream because the server stops."""
        self.end(self._farewell)

    def close(self) -> None:
        """Forget what is left; the server calls it when the client is gone.
        """
        with self._condition:
            if self._is_closed:
                return
            self._is_closed = True
            self._pieces.clear()
            self._pending = 0
            self._condition.notify()
        self._on_close()

    def attach(self, notify: Callable[[], None]) -> None:
        """Have notify() called, in any thread, when there is more to take.
        """
        self._notify = notify

    def _wake(self) -> None:
        if self._notify is not None:
            self._notify()

    def take(self) -> tuple[bytes, bool]:
        """Return (what is to be sent now, whether that is the end)."""
        with self._condition:
            return self._take()

    def _take(self) -> tuple[bytes, bool]:
        data = b''.join(self._pieces)
        self._pieces.clear()
        self._pending = 0
        now = timeutils.wallclock()
        seconds, beat = self._heartbeat
        if not data and not self._is_ended and now - self._sent_at >= seconds:
            data = beat
        if data:
            self._sent_at = now
        return data, self._is_ended or self._is_closed

    def __iter__(self) -> Iterator[bytes]:
        """Yield what is written, waiting for it."""
        is_over = False
        while not is_over:
            with self._condition:
                if not self._pieces and self.is_open:
                    self._condition.wait(self._heartbeat[0])
                data, is_over = self._take()
            if data:
                yield data
