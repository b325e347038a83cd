"""Limits on the time a request waits for a service that is away.

An engine waits for its database as long as it takes. Users do not: an answer
to a request of theirs says soon that the service is not available.
"""
from collections.abc import Iterator
import contextlib
import threading

#: Seconds that a request of a user waits for the database.
PATIENCE = 1.0

#: Seconds after which a client is asked to try again.
RETRY_AFTER = 10


class Unavailable(Exception):
    """The database cannot be reached; it says so without an address."""

    def __init__(self) -> None:
        super().__init__('The database is not available.')


class _Current(threading.local):
    patience: float | None = None
    is_endless: bool = False


_current = _Current()


@contextlib.contextmanager
def limited(patience: float | None) -> Iterator[None]:
    """Have this thread wait no longer than that for what is away.

    :param patience: seconds, None for as long as it takes
    """
    outer, _current.patience = _current.patience, patience
    try:
        yield
    finally:
        _current.patience = outer


def patience() -> float | None:
    """Return for how many seconds this thread may wait; None is no limit.
    """
    return _current.patience


@contextlib.contextmanager
def endless() -> Iterator[None]:
    """Have this thread wait for the database as long as it takes.

    Unless it is told otherwise, it gives up after a while.
    """
    outer, _current.is_endless = _current.is_endless, True
    try:
        yield
    finally:
        _current.is_endless = outer


def is_endless() -> bool:
    """Return whether this thread waits as long as it takes."""
    return _current.is_endless
