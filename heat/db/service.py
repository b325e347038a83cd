"""Queries on the engines' entries in the list of services.

Their times are the database's: hosts compare them with each other's.
"""
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import clock
from heat.db import models
from heat.db import query
from heat.db import session

_SERVICE = models.SERVICE


def _select() -> sa.Select[Any]:
    """Ask for rows, and for the time at which they are read."""
    return sa.select(_SERVICE, clock.now().label('read_at'))


@session.writes
def service_create(conn: sa.Connection, values: Mapping[str, Any]) -> str:
    conn.execute(_SERVICE.insert().values(
        {'created_at': clock.now(), **values}))
    service_id: str = values['id']
    return service_id


@session.writes
def service_update(conn: sa.Connection, service_id: str,
                   values: Mapping[str, Any]) -> bool:
    result = conn.execute(
        _SERVICE.update().where(_SERVICE.c.id == service_id).values(
            {'updated_at': clock.now(), **values}))
    return result.rowcount > 0


@session.writes
def service_delete(conn: sa.Connection, service_id: str, *, soft: bool
                   ) -> bool:
    condition = _SERVICE.c.id == service_id
    if soft:
        result = conn.execute(_SERVICE.update().where(condition).values(
            deleted_at=clock.now()))
    else:
        result = conn.execute(_SERVICE.delete().where(condition))
    return result.rowcount > 0


@session.reads
def service_get(conn: sa.Connection, service_id: str) -> query.Row | None:
    return query.first(
        conn, _select().where(_SERVICE.c.id == service_id))


@session.reads
def service_get_all(conn: sa.Connection) -> list[query.Row]:
    return query.all_rows(
        conn, _select().where(_SERVICE.c.deleted_at.is_(None)))


@session.reads
def service_get_all_by_args(conn: sa.Connection, host: str, binary: str,
                            hostname: str) -> list[query.Row]:
    return query.all_rows(conn, _select().where(
        _SERVICE.c.host == host, _SERVICE.c.binary == binary,
        _SERVICE.c.hostname == hostname))
