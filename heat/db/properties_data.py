"""Queries on stored properties and attributes of resources."""
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_DATA = models.PROPERTIES_DATA
_RESOURCE = models.RESOURCE
_EVENT = models.EVENT


@session.writes
def resource_prop_data_create_many(conn: sa.Connection,
                                   rows: Iterable[Mapping[str, Any]]
                                   ) -> list[int]:
    return query.insert_many(conn, _DATA, rows)


@session.writes
def resource_prop_data_update(conn: sa.Connection, data_id: int,
                              values: Mapping[str, Any]) -> bool:
    result = conn.execute(
        _DATA.update().where(_DATA.c.id == data_id), dict(values))
    return result.rowcount > 0


@session.reads
def resource_prop_data_get(conn: sa.Connection, data_id: int
                           ) -> query.Row | None:
    return query.first(conn, sa.select(_DATA).where(_DATA.c.id == data_id))


def delete_unused(conn: sa.Connection, ids: Iterable[int]) -> None:
    """Delete those rows that neither resource nor event refers to."""
    unused = sa.and_(
        ~sa.exists().where(_RESOURCE.c.rsrc_prop_data_id == _DATA.c.id),
        ~sa.exists().where(_RESOURCE.c.attr_data_id == _DATA.c.id),
        ~sa.exists().where(_EVENT.c.rsrc_prop_data_id == _DATA.c.id))
    for some in query.chunks(sorted(ids)):
        conn.execute(_DATA.delete().where(_DATA.c.id.in_(some), unused))


@session.writes
def resource_prop_data_delete_unused(conn: sa.Connection,
                                     ids: Iterable[int]) -> None:
    delete_unused(conn, ids)
