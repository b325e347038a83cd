"""Building blocks of queries: inserts, filters, sorting and paging."""
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
import dataclasses
import functools
import sys
from typing import Any, TypeVar

import sqlalchemy as sa

from heat.db import witness

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
    result: Any = conn.execute(table.insert(), witness.named(table, values))
    return int(result.inserted_primary_key[0])


def insert_named(conn: sa.Connection, table: sa.Table, values: Values
                 ) -> str:
    """Insert a row and return the uuid that is its key."""
    result: Any = conn.execute(table.insert(), witness.named(table, values))
    return str(result.inserted_primary_key[0])


def insert_many(conn: sa.Connection, table: sa.Table,
                rows: Iterable[Values]) -> list[int]:
    """Insert rows by few statements; return the keys in the same order.

    What one row names and another does not, is NULL in the latter, also
    where a single insert would apply the default.
    """
    uniform = _uniform(table, rows)
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
    uniform = _uniform(table, rows)
    if not uniform:
        return
    statement = table.insert()
    if conn.dialect.insert_executemany_returning:
        # Returning something is what makes it one statement for all rows.
        key = next(iter(table.primary_key))
        conn.execute(statement.returning(key), uniform).close()
    else:
        conn.execute(statement, uniform)


def _uniform(table: sa.Table, rows: Iterable[Values]
             ) -> list[dict[str, Any]]:
    given = [witness.named(table, row) for row in rows]
    names = dict.fromkeys(name for row in given for name in row)
    return [{name: row.get(name) for name in names} for row in given]


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """A write to a row on condition that it is as expected."""

    key: Any
    values: Values
    expected: Values = dataclasses.field(default_factory=dict)


# Most rows that one statement gives values of their own.
_ROWS_TOGETHER = 128


def update_rows(conn: sa.Connection, table: sa.Table,
                changes: Sequence[Change], counter: str | None = None) -> int:
    """Write to rows values of their own; return how many were as expected.

    Rows that are written alike take one statement.

    :param changes: they name the same columns, to be written and expected,
        and expect the same of these to be NULL
    :param counter: a column that is counted up besides
    """
    return sum(_update(conn, table, some, counter)
               for some in chunks(changes, _ROWS_TOGETHER))


