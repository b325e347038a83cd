"""How much one request may ask of the service, all its parts together.

Every pattern, query and function has a bound of its own. A template may
have many of them, so what they use is counted for the request as well.
"""
from collections.abc import Iterator
import contextlib
import threading
import time

#: Seconds that patterns and queries of a request may take ...
SECONDS = 0.5
#: ... and how much more for each of them: honest ones take less.
SECONDS_EACH = 0.003
#: Characters that functions of a request may make.
CHARACTERS = 256 * 1024 * 1024

_LEAST = 0.0005

_current = threading.local()


class Allowance:
    """What is left for a request."""

    __slots__ = ('characters', 'seconds')

    def __init__(self) -> None:
        self.seconds = SECONDS
        self.characters = CHARACTERS


@contextlib.contextmanager
def of_request() -> Iterator[None]:
    """Count in a with block what belongs to one request.

    A block within another one belongs to the same request.
    """
    if getattr(_current, 'allowance', None) is not None:
        yield
        return
    _current.allowance = Allowance()
    try:
        yield
    finally:
        _current.allowance = None


@contextlib.contextmanager
def step(limit: float) -> Iterator[float]:
    """Give a step of the work the seconds that it may take, and count them.

    :param limit: how long it may take whatever is left for the request.
    """
    allowance = getattr(_current, 'allowance', None)
    if allowance is None:
        yield limit
        return
    allowance.seconds += SECONDS_EACH
    began = time.monotonic()
    try:
        yield max(min(limit, allowance.seconds), _LEAST)
    finally:
        allowance.seconds -= time.monotonic() - began


def take(characters: int) -> bool:
    """Count characters that are made; False when there are too many."""
    allowance = getattr(_current, 'allowance', None)
    if allowance is None:
        return True
    allowance.characters -= characters
    return bool(allowance.characters >= 0)
