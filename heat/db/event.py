"""Queries on events."""
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import properties_data
from heat.db import query
from heat.db import session

_EVENT = models.EVENT
_STACK = models.STACK
_DATA = models.PROPERTIES_DATA

_SORT_KEYS = {
    'event_time': 'created_at', 'created_at': 'created_at',
    'resource_type': 'resource_type',
}


@query.built_once
def _select() -> sa.Select[Any]:
    """Return a query for events with the properties of their resource."""
    return sa.select(
        _EVENT, _DATA.c.data.label('prop_data'),
        _DATA.c.encrypted.label('prop_encrypted')
    ).select_from(_EVENT.outerjoin(_DATA))


def _page(conn: sa.Connection, statement: sa.Select[Any],
          limit: int | None, marker: str | None,
          sort_keys: str | Sequence[str] | None, descending: bool,
          filters: Mapping[str, Any] | None) -> list[query.Row]:
    keys = query.known_sort_keys(sort_keys, _SORT_KEYS, ['created_at'])
    marker_row = marker and query.first(
        conn, statement.where(_EVENT.c.uuid == marker))
    statement = statement.where(*query.exact_filters(_EVENT, filters))
    return query.all_rows(conn, query.sorted_page(
        statement, _EVENT, [*keys, 'id'], descending, marker_row or None,
        limit))


@session.reads
def event_get_all_by_stacks(conn: sa.Connection, stack_ids: Sequence[str], *,
                            limit: int | None = None,
                            marker: str | None = None,
                            sort_keys: str | Sequence[str] | None = None,
                            descending: bool = False,
                            filters: Mapping[str, Any] | None = None
                            ) -> list[query.Row]:
    if not stack_ids:
        return []
    return _page(conn, _select().where(_EVENT.c.stack_id.in_(stack_ids)),
                 limit, marker, sort_keys, descending, filters)


@session.reads
def event_get_all_by_tenant(conn: sa.Connection, tenant: str | None, *,
                            limit: int | None = None,
                            marker: str | None = None,
                            sort_keys: str | Sequence[str] | None = None,
                            descending: bool = False,
                            filters: Mapping[str, Any] | None = None
                            ) -> list[query.Row]:
    """Return events of the stacks of a project that are not deleted."""
    stacks = sa.select(_STACK.c.id).where(
        _STACK.c.tenant == tenant, _STACK.c.deleted_at.is_(None))
    return _page(conn, _select().where(_EVENT.c.stack_id.in_(stacks)),
                 limit, marker, sort_keys, descending, filters)


@session.reads
def event_count_all_by_stack(conn: sa.Connection, stack_id: str) -> int:
    return query.count(conn, sa.select(_EVENT.c.id).where(
        _EVENT.c.stack_id == stack_id))


@session.writes
def event_create(conn: sa.Connection, values: Mapping[str, Any]) -> int:
    return query.insert_one(conn, _EVENT, values)


@session.writes
def event_create_many(conn: sa.Connection,
                      rows: Iterable[Mapping[str, Any]]) -> None:
    query.insert_rows(conn, _EVENT, rows)


@session.writes
def event_purge_excess(conn: sa.Connection, stack_id: str, keep: int,
                       batch: int) -> int:
    """Delete at most batch of the oldest events beyond those to keep."""
    newest_first = sa.select(_EVENT.c.id).where(
        _EVENT.c.stack_id == stack_id).order_by(_EVENT.c.id.desc())
    last = conn.execute(newest_first.offset(keep).limit(1)).scalar()
    if last is None:
        return 0
    rows = conn.execute(
        sa.select(_EVENT.c.id, _EVENT.c.rsrc_prop_data_id)
        .where(_EVENT.c.stack_id == stack_id, _EVENT.c.id <= last)
        .order_by(_EVENT.c.id).limit(batch)).all()
    _delete(conn, _EVENT.c.id.in_([row.id for row in rows]),
            [row.rsrc_prop_data_id for row in rows])
    return len(rows)


def _delete(conn: sa.Connection, condition: sa.ColumnElement[bool],
            data_ids: Iterable[int | None]) -> None:
    conn.execute(_EVENT.delete().where(condition))
    properties_data.delete_unused(
        conn, {data_id for data_id in data_ids if data_id is not None})


def delete_some_of_stacks(conn: sa.Connection, stack_ids: list[str],
                          limit: int) -> int:
    """Delete at most limit events of these stacks; return how many."""
    rows = conn.execute(
        sa.select(_EVENT.c.id, _EVENT.c.rsrc_prop_data_id)
        .where(_EVENT.c.stack_id.in_(stack_ids)).limit(limit)).all()
    if rows:
        _delete(conn, _EVENT.c.id.in_([row.id for row in rows]),
                [row.rsrc_prop_data_id for row in rows])
    return len(rows)
