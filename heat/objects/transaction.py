"""Transactions around several calls of records.

Calls inside ``writer`` or ``reader`` take part in that transaction; it
belongs to the thread, not to the context that is passed.
"""
from collections.abc import Callable
import contextlib
from typing import Any, TypeVar

from heat.db import api as db_api

T = TypeVar('T')

Unavailable = db_api.Unavailable


def writer(context: Any) -> contextlib.AbstractContextManager[Any]:
    """Open a writing transaction, or join the one of this thread."""
    return db_api.writer(context)


def reader(context: Any) -> contextlib.AbstractContextManager[Any]:
    """Open a reading transaction, or join the one of this thread.

    Writing inside of it is an error, unless it joined a writing one.
    """
    return db_api.reader(context)


def read(context: Any, fn: Callable[[], T]) -> T:
    """Return fn() called in a reading transaction, repeated if need be.

    It is repeated after a lost connection.
    """
    return db_api.read(context, fn)


def run(context: Any, fn: Callable[[], T], *,
        patience: float | None = None) -> T:
    """Return fn() called in a writing transaction, repeated if need be.

    It is repeated after a deadlock, a serialization failure or a lost
    connection, with growing pauses; so fn must have no effects beside those
    on the database. ``patience`` is for how many seconds an unreachable
    database is waited for before ``Unavailable`` is raised; by default as
    the section ``[database]`` says.
    """
    return db_api.run(context, fn, patience=patience)


def fenced(fence: Callable[[], None]) -> contextlib.AbstractContextManager[
        None]:
    """Let this thread write only while a function allows it.

    It is called first in each writing transaction that the thread opens,
    takes part in it, and raises when there is to be none.
    """
    return db_api.fenced(fence)


def in_transaction() -> bool:
    """Return whether this thread has a transaction open."""
    return db_api.in_transaction()


def ping() -> None:
    """Ask the database whether it is there; raise an error if not."""
    db_api.ping()


def forget_statements() -> None:
    """Give back the memory of statements kept for the next use."""
    db_api.forget_statements()


def counters() -> dict[str, int]:
    """Return the number of statements, commits and reads since start."""
    return db_api.counters()
