"""Queries on the protection of stacks."""
from collections.abc import Mapping
from typing import Any

from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_PROTECTION = models.STACK_PROTECTION


@session.reads
def stack_protection_get(conn: sa.Connection, stack_id: str
                         ) -> query.Row | None:
    return query.first(conn, sa.select(_PROTECTION).where(
        _PROTECTION.c.stack_id == stack_id))


@session.reads
def stack_protection_get_terminal(conn: sa.Connection, tenant: str
                                  ) -> list[str]:
    """Return the ids of a project's stacks with termination protection."""
    stack = models.STACK
    return list(query.scalars(conn, sa.select(_PROTECTION.c.stack_id).join(
        stack, stack.c.id == _PROTECTION.c.stack_id).where(
            stack.c.tenant == tenant, stack.c.deleted_at.is_(None),
            _PROTECTION.c.termination == sa.true())))


@session.writes
def stack_protection_set(conn: sa.Connection, stack_id: str,
                         values: Mapping[str, Any]) -> None:
    """Write values of a stack, whether it has a row or not."""
    if _update(conn, stack_id, values):
        return
    try:
        with conn.begin_nested():
            conn.execute(_PROTECTION.insert(),
                         {'stack_id': stack_id, **values})
    except db_exception.DBDuplicateEntry:
        # Another request has made the row meanwhile.
        _update(conn, stack_id, values)


def _update(conn: sa.Connection, stack_id: str, values: Mapping[str, Any]
            ) -> bool:
    return conn.execute(_PROTECTION.update().where(
        _PROTECTION.c.stack_id == stack_id), dict(values)).rowcount > 0
