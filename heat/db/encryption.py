"""Encrypting and decrypting what the database holds of hidden values."""
from collections.abc import Callable, Iterable
import dataclasses
import json
from typing import Any

import sqlalchemy as sa

from heat.common import crypt
from heat.common import exception
from heat.common import secrecy
from heat.common import stored_secrets
from heat.db import models
from heat.db import query
from heat.db import session
from heat.db import types

ENCRYPTED_NAMES = 'encrypted_param_names'

_TEMPLATE = models.RAW_TEMPLATE
_RESOURCE = models.RESOURCE
_PROPERTIES = models.PROPERTIES_DATA

_DEFAULTS = 'parameter_defaults'
ENCRYPTED_DEFAULTS = 'encrypted_parameter_defaults'
_METADATA = 'rsrc_metadata'
_ALL_DOCUMENTS = frozenset(
    column.name for table in models.METADATA.tables.values()
    for column in table.c if isinstance(column.type, types.SealedJson))

# Where a template declares its parameters, and what hides one.
_HIDDEN_KEYS = (('parameters', 'hidden'), ('Parameters', 'NoEcho'))

# Turns a row into the values to write, or None to leave it alone.
_Rewrite = Callable[[query.Row], dict[str, Any] | None]


def hidden_names(template: Any) -> list[str]:
    """Return the parameters that a stored template declares as hidden."""
    names = []
    for section, key in _HIDDEN_KEYS:
        declared = (template or {}).get(section)
        if not isinstance(declared, dict):
            continue
        names += [name for name, schema in declared.items()
                  if isinstance(schema, dict) and
                  secrecy.is_hidden(schema.get(key))]
    return names


def encrypted_environment(environment: dict[str, Any],
                          names: Iterable[str],
                          key: str | None = None, *,
                          with_defaults: bool = False) -> dict[str, Any]:
    """Return a copy in which the named parameters are ciphertext.

    :param with_defaults: encrypt all parameter defaults as well: which of
        them are hidden, only nested templates say.
    """
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
    if with_defaults and environment.get(_DEFAULTS):
        result[_DEFAULTS] = {}
        result[ENCRYPTED_DEFAULTS] = list(crypt.encrypt(
            json.dumps(environment[_DEFAULTS]), key))
    return result


def decrypted_environment(environment: dict[str, Any],
                          key: str | None = None) -> dict[str, Any]:
    """Return a copy in which the encrypted parameters are readable.

    The list of their names stays; it is part of what users are shown.
    """
    names = environment.get(ENCRYPTED_NAMES)
    defaults = environment.get(ENCRYPTED_DEFAULTS)
    if not names and not defaults:
        return environment
    result = dict(environment)
    if names:
        result['parameters'] = parameters = dict(environment['parameters'])
        for name in names:
            method, data = parameters[name]
            parameters[name] = crypt.decrypt(method, data, key)
    if defaults:
        del result[ENCRYPTED_DEFAULTS]
        method, text = defaults
        result[_DEFAULTS] = json.loads(crypt.decrypt(method, text, key))
    return result


def _encrypted_of(row: query.Row, is_nested: bool, key: str | None
                  ) -> dict[str, Any] | None:
    """Return the environment of a template, encrypted; None if it is already.
    """
    stored = row.environment or {}
    encrypted = stored.get(ENCRYPTED_NAMES) or []
    # The values of a nested stack may be made of anything hidden above.
    wanted = [*(stored.get('parameters') or {})] if is_nested else (
        hidden_names(types.unsealed(row.template, key)))
    if not set(wanted) - set(encrypted) and not stored.get(_DEFAULTS):
        return None
    environment = encrypted_environment(
        decrypted_environment(stored, key),
        dict.fromkeys([*encrypted, *wanted]), key, with_defaults=True)
    if environment[ENCRYPTED_NAMES] == encrypted and (
            not stored.get(_DEFAULTS)):
        return None
    return environment


