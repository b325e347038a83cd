"""Reading a database that may belong to another release.

Only tables and columns are read that all releases have.
"""
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from heat.common import crypt
from heat.common import exception
from heat.db import models
from heat.db import query
from heat.db import session

#: How many rows are read together.
_BATCH = 1000
_STACK = models.STACK


@session.reads
def stacks(conn: sa.Connection) -> list[query.Row]:
    """Return raw_template_id, id, name and tenant of all stacks."""
    return query.all_rows(conn, sa.select(
        _STACK.c.raw_template_id, _STACK.c.id, _STACK.c.name,
        _STACK.c.tenant).where(_STACK.c.deleted_at.is_(None)).order_by(
            _STACK.c.name, _STACK.c.id))


def undecrypted(context: Any) -> Iterator[tuple[str, int]]:
    """Yield (table, how many of its rows the key does not decrypt)."""
    for table, names in ((models.USER_CREDS, ('password', 'trust_id')),
                         (models.RESOURCE_DATA, ('value',))):
        last, number = 0, 0
        while rows := _secrets(context, table, names, last):
            number += sum(not _is_decrypted(row) for row in rows)
            last = rows[-1].id
        yield table.name, number


@session.reads
def _secrets(conn: sa.Connection, table: sa.Table, names: tuple[str, ...],
             last: int) -> list[query.Row]:
    return query.all_rows(conn, sa.select(
        table.c.id, table.c.decrypt_method,
        *(table.c[name] for name in names)).where(
            table.c.id > last,
            sa.func.coalesce(table.c.decrypt_method, '') != '')
        .order_by(table.c.id).limit(_BATCH))


def _is_decrypted(row: query.Row) -> bool:
    value: str | None
    try:
        for value in row[2:]:
            crypt.decrypt(row.decrypt_method, value)
    except exception.HeatException:
        return False
    return True
