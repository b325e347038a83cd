"""Queries on the rendezvous rows of traversals.

A row of ours counts in ``pending`` the predecessors that are not done. A
row without that number merges what its predecessors send in ``input_data``
under a compare-and-swap on ``atomic_key``.
"""
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_POINT = models.SYNC_POINT

# (entity id, is_update)
Key = tuple[str, bool]


def _of_keys(keys: Iterable[Key]) -> sa.ColumnElement[bool]:
    by_direction: dict[bool, list[str]] = defaultdict(list)
    for entity_id, is_update in keys:
        by_direction[bool(is_update)].append(str(entity_id))
    return sa.or_(*(
        sa.and_(_POINT.c.is_update == is_update,
                _POINT.c.entity_id.in_(sorted(ids)))
        for is_update, ids in sorted(by_direction.items())))


def _keys(rows: Iterable[query.Row]) -> list[Key]:
    return [(row.entity_id, bool(row.is_update)) for row in rows]


_SELECT_KEY = sa.select(_POINT.c.entity_id, _POINT.c.is_update)


@session.writes
def sync_point_create_many(conn: sa.Connection,
                           rows: Iterable[Mapping[str, Any]]) -> None:
    query.insert_rows(conn, _POINT, rows)


@session.reads
def sync_point_get(conn: sa.Connection, key: Key, traversal_id: str
                   ) -> query.Row | None:
    entity_id, is_update = key
    return query.first(conn, sa.select(_POINT).where(
        _POINT.c.entity_id == str(entity_id),
        _POINT.c.traversal_id == traversal_id,
        _POINT.c.is_update == bool(is_update)))


@session.reads
def sync_point_get_all_by_traversal(conn: sa.Connection, traversal_id: str
                                    ) -> list[query.Row]:
    return query.all_rows(conn, sa.select(_POINT).where(
        _POINT.c.traversal_id == traversal_id))


@session.writes
def sync_point_delete_all_by_stack(conn: sa.Connection, stack_id: str,
                                   keep_traversal: str | None) -> int:
    statement = _POINT.delete().where(_POINT.c.stack_id == stack_id)
    if keep_traversal is not None:
        statement = statement.where(_POINT.c.traversal_id != keep_traversal)
    return conn.execute(statement).rowcount


@session.writes
def sync_point_finish(conn: sa.Connection, traversal_id: str,
                      keys: Iterable[Key]) -> int:
    """Mark nodes as done; return how many were not before."""
    finished = 0
    for some in query.chunks(keys):
        finished += conn.execute(
            _POINT.update().where(
                _POINT.c.traversal_id == traversal_id,
                _POINT.c.done == sa.false(), _of_keys(some)),
            {'done': True}).rowcount
    return finished


@session.writes
def sync_point_satisfy(conn: sa.Connection, traversal_id: str,
                       counts: Mapping[Key, int]) -> list[Key]:
    """Count down the predecessors of nodes; return those that are ready.

    All nodes of a direction change in one statement, in the order of the
    table's key, so that two engines seldom wait for each other crosswise.
    """
    ready: list[Key] = []
    for some in query.chunks(counts.items()):
        chosen = dict(some)
        here = sa.and_(_POINT.c.traversal_id == traversal_id,
                       _of_keys(chosen))
        count_down = _POINT.update().where(here).values(
            pending=_POINT.c.pending - _decrement(chosen))
        if conn.dialect.update_returning:
            ready += _keys(
                row for row in conn.execute(count_down.returning(
                    _POINT.c.entity_id, _POINT.c.is_update,
                    _POINT.c.pending, _POINT.c.done))
                if row.pending == 0 and not row.done)
            continue
        conn.execute(count_down)
        ready += _keys(conn.execute(_SELECT_KEY.where(
            here, _POINT.c.pending == 0, _POINT.c.done == sa.false())))
    return ready


def _decrement(counts: Mapping[Key, int]) -> sa.ColumnElement[int] | int:
    """Return the number to subtract, as an expression if it varies."""
    by_number: dict[int, list[Key]] = defaultdict(list)
    for key, number in counts.items():
        by_number[number].append(key)
    if len(by_number) == 1:
        return next(iter(by_number))
    return sa.case(
        *((_of_keys(keys), number) for number, keys in by_number.items()),
        else_=0)


@session.reads
def sync_point_count_open(conn: sa.Connection, traversal_id: str) -> int:
    """Count the nodes not done, without the row of the stack itself."""
    return conn.execute(
        sa.select(sa.func.count()).select_from(_POINT).where(
            _POINT.c.traversal_id == traversal_id,
            _POINT.c.done == sa.false(),
            _POINT.c.entity_id != _POINT.c.stack_id)).scalar_one()


@session.reads
def sync_point_ready(conn: sa.Connection, traversal_id: str,
                     limit: int | None, among: Iterable[Key] | None = None
                     ) -> list[Key]:
    """Return nodes that wait for nobody and are not done."""
    if among is not None:
        return [key for some in query.chunks(among) for key in _keys(
            conn.execute(_SELECT_KEY.where(
                _POINT.c.traversal_id == traversal_id, _of_keys(some),
                _POINT.c.pending == 0, _POINT.c.done == sa.false())))]
    statement = _SELECT_KEY.where(
        _POINT.c.traversal_id == traversal_id, _POINT.c.pending == 0,
        _POINT.c.done == sa.false())
    if limit is not None:
        statement = statement.limit(limit)
    return _keys(conn.execute(statement))


@session.writes
def sync_point_update_input_data(conn: sa.Connection, key: Key,
                                 traversal_id: str, atomic_key: int,
                                 values: Mapping[str, Any]) -> bool:
    """Replace what predecessors sent, unless it changed meanwhile."""
    entity_id, is_update = key
    result = conn.execute(
        _POINT.update().where(
            _POINT.c.entity_id == str(entity_id),
            _POINT.c.traversal_id == traversal_id,
            _POINT.c.is_update == bool(is_update),
            _POINT.c.atomic_key == atomic_key),
        {**values, 'atomic_key': atomic_key + 1})
    return result.rowcount > 0


@session.writes
def sync_point_update_many(conn: sa.Connection, traversal_id: str,
                           keys: Iterable[Key], values: Mapping[str, Any]
                           ) -> int:
    """Write the same values to several rows of a traversal."""
    changed = 0
    for some in query.chunks(keys):
        changed += conn.execute(
            _POINT.update().where(_POINT.c.traversal_id == traversal_id,
                                  _of_keys(some)),
            dict(values)).rowcount
    return changed
