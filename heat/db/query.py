"""Building blocks of queries: inserts, filters, sorting and paging."""
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

T = TypeVar('T')

# Well below the smallest number of parameters a database takes.
CHUNK = 5000

Row = sa.Row[Any]
Values = Mapping[str, Any]


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Yield the items in lists of at most size."""
    everything = list(items)
    for start in range(0, len(everything), size):
        yield everything[start:start + size]


def insert_one(conn: sa.Connection, table: sa.Table, values: Values) -> int:
    """Insert a row and return the number that it got as its key."""
    result: Any = conn.execute(table.insert(), dict(values))
    return int(result.inserted_primary_key[0])


def insert_named(conn: sa.Connection, table: sa.Table, values: Values
                 ) -> str:
    """Insert a row and return the uuid that is its key."""
    result: Any = conn.execute(table.insert(), dict(values))
    return str(result.inserted_primary_key[0])


def insert_many(conn: sa.Connection, table: sa.Table,
                rows: Iterable[Values]) -> list[int]:
    """Insert rows by few statements; return the keys in the same order.

    What one row names and another does not, is NULL in the latter, also
    where a single insert would apply the default.
    """
    uniform = _uniform(rows)
    if not uniform:
        return []
    dialect = conn.dialect
    if dialect.name == 'sqlite':
        # It has one writer at a time and numbers rows as they are given;
        # only the order in which it tells the numbers is open.
        statement = table.insert().returning(table.c.id)
        return sorted(conn.execute(statement, uniform).scalars())
    if dialect.insert_executemany_returning_sort_by_parameter_order:
        statement = table.insert().returning(
            table.c.id, sort_by_parameter_order=True)
        return list(conn.execute(statement, uniform).scalars())
    return [insert_one(conn, table, row) for row in uniform]


def insert_rows(conn: sa.Connection, table: sa.Table,
                rows: Iterable[Values]) -> None:
    """Insert rows, like insert_many, without asking for their keys."""
    uniform = _uniform(rows)
    if not uniform:
        return
    statement = table.insert()
    if conn.dialect.insert_executemany_returning:
        # Returning something is what makes it one statement for all rows.
        key = next(iter(table.primary_key))
        conn.execute(statement.returning(key), uniform).close()
    else:
        conn.execute(statement, uniform)


def _uniform(rows: Iterable[Values]) -> list[dict[str, Any]]:
    given = list(rows)
    names = dict.fromkeys(name for row in given for name in row)
    return [{name: row.get(name) for name in names} for row in given]


def first(conn: sa.Connection, statement: sa.Select[Any]) -> Row | None:
    """Return the first row, if any."""
    return conn.execute(statement).first()


def all_rows(conn: sa.Connection, statement: sa.Select[Any]) -> list[Row]:
    """Return all rows."""
    return list(conn.execute(statement))


def scalars(conn: sa.Connection, statement: sa.Select[Any]) -> list[Any]:
    """Return the first column of all rows."""
    return list(conn.execute(statement).scalars())


def count(conn: sa.Connection, statement: sa.Select[Any]) -> int:
    """Return how many rows the statement would give."""
    counting = sa.select(sa.func.count()).select_from(
        statement.order_by(None).subquery())
    number: int = conn.execute(counting).scalar_one()
    return number


def equals(column: sa.ColumnElement[Any], value: Any
           ) -> sa.ColumnElement[bool]:
    """Compare with a value that may be None."""
    same: sa.ColumnElement[bool] = (
        column.is_(None) if value is None else column == value)
    return same


def exact_filters(table: sa.Table, filters: Mapping[str, Any] | None
                  ) -> list[sa.ColumnElement[bool]]:
    """Return conditions for column = value, or one of several values.

    Names that are no column are left out: they are the API's, and it says
    that unknown ones are ignored.
    """
    conditions: list[sa.ColumnElement[bool]] = []
    for name, value in (filters or {}).items():
        column = table.c.get(name)
        if column is None:
            continue
        if isinstance(value, (list, tuple, set, frozenset)):
            conditions.append(column.in_(list(value)))
        else:
            conditions.append(equals(column, value))
    return conditions


#: Whoever makes a row writes these, so that no row lacks them, though the
#: schema allows it. Sorting by nothing else lets an index give the order.
_ALWAYS_SET = frozenset({'created_at'})


def _may_be_absent(column: Any) -> bool:
    return column.nullable and column.name not in _ALWAYS_SET


def _order(column: Any, descending: bool
           ) -> list[sa.ColumnElement[Any]]:
    """Sort absent values first, which databases do not agree upon."""
    terms: list[Any] = [column]
    if _may_be_absent(column):
        terms.insert(0, sa.case((column.is_(None), 0), else_=1))
    return [term.desc() if descending else term.asc() for term in terms]


def _beyond(column: Any, value: Any, descending: bool
            ) -> sa.ColumnElement[bool]:
    """Return the condition that a row sorts after the value."""
    if value is None:
        return sa.false() if descending else column.is_not(None)
    if descending and _may_be_absent(column):
        return sa.or_(column < value, column.is_(None))
    if descending:
        before: sa.ColumnElement[bool] = column < value
        return before
    after: sa.ColumnElement[bool] = column > value
    return after


def sorted_page(statement: sa.Select[Any], table: sa.Table,
                sort_keys: Sequence[str], descending: bool,
                marker: Row | None = None,
                limit: int | None = None) -> sa.Select[Any]:
    """Sort by the keys, start behind the marker row, and limit.

    The keys must end with one that is unique; the marker is a row that
    holds all of them.
    """
    columns = [table.c[key] for key in sort_keys]
    if marker is not None:
        values = [marker._mapping[key] for key in sort_keys]
        if values[0] is not None and not _may_be_absent(columns[0]):
            # Follows from the rest; but it is what an index is entered by.
            statement = statement.where(
                columns[0] <= values[0] if descending
                else columns[0] >= values[0])
        statement = statement.where(sa.or_(*(
            sa.and_(*(equals(columns[before], values[before])
                      for before in range(position)),
                    _beyond(columns[position], values[position], descending))
            for position in range(len(columns)))))
    for column in columns:
        statement = statement.order_by(*_order(column, descending))
    if limit is not None:
        statement = statement.limit(limit)
    return statement


def known_sort_keys(given: str | Sequence[str] | None,
                    names: Mapping[str, str],
                    default: Sequence[str]) -> list[str]:
    """Return the columns to sort by for the keys that callers may use."""
    keys = [given] if isinstance(given, str) else list(given or [])
    known = dict.fromkeys(names[key] for key in keys if key in names)
    return list(known) or list(default)
