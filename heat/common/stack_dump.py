"""Write what all threads are doing, when nothing in a process works any more.

No lock is taken and nothing is waited for: what keeps the process from its
work may be the lock of a log handler, or a pipe that nobody reads. So the
usual ways of logging are not used, nor what eventlet has patched.
"""
import _socket
from collections.abc import Iterable
import contextlib
import faulthandler
import gc
import logging
import posix
import types
from typing import Any

_FRAMES = 60
_STDERR = 2


def write(headline: str) -> None:
    """Write a line and the stacks of all threads to where the log goes."""
    text = headline.encode() + b'\n' + dump()
    seen = set()
    for descriptor in _descriptors():
        with contextlib.suppress(OSError):
            found = posix.fstat(descriptor)
            if (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))
                _write_at_once(descriptor, text)


def dump() -> bytes:
    """Return the stacks of all threads, green ones included."""
    descriptor = posix.memfd_create('heat-stacks')
    try:
        faulthandler.dump_traceback(descriptor, all_threads=True)
        size = posix.fstat(descriptor).st_size
        native = posix.pread(descriptor, size, 0)
    finally:
        posix.close(descriptor)
    return native + ''.join(_green_stacks()).encode()


def _green_stacks() -> Iterable[str]:
    for found in gc.get_objects():
        if not any(kind.__name__ == 'greenlet' for kind in
                   type(found).__mro__):
            continue
        frame = getattr(found, 'gr_frame', None)
        if frame is not None:
            yield f'Green thread {id(found):#x} (most recent call first):\n'
            yield from _lines(frame)


def _lines(frame: types.FrameType | None) -> Iterable[str]:
    for _number in range(_FRAMES):
        if frame is None:
            return
        code = frame.f_code
        yield (f'  File "{code.co_filename}", line {frame.f_lineno} '
               f'in {code.co_name}\n')
        frame = frame.f_back


def _descriptors() -> Iterable[int]:
    """Return where handlers of the log write to, then stderr."""
    loggers: list[Any] = [logging.root,
                          *list(logging.root.manager.loggerDict.values())]
    for logger in loggers:
        for handler in getattr(logger, 'handlers', ()):
            stream: Any = getattr(handler, 'stream', None)
            with contextlib.suppress(Exception):
                yield stream.fileno()
    yield _STDERR


def _write_at_once(descriptor: int, text: bytes) -> None:
    """Write what can be written without waiting."""
    try:
        # Another description of the same file: its flags are its own.
        opened = posix.open(f'/proc/self/fd/{descriptor}',
                            posix.O_WRONLY | posix.O_APPEND |
                            posix.O_NONBLOCK)
    except OSError:
        _send_at_once(descriptor, text)
        return
    try:
        while text:
            text = text[posix.write(opened, text):]
    finally:
        posix.close(opened)


def _send_at_once(descriptor: int, text: bytes) -> None:
    """Write to the socket of a service manager."""
    sending = _socket.socket(fileno=posix.dup(descriptor))
    try:
        while text:
            text = text[sending.send(text, _socket.MSG_DONTWAIT):]
    finally:
        sending.close()
