"""Queries on the exports of stacks, and on the imports of them.

A transaction that adds an import, or that changes or removes an export,
writes to the row of the export first. The two exclude each other that way on
every database: one of them sees what the other has written.
"""
from collections.abc import Collection, Iterable, Mapping, Sequence
import hashlib
from typing import Any, NamedTuple

from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.db import models
from heat.db import query
from heat.db import session

_EXPORT = models.STACK_EXPORT
_IMPORT = models.STACK_IMPORT
_STACK = models.STACK


class Importer(NamedTuple):
    """One import: the name of the export, and the stack that imports it."""

    name: str
    stack_name: str
    stack_id: str


def _key(tenant: str | None, name: str) -> str:
    """Return what no two exports have in common.

    A digest compares exactly in every collation and fits every index.
    """
    return hashlib.sha256(f'{tenant or ""}/{name}'.encode()).hexdigest()


def _exports() -> sa.Select[Any]:
    return sa.select(
        _EXPORT.c.name, _EXPORT.c.value, _EXPORT.c.output_name,
        _EXPORT.c.stack_id, _EXPORT.c.tenant,
        _STACK.c.name.label('stack_name')).join(
            _STACK, _STACK.c.id == _EXPORT.c.stack_id)


@session.reads
def export_get(conn: sa.Connection, tenant: str | None, name: str
               ) -> query.Row:
    """Return an export of a project by its name.

    :raises ExportConflict: there is none
    """
    row = query.first(conn, _exports().where(
        _EXPORT.c.name_key == _key(tenant, name)))
    if row is None:
        raise _not_found(name)
    return row


@session.reads
def export_get_all(conn: sa.Connection, tenant: str | None, limit: int,
                   marker: str | None = None) -> list[query.Row]:
    """Return exports of a project by name.

    :param marker: the name after which they begin
    """
    statement = _exports().where(_EXPORT.c.tenant == tenant)
    if marker is not None:
        statement = statement.where(_EXPORT.c.name > marker)
    return query.all_rows(conn, statement.order_by(_EXPORT.c.name)
                          .limit(limit))


@session.reads
def export_get_importers(conn: sa.Connection, tenant: str | None,
                         names: Collection[str]) -> list[Importer]:
    """Return the imports of exports of a project."""
    return _importers(conn, [_key(tenant, name) for name in names])


def _importers(conn: sa.Connection, keys: Collection[str], *,
               locked: bool = False) -> list[Importer]:
    """Return the imports of exports, sorted by name and stack.

    :param locked: see what others have committed since the transaction
        began, which on MySQL a locking read alone does.
    """
    statement = sa.select(_IMPORT.c.name, _IMPORT.c.stack_id).where(
        _IMPORT.c.name_key.in_(sorted(keys)))
    rows = query.all_rows(conn, statement.with_for_update(read=True)
                          if locked else statement)
    names = {row.id: row.name for row in query.all_rows(conn, sa.select(
        _STACK.c.id, _STACK.c.name).where(_STACK.c.id.in_(
            sorted({row.stack_id for row in rows})))) if row.name
        } if rows else {}
    return sorted(Importer(row.name, names.get(row.stack_id, row.stack_id),
                           row.stack_id) for row in rows)


def _touch(conn: sa.Connection, keys: Collection[str]) -> int:
    """Lock exports; return how many of them there are."""
    return conn.execute(
        _EXPORT.update().where(_EXPORT.c.name_key.in_(sorted(keys))),
        {'updated_at': timeutils.utcnow()}).rowcount


@session.reads
def export_get_stacks_with_any(conn: sa.Connection,
                               stack_ids: Collection[str]) -> set[str]:
    """Return which of some stacks have exports or imports."""
    found: set[str] = set()
    for some in query.chunks(stack_ids):
        found.update(conn.execute(sa.union(
            *(sa.select(table.c.stack_id).where(table.c.stack_id.in_(some))
              for table in (_EXPORT, _IMPORT)))).scalars())
    return found


def _not_found(name: str) -> exception.ExportConflict:
    """Return the error that there is no export of a name."""
    return exception.ExportConflict(
        reason=_('No export named %s found.') % name)


def _taken(name: str, stack_name: str) -> exception.ExportConflict:
    return exception.ExportConflict(reason=_(
        'Export with name %(name)s is already exported by stack %(stack)s.')
        % {'name': name, 'stack': stack_name})


@session.writes
def import_add(conn: sa.Connection, tenant: str | None, stack_id: str,
               names: Collection[str]) -> None:
    """Note that a stack imports exports; it may import others, too.

    :raises ExportConflict: there is no export of a name
    """
    keys = {_key(tenant, name): name for name in sorted(names)}
    if _touch(conn, keys) != len(keys):
        present = set(query.scalars(conn, sa.select(
            _EXPORT.c.name_key).where(_EXPORT.c.name_key.in_(list(keys)))))
        for key, name in keys.items():
            if key not in present:
                raise _not_found(name)
    known = set(query.scalars(conn, sa.select(_IMPORT.c.name_key).where(
        _IMPORT.c.stack_id == stack_id)))
    query.insert_rows(conn, _IMPORT, [
        {'name_key': key, 'name': name, 'tenant': tenant,
         'stack_id': stack_id}
        for key, name in keys.items() if key not in known])


