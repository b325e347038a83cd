"""Encrypting and decrypting what the database holds of hidden values."""
from collections.abc import Callable, Iterable
import json
from typing import Any

import sqlalchemy as sa

from heat.common import crypt
from heat.common import exception
from heat.db import models
from heat.db import query
from heat.db import session

ENCRYPTED_NAMES = 'encrypted_param_names'

_TEMPLATE = models.RAW_TEMPLATE
_RESOURCE = models.RESOURCE
_PROPERTIES = models.PROPERTIES_DATA

# Where a template declares its parameters, and what hides one.
_HIDDEN_KEYS = (('parameters', 'hidden'), ('Parameters', 'NoEcho'))

# Turns a row into the values to write, or None to leave it alone.
_Rewrite = Callable[[query.Row], dict[str, Any] | None]


def hidden_names(template: Any) -> list[str]:
    """Return the parameters that a stored template declares as hidden."""
    names = []
    for section, key in _HIDDEN_KEYS:
        declared = (template or {}).get(section)
        for name, schema in (declared or {}).items():
            flag = schema.get(key) if isinstance(schema, dict) else None
            if str(flag).lower() == 'true':
                names.append(name)
    return names


def encrypted_environment(environment: dict[str, Any],
                          names: Iterable[str],
                          key: str | None = None) -> dict[str, Any]:
    """Return a copy in which the named parameters are ciphertext."""
    result = dict(environment)
    parameters = dict(environment.get('parameters') or {})
    chosen = [name for name in names if name in parameters]
    for name in chosen:
        value = parameters[name]
        text = value if isinstance(value, str) else json.dumps(value)
        parameters[name] = list(crypt.encrypt(text, key))
    if 'parameters' in environment:
        result['parameters'] = parameters
    result[ENCRYPTED_NAMES] = chosen
    return result


def decrypted_environment(environment: dict[str, Any],
                          key: str | None = None) -> dict[str, Any]:
    """Return a copy in which the encrypted parameters are readable.

    The list of their names stays; it is part of what users are shown.
    """
    names = environment.get(ENCRYPTED_NAMES)
    if not names:
        return environment
    parameters = dict(environment['parameters'])
    for name in names:
        method, data = parameters[name]
        parameters[name] = crypt.decrypt(method, data, key)
    return {**environment, 'parameters': parameters}


def encrypt_parameters_and_properties(context: Any,
                                      encryption_key: str | None = None,
                                      batch_size: int = 50,
                                      verbose: bool = False) -> int:
    """Encrypt what is stored in the clear; return how many rows changed.

    What is encrypted already, stays as it is.
    """
    def template(row: query.Row) -> dict[str, Any] | None:
        environment = row.environment or {}
        if environment.get(ENCRYPTED_NAMES):
            return None
        changed = encrypted_environment(
            environment, hidden_names(row.template), encryption_key)
        return ({'environment': changed}
                if changed[ENCRYPTED_NAMES] else None)

    def properties(row: query.Row) -> dict[str, Any] | None:
        if row.encrypted or not row.data:
            return None
        return {'data': crypt.encrypted_dict(row.data, encryption_key),
                'encrypted': True}

    def resource(row: query.Row) -> dict[str, Any] | None:
        if row.properties_data_encrypted or not row.properties_data:
            return None
        return {'properties_data': crypt.encrypted_dict(
                    row.properties_data, encryption_key),
                'properties_data_encrypted': True}

    return _rewrite_all(context, template, properties, resource, batch_size,
                        verbose)


def decrypt_parameters_and_properties(context: Any,
                                      encryption_key: str | None = None,
                                      batch_size: int = 50,
                                      verbose: bool = False) -> int:
    """Store in the clear what is encrypted under the key.

    Return how many rows changed. With another key InvalidEncryptionKey is
    raised; what was decrypted before stays so, and calling again goes on.
    """
    def template(row: query.Row) -> dict[str, Any] | None:
        environment = row.environment or {}
        if not environment.get(ENCRYPTED_NAMES):
            return None
        return {'environment': {
            **decrypted_environment(environment, encryption_key),
            ENCRYPTED_NAMES: []}}

    def properties(row: query.Row) -> dict[str, Any] | None:
        if not row.encrypted:
            return None
        return {'data': crypt.decrypted_dict(row.data, encryption_key),
                'encrypted': False}

    def resource(row: query.Row) -> dict[str, Any] | None:
        if not row.properties_data_encrypted:
            return None
        return {'properties_data': crypt.decrypted_dict(
                    row.properties_data, encryption_key),
                'properties_data_encrypted': False}

    return _rewrite_all(context, template, properties, resource, batch_size,
                        verbose)


