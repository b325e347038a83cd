"""The way back of a database to OpenStack Heat, and its obstacles.

OpenStack Heat has the tables of revision 97b2a986f922. It reads what this
service stores there, except for the forms that convert() turns back.
"""
from collections.abc import Callable, Iterator
import dataclasses
import functools
import json
from typing import Any

import sqlalchemy as sa

from heat.common import crypt
from heat.common import exception
from heat.common import stored_secrets
from heat.common.i18n import _
from heat.db import encryption
from heat.db import models
from heat.db import query
from heat.db import session
from heat.db import stack as stacks
from heat.db import types
from heat.db import user_creds

_STACK = models.STACK
_IN_PROGRESS = 'IN_PROGRESS'

_BATCH = 50

# A key of graphs that OpenStack Heat does not know.
_ABANDONED = 'abandoned'
_DEFAULTS = 'parameter_defaults'


@dataclasses.dataclass(frozen=True, slots=True)
class _Form:
    """A form of data that only this service reads.

    :ivar columns: what plain() is given, and returns if it changes
    :ivar suspects: the condition on the rows that may have the form
    :ivar plain: returns new values, or None to leave a row alone
    """

    table: str
    columns: tuple[str, ...]
    suspects: Callable[[sa.TableClause], sa.ColumnElement[bool]]
    plain: Callable[..., dict[str, Any] | None]


def obstacles(context: Any) -> list[str]:
    """Return what keeps the database from going back, as sentences.

    Stacks that are in progress are among it, and those whose secrets the
    configured key does not decrypt.
    """
    return [*_in_progress(context), *_unreadable(context)]


def convert(context: Any) -> int:
    """Store all data so that OpenStack Heat reads it.

    Return how many rows changed. Interrupted, it is called again.
    """
    _delete_rendezvous(context)
    changed = _separate_credentials(context)
    for form in _forms():
        for batch in _batches(context, form):
            changed += _rewrite(context, form, batch)
    return changed


def _separate_credentials(context: Any) -> int:
    """Give each root stack a row of credentials; return how many are new.

    OpenStack Heat deletes the row of a root stack with that stack.
    """
    sharing = _sharing_credentials(context)
    for row in sharing:
        session.run(context, functools.partial(_copy_credentials, context,
                                               row))
    return len(sharing)


def _copy_credentials(context: Any, stack: query.Row) -> None:
    values = user_creds.user_creds_get(context, stack.user_creds_id)
    assert values is not None   # a foreign key leads to it
    copied = user_creds.user_creds_create(context, {
        name: value for name, value in values._mapping.items()
        if name != 'id'})
    stacks.stack_replace_credentials(context, stack.id,
                                     stack.user_creds_id, copied)


@session.reads
def _sharing_credentials(conn: sa.Connection) -> list[query.Row]:
    """Return root stacks that have the credentials of another one."""
    live = sa.and_(_STACK.c.owner_id.is_(None), _STACK.c.deleted_at.is_(None))
    first = sa.select(sa.func.min(_STACK.c.id)).where(
        live, _STACK.c.user_creds_id.is_not(None)).group_by(
            _STACK.c.user_creds_id)
    return query.all_rows(
        conn, sa.select(_STACK.c.id, _STACK.c.user_creds_id).where(
            live, _STACK.c.user_creds_id.is_not(None),
            _STACK.c.id.not_in(first)))


@session.reads
def _in_progress(conn: sa.Connection) -> list[str]:
    live = _STACK.c.deleted_at.is_(None)
    resources, locks = models.RESOURCE, models.STACK_LOCK
    snapshots = models.SNAPSHOT
    found: dict[str, str] = {}
    for reason, statement in (
            (_('is in progress'), _stacks().where(
                live, _STACK.c.status == _IN_PROGRESS)),
            (_('is locked by an engine'), _stacks().join(
                locks, locks.c.stack_id == _STACK.c.id)),
            (_('has a resource that an engine works on'), _stacks().join(
                resources, resources.c.stack_id == _STACK.c.id).where(
                    live, sa.or_(resources.c.engine_id.is_not(None),
                                 resources.c.status == _IN_PROGRESS))),
            (_('has a snapshot that is in progress'), _stacks().join(
                snapshots, snapshots.c.stack_id == _STACK.c.id).where(
                    live, snapshots.c.status == _IN_PROGRESS))):
        for row in conn.execute(statement.distinct().order_by(
                _STACK.c.name, _STACK.c.id)):
            found.setdefault(row.id, f'{_named(row)} {reason}')
    return list(found.values())