def encrypt_parameters_and_properties(context: Any,
                                      encryption_key: str | None = None,
                                      batch_size: int = 50,
                                      verbose: bool = False) -> int:
    """Encrypt what is stored in the clear; return how many rows changed.

    What is encrypted already, stays as it is.
    """
    nested = nested_template_ids(context)

    def template(row: query.Row) -> dict[str, Any] | None:
        changed = documents(row) or {}
        environment = _encrypted_of(row, row.id in nested, encryption_key)
        if environment is not None:
            changed['environment'] = environment
        return changed or None

    def properties(row: query.Row) -> dict[str, Any] | None:
        if row.encrypted or not row.data:
            return None
        return {'data': crypt.encrypted_dict(row.data, encryption_key),
                'encrypted': True}

    def resource(row: query.Row) -> dict[str, Any] | None:
        changed = documents(row) or {}
        if row.properties_data and not row.properties_data_encrypted:
            changed.update({
                'properties_data': crypt.encrypted_dict(
                    row.properties_data, encryption_key),
                'properties_data_encrypted': True})
        return changed or None

    def data(row: query.Row) -> dict[str, Any] | None:
        if row.decrypt_method or row.value is None:
            return None
        method, text = crypt.encrypt(row.value, encryption_key)
        return {'value': text, 'decrypt_method': method}

    def documents(row: query.Row) -> dict[str, Any] | None:
        return {name: types.sealed(value, encryption_key,
                                   with_names=name == _METADATA)
                for name, value in _documents_of(row)
                if value and not types.is_sealed(value)} or None

    return _rewrite_all(context, (template, properties, resource, data,
                                  documents), batch_size, verbose)


def decrypt_parameters_and_properties(context: Any,
                                      encryption_key: str | None = None,
                                      batch_size: int = 50,
                                      verbose: bool = False) -> int:
    """Store in the clear what is encrypted under the key.

    Return how many rows changed. With another key InvalidEncryptionKey is
    raised; what was decrypted before stays so, and calling again goes on.
    """
    def template(row: query.Row) -> dict[str, Any] | None:
        changed = documents(row) or {}
        stored = row.environment or {}
        if stored.get(ENCRYPTED_NAMES) or stored.get(ENCRYPTED_DEFAULTS):
            changed['environment'] = {
                **decrypted_environment(stored, encryption_key),
                ENCRYPTED_NAMES: []}
        return changed or None

    def properties(row: query.Row) -> dict[str, Any] | None:
        if not row.encrypted:
            return None
        return {'data': crypt.decrypted_dict(row.data, encryption_key),
                'encrypted': False}

    def resource(row: query.Row) -> dict[str, Any] | None:
        changed = documents(row) or {}
        if row.properties_data_encrypted:
            changed.update({
                'properties_data': crypt.decrypted_dict(
                    row.properties_data, encryption_key),
                'properties_data_encrypted': False})
        return changed or None

    def data(row: query.Row) -> dict[str, Any] | None:
        if row.redact or not row.decrypt_method:
            return None
        return {'value': crypt.decrypt(row.decrypt_method, row.value,
                                       encryption_key),
                'decrypt_method': ''}

    def documents(row: query.Row) -> dict[str, Any] | None:
        plain = ((name, types.unsealed(value, encryption_key))
                 for name, value in _documents_of(row)
                 if types.is_sealed(value))
        return {name: value for name, value in plain
                if not types.is_sealed(value)} or None

    return _rewrite_all(context, (template, properties, resource, data,
                                  documents), batch_size, verbose)


@session.reads
def nested_template_ids(conn: sa.Connection) -> set[int]:
    """Return the templates that nested stacks have, had, or leave."""
    stacks = models.STACK
    found: set[int] = set()
    for column, source in (
            (stacks.c.raw_template_id, stacks),
            (stacks.c.prev_raw_template_id, stacks),
            (_RESOURCE.c.current_template_id, _RESOURCE.join(
                stacks, _RESOURCE.c.stack_id == stacks.c.id))):
        found.update(query.scalars(conn, sa.select(column).select_from(
            source).where(stacks.c.owner_id.is_not(None))))
    return found - {None}


@dataclasses.dataclass(frozen=True, slots=True)
class _KeyChange:
    """What becomes of rows when another key comes into use.

    What is under the new key already stays as it is; what is under neither
    raises InvalidEncryptionKey.
    """

    old_key: str
    new_key: str

    def _moved(self, method: str, text: str) -> list[str] | None:
        """Return what a text is under the new key; None if it is already."""
        try:
            plain = crypt.decrypt(method, text, self.old_key)
        except exception.InvalidEncryptionKey:
            crypt.decrypt(method, text, self.new_key)
            return None
        return list(crypt.encrypt(plain, self.new_key))

    def credentials(self, row: query.Row) -> dict[str, Any] | None:
        """Return what to write to a row of credentials."""
        values: dict[str, Any] = {}
        for name in ('password', 'trust_id'):
            text = getattr(row, name)
            if text and row.decrypt_method:
                found = self._moved(row.decrypt_method, text)
                if found is not None:
                    values.update({'decrypt_method': found[0],
                                   name: found[1]})
        return values or None

    def data(self, row: query.Row) -> dict[str, Any] | None:
        """Return what to write to a datum of a resource."""
        if not (row.redact and row.decrypt_method and row.value):
            return None
        found = self._moved(row.decrypt_method, row.value)
        return ({'decrypt_method': found[0], 'value': found[1]}
                if found else None)

    def inherited(self, row: query.Row) -> dict[str, Any] | None:
        """Return what to write to a template that inherits secrets."""
        stored = (row.environment or {}).get(stored_secrets.KEY) or {}
        found = self._moved(*stored['texts']) if stored.get('texts') else None
        if found is None:
            return None
        return {'environment': {
            **row.environment, stored_secrets.KEY: {**stored, 'texts': found}}}

    def snapshot(self, row: query.Row) -> dict[str, Any] | None:
        """Return what to write to a snapshot, of a stack or a resource."""
        if not crypt.is_sealed(row.data):
            return ({'data': crypt.sealed(row.data, self.new_key)}
                    if row.data else None)
        try:
            plain = crypt.unsealed(row.data, self.old_key)
        except exception.InvalidEncryptionKey:
            crypt.unsealed(row.data, self.new_key)
            return None
        return {'data': crypt.sealed(plain, self.new_key)}