def change_key(context: Any, old_key: str, new_key: str,
               batch_size: int = 50, verbose: bool = False) -> int:
    """Encrypt under another key what is never stored in the clear.

    These are credentials of stacks, redacted data of resources, and
    snapshots. Return how many rows changed. What is under the new key
    already stays as it is, so that calling again goes on; what is under
    neither raises InvalidEncryptionKey.
    """
    def moved(method: str, text: str) -> list[str] | None:
        try:
            plain = crypt.decrypt(method, text, old_key)
        except exception.InvalidEncryptionKey:
            crypt.decrypt(method, text, new_key)
            return None
        return list(crypt.encrypt(plain, new_key))

    def credentials(row: query.Row) -> dict[str, Any] | None:
        values: dict[str, Any] = {}
        for name in ('password', 'trust_id'):
            text = getattr(row, name)
            if text and row.decrypt_method:
                found = moved(row.decrypt_method, text)
                if found is not None:
                    values.update({'decrypt_method': found[0],
                                   name: found[1]})
        return values or None

    def data(row: query.Row) -> dict[str, Any] | None:
        if not (row.redact and row.decrypt_method and row.value):
            return None
        found = moved(row.decrypt_method, row.value)
        return ({'decrypt_method': found[0], 'value': found[1]}
                if found else None)

    def snapshot(row: query.Row) -> dict[str, Any] | None:
        if not crypt.is_sealed(row.data):
            return ({'data': crypt.sealed(row.data, new_key)}
                    if row.data else None)
        try:
            plain = crypt.unsealed(row.data, old_key)
        except exception.InvalidEncryptionKey:
            crypt.unsealed(row.data, new_key)
            return None
        return {'data': crypt.sealed(plain, new_key)}

    return _rewrite_tables(context, (
        (models.USER_CREDS, ('password', 'trust_id', 'decrypt_method'),
         credentials),
        (models.RESOURCE_DATA, ('value', 'redact', 'decrypt_method'), data),
        (models.SNAPSHOT, ('data',), snapshot),
        (models.RESOURCE_SNAPSHOT, ('data',), snapshot),
    ), batch_size, verbose)


def _rewrite_all(context: Any, template: _Rewrite, properties: _Rewrite,
                 resource: _Rewrite, batch_size: int, verbose: bool) -> int:
    tables = (
        (_TEMPLATE, ('template', 'environment'), template),
        (_PROPERTIES, ('data', 'encrypted'), properties),
        (_RESOURCE, ('properties_data', 'properties_data_encrypted'),
         resource),
    )
    return _rewrite_tables(context, tables, batch_size, verbose)


def _rewrite_tables(context: Any, tables: Iterable[
        tuple[sa.Table, tuple[str, ...], _Rewrite]],
                    batch_size: int, verbose: bool) -> int:
    changed = 0
    for table, columns, rewrite in tables:
        in_table = _rewrite_table(context, table, columns, rewrite,
                                  batch_size)
        if verbose:
            print(f'{table.name}: {in_table} rows changed')
        changed += in_table
    return changed


def _rewrite_table(context: Any, table: sa.Table, columns: tuple[str, ...],
                   rewrite: _Rewrite, batch_size: int) -> int:
    last: Any = '' if isinstance(table.c.id.type, sa.String) else 0
    changed = 0
    while True:
        reached, number = _rewrite_batch(context, table, columns, rewrite,
                                         last, batch_size)
        changed += number
        if reached is None:
            return changed
        last = reached


@session.writes
def _rewrite_batch(conn: sa.Connection, table: sa.Table,
                   columns: tuple[str, ...], rewrite: _Rewrite, last: Any,
                   batch_size: int) -> tuple[Any, int]:
    """Rewrite the next rows; return the last id seen, and how many."""
    rows = conn.execute(
        sa.select(table.c.id, *(table.c[name] for name in columns))
        .where(table.c.id > last).order_by(table.c.id).limit(batch_size)
        .with_for_update()).all()
    changed = 0
    for row in rows:
        values = rewrite(row)
        if values is not None:
            conn.execute(table.update().where(table.c.id == row.id), values)
            changed += 1
    return (rows[-1].id if rows else None), changed