def _stacks() -> sa.Select[Any]:
    return sa.select(_STACK.c.id, _STACK.c.name, _STACK.c.tenant)


def _named(row: query.Row) -> str:
    return _('Stack %(name)s (%(id)s, project %(project)s)') % {
        'name': row.name, 'id': row.id, 'project': row.tenant}


def _unreadable(context: Any) -> list[str]:
    """Return a sentence for each stack with data of another key."""
    found: dict[str, None] = {}
    for form in _forms():
        for batch in _batches(context, form):
            for row in batch:
                try:
                    form.plain(*row[1:])
                except (exception.HeatException, ValueError, TypeError,
                        LookupError):
                    owner = _owner(context, form.table, row.id)
                    found[_('%(owner)s has data in %(table)s that '
                            'auth_encryption_key does not decrypt') % {
                                'owner': owner, 'table': form.table}] = None
    return list(found)


@session.reads
def _owner(conn: sa.Connection, table: str, row_id: Any) -> str:
    """Return the name of the stack that a row belongs to."""
    resource, snapshot = models.RESOURCE, models.SNAPSHOT
    part, data = models.RESOURCE_SNAPSHOT, models.RESOURCE_DATA
    templates = sa.or_(_STACK.c.raw_template_id == row_id,
                       _STACK.c.prev_raw_template_id == row_id)
    statements = {
        'stack': _stacks().where(_STACK.c.id == row_id),
        'raw_template': _stacks().where(templates),
        'raw_template_files': _stacks().join(
            models.RAW_TEMPLATE, sa.or_(
                _STACK.c.raw_template_id == models.RAW_TEMPLATE.c.id,
                _STACK.c.prev_raw_template_id == models.RAW_TEMPLATE.c.id,
            )).where(models.RAW_TEMPLATE.c.files_id == row_id),
        'resource': _stacks().join(
            resource, resource.c.stack_id == _STACK.c.id).where(
                resource.c.id == row_id),
        'resource_data': _stacks().join(
            resource, resource.c.stack_id == _STACK.c.id).join(
                data, data.c.resource_id == resource.c.id).where(
                    data.c.id == row_id),
        'snapshot': _stacks().join(
            snapshot, snapshot.c.stack_id == _STACK.c.id).where(
                snapshot.c.id == row_id),
        'resource_snapshot': _stacks().join(
            snapshot, snapshot.c.stack_id == _STACK.c.id).join(
                part, part.c.snapshot_id == snapshot.c.id).where(
                    part.c.id == row_id)}
    row = (conn.execute(statements[table].limit(1)).first()
           if table in statements else None)
    return _named(row) if row else _('Row %s') % row_id


@session.writes
def _delete_rendezvous(conn: sa.Connection) -> None:
    """Delete sync points: they serve stacks in progress alone."""
    conn.execute(models.SYNC_POINT.delete())


def _forms() -> list[_Form]:
    """Return all forms; documents that are sealed as a whole come first."""
    snapshots = [_Form(name, ('data',), _contains('data', 'encrypted'),
                       _plain_snapshot)
                 for name in ('snapshot', 'resource_snapshot')]
    return [
        *_sealed_documents(), *snapshots,
        _Form('stack', ('current_deps',),
              _contains('current_deps', _ABANDONED), _plain_graph),
        _Form('raw_template', ('environment',), lambda table: sa.or_(*(
            _contains('environment', key)(table)
            for key in (stored_secrets.KEY, encryption.ENCRYPTED_DEFAULTS))),
              _plain_environment),
        _Form('resource_data', ('value', 'redact', 'decrypt_method'),
              lambda table: sa.func.coalesce(
                  table.c.decrypt_method, '') != '', _plain_data),
    ]


