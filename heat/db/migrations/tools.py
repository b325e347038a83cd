"""Helpers of migrations that must not be confused by earlier attempts.

MySQL and MariaDB cannot roll back changes of a schema, so a migration that
was interrupted is begun anew on what it left behind.
"""
from typing import Any

from alembic import op
import sqlalchemy as sa


def has_table(table: str) -> bool:
    """Return whether the database has the table."""
    return sa.inspect(op.get_bind()).has_table(table)


def columns(table: str) -> set[str]:
    """Return the names of the columns that a table has."""
    inspector = sa.inspect(op.get_bind())
    return {column['name'] for column in inspector.get_columns(table)}


def add_column(table: str, column: sa.Column[Any]) -> None:
    """Add a column unless the table has it."""
    if column.name not in columns(table):
        op.add_column(table, column)


def has_index_on(table: str, column: str) -> bool:
    """Return whether some index begins with the column."""
    inspector = sa.inspect(op.get_bind())
    leading: list[Any] = [index['column_names'][:1]
               for index in inspector.get_indexes(table)]
    leading.append(
        inspector.get_pk_constraint(table)['constrained_columns'][:1])
    return [column] in leading


def has_index(table: str, name: str) -> bool:
    """Return whether the table has the index."""
    inspector = sa.inspect(op.get_bind())
    return name in {index['name'] for index in inspector.get_indexes(table)}


def add_index(table: str, column: str) -> None:
    """Add an index on the column unless one begins with it."""
    if not has_index_on(table, column):
        op.create_index(f'ix_{table}_{column}', table, [column])


def drop_index(table: str, name: str) -> None:
    """Drop an index if the table has it."""
    if has_index(table, name):
        op.drop_index(name, table)


def drop_column(table: str, name: str) -> None:
    """Drop a column if the table has it."""
    if name in columns(table):
        op.drop_column(table, name)


def table_options(neighbour: str | None = None) -> dict[str, Any]:
    """Return how MySQL and MariaDB are to keep a new table.

    A text column can refer only to one of the same character set; that of
    a database which another release made is not ours to choose.
    """
    options = {'mysql_engine': 'InnoDB', 'mysql_charset': 'utf8mb4'}
    bind = op.get_bind()
    if neighbour is None or bind.dialect.name not in ('mysql', 'mariadb'):
        return options
    found = sa.inspect(bind).get_table_options(neighbour)
    for name in ('charset', 'collate'):
        for key in (f'mysql_{name}', f'mariadb_{name}',
                    f'mysql_default {name}', f'mariadb_default {name}'):
            if key in found:
                options[f'mysql_{name}'] = found[key]
    return options


def widen_text(columns_of: dict[str, list[str]]) -> None:
    """Let columns of MySQL and MariaDB hold characters of four bytes.

    :param columns_of: {table: names of columns}, without columns that are
        indexed or refer to others
    """
    if op.get_bind().dialect.name not in ('mysql', 'mariadb'):
        return
    for table, names in columns_of.items():
        changes = _widening(table, names)
        if changes:
            op.execute(f'ALTER TABLE `{table}` {", ".join(changes)}')


def _widening(table: str, names: list[str]) -> list[str]:
    """Return the clauses of ALTER TABLE that widen the narrow columns."""
    narrow = op.get_bind().execute(
        sa.text(
            'SELECT column_name, column_type, is_nullable '
            'FROM information_schema.columns '
            'WHERE table_schema = DATABASE() AND table_name = :table '
            "AND character_set_name <> 'utf8mb4'"),
        {'table': table})
    return [
        f'MODIFY `{name}` {kind} CHARACTER SET utf8mb4 '
        + ('NULL' if nullable == 'YES' else 'NOT NULL')
        for name, kind, nullable in narrow if name in names]
