"""Queries on snapshots of stacks and of their resources."""
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_SNAPSHOT = models.SNAPSHOT
_RESOURCE = models.RESOURCE_SNAPSHOT
_STACK = models.STACK


@session.writes
def snapshot_create(conn: sa.Connection, values: Mapping[str, Any]) -> str:
    return query.insert_named(conn, _SNAPSHOT, values)


@session.reads
def snapshot_get(conn: sa.Connection, snapshot_id: str) -> query.Row | None:
    return query.first(
        conn, sa.select(_SNAPSHOT).where(_SNAPSHOT.c.id == snapshot_id))


@session.reads
def snapshot_stacks_with_any(conn: sa.Connection, stack_ids: Iterable[str]
                             ) -> set[str]:
    """Return those of some stacks that have snapshots."""
    return {stack_id for some in query.chunks(stack_ids)
            for stack_id in query.scalars(conn, sa.select(
                _SNAPSHOT.c.stack_id).where(
                    _SNAPSHOT.c.stack_id.in_(some)).distinct())}


@session.reads
def snapshot_get_all_by_stack(conn: sa.Connection, stack_id: str
                              ) -> list[query.Row]:
    return query.all_rows(
        conn, sa.select(_SNAPSHOT).where(_SNAPSHOT.c.stack_id == stack_id)
        .order_by(_SNAPSHOT.c.created_at, _SNAPSHOT.c.id))


@session.reads
def snapshot_count_all_by_stack(conn: sa.Connection, stack_id: str) -> int:
    return query.count(conn, sa.select(_SNAPSHOT.c.id).where(
        _SNAPSHOT.c.stack_id == stack_id))


@session.reads
def snapshot_stacks_deleting(conn: sa.Connection) -> list[str]:
    """Return the stacks that are there and have snapshots being deleted."""
    return query.scalars(
        conn, sa.select(_SNAPSHOT.c.stack_id).distinct()
        .join(_STACK, _STACK.c.id == _SNAPSHOT.c.stack_id)
        .where(_SNAPSHOT.c.action == 'DELETE',
               _SNAPSHOT.c.status == 'IN_PROGRESS',
               _STACK.c.deleted_at.is_(None)))


@session.writes
def snapshot_update(conn: sa.Connection, snapshot_id: str,
                    values: Mapping[str, Any]) -> bool:
    result = conn.execute(
        _SNAPSHOT.update().where(_SNAPSHOT.c.id == snapshot_id),
        dict(values))
    return result.rowcount > 0


@session.writes
def snapshot_delete(conn: sa.Connection, snapshot_id: str) -> bool:
    """Delete a snapshot together with those of its resources."""
    conn.execute(_RESOURCE.delete().where(
        _RESOURCE.c.snapshot_id == snapshot_id))
    result = conn.execute(
        _SNAPSHOT.delete().where(_SNAPSHOT.c.id == snapshot_id))
    return result.rowcount > 0


def delete_all_of_stacks(conn: sa.Connection, stack_ids: list[str]) -> None:
    """Delete all snapshots of these stacks."""
    ids = sa.select(_SNAPSHOT.c.id).where(_SNAPSHOT.c.stack_id.in_(stack_ids))
    conn.execute(_RESOURCE.delete().where(_RESOURCE.c.snapshot_id.in_(ids)))
    conn.execute(_SNAPSHOT.delete().where(
        _SNAPSHOT.c.stack_id.in_(stack_ids)))


@session.writes
def resource_snapshot_create_many(conn: sa.Connection,
                                  rows: Iterable[Mapping[str, Any]]) -> None:
    query.insert_rows(conn, _RESOURCE, rows)


@session.reads
def resource_snapshot_get_all(conn: sa.Connection, snapshot_id: str
                              ) -> list[query.Row]:
    return query.all_rows(
        conn, sa.select(_RESOURCE)
        .where(_RESOURCE.c.snapshot_id == snapshot_id)
        .order_by(_RESOURCE.c.created_at, _RESOURCE.c.resource_name))
