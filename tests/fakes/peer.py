"""The recorded database of another implementation, for any server.

Its secrets are encrypted under KEY; EXPECTED is what the engine that wrote
it answered about it.
"""
import datetime
import functools
import json
import re

import sqlalchemy as sa

from heat.db import models
from heat.db import session
from heat.db import types
from tests.fakes import schema

KEY = '0123456789abcdef0123456789abcdef'
REVISION = '97b2a986f922'

_VALUE = re.compile(
    r"\s*(?:(NULL)|(-?\d+)|'((?:[^'\\]|\\.)*)')\s*(,|\)|$)", re.DOTALL)
_ESCAPES = {'n': '\n', 'r': '\r', 't': '\t', '0': '\0'}


@functools.cache
def expected():
    """Return the recorded answers by name of the stack."""
    return json.loads(
        (schema.FACTS / 'peer_database_expected.json').read_text())


@functools.cache
def _dump():
    return (schema.FACTS / 'peer_database.sql').read_text()


def statements():
    """Return the statements of the dump, for MariaDB."""
    lines = [line for line in _dump().splitlines()
             if not line.startswith('/*')]
    return [one for one in re.split(r';\n', '\n'.join(lines) + '\n')
            if one.strip()]


def _unescape(text):
    return re.sub(r'\\(.)', lambda found: _ESCAPES.get(
        found[1], found[1]), text, flags=re.DOTALL)


def _values(text):
    """Yield the values between the brackets of an INSERT."""
    position = 0
    while True:
        found = _VALUE.match(text, position)
        null, number, string, end = found.groups()
        if null:
            yield None
        else:
            yield int(number) if number else _unescape(string)
        if end != ',':
            return
        position = found.end()


@functools.cache
def rows():
    """Return the rows by table, JSON and secrets as they are stored."""
    columns = {}
    found = {}
    for statement in statements():
        create = re.match(r'CREATE TABLE `(\w+)`', statement)
        insert = re.match(r'INSERT INTO `(\w+)` VALUES \(', statement)
        if create:
            columns[create[1]] = re.findall(
                r'^  `(\w+)`', statement, re.MULTILINE)
            found[create[1]] = []
        elif insert:
            values = list(_values(statement[insert.end():]))
            found[insert[1]].append(
                dict(zip(columns[insert[1]], values, strict=True)))
    return found


def load_dump():
    """Create tables and rows in the configured, empty MariaDB."""
    raw = session.get_engine().raw_connection()
    try:
        with raw.cursor() as cursor:
            cursor.execute('SET FOREIGN_KEY_CHECKS = 0')
            for statement in statements():
                cursor.execute(statement)
            cursor.execute('SET FOREIGN_KEY_CHECKS = 1')
        raw.commit()
    finally:
        raw.close()


def _typed(column, value):
    if value is None:
        return None
    if isinstance(column.type, sa.DateTime):
        return datetime.datetime.fromisoformat(value)
    if isinstance(column.type, sa.Boolean):
        return bool(value)
    return value


def _raw_table(table):
    """Return the table without conversion of JSON."""
    return sa.table(table.name, *(
        sa.column(column.name, sa.Text() if isinstance(
            column.type, types.Json) else column.type)
        for column in table.columns))


def load_rows():
    """Add the rows to the configured database of any kind.

    Its schema has been migrated; it has no rows yet.
    """
    with session.writer(None) as connection:
        for table in models.METADATA.sorted_tables:
            raw = _raw_table(table)
            columns = {column.name: column for column in table.columns}
            for row in rows().get(table.name, []):
                connection.execute(raw.insert(), {
                    name: _typed(columns[name], value)
                    for name, value in row.items()})
        set_sequences(connection)


def set_sequences(connection):
    """Let PostgreSQL go on numbering behind the rows."""
    if connection.dialect.name != 'postgresql':
        return
    present = sa.inspect(connection).get_table_names()
    for table in models.METADATA.sorted_tables:
        if table.name in present and 'id' in table.c and isinstance(
                table.c.id.type, sa.Integer):
            connection.exec_driver_sql(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', "
                f"'id'), (SELECT coalesce(max(id), 1) FROM {table.name}))")
