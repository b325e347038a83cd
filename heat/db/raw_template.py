"""Queries on templates and their files."""
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_TEMPLATE = models.RAW_TEMPLATE
_FILES = models.RAW_TEMPLATE_FILES


def select_template() -> sa.Select[Any]:
    """Return a query for templates together with their shared files."""
    return sa.select(
        _TEMPLATE, _FILES.c.files.label('shared_files')
    ).select_from(_TEMPLATE.outerjoin(_FILES))


@session.reads
def raw_template_get(conn: sa.Connection, template_id: int
                     ) -> query.Row | None:
    return query.first(
        conn, select_template().where(_TEMPLATE.c.id == template_id))


@session.writes
def raw_template_create(conn: sa.Connection, values: Mapping[str, Any]
                        ) -> int:
    return query.insert_one(conn, _TEMPLATE, values)


@session.writes
def raw_template_update(conn: sa.Connection, template_id: int,
                        values: Mapping[str, Any]) -> bool:
    result = conn.execute(
        _TEMPLATE.update().where(_TEMPLATE.c.id == template_id),
        dict(values))
    return result.rowcount > 0


@session.writes
def raw_template_delete(conn: sa.Connection, template_id: int) -> bool:
    """Delete a template, and its files if no other one uses them."""
    files_id = conn.execute(
        sa.select(_TEMPLATE.c.files_id)
        .where(_TEMPLATE.c.id == template_id)).scalar()
    result = conn.execute(
        _TEMPLATE.delete().where(_TEMPLATE.c.id == template_id))
    if files_id is not None:
        delete_unused_files(conn, [files_id])
    return result.rowcount > 0


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


@session.writes
def raw_template_files_create(conn: sa.Connection,
                              values: Mapping[str, Any]) -> int:
    return query.insert_one(conn, _FILES, values)
