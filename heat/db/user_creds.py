"""Queries on stored credentials; their secrets arrive encrypted."""
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_CREDS = models.USER_CREDS
_STACK = models.STACK


@session.writes
def user_creds_create(conn: sa.Connection, values: Mapping[str, Any]) -> int:
    return query.insert_one(conn, _CREDS, values)


@session.writes
def user_creds_create_many(conn: sa.Connection,
                           rows: Iterable[Mapping[str, Any]]) -> list[int]:
    return query.insert_many(conn, _CREDS, rows)


@session.reads
def user_creds_get(conn: sa.Connection, creds_id: int) -> query.Row | None:
    return query.first(conn, sa.select(_CREDS).where(_CREDS.c.id == creds_id))


@session.writes
def user_creds_update(conn: sa.Connection, creds_id: int,
                      values: Mapping[str, Any]) -> bool:
    result = conn.execute(
        _CREDS.update().where(_CREDS.c.id == creds_id), dict(values))
    return result.rowcount > 0


def delete_unused(conn: sa.Connection, ids: Iterable[int]) -> None:
    """Delete those of the credentials that no stack names."""
    used = sa.exists().where(_STACK.c.user_creds_id == _CREDS.c.id)
    for some in query.chunks(ids):
        conn.execute(_CREDS.delete().where(_CREDS.c.id.in_(some), ~used))
