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


def _by_direction(keys: Iterable[Key]) -> dict[bool, list[str]]:
    ids: dict[bool, list[str]] = defaultdict(list)
    for entity_id, is_update in keys:
        ids[bool(is_update)].append(str(entity_id))
    return ids


def _of_keys(keys: Iterable[Key]) -> sa.ColumnElement[bool]:
    return sa.or_(*(
        sa.and_(_POINT.c.is_update == is_update,
                _POINT.c.entity_id.in_(sorted(ids)))
        for is_update, ids in sorted(_by_direction(keys).items())))


def _chosen(directions: Iterable[bool]) -> sa.ColumnElement[bool]:
    """Return the condition that takes the parameters of _choice()."""
    return sa.and_(
        _POINT.c.traversal_id == sa.bindparam('that_traversal'),
        _of_direction(directions))


def _chosen_of_many(directions: Iterable[bool]) -> sa.ColumnElement[bool]:
    """Return the condition that takes the parameters of _choice_of_many().
    """
    return sa.and_(
        _POINT.c.traversal_id.in_(sa.bindparam('those_traversals',
                                               expanding=True)),
        _of_direction(directions))


def _of_direction(directions: Iterable[bool]) -> sa.ColumnElement[bool]:
    return sa.or_(*(sa.and_(
        _POINT.c.is_update == is_update,
        _POINT.c.entity_id.in_(sa.bindparam(
            f'ids_{is_update}', expanding=True)))
        for is_update in directions))


def _choice(traversal_id: str, ids: Mapping[bool, list[str]]
            ) -> dict[str, Any]:
    return {'that_traversal': traversal_id, **_chosen_ids(ids)}


def _choice_of_many(traversal_ids: Iterable[str],
                    ids: Mapping[bool, list[str]]) -> dict[str, Any]:
    return {'those_traversals': sorted(traversal_ids), **_chosen_ids(ids)}


def _chosen_ids(ids: Mapping[bool, list[str]]) -> dict[str, Any]:
    return {f'ids_{is_update}': sorted(some)
            for is_update, some in ids.items()}


# What visits of nodes execute again and again is built once.

@query.built_once
def _finish(directions: tuple[bool, ...]) -> sa.Update:
    return _POINT.update().where(_chosen_of_many(directions),
                                 _POINT.c.done == sa.false())


def _telling(count_down: sa.Update) -> Any:
    """Return a statement that tells what it has counted down."""
    return count_down.returning(_POINT.c.entity_id, _POINT.c.is_update,
                                _POINT.c.pending, _POINT.c.done)


@query.built_once
def _count_down(directions: tuple[bool, ...], telling: bool) -> Any:
    statement = _POINT.update().where(_chosen(directions)).values(
        pending=_POINT.c.pending - sa.bindparam('number', type_=sa.Integer))
    return _telling(statement) if telling else statement


@query.built_once
def _ready_among(directions: tuple[bool, ...]) -> sa.Select[Any]:
    return _SELECT_KEY.where(_chosen(directions), _POINT.c.pending == 0,
                             _POINT.c.done == sa.false())


def _keys(rows: Iterable[query.Row]) -> list[Key]:
    return [(row.entity_id, bool(row.is_update)) for row in rows]


_SELECT_KEY = sa.select(_POINT.c.entity_id, _POINT.c.is_update)


@session.writes
def sync_point_create_many(conn: sa.Connection,
                           rows: Iterable[Mapping[str, Any]]) -> None:
    query.insert_rows(conn, _POINT, rows)


@session.reads
def sync_point_get_all_by_key(conn: sa.Connection, traversal_ids: list[str],
                              keys: Iterable[Key]) -> list[query.Row]:
    rows: list[query.Row] = []
    for some in query.chunks(keys):
        rows += query.all_rows(conn, sa.select(_POINT).where(
            _POINT.c.traversal_id.in_(traversal_ids), _of_keys(some)))
    return rows


@session.reads
def sync_point_ready_of_many(conn: sa.Connection, traversal_ids: list[str]
                             ) -> list[tuple[str, Key]]:
    """Return (traversal, node) of nodes that wait for nobody."""
    return [(row.traversal_id, (row.entity_id, bool(row.is_update)))
            for some in query.chunks(traversal_ids)
            for row in conn.execute(sa.select(
                _POINT.c.traversal_id, _POINT.c.entity_id,
                _POINT.c.is_update).where(
                    _POINT.c.traversal_id.in_(some), _POINT.c.pending == 0,
                    _POINT.c.done == sa.false()))]


@session.reads
def sync_point_get_all_by_traversal(conn: sa.Connection, traversal_id: str
                                    ) -> list[query.Row]:
    return query.all_rows(conn, sa.select(_POINT).where(
        _POINT.c.traversal_id == traversal_id))


