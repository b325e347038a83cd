"""Register of the threads that wait for an external service.

A thread that waits for a database or a cloud service is not stuck: these
calls have timeouts of their own. The watchdog consults this register before
it reports a thread. No function takes a lock.
"""
from collections.abc import Iterator
import contextlib
import threading
import time

#: Seconds after which a thread no longer counts as waiting.
LONGEST = 600

_since: dict[int, float] = {}


def enter() -> None:
    """Register this thread as waiting."""
    _since.setdefault(threading.get_ident(), time.monotonic())


def leave() -> None:
    """Remove this thread from the register."""
    _since.pop(threading.get_ident(), None)


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Register this thread as waiting for the duration of a with block."""
    known = threading.get_ident() in _since
    enter()
    try:
        yield
    finally:
        if not known:
            leave()


def is_waiting(ident: int) -> bool:
    """Return whether a thread waits for an external service.

    :param ident: the identifier of the thread, see threading.get_ident()
    """
    since = _since.get(ident)
    return since is not None and time.monotonic() - since < LONGEST


def threads() -> list[int]:
    """Return the identifiers of the threads that wait."""
    return list(_since)