def _update(conn: sa.Connection, table: sa.Table, changes: list[Change],
            counter: str | None) -> int:
    size = 1
    while size < len(changes):
        size *= 2
    # Few sizes make few statements; a row may well be named twice.
    rows = changes + [changes[-1]] * (size - len(changes))
    parameters = {f'key_{place}': row.key for place, row in enumerate(rows)}

    def split(prefix: str, columns: list[Values]
              ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Set parameters; return names of equal and of differing ones."""
        alike, differing = [], []
        for name, value in columns[0].items():
            if all(one[name] == value for one in columns):
                alike.append(name)
                parameters[f'{prefix}_{name}'] = value
            else:
                differing.append(name)
                parameters.update(
                    (f'{prefix}_{name}_{place}', one[name])
                    for place, one in enumerate(columns))
        return tuple(alike), tuple(differing)

    automatic = _automatic_values(table, rows[0].values)
    written = split('new', [{**row.values, **automatic} for row in rows])
    absent = tuple(name for name, value in rows[0].expected.items()
                   if value is None)
    expected = split('old', [
        {name: value for name, value in row.expected.items()
         if value is not None} for row in rows])
    return _compiled(conn.dialect, table, size, written, expected, absent,
                     counter).execute(conn, parameters).rowcount


def _automatic_values(table: sa.Table, given: Values) -> dict[str, Any]:
    """Return what columns get that are written with every change."""
    return {column.key: column.onupdate.arg(None)
            for column in table.c
            if column.key not in given and
            isinstance(column.onupdate, sa.ColumnDefault)}


_forgetting: list[Callable[[], None]] = []

F = TypeVar('F', bound=Callable[..., Any])


def built_once(function: F) -> F:
    """Keep what a function of names builds, until it is to be forgotten."""
    kept: Any = functools.lru_cache(maxsize=200)(function)
    _forgetting.append(kept.cache_clear)
    return functools.wraps(function)(kept)  # type: ignore[return-value]


def forget_statements() -> None:
    """Drop the statements that are kept for the next use."""
    for forget in _forgetting:
        forget()


def _shared(name: str) -> str:
    """Return a name as the one object that stands for it."""
    return sys.intern(str(name))


class _Text:
    """A statement as the driver takes it.

    One of many rows has hundreds of parameters, each an object to
    SQLAlchemy, which would keep hundreds of kilobytes.
    """

    def __init__(self, statement: sa.Update, dialect: sa.Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self._text = str(compiled)
        # None where the text names its parameters.
        self._order = compiled.positiontup and tuple(
            map(_shared, compiled.positiontup))
        self._constants = {name: value for name, value
                           in compiled.params.items() if value is not None}
        kinds = {id(bind.type): bind.type for bind in compiled.binds.values()}
        converters = {
            key: kind.dialect_impl(dialect).bind_processor(dialect)
            for key, kind in kinds.items()}
        self._converters = {
            _shared(name): convert for name, bind in compiled.binds.items()
            if (convert := converters[id(bind.type)]) is not None}

    def execute(self, conn: sa.Connection, parameters: Values
                ) -> sa.CursorResult[Any]:
        given = {**self._constants, **parameters}
        for name, convert in self._converters.items():
            given[name] = convert(given[name])
        return conn.exec_driver_sql(
            self._text, given if self._order is None
            else tuple([given[name] for name in self._order]))


@built_once
def _compiled(dialect: sa.Dialect, *args: Any) -> _Text:
    return _Text(_statement(*args), dialect)


def _statement(table: sa.Table, size: int,
               written: tuple[tuple[str, ...], tuple[str, ...]],
               expected: tuple[tuple[str, ...], tuple[str, ...]],
               absent: tuple[str, ...], counter: str | None) -> sa.Update:
    """Return an update of a number of rows; building it takes long.

    :param written: names of columns that all rows get the same value in,
        and of those that differ; so for expected
    """
    [key] = table.primary_key
    keys = [sa.bindparam(f'key_{place}', type_=key.type)
            for place in range(size)]

    def one(prefix: str, name: str) -> Any:
        return sa.bindparam(f'{prefix}_{name}', type_=table.c[name].type)

    def each(prefix: str, name: str) -> Any:
        return sa.case(*(
            (one_key, sa.bindparam(f'{prefix}_{name}_{place}',
                                   type_=table.c[name].type))
            for place, one_key in enumerate(keys)), value=key)

    values = {name: one('new', name) for name in written[0]}
    values.update((name, each('new', name)) for name in written[1])
    if counter is not None:
        values[counter] = sa.func.coalesce(table.c[counter], 0) + 1
    return table.update().where(
        key.in_(keys),
        *(table.c[name].is_(None) for name in absent),
        *(table.c[name] == one('old', name) for name in expected[0]),
        *(table.c[name] == each('old', name) for name in expected[1]),
    ).values(values)


def first(conn: sa.Connection, statement: sa.Select[Any],
          **parameters: Any) -> Row | None:
    """Return the first row, if any."""
    return conn.execute(statement, parameters or None).first()


def all_rows(conn: sa.Connection, statement: sa.Select[Any],
             **parameters: Any) -> list[Row]:
    """Return all rows."""
    return list(conn.execute(statement, parameters or None))


def scalars(conn: sa.Connection, statement: sa.Select[Any]) -> list[Any]:
    """Return the first column of all rows."""
    return list(conn.execute(statement).scalars())


def delete_some(conn: sa.Connection, table: sa.Table,
                condition: sa.ColumnElement[bool], limit: int) -> int:
    """Delete up to `limit` matching rows; return their number."""
    ids = scalars(conn, sa.select(table.c.id).where(condition).limit(limit))
    return conn.execute(table.delete().where(table.c.id.in_(ids))
                        ).rowcount if ids else 0


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