def change_key(context: Any, old_key: str, new_key: str,
               batch_size: int = 50, verbose: bool = False) -> int:
    """Encrypt under another key what is never stored in the clear.

    These are credentials of stacks, redacted data of resources, and
    snapshots. Return how many rows changed. What is under the new key
    already stays as it is, so that calling again goes on; what is under
    neither raises InvalidEncryptionKey.
    """
    change = _KeyChange(old_key, new_key)
    return _rewrite_tables(context, (
        (models.USER_CREDS, ('password', 'trust_id', 'decrypt_method'),
         change.credentials),
        (models.RESOURCE_DATA, ('value', 'redact', 'decrypt_method'),
         change.data),
        (_TEMPLATE, ('environment',), change.inherited),
        (models.SNAPSHOT, ('data',), change.snapshot),
        (models.RESOURCE_SNAPSHOT, ('data',), change.snapshot),
    ), batch_size, verbose)


def _documents(table: sa.Table) -> tuple[str, ...]:
    """Return the columns of a table that are encrypted as a whole."""
    return tuple(column.name for column in table.c
                 if isinstance(column.type, types.SealedJson))


def _documents_of(row: query.Row) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in row._mapping.items()
            if name in _ALL_DOCUMENTS]


def _rewrite_all(context: Any, rewrites: Iterable[_Rewrite],
                 batch_size: int, verbose: bool) -> int:
    template, properties, resource, data, documents = rewrites
    tables = [
        (_TEMPLATE, ('environment', *_documents(_TEMPLATE)), template),
        (_PROPERTIES, ('data', 'encrypted'), properties),
        (_RESOURCE, ('properties_data', 'properties_data_encrypted',
                     *_documents(_RESOURCE)), resource),
        (models.RESOURCE_DATA, ('value', 'redact', 'decrypt_method'), data),
    ]
    known = {table.name for table, _columns, _rewrite in tables}
    tables += [(table, _documents(table), documents)
               for table in models.METADATA.sorted_tables
               if table.name not in known and _documents(table) and
               'id' in table.c]
    changed = _rewrite_tables(context, tables, batch_size, verbose)
    return changed + _rewrite_points(context, documents)


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
        sa.select(table.c.id, *(_as_stored(table.c[name])
                                for name in columns))
        .where(table.c.id > last).order_by(table.c.id).limit(batch_size)
        .with_for_update()).all()
    changed = 0
    for row in rows:
        values = rewrite(row)
        if values is not None:
            conn.execute(table.update().where(table.c.id == row.id).values(
                _to_store(table, values)))
            changed += 1
    return (rows[-1].id if rows else None), changed


def _as_stored(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Return a column whose documents are read as they are stored."""
    if not isinstance(column.type, types.SealedJson):
        return column
    return sa.type_coerce(column, types.Json).label(column.name)


def _to_store(table: sa.Table, values: dict[str, Any]) -> dict[str, Any]:
    """Return values to be written without encrypting them once more."""
    return {name: sa.literal(value, types.Json)
            if isinstance(table.c[name].type, types.SealedJson) else value
            for name, value in values.items()}


@session.writes
def _rewrite_points(conn: sa.Connection, rewrite: _Rewrite) -> int:
    """Rewrite the rendezvous rows of operations that run; they have no id.
    """
    table, changed = models.SYNC_POINT, 0
    keys = list(table.primary_key.columns)
    for row in conn.execute(sa.select(
            *keys, *map(_as_stored, (table.c[name] for name
                                     in _documents(table))))).all():
        values = rewrite(row)
        if values is not None:
            conn.execute(table.update().where(*(
                key == row._mapping[key.name] for key in keys)).values(
                    _to_store(table, values)))
            changed += 1
    return changed
