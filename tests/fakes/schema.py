"""Compares the schema of a database with the recorded one."""
import json
import pathlib

import sqlalchemy as sa

FACTS = pathlib.Path(__file__).parents[1] / 'facts'

_MYSQL_TYPES = {'INTEGER': 'INTEGER', 'BOOL': 'TINYINT'}
_POSTGRESQL_TYPES = {'LONGTEXT': 'TEXT', 'BOOL': 'BOOLEAN',
                     'DATETIME': 'TIMESTAMP', 'BLOB': 'BYTEA'}


def recorded_tables():
    """Return the tables of the facts."""
    facts = json.loads((FACTS / 'db_schema.json').read_text())
    return facts['tables']


def _expected_type(column, dialect):
    if dialect == 'sqlite':
        return column['migrated_type_sqlite']
    recorded = column['mysql_type']
    known = _POSTGRESQL_TYPES if dialect == 'postgresql' else _MYSQL_TYPES
    return known.get(recorded, recorded)


def _actual_type(column):
    text = str(column['type']).upper().split(' COLLATE')[0]
    return 'TINYINT' if text.startswith('TINYINT') else text


def _columns_differences(table, recorded, inspector):
    dialect = inspector.dialect.name
    expected = {name: (_expected_type(column, dialect), column['nullable'])
                for name, column in recorded['columns'].items()}
    actual = {column['name']: (_actual_type(column), column['nullable'])
              for column in inspector.get_columns(table)}
    return [f'{table}.{name}: {expected.get(name)} != {actual.get(name)}'
            for name in sorted(expected.keys() | actual.keys())
            if expected.get(name) != actual.get(name)]


def _foreign_keys(table, recorded, inspector):
    """Return what is expected and what is there, without chosen names.

    The recorded name is None where the database chooses.
    """
    expected = set()
    named = {}
    for key in recorded['foreign_keys']:
        cascade = (key['options'] or {}).get('ondelete')
        expected.add((tuple(key['columns']), key['refers_to'], cascade))
        if key['name']:
            named[tuple(key['columns'])] = key['name']
    actual = set()
    for key in inspector.get_foreign_keys(table):
        columns = tuple(key['constrained_columns'])
        refers_to = '{}({})'.format(
            key['referred_table'], ', '.join(key['referred_columns']))
        actual.add((columns, refers_to, key['options'].get('ondelete')))
        if named.get(columns, key['name']) != key['name']:
            actual.add((columns, 'is called', key['name']))
    return expected, actual


def _indexes(recorded, inspector, table):
    """Return expected and actual indexes that are not implied by a key."""
    expected = {(index['name'], tuple(index['columns']), index['unique'])
                for index in recorded['indexes']}
    implied = [tuple(key['columns']) for key in recorded['foreign_keys']]
    implied += [tuple(key['columns'])
                for key in recorded['unique_constraints']]
    actual = {(index['name'], tuple(index['column_names']),
               bool(index['unique']))
              for index in inspector.get_indexes(table)}
    return expected, {index for index in actual
                      if index in expected or index[1] not in implied}


def differences(connection):
    """Return how the schema differs from the recorded one, as texts."""
    inspector = sa.inspect(connection)
    recorded = recorded_tables()
    found = set(inspector.get_table_names()) - {'alembic_version'}
    result = [f'table {name}' for name in found ^ recorded.keys()]
    for table in sorted(found & recorded.keys()):
        facts = recorded[table]
        result += _columns_differences(table, facts, inspector)
        key = inspector.get_pk_constraint(table)['constrained_columns']
        if sorted(key) != sorted(facts['primary_key']):
            result.append(f'{table}: primary key {key}')
        unique = {tuple(one['column_names'])
                  for one in inspector.get_unique_constraints(table)}
        if unique != {tuple(one['columns'])
                      for one in facts['unique_constraints']}:
            result.append(f'{table}: unique {unique}')
        for expected, actual in (_foreign_keys(table, facts, inspector),
                                 _indexes(facts, inspector, table)):
            result += [f'{table}: {one}' for one in expected ^ actual]
    return result
