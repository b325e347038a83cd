"""Queries on detections of drift."""
from collections.abc import Mapping
import datetime
import itertools
from typing import Any

from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_DRIFT = models.DRIFT_DETECTION
_SCHEDULE = models.DRIFT_SCHEDULE
_STACK = models.STACK
#: The columns without what was found; that may be large.
_BRIEF = [column for column in _DRIFT.c if column.name != 'resources']


@session.writes
def drift_create(conn: sa.Connection, values: Mapping[str, Any],
                 unless_since: datetime.datetime | None = None) -> bool:
    """Insert a detection; False if one of the stack is running.

    :param unless_since: insert nothing if another one of the stack was begun
        at or after this moment
    """
    try:
        with conn.begin_nested() as savepoint:
            query.insert_named(conn, _DRIFT, values)
            # No other one can be begun from here on: its row would have the
            # same value of the unique column.
            if unless_since is not None and query.first(
                    conn, sa.select(_DRIFT.c.id).where(
                        _DRIFT.c.stack_id == values['stack_id'],
                        _DRIFT.c.id != values['id'],
                        _DRIFT.c.created_at >= unless_since).limit(1)):
                savepoint.rollback()
                return False
    except db_exception.DBDuplicateEntry:
        return False
    return True


@session.reads
def drift_get(conn: sa.Connection, detection_id: str) -> query.Row | None:
    return query.first(
        conn, sa.select(_DRIFT).where(_DRIFT.c.id == detection_id))


@session.reads
def drift_get_latest(conn: sa.Connection, stack_id: str) -> query.Row | None:
    """Return the detection of a stack that was begun last."""
    return query.first(conn, sa.select(_DRIFT).where(
        _DRIFT.c.stack_id == stack_id).order_by(
            _DRIFT.c.created_at.desc(), _DRIFT.c.running.is_(None),
            _DRIFT.c.id).limit(1))


@session.reads
def drift_get_previous(conn: sa.Connection, stack_id: str, status: str,
                       before: str) -> query.Row | None:
    """Return the last detection of a stack with a status, in brief.

    :param before: the id of one that does not count
    """
    return query.first(conn, sa.select(*_BRIEF).where(
        _DRIFT.c.stack_id == stack_id, _DRIFT.c.status == status,
        _DRIFT.c.id != before).order_by(
            _DRIFT.c.finished_at.desc(), _DRIFT.c.id).limit(1))


@session.reads
def drift_get_running(conn: sa.Connection) -> list[query.Row]:
    """Return the running detections of all projects, in brief."""
    return query.all_rows(conn, sa.select(*_BRIEF).where(
        _DRIFT.c.running.is_not(None)))


@session.writes
def drift_update(conn: sa.Connection, detection_id: str,
                 values: Mapping[str, Any], engine_id: str | None) -> bool:
    """Write values if this engine runs the detection: compare and swap."""
    return conn.execute(_DRIFT.update().where(
        _DRIFT.c.id == detection_id, _DRIFT.c.running.is_not(None),
        _DRIFT.c.engine_id == engine_id), dict(values)).rowcount > 0


@session.writes
def drift_delete_older(conn: sa.Connection, tenant: str,
                       before: datetime.datetime) -> int:
    """Delete those of a project that had ended before a moment."""
    return conn.execute(_DRIFT.delete().where(
        _DRIFT.c.tenant == tenant, _DRIFT.c.running.is_(None),
        _DRIFT.c.created_at < before)).rowcount


@session.writes
def drift_delete_beyond(conn: sa.Connection, stack_id: str, kept: int
                        ) -> int:
    """Delete all detections of a stack that have ended but the latest."""
    ids = list(query.scalars(conn, sa.select(_DRIFT.c.id).where(
        _DRIFT.c.stack_id == stack_id, _DRIFT.c.running.is_(None)).order_by(
            _DRIFT.c.created_at.desc(), _DRIFT.c.id).offset(kept).limit(
                query.CHUNK)))
    if not ids:
        return 0
    return conn.execute(_DRIFT.delete().where(_DRIFT.c.id.in_(ids))).rowcount


