"""Which threads wait for something outside of this process.

A thread that waits for a database or a cloud is not to blame for standing
still: both have time limits of their own. Whoever judges the progress of a
process looks here. Nothing takes a lock.
"""
from collections.abc import Iterator
import contextlib
import threading
import time

#: Seconds after which nobody is believed to wait for something outside.
LONGEST = 600

_since: dict[int, float] = {}


def enter() -> None:
    """Note that this thread begins to wait."""
    _since.setdefault(threading.get_ident(), time.monotonic())


def leave() -> None:
    """Note that this thread waits no more."""
    _since.pop(threading.get_ident(), None)


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Note that this thread waits, for the time of a with block."""
    known = threading.get_ident() in _since
    enter()
    try:
        yield
    finally:
        if not known:
            leave()


def is_waiting(ident: int) -> bool:
    """Return whether a thread waits for something outside.

    :param ident: what threading.get_ident() returns in that thread
    """
    since = _since.get(ident)
    return since is not None and time.monotonic() - since < LONGEST


def threads() -> list[int]:
    """Return the threads that wait for something outside."""
    return list(_since)
