"""Queries on the tags of stacks."""
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_TAG = models.STACK_TAG


@query.built_once
def _tags() -> sa.Select[Any]:
    return sa.select(_TAG.c.stack_id, _TAG.c.tag).where(
        _TAG.c.stack_id.in_(sa.bindparam('stack_ids', expanding=True))
    ).order_by(_TAG.c.id)


@session.reads
def stack_tags_get(conn: sa.Connection, stack_ids: Iterable[str]
                   ) -> dict[str, list[str]]:
    """Return the tags of each of the stacks that has any."""
    tags: dict[str, list[str]] = {}
    for some in query.chunks(stack_ids):
        for row in query.all_rows(conn, _tags(), stack_ids=some):
            tags.setdefault(row.stack_id, []).append(row.tag)
    return tags


@session.writes
def stack_tags_set(conn: sa.Connection, stack_id: str,
                   tags: Sequence[str]) -> None:
    """Replace the tags of a stack."""
    conn.execute(_TAG.delete().where(_TAG.c.stack_id == stack_id))
    query.insert_rows(conn, _TAG, [{'stack_id': stack_id, 'tag': tag}
                                   for tag in tags])