@session.reads
def drift_get_due(conn: sa.Connection, status: str,
                  before: datetime.datetime, limit: int) -> list[str]:
    """Return the ids of root stacks that were not looked at for long.

    Stacks with a schedule of their own are not among them.

    :param status: that of stacks that do not change at the moment
    :param before: those with a detection begun since then are not due
    """
    recent = sa.exists().where(_DRIFT.c.stack_id == _STACK.c.id, sa.or_(
        _DRIFT.c.created_at >= before, _DRIFT.c.running.is_not(None)))
    scheduled = sa.exists().where(_SCHEDULE.c.stack_id == _STACK.c.id)
    return list(query.scalars(conn, sa.select(_STACK.c.id).where(
        *_is_at_rest(status), ~recent, ~scheduled).order_by(
            _STACK.c.id).limit(limit)))


def _is_at_rest(status: str) -> tuple[Any, ...]:
    """Return the conditions of root stacks that can be compared."""
    return (_STACK.c.owner_id.is_(None), _STACK.c.deleted_at.is_(None),
            _STACK.c.backup.is_not(sa.true()), _STACK.c.status == status,
            _STACK.c.action.notin_(['DELETE', 'SUSPEND']))


@session.reads
def drift_schedule_get(conn: sa.Connection, stack_id: str) -> int | None:
    """Return the pause of a stack in seconds, None if it has no schedule."""
    return conn.execute(sa.select(_SCHEDULE.c.pause).where(
        _SCHEDULE.c.stack_id == stack_id)).scalar()


@session.writes
def drift_schedule_set(conn: sa.Connection, stack_id: str,
                       pause: int | None) -> None:
    """Write the pause of a stack, None for no schedule of its own."""
    where = _SCHEDULE.c.stack_id == stack_id
    if pause is None:
        conn.execute(_SCHEDULE.delete().where(where))
        return
    if conn.execute(_SCHEDULE.update().where(where),
                    {'pause': pause}).rowcount:
        return
    try:
        with conn.begin_nested():
            conn.execute(_SCHEDULE.insert(), {'stack_id': stack_id,
                                              'pause': pause})
    except db_exception.DBDuplicateEntry:
        # Another request has made the row meanwhile.
        conn.execute(_SCHEDULE.update().where(where), {'pause': pause})


@session.reads
def drift_schedule_get_due(conn: sa.Connection, status: str,
                           now: datetime.datetime, limit: int
                           ) -> list[tuple[str, datetime.datetime]]:
    """Return root stacks whose own pause has passed.

    :param status: that of stacks that do not change at the moment
    :return: [(id, the moment since which none has been begun)]
    """
    latest = sa.func.max(_DRIFT.c.created_at)
    rows = conn.execute(sa.select(
        _SCHEDULE.c.stack_id, _SCHEDULE.c.pause, latest).join(
            _STACK, _STACK.c.id == _SCHEDULE.c.stack_id).outerjoin(
                _DRIFT, _DRIFT.c.stack_id == _STACK.c.id).where(
                    *_is_at_rest(status), _SCHEDULE.c.pause > 0).group_by(
                        _SCHEDULE.c.stack_id, _SCHEDULE.c.pause).having(
                            sa.func.count(_DRIFT.c.running) == 0).order_by(
                                _SCHEDULE.c.stack_id))
    # Databases add seconds to times each in their own way.
    moments = ((stack_id, now - datetime.timedelta(seconds=pause), begun)
               for stack_id, pause, begun in rows)
    due = ((stack_id, before) for stack_id, before, begun in moments
           if begun is None or begun <= before)
    return list(itertools.islice(due, limit))


def delete_all_of_stacks(conn: sa.Connection, stack_ids: list[str]) -> None:
    """Delete all detections of these stacks."""
    conn.execute(_DRIFT.delete().where(_DRIFT.c.stack_id.in_(stack_ids)))