def _sealed_documents() -> Iterator[_Form]:
    """Yield a form for each document that may be ciphertext as a whole."""
    for table in models.METADATA.sorted_tables:
        for column in table.c:
            if isinstance(column.type, types.SealedJson) and 'id' in table.c:
                yield _Form(table.name, (column.name,),
                            _contains(column.name, types.SEALED),
                            _unsealing(column.name))


def _contains(column: str, key: str
              ) -> Callable[[sa.TableClause], sa.ColumnElement[bool]]:
    return lambda table: table.c[column].contains(f'"{key}"')


def _unsealing(column: str) -> Callable[[str], dict[str, Any] | None]:
    def plain(text: str) -> dict[str, Any] | None:
        document = json.loads(text)
        if not types.is_sealed(document):
            return None
        return {column: json.dumps(types.unsealed(document))}

    return plain


def _plain_snapshot(text: str) -> dict[str, Any] | None:
    document = json.loads(text)
    if not crypt.is_sealed(document):
        return None
    data = crypt.unsealed(document)
    environment = data.get('environment') if isinstance(data, dict) else None
    if isinstance(environment, dict):
        data['environment'] = _as_heat_reads(environment)
    return {'data': json.dumps(data)}


def _plain_graph(text: str) -> dict[str, Any] | None:
    graph = json.loads(text)
    if not isinstance(graph, dict) or _ABANDONED not in graph:
        return None
    del graph[_ABANDONED]
    return {'current_deps': json.dumps(graph)}


def _plain_environment(text: str) -> dict[str, Any] | None:
    environment = json.loads(text) or {}
    plain = _as_heat_reads(environment)
    return None if plain == environment else {
        'environment': json.dumps(plain)}


def _as_heat_reads(environment: dict[str, Any]) -> dict[str, Any]:
    """Return an environment without sections that OpenStack Heat refuses."""
    plain = dict(environment)
    plain.pop(stored_secrets.KEY, None)
    defaults = plain.pop(encryption.ENCRYPTED_DEFAULTS, None)
    if defaults:
        plain[_DEFAULTS] = json.loads(crypt.decrypt(*defaults))
    return plain


def _plain_data(value: str | None, redact: Any, method: str
                ) -> dict[str, Any] | None:
    """Decrypt what OpenStack Heat takes for plain: it is not redacted."""
    if redact:
        return None
    return {'value': crypt.decrypt(method, value), 'decrypt_method': ''}


def _table(form: _Form) -> sa.TableClause:
    """Return the table with its documents as texts."""
    model = models.METADATA.tables[form.table]
    return sa.table(form.table, sa.column('id', model.c.id.type), *(
        sa.column(name, sa.Text() if isinstance(
            model.c[name].type, types.Json) else model.c[name].type)
        for name in form.columns))


def _batches(context: Any, form: _Form) -> Iterator[list[query.Row]]:
    """Yield the rows that may have the form, batch by batch."""
    last: Any = None
    while rows := _batch(context, form, last):
        yield rows
        last = rows[-1].id


@session.reads
def _batch(conn: sa.Connection, form: _Form, last: Any) -> list[query.Row]:
    table = _table(form)
    after = sa.true() if last is None else table.c.id > last
    return query.all_rows(conn, sa.select(
        table.c.id, *(table.c[name] for name in form.columns)).where(
            after, form.suspects(table)).order_by(table.c.id).limit(_BATCH))


@session.writes
def _rewrite(conn: sa.Connection, form: _Form, rows: list[query.Row]) -> int:
    table, changed = _table(form), 0
    for row in rows:
        values = form.plain(*row[1:])
        if values is not None:
            conn.execute(table.update().where(table.c.id == row.id)
                         .values(values))
            changed += 1
    return changed