@session.writes
def sync_point_delete_all_of_stacks(conn: sa.Connection,
                                    stack_ids: Iterable[str]) -> int:
    return sum(conn.execute(_POINT.delete().where(
        _POINT.c.stack_id.in_(some))).rowcount
        for some in query.chunks(stack_ids))


@session.writes
def sync_point_finish(conn: sa.Connection, traversal_ids: list[str],
                      keys: Iterable[Key]) -> int:
    """Mark nodes of traversals as done; return how many were not before."""
    finished = 0
    for some in query.chunks(keys):
        ids = _by_direction(some)
        finished += conn.execute(
            _finish(tuple(sorted(ids))),
            {'done': True, **_choice_of_many(traversal_ids, ids)}).rowcount
    return finished


@query.built_once
def _settle_one(directions: tuple[bool, ...]) -> sa.Update:
    """Return a statement that finishes a node and counts it off at once."""
    me = sa.and_(_POINT.c.entity_id == sa.bindparam('me'),
                 _POINT.c.is_update == sa.bindparam('my_direction'))
    return _POINT.update().where(
        sa.or_(
            sa.and_(_POINT.c.traversal_id == sa.bindparam('that_traversal'),
                    me, _POINT.c.done == sa.false()),
            _chosen(directions))
    ).values(done=sa.case((me, sa.true()), else_=_POINT.c.done),
             pending=_POINT.c.pending - sa.case((me, 0), else_=1))


@query.built_once
def _release(directions: tuple[bool, ...]) -> sa.Update:
    return _POINT.update().where(_chosen_of_many(directions)).values(
        pending=_POINT.c.pending - 1)


@session.writes
def sync_point_release(conn: sa.Connection, traversal_ids: list[str],
                       keys: Iterable[Key]) -> None:
    """Count down one predecessor of each node."""
    for some in query.chunks(keys):
        ids = _by_direction(some)
        conn.execute(_release(tuple(sorted(ids))),
                     _choice_of_many(traversal_ids, ids))


@session.writes
def sync_point_finish_one(conn: sa.Connection, traversal_id: str, key: Key,
                          waiting: Iterable[Key]) -> bool:
    """Mark a node as done and count it off from those that wait for it.

    Return whether it was not done before; else nothing is changed.
    """
    keys = list(waiting)
    ids = _by_direction(keys)
    directions = tuple(sorted(ids))
    choice = _choice(traversal_id, ids)
    matched = conn.execute(_settle_one(directions), {
        **choice, 'me': str(key[0]), 'my_direction': bool(key[1])}).rowcount
    if matched == len(keys) + 1:
        return True
    if matched:
        # It had been counted off before; the rows are locked, so nobody
        # has seen it counted twice.
        conn.execute(_count_down(directions, False), {**choice, 'number': -1})
    return False


@session.writes
def sync_point_satisfy(conn: sa.Connection, traversal_id: str,
                       counts: Mapping[Key, int]) -> list[Key]:
    """Count down the predecessors of nodes; return those that are ready.

    All nodes of a direction change in one statement, in the order of the
    table's key, so that two engines seldom wait for each other crosswise.
    """
    ready: list[Key] = []
    for some in query.chunks(counts.items()):
        ready += _satisfy(conn, traversal_id, dict(some))
    return ready


def _satisfy(conn: sa.Connection, traversal_id: str,
             counts: Mapping[Key, int]) -> list[Key]:
    ids = _by_direction(counts)
    directions = tuple(sorted(ids))
    choice = _choice(traversal_id, ids)
    numbers = set(counts.values())
    telling = conn.dialect.update_returning
    if len(numbers) == 1:
        statement = _count_down(directions, telling)
        choice['number'] = numbers.pop()
    else:
        statement = _POINT.update().where(_chosen(directions)).values(
            pending=_POINT.c.pending - _decrement(counts))
        if telling:
            statement = _telling(statement)
    result = conn.execute(statement, choice)
    if not telling:
        return _ready_of(conn, traversal_id, ids)
    return _keys(row for row in result if row.pending == 0 and not row.done)


def _decrement(counts: Mapping[Key, int]) -> sa.ColumnElement[int]:
    """Return the number to subtract, which varies."""
    by_number: dict[int, list[Key]] = defaultdict(list)
    for key, number in counts.items():
        by_number[number].append(key)
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


def _ready_of(conn: sa.Connection, traversal_id: str,
              ids: Mapping[bool, list[str]]) -> list[Key]:
    return _keys(conn.execute(_ready_among(tuple(sorted(ids))),
                              _choice(traversal_id, ids)))


@session.reads
def sync_point_ready(conn: sa.Connection, traversal_id: str,
                     limit: int | None, among: Iterable[Key] | None = None
                     ) -> list[Key]:
    """Return nodes that wait for nobody and are not done."""
    if among is not None:
        return [key for some in query.chunks(among)
                for key in _ready_of(conn, traversal_id,
                                     _by_direction(some))]
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
