"""Determine whether a transaction was committed although its commit failed.

If the connection is lost during a commit, the outcome is unknown, and
repeating a committed transaction would apply its changes twice. A row that
only this transaction can have written proves the commit.
"""
from collections.abc import Mapping
import dataclasses
import threading
from typing import Any
import uuid

import sqlalchemy as sa


@dataclasses.dataclass(frozen=True, slots=True)
class Witness:
    """A row that only one transaction can have written."""

    table: sa.Table
    values: Mapping[str, Any]

    def is_there(self, conn: sa.Connection) -> bool:
        """Return whether the database has the row."""
        return conn.execute(sa.select(1).select_from(self.table).where(*(
            self.table.c[name].is_(None) if value is None else
            self.table.c[name] == value
            for name, value in self.values.items())).limit(1)
        ).first() is not None


class _Scope(threading.local):
    """Rows written by the open transaction of this thread."""

    inserted: Witness | None = None
    swapped: Witness | None = None


_scope = _Scope()


def begin() -> None:
    """Begin a transaction, which has written nothing."""
    _scope.inserted = _scope.swapped = None


def left() -> Witness | None:
    """Return what the open transaction can be known by, if anything."""
    return _scope.inserted or _scope.swapped


def note_swap(table: sa.Table, **values: Any) -> None:
    """Note what the open transaction has written to a row.

    Nobody else may ever write the same values to it. What the transaction
    inserts is the better witness: the row may be deleted in the end.
    """
    if _scope.swapped is None:
        _scope.swapped = Witness(table, values)


def named(table: sa.Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a new row with its name, and note that.

    A row of a table whose rows have no unique name is left as it is.
    """
    name = _name_of(table)
    if name is None:
        return dict(values)
    row = {**values, name: values.get(name) or str(uuid.uuid4())}
    if _scope.inserted is None:
        _scope.inserted = Witness(table, {name: row[name]})
    return row


def _name_of(table: sa.Table) -> str | None:
    if 'uuid' in table.c:
        return 'uuid'
    key = table.c.get('id')
    return 'id' if key is not None and isinstance(
        key.type, sa.String) else None
