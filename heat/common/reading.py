"""Work that may only read the database, in a process without an engine.

An API process that answers calls itself does them in ``only()``. Code that
needs more, a cloud service or a write, ends there with ``EngineNeeded``, and
an engine is asked instead.
"""
from collections.abc import Iterator
import contextlib
import threading


class EngineNeeded(BaseException):
    """An engine has to do this.

    It is no Exception: what turns errors into values, as outputs do, must
    not see it.
    """


class _Scope(threading.local):
    reads_only = False


_scope = _Scope()


@contextlib.contextmanager
def only() -> Iterator[None]:
    """Refuse this thread everything but to read the database.

    :raises EngineNeeded: the work within needs more
    """
    before, _scope.reads_only = _scope.reads_only, True
    try:
        yield
    finally:
        _scope.reads_only = before


def require_engine() -> None:
    """Say that what follows is more than to read the database.

    :raises EngineNeeded: this thread may only read
    """
    if _scope.reads_only:
        raise EngineNeeded
