"""Queries on the locks of stacks that one engine works on alone."""
from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.db import models
from heat.db import session
from heat.db import witness

_LOCK = models.STACK_LOCK


def _holder(conn: sa.Connection, stack_id: str) -> str | None:
    return conn.execute(
        sa.select(_LOCK.c.engine_id)
        .where(_LOCK.c.stack_id == stack_id)).scalar()


def _note_taken(stack_id: str, engine_id: str) -> None:
    """Note that the open transaction gives a lock to an engine."""
    witness.note_swap(_LOCK, stack_id=stack_id, engine_id=engine_id)


@session.reads
def stack_lock_get_engine_id(conn: sa.Connection, stack_id: str
                             ) -> str | None:
    return _holder(conn, stack_id)


@session.reads
def stack_lock_get_all(conn: sa.Connection) -> dict[str, str]:
    """Return the engine of each lock, by the id of the stack."""
    return {row.stack_id: row.engine_id for row in conn.execute(
        sa.select(_LOCK.c.stack_id, _LOCK.c.engine_id))}


@session.writes
def stack_lock_create(conn: sa.Connection, stack_id: str, engine_id: str
                      ) -> str | None:
    """Take the lock; None if taken, else the engine that holds it.

    An engine has one thread at a time take the same lock: if the commit is
    not answered, a lock that names the engine is the one taken here.
    """
    while True:
        try:
            # A savepoint, because PostgreSQL gives up the whole transaction
            # otherwise when another engine was faster.
            with conn.begin_nested():
                conn.execute(_LOCK.insert(), {'stack_id': stack_id,
                                              'engine_id': engine_id})
            _note_taken(stack_id, engine_id)
            return None
        except db_exception.DBDuplicateEntry:
            holder = _holder(conn, stack_id)
            if holder is not None:
                return holder


@session.writes
def stack_lock_steal(conn: sa.Connection, stack_id: str, old_engine_id: str,
                     new_engine_id: str) -> str | bool | None:
    """Take the lock over from an engine.

    Return None if taken over, True if it has been released meanwhile, else
    the engine that holds it now. An engine has one thread at a time take
    the same lock.
    """
    result = conn.execute(
        _LOCK.update().where(_LOCK.c.stack_id == stack_id,
                             _LOCK.c.engine_id == old_engine_id),
        {'engine_id': new_engine_id})
    if result.rowcount:
        _note_taken(stack_id, new_engine_id)
        return None
    return _holder(conn, stack_id) or True


@session.writes
def stack_lock_hold(conn: sa.Connection, stack_id: str, engine_id: str
                    ) -> bool:
    """Keep the lock until the end of the transaction; False if not ours.

    Nobody can take it over meanwhile: the row is written, not just read.
    """
    result = conn.execute(
        _LOCK.update().where(_LOCK.c.stack_id == stack_id,
                             _LOCK.c.engine_id == engine_id),
        {'engine_id': engine_id})
    return result.rowcount > 0


@session.writes
def stack_lock_release(conn: sa.Connection, stack_id: str, engine_id: str
                       ) -> bool:
    """Release the lock; False if the engine did not hold it."""
    return release(conn, stack_id, engine_id)


def release(conn: sa.Connection, stack_id: str, engine_id: str) -> bool:
    """Release the lock as part of a larger transaction."""
    result = conn.execute(
        _LOCK.delete().where(_LOCK.c.stack_id == stack_id,
                             _LOCK.c.engine_id == engine_id))
    return result.rowcount > 0
