"""Queries on templates and their files."""
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_TEMPLATE = models.RAW_TEMPLATE
_FILES = models.RAW_TEMPLATE_FILES


@query.built_once
def select_template() -> sa.Select[Any]:
    """Return a query for a template together with its shared files.

    Its parameter is `template_id`.
    """
    return sa.select(
        _TEMPLATE, _FILES.c.files.label('shared_files')
    ).select_from(_TEMPLATE.outerjoin(_FILES)).where(
        _TEMPLATE.c.id == sa.bindparam('template_id'))


@session.reads
def raw_template_get(conn: sa.Connection, template_id: int
                     ) -> query.Row | None:
    return query.first(conn, select_template(), template_id=template_id)


@session.reads
def raw_template_get_many(conn: sa.Connection, template_ids: Iterable[int]
                          ) -> list[query.Row]:
    """Return templates without the files that they share."""
    rows: list[query.Row] = []
    for some in query.chunks(template_ids):
        rows += query.all_rows(conn, sa.select(_TEMPLATE).where(
            _TEMPLATE.c.id.in_(some)))
    return rows


@session.writes
def raw_template_create(conn: sa.Connection, values: Mapping[str, Any]
                        ) -> int:
    return query.insert_one(conn, _TEMPLATE, values)


@session.writes
def raw_template_create_many(conn: sa.Connection,
                             rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """Insert templates; return their ids in the same order."""
    return query.insert_many(conn, _TEMPLATE, rows)


@session.writes
def raw_template_update(conn: sa.Connection, template_id: int,
                        values: Mapping[str, Any]) -> bool:
    """Update a template; files that no template has any more are deleted."""
    chosen = _TEMPLATE.c.id == template_id
    before = [] if values.get('files_id') is None else query.scalars(
        conn, sa.select(_TEMPLATE.c.files_id).where(chosen))
    result = conn.execute(_TEMPLATE.update().where(chosen), dict(values))
    replaced = set(before) - {None, values.get('files_id')}
    if replaced:
        delete_unused_files(conn, sorted(replaced))
    return result.rowcount > 0


@session.writes
def raw_template_delete_many(conn: sa.Connection, template_ids: Iterable[int]
                             ) -> int:
    """Delete templates, and those of their files that no other one uses."""
    return _delete_many(conn, template_ids)


def _delete_many(conn: sa.Connection, template_ids: Iterable[int]) -> int:
    deleted = 0
    for some in query.chunks(template_ids):
        chosen = _TEMPLATE.c.id.in_(some)
        files = set(query.scalars(conn, sa.select(
            _TEMPLATE.c.files_id).where(chosen))) - {None}
        deleted += conn.execute(_TEMPLATE.delete().where(chosen)).rowcount
        if files:
            delete_unused_files(conn, sorted(files))
    return deleted


@session.writes
def raw_template_delete_unused(conn: sa.Connection,
                               template_ids: Iterable[int]) -> int:
    """Delete those of some templates that nothing refers to."""
    stacks, resources = models.STACK, models.RESOURCE
    used: set[int] = set()
    chosen = sorted(template_ids)
    for some in query.chunks(chosen):
        for column in (stacks.c.raw_template_id,
                       stacks.c.prev_raw_template_id,
                       resources.c.current_template_id):
            used.update(query.scalars(conn, sa.select(column).where(
                column.in_(some))))
    return _delete_many(
        conn, [each for each in chosen if each not in used])


def delete_unused_files(conn: sa.Connection, ids: list[int]) -> None:
    """Delete those of the files that no template refers to."""
    used = sa.exists().where(_TEMPLATE.c.files_id == _FILES.c.id)
    for some in query.chunks(ids):
        conn.execute(_FILES.delete().where(_FILES.c.id.in_(some), ~used))


@session.reads
def raw_template_files_get(conn: sa.Connection, files_id: int
                           ) -> query.Row | None:
    return query.first(
        conn, sa.select(_FILES).where(_FILES.c.id == files_id))


@session.reads
def raw_template_files_get_many(conn: sa.Connection, ids: Iterable[int]
                                ) -> dict[int, Any]:
    """Return the contents of files by id."""
    found: dict[int, Any] = {}
    for some in query.chunks(ids):
        for row in conn.execute(sa.select(_FILES.c.id, _FILES.c.files).where(
                _FILES.c.id.in_(some))):
            found[row.id] = row.files
    return found


@session.writes
def raw_template_files_create(conn: sa.Connection,
                              values: Mapping[str, Any]) -> int:
    return query.insert_one(conn, _FILES, values)
