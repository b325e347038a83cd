"""Queries that follow events in the order of their rows."""
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_EVENT = models.EVENT
_STACK = models.STACK
_COLUMNS = [column for column in _EVENT.c
            if column.name not in ('resource_properties', 'updated_at')]
#: The columns that locate a stack in its tree.
_PLACE = [_STACK.c[name] for name in (
    'id', 'name', 'tenant', 'owner_id', 'parent_resource_name', 'backup',
    'deleted_at')]


@session.reads
def event_get_newest_ids(conn: sa.Connection, limit: int) -> list[int]:
    """Return the ids of the newest rows, the newest first."""
    return query.scalars(conn, sa.select(_EVENT.c.id).order_by(
        _EVENT.c.id.desc()).limit(limit))


@session.reads
def event_get_ids_in(conn: sa.Connection,
                     ranges: Sequence[tuple[int, int | None]], limit: int,
                     stack_ids: Sequence[str] | None = None,
                     tenant: str | None = None) -> list[query.Row]:
    """Return (id, stack_id) of the first events of ranges of ids.

    :param ranges: the first and the last id; None for no end
    :param stack_ids: events of these stacks only
    :param tenant: events of the stacks of this project only
    """
    chosen = sa.or_(*(
        _EVENT.c.id >= first if last is None else
        _EVENT.c.id == first if last == first else
        _EVENT.c.id.between(first, last) for first, last in ranges))
    statement = sa.select(_EVENT.c.id, _EVENT.c.stack_id).where(chosen)
    if tenant is not None:
        statement = statement.join(
            _STACK, _STACK.c.id == _EVENT.c.stack_id).where(
                _STACK.c.tenant == tenant)
    if stack_ids is None:
        return query.all_rows(conn, statement.order_by(
            _EVENT.c.id).limit(limit))
    rows: list[query.Row] = []
    for some in query.chunks(stack_ids):
        rows += query.all_rows(conn, statement.where(
            _EVENT.c.stack_id.in_(some)).order_by(_EVENT.c.id).limit(limit))
    return sorted(rows, key=lambda row: row.id)[:limit]


@session.reads
def event_get_by_ids(conn: sa.Connection, ids: Iterable[int]
                     ) -> list[query.Row]:
    """Return events without properties, in the order of their ids."""
    rows: list[query.Row] = []
    for some in query.chunks(ids):
        rows += query.all_rows(conn, sa.select(*_COLUMNS).where(
            _EVENT.c.id.in_(some)))
    return sorted(rows, key=lambda row: row.id)


@session.reads
def event_get_last_id(conn: sa.Connection, stack_id: str, resource_type: str,
                      status: str) -> int | None:
    """Return the id of the last event of a stack about itself."""
    found: int | None = conn.execute(sa.select(sa.func.max(_EVENT.c.id)).where(
        _EVENT.c.stack_id == stack_id,
        _EVENT.c.resource_type == resource_type,
        _EVENT.c.physical_resource_id == stack_id,
        _EVENT.c.resource_status == status)).scalar()
    return found


@session.reads
def stack_get_places_below(conn: sa.Connection, stack_id: str
                           ) -> list[query.Row]:
    """Return the places of a stack and of all that were ever below it."""
    found = query.all_rows(conn, sa.select(*_PLACE).where(
        _STACK.c.id == stack_id))
    owners = [row.id for row in found]
    while owners:
        level: list[query.Row] = []
        for some in query.chunks(owners):
            level += query.all_rows(conn, sa.select(*_PLACE).where(
                _STACK.c.owner_id.in_(some)))
        found += level
        owners = [row.id for row in level]
    return found


@session.reads
def stack_get_places_above(conn: sa.Connection, stack_ids: Iterable[str],
                           tenants: Sequence[str]) -> list[query.Row]:
    """Return the places of stacks of projects and of those above them."""
    found: dict[str, Any] = {}
    wanted = set(stack_ids)
    while wanted:
        level: list[query.Row] = []
        for some in query.chunks(wanted):
            level += query.all_rows(conn, sa.select(*_PLACE).where(
                _STACK.c.id.in_(some), _STACK.c.tenant.in_(tenants)))
        found.update({row.id: row for row in level})
        wanted = {row.owner_id for row in level} - {None, *found}
    return list(found.values())