@session.writes
def export_replace(conn: sa.Connection, tenant: str | None, stack_id: str,
                   exports: Mapping[str, tuple[str, Any]],
                   imports: Collection[str]) -> None:
    """Store what a stack exports, and drop imports that it does not need.

    :param exports: (output name, value) by the name of the export
    :param imports: the names of the exports that it imports
    :raises ExportConflict: an export that changes or goes is imported, or
        another stack has an export of the name
    """
    conn.execute(_IMPORT.delete().where(
        _IMPORT.c.stack_id == stack_id, _IMPORT.c.name.not_in(
            sorted(imports))))
    stored = {row.name: row for row in query.all_rows(conn, sa.select(
        _EXPORT.c.id, _EXPORT.c.name, _EXPORT.c.output_name, _EXPORT.c.value
    ).where(_EXPORT.c.stack_id == stack_id))}
    gone = sorted(stored.keys() - exports.keys())
    changed = sorted(name for name in stored.keys() & exports.keys()
                     if stored[name].value != exports[name][1])
    _require_unused(conn, tenant, gone, _('deleted'))
    _require_unused(conn, tenant, changed, _('updated'))
    if gone:
        conn.execute(_EXPORT.delete().where(_EXPORT.c.id.in_(
            [stored[name].id for name in gone])))
    for name in sorted(stored.keys() & exports.keys()):
        output_name, value = exports[name]
        if name in changed or stored[name].output_name != output_name:
            conn.execute(
                _EXPORT.update().where(_EXPORT.c.id == stored[name].id),
                {'output_name': output_name, 'value': value})
    _add(conn, tenant, stack_id, {
        name: exports[name] for name in sorted(exports.keys()
                                               - stored.keys())})


def _add(conn: sa.Connection, tenant: str | None, stack_id: str,
         exports: Mapping[str, tuple[str, Any]]) -> None:
    """Insert exports; what raises an error undoes the transaction."""
    if not exports:
        return
    _require_free(conn, tenant, stack_id, list(exports))
    try:
        query.insert_rows(conn, _EXPORT, [
            {'name_key': _key(tenant, name), 'name': name, 'tenant': tenant,
             'stack_id': stack_id, 'output_name': output_name,
             'value': value}
            for name, (output_name, value) in exports.items()])
    except db_exception.DBDuplicateEntry as error:
        raise _taken(', '.join(exports), _('another stack')) from error


def _require_free(conn: sa.Connection, tenant: str | None,
                  stack_id: str | None, names: Sequence[str]) -> None:
    for row in query.all_rows(conn, _exports().where(
            _EXPORT.c.name_key.in_([_key(tenant, name) for name in names])
            ).order_by(_EXPORT.c.name)):
        if row.stack_id != stack_id:
            raise _taken(row.name, row.stack_name)


@session.reads
def export_require_free(conn: sa.Connection, tenant: str | None,
                        stack_id: str | None, names: Sequence[str]) -> None:
    """Raise ExportConflict if another stack has an export of a name."""
    _require_free(conn, tenant, stack_id, names)


@session.reads
def export_require_kept(conn: sa.Connection, tenant: str | None,
                        stack_id: str, names: Collection[str]) -> None:
    """Raise ExportConflict if the stack has another export that is imported.

    :param names: the exports that it is to keep
    """
    others = query.scalars(conn, sa.select(_EXPORT.c.name).where(
        _EXPORT.c.stack_id == stack_id,
        _EXPORT.c.name.not_in(sorted(names))))
    _complain(_importers(conn, [_key(tenant, name) for name in others])
              if others else (), _('deleted'))


def _require_unused(conn: sa.Connection, tenant: str | None,
                    names: Collection[str], change: str) -> None:
    """Lock exports, and raise ExportConflict if one is imported."""
    if names:
        keys = [_key(tenant, name) for name in names]
        _touch(conn, keys)
        _complain(_importers(conn, keys, locked=True), change)


def _complain(importers: Iterable[Importer], change: str) -> None:
    stacks: dict[str, list[str]] = {}
    for row in importers:
        stacks.setdefault(row.name, []).append(row.stack_name)
    for name, users in stacks.items():
        raise exception.ExportConflict(reason=_(
            'Export %(name)s cannot be %(change)s as it is in use by '
            '%(stacks)s.') % {'name': name, 'change': change,
                              'stacks': ', '.join(users)})


@session.writes
def export_delete_all(conn: sa.Connection, stack_ids: Collection[str]
                      ) -> None:
    """Delete the exports of stacks.

    :raises ExportConflict: a stack imports one; the transaction must be undone
    """
    for some in query.chunks(stack_ids):
        if not conn.execute(
                _EXPORT.update().where(_EXPORT.c.stack_id.in_(some)),
                {'updated_at': timeutils.utcnow()}).rowcount:
            continue
        keys = query.scalars(conn, sa.select(_EXPORT.c.name_key).where(
            _EXPORT.c.stack_id.in_(some)))
        _complain([row for row in _importers(conn, keys, locked=True)
                   if row.stack_id not in some], _('deleted'))
        conn.execute(_EXPORT.delete().where(_EXPORT.c.stack_id.in_(some)))


def delete_imports(conn: sa.Connection, stack_ids: Collection[str]) -> None:
    """Forget what stacks have imported."""
    conn.execute(_IMPORT.delete().where(
        _IMPORT.c.stack_id.in_(list(stack_ids))))
