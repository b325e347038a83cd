"""Queries on change sets."""
from collections.abc import Mapping
import datetime
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_SET = models.CHANGE_SET
#: The columns of a list; documents may be large.
_LISTED = [column for column in _SET.c
           if column.name not in ('base', 'definition', 'changes')]


@session.writes
def change_set_create(conn: sa.Connection, values: Mapping[str, Any]) -> str:
    return query.insert_named(conn, _SET, values)


@session.reads
def change_set_get(conn: sa.Connection, change_set_id: str
                   ) -> query.Row | None:
    return query.first(
        conn, sa.select(_SET).where(_SET.c.id == change_set_id))


@session.reads
def change_set_get_all(conn: sa.Connection, tenant: str,
                       stack_id: str | None, limit: int) -> list[query.Row]:
    """Return the change sets of a project, the latest first.

    :param stack_id: that of one stack, or None for all stacks
    """
    statement = sa.select(*_LISTED).where(_SET.c.tenant == tenant)
    if stack_id is not None:
        statement = statement.where(_SET.c.stack_id == stack_id)
    return query.all_rows(conn, statement.order_by(
        _SET.c.created_at.desc(), _SET.c.id).limit(limit))


@session.writes
def change_set_update(conn: sa.Connection, change_set_id: str,
                      values: Mapping[str, Any], status: str,
                      engine_id: str | None = None) -> bool:
    """Write values if the change set has the status: compare and swap.

    :param engine_id: the engine it must have, too, if given
    """
    statement = _SET.update().where(_SET.c.id == change_set_id,
                                    _SET.c.status == status)
    if engine_id is not None:
        statement = statement.where(_SET.c.engine_id == engine_id)
    return conn.execute(statement, dict(values)).rowcount > 0


@session.reads
def change_set_get_in_progress(conn: sa.Connection, status: str
                               ) -> list[query.Row]:
    """Return the change sets of all projects with a status."""
    return query.all_rows(conn, sa.select(*_LISTED).where(
        _SET.c.status == status))


@session.writes
def change_set_delete(conn: sa.Connection, change_set_id: str) -> bool:
    result = conn.execute(_SET.delete().where(_SET.c.id == change_set_id))
    return result.rowcount > 0


@session.writes
def change_set_delete_older(conn: sa.Connection, tenant: str,
                            before: datetime.datetime) -> int:
    """Delete those of a project that were made before a moment."""
    return conn.execute(_SET.delete().where(
        _SET.c.tenant == tenant, _SET.c.created_at < before)).rowcount


def delete_all_of_stacks(conn: sa.Connection, stack_ids: list[str]) -> None:
    """Delete all change sets of these stacks."""
    conn.execute(_SET.delete().where(_SET.c.stack_id.in_(stack_ids)))
