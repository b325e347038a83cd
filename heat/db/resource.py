"""Queries on resources."""
from collections.abc import Iterable, Mapping, Sequence
import functools
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import properties_data
from heat.db import query
from heat.db import session
from heat.db import witness

_RESOURCE = models.RESOURCE
_DATA = models.RESOURCE_DATA
_STACK = models.STACK
_PROPERTIES = models.PROPERTIES_DATA.alias('properties')
_ATTRIBUTES = models.PROPERTIES_DATA.alias('attributes')

# Rows go by the names that the rest of Heat uses.
_COLUMNS = [column.label(column.key) if column.key != column.name else column
            for column in _RESOURCE.c]

_BY_NAME = {column.key: column for column in _COLUMNS}

# What a list of resources shows; neither properties nor attributes.
_SUMMARY_COLUMNS = [column for column in _COLUMNS
                    if column.key != 'properties_data']

# The columns of what a list of the API shows and refers to.
_LISTED_COLUMNS = [_BY_NAME[name] for name in (
    'id', 'name', 'stack_id', 'physical_resource_id', 'action', 'status',
    'status_reason', 'requires', 'replaced_by', 'current_template_id',
    'created_at', 'updated_at')]


@functools.cache
def _select() -> sa.Select[Any]:
    """Return a query for resources with their properties and attributes.

    It takes longer to make than to run.
    """
    return sa.select(
        *_COLUMNS,
        _PROPERTIES.c.data.label('prop_data'),
        _PROPERTIES.c.encrypted.label('prop_encrypted'),
        _ATTRIBUTES.c.data.label('attr_data'),
        _ATTRIBUTES.c.encrypted.label('attr_encrypted'),
    ).select_from(
        _RESOURCE
        .outerjoin(_PROPERTIES,
                   _RESOURCE.c.rsrc_prop_data_id == _PROPERTIES.c.id)
        .outerjoin(_ATTRIBUTES,
                   _RESOURCE.c.attr_data_id == _ATTRIBUTES.c.id))


@query.built_once
def _by_id() -> sa.Select[Any]:
    return _select().where(_RESOURCE.c.id == sa.bindparam('resource_id'))


@session.reads
def resource_get(conn: sa.Connection, resource_id: int) -> query.Row | None:
    return query.first(conn, _by_id(), resource_id=resource_id)


@session.writes
def resource_lock_metadata(conn: sa.Connection, resource_id: int) -> Any:
    """Return the metadata of a row and keep others from changing it.

    Until the end of the transaction.
    """
    row = query.first(conn, sa.select(_RESOURCE.c.rsrc_metadata).where(
        _RESOURCE.c.id == resource_id).with_for_update())
    return None if row is None else row.rsrc_metadata


@session.reads
def resource_get_by_uuid(conn: sa.Connection, uuid: str) -> query.Row | None:
    return query.first(conn, _select().where(_RESOURCE.c.uuid == uuid))


@session.reads
def resource_get_many(conn: sa.Connection, ids: Iterable[int]
                      ) -> list[query.Row]:
    rows: list[query.Row] = []
    for some in query.chunks(ids):
        rows += query.all_rows(
            conn, _select().where(_RESOURCE.c.id.in_(some))
            .order_by(_RESOURCE.c.id))
    return rows


@query.built_once
def _by_name(has_name: bool) -> sa.Select[Any]:
    return _select().where(
        _RESOURCE.c.name == (sa.bindparam('name') if has_name else sa.null()),
        _RESOURCE.c.stack_id == sa.bindparam('stack_id')
    ).order_by(_RESOURCE.c.id.desc())


@session.reads
def resource_get_all_by_name_and_stack(conn: sa.Connection, name: str | None,
                                       stack_id: str) -> list[query.Row]:
    """Return the rows of a name, newest first."""
    if name is None:
        return query.all_rows(conn, _by_name(False), stack_id=stack_id)
    return query.all_rows(conn, _by_name(True), name=name, stack_id=stack_id)


@session.reads
def resource_get_all_by_physical_id(conn: sa.Connection, physical_id: str,
                                    stack_id: str | None,
                                    project_id: str | None = None
                                    ) -> list[query.Row]:
    """Return the rows of a thing in the cloud, newest first.

    :param project_id: only rows of stacks that this project owns, or whose
        users are in it.
    """
    statement = _select().where(
        _RESOURCE.c.physical_resource_id == physical_id)
    if project_id is not None:
        statement = statement.where(sa.exists().where(
            _STACK.c.id == _RESOURCE.c.stack_id,
            sa.or_(_STACK.c.tenant == project_id,
                   _STACK.c.stack_user_project_id == project_id)))
    if stack_id is not None:
        statement = statement.where(_RESOURCE.c.stack_id == stack_id)
    return query.all_rows(conn, statement.order_by(_RESOURCE.c.id.desc()))


def _is_active() -> sa.ColumnElement[bool]:
    # What an engine holds after a delete it is about to create again.
    return sa.or_(
        sa.func.coalesce(_RESOURCE.c.action, '') != 'DELETE',
        sa.func.coalesce(_RESOURCE.c.status, '') != 'COMPLETE',
        _RESOURCE.c.engine_id.is_not(None))


@query.built_once
def _of_stack(active: bool) -> sa.Select[Any]:
    statement = _select().where(
        _RESOURCE.c.stack_id == sa.bindparam('of_stack')
    ).order_by(_RESOURCE.c.id)
    return statement.where(_is_active()) if active else statement


@session.reads
def resource_get_all_by_stack(conn: sa.Connection, stack_id: str,
                              filters: Mapping[str, Any] | None = None, *,
                              active: bool = False) -> list[query.Row]:
    """Return the resources of a stack, oldest first.

    Active ones are those not yet deleted from the cloud, and those that
    an engine is at work on.
    """
    statement = _of_stack(active)
    if filters:
        statement = statement.where(*query.exact_filters(_RESOURCE, filters))
    return query.all_rows(conn, statement, of_stack=stack_id)


@session.reads
def resource_get_all_active_of_stacks(conn: sa.Connection,
                                      stack_ids: Iterable[str]
                                      ) -> list[query.Row]:
    """Return the active resources of stacks, oldest first."""
    rows: list[query.Row] = []
    for some in query.chunks(stack_ids):
        rows += query.all_rows(conn, _select().where(
            _RESOURCE.c.stack_id.in_(some), _is_active()
        ).order_by(_RESOURCE.c.id))
    return rows


@session.reads
def resource_get_all(conn: sa.Connection) -> list[query.Row]:
    return query.all_rows(conn, _select().order_by(_RESOURCE.c.id))


@session.reads
def resource_get_all_by_root_stack(conn: sa.Connection, root_id: str,
                                   filters: Mapping[str, Any] | None = None
                                   ) -> list[query.Row]:
    return query.all_rows(conn, _select().where(
        _RESOURCE.c.root_stack_id == root_id,
        *query.exact_filters(_RESOURCE, filters)).order_by(_RESOURCE.c.id))


@session.reads
def resource_get_stack_ids_by_root_stack(
        conn: sa.Connection, root_id: str,
        filters: Mapping[str, Any] | None = None) -> list[query.Row]:
    """Return (resource id, stack id) of the resources of a tree."""
    return query.all_rows(
        conn, sa.select(_RESOURCE.c.id, _RESOURCE.c.stack_id).where(
            _RESOURCE.c.root_stack_id == root_id,
            *query.exact_filters(_RESOURCE, filters)))


@session.reads
def stack_ids_with_resources_by_root_stack(conn: sa.Connection, root_id: str
                                           ) -> list[str]:
    return query.scalars(conn, sa.select(_RESOURCE.c.stack_id).where(
        _RESOURCE.c.root_stack_id == root_id).distinct())


@session.reads
def resource_get_summaries(conn: sa.Connection, stack_ids: Sequence[str],
                           filters: Mapping[str, Any] | None = None
                           ) -> list[query.Row]:
    """Return what lists show, without properties and attributes."""
    rows: list[query.Row] = []
    for some in query.chunks(stack_ids):
        rows += query.all_rows(
            conn, sa.select(*_SUMMARY_COLUMNS).where(
                _RESOURCE.c.stack_id.in_(some),
                *query.exact_filters(_RESOURCE, filters))
            .order_by(_RESOURCE.c.id))
    return rows


@query.built_once
def _listed() -> sa.Select[Any]:
    return sa.select(*_LISTED_COLUMNS).where(
        _RESOURCE.c.stack_id.in_(sa.bindparam('stack_ids', expanding=True))
    ).order_by(_RESOURCE.c.id)


@session.reads
def resource_get_listed(conn: sa.Connection, stack_ids: Sequence[str]
                        ) -> list[query.Row]:
    """Return the columns that the API lists, oldest first."""
    rows: list[query.Row] = []
    for some in query.chunks(stack_ids):
        rows += query.all_rows(conn, _listed(), stack_ids=some)
    return rows


# The columns that show whether a resource matches its definition.
_STATE_COLUMNS = [_BY_NAME[name] for name in (
    'id', 'name', 'stack_id', 'physical_resource_id', 'action', 'status',
    'engine_id', 'replaced_by', 'current_template_id', 'rsrc_prop_data_id',
    'updated_at')]


@session.reads
def resource_get_states(conn: sa.Connection, stack_ids: Iterable[str],
                        limit: int) -> list[query.Row]:
    """Return the states of at most `limit` resources of stacks."""
    rows: list[query.Row] = []
    for some in query.chunks(stack_ids):
        if len(rows) < limit:
            rows += query.all_rows(conn, sa.select(*_STATE_COLUMNS).where(
                _RESOURCE.c.stack_id.in_(some)).limit(limit - len(rows)))
    return rows


@query.built_once
def _requirers() -> sa.Select[Any]:
    requires = sa.type_coerce(_RESOURCE.c.requires, sa.Text)
    return sa.select(_RESOURCE.c.name, _RESOURCE.c.requires).where(
        _RESOURCE.c.stack_id == sa.bindparam('stack_id'),
        requires.contains(sa.bindparam('digits')),
        _RESOURCE.c.replaced_by.is_(None), _is_active()
    ).order_by(_RESOURCE.c.id)


@session.reads
def resource_get_requirers(conn: sa.Connection, stack_id: str,
                           resource_id: int) -> list[query.Row]:
    """Return (name, requires) of rows that may require another one.

    The id is looked for in the text of the list, so rows that require one
    whose id contains its digits are returned as well.
    """
    return query.all_rows(conn, _requirers(), stack_id=stack_id,
                          digits=str(resource_id))


@session.reads
def resource_get_claims(conn: sa.Connection) -> list[query.Row]:
    """Return (id, stack_id, engine_id) of what engines work on.

    Only stacks in progress under convergence have such claims.
    """
    return query.all_rows(
        conn, sa.select(_RESOURCE.c.id, _RESOURCE.c.stack_id,
                        _RESOURCE.c.engine_id)
        .select_from(_STACK.join(
            _RESOURCE, _RESOURCE.c.stack_id == _STACK.c.id))
        .where(_STACK.c.status == 'IN_PROGRESS',
               _STACK.c.deleted_at.is_(None),
               _STACK.c.convergence == sa.true(),
               _RESOURCE.c.engine_id.is_not(None)))


@session.reads
def resource_get_with_metadata_key(conn: sa.Connection, key: str
                                   ) -> list[query.Row]:
    """Return (stack_id, name) of resources whose metadata have a key.

    It is looked for in the text, so values that quote it count as well.
    """
    metadata = sa.type_coerce(_RESOURCE.c.rsrc_metadata, sa.Text)
    return query.all_rows(
        conn, sa.select(_RESOURCE.c.stack_id, _RESOURCE.c.name)
        .select_from(_RESOURCE.join(
            _STACK, _RESOURCE.c.stack_id == _STACK.c.id))
        .where(_STACK.c.deleted_at.is_(None),
               metadata.contains(f'"{key}"', autoescape=True)))


@session.writes
def resource_create_many(conn: sa.Connection,
                         rows: Iterable[Mapping[str, Any]]) -> list[int]:
    return query.insert_many(conn, _RESOURCE, rows)


@session.writes
def resource_create(conn: sa.Connection, values: Mapping[str, Any]) -> int:
    return query.insert_one(conn, _RESOURCE, values)


@session.writes
def resource_update(conn: sa.Connection, resource_id: int,
                    values: Mapping[str, Any]) -> bool:
    result = conn.execute(
        _RESOURCE.update().where(_RESOURCE.c.id == resource_id),
        dict(values))
    return result.rowcount > 0


@session.writes
def resource_update_many(conn: sa.Connection, ids: Iterable[int],
                         values: Mapping[str, Any]) -> int:
    return sum(conn.execute(
        _RESOURCE.update().where(_RESOURCE.c.id.in_(some)).values(**values)
    ).rowcount for some in query.chunks(ids))


@session.writes
def resource_set_templates(conn: sa.Connection, ids: Iterable[int],
                           templates: Mapping[str, int]) -> None:
    """Write to rows the template of their stack, which is given for each."""
    template = sa.case(dict(templates), value=_RESOURCE.c.stack_id)
    for some in query.chunks(ids):
        conn.execute(_RESOURCE.update().where(_RESOURCE.c.id.in_(some))
                     .values(current_template_id=template))


@session.writes
def resource_set_root(conn: sa.Connection, stack_ids: Iterable[str],
                      root_id: str) -> None:
    """Write to the rows of nested stacks the stack at the top."""
    for some in query.chunks(stack_ids):
        conn.execute(_RESOURCE.update().where(_RESOURCE.c.stack_id.in_(some))
                     .values(root_stack_id=root_id))


@query.built_once
def _swap_statement(expected: frozenset[str], given: frozenset[str]
                    ) -> sa.Update:
    """Return an update of a row whose columns are as expected.

    Those not given are expected to be NULL. To build the statement takes
    longer than to execute it.
    """
    conditions = [
        _RESOURCE.c[name] == sa.bindparam(f'expected_{name}')
        if name in given else _RESOURCE.c[name].is_(None)
        for name in sorted(expected)]
    return _RESOURCE.update().where(
        _RESOURCE.c.id == sa.bindparam('that_id'), *conditions).values(
            atomic_key=sa.func.coalesce(_RESOURCE.c.atomic_key, 0) + 1)


def _swap(conn: sa.Connection, resource_id: int, values: Mapping[str, Any],
          expected: Mapping[str, Any]) -> bool:
    """Write values and count the key up, if the row is as expected."""
    given = {name: value for name, value in expected.items()
             if value is not None}
    statement = _swap_statement(frozenset(expected), frozenset(given))
    result = conn.execute(statement, {
        **values, 'that_id': resource_id,
        **{f'expected_{name}': value for name, value in given.items()}})
    if result.rowcount == 0:
        return False
    _note_swap(resource_id, values, expected)
    return True


def _note_swap(resource_id: int, values: Mapping[str, Any],
               expected: Mapping[str, Any]) -> None:
    """Note that a row has a key that nobody but its holder can give it."""
    if 'atomic_key' in expected:
        witness.note_swap(
            _RESOURCE, id=resource_id,
            atomic_key=(expected['atomic_key'] or 0) + 1,
            engine_id=values.get('engine_id', expected.get('engine_id')))


@session.writes
def resource_swap(conn: sa.Connection, resource_id: int,
                  values: Mapping[str, Any],
                  expected: Mapping[str, Any]) -> bool:
    """Write values in one compare-and-swap; False if it was lost."""
    return _swap(conn, resource_id, values, expected)


@session.writes
def resource_swap_many(conn: sa.Connection,
                       changes: Sequence[query.Change]) -> int:
    """Write to rows values of their own, if they still are as expected.

    See query.update_rows(). Return how many were.
    """
    swapped = query.update_rows(conn, _RESOURCE, changes, 'atomic_key')
    if swapped == len(changes) > 0:
        first = changes[0]
        _note_swap(first.key, first.values, first.expected)
    return swapped


@session.reads
def resource_get_claimed(conn: sa.Connection, ids: Iterable[int]
                         ) -> list[query.Row]:
    """Return (id, engine_id, atomic_key) of rows."""
    return query.all_rows(conn, sa.select(
        _RESOURCE.c.id, _RESOURCE.c.engine_id, _RESOURCE.c.atomic_key
    ).where(_RESOURCE.c.id.in_(sorted(ids))))


@session.writes
def resource_fence(conn: sa.Connection, stack_id: str) -> int:
    """Count up the keys of what nobody holds in a stack."""
    return conn.execute(
        _RESOURCE.update()
        .where(_RESOURCE.c.stack_id == stack_id,
               _RESOURCE.c.engine_id.is_(None))
        .values(atomic_key=sa.func.coalesce(
            _RESOURCE.c.atomic_key, 0) + 1)).rowcount


@session.writes
def resource_replace(conn: sa.Connection, existing_id: int,
                     new_values: Mapping[str, Any],
                     existing_values: Mapping[str, Any],
                     expected: Mapping[str, Any]) -> int | None:
    """Add the replacement of a resource; None if the swap was lost."""
    new_id = query.insert_one(
        conn, _RESOURCE, {**new_values, 'replaces': existing_id})
    if _swap(conn, existing_id, {**existing_values, 'replaced_by': new_id},
             expected):
        return new_id
    conn.execute(_RESOURCE.delete().where(_RESOURCE.c.id == new_id))
    return None


def _delete(conn: sa.Connection, condition: sa.ColumnElement[bool]) -> int:
    """Delete resources with all that belongs to them alone."""
    owned = conn.execute(
        sa.select(_RESOURCE.c.rsrc_prop_data_id, _RESOURCE.c.attr_data_id)
        .where(condition)).all()
    conn.execute(_DATA.delete().where(_DATA.c.resource_id.in_(
        sa.select(_RESOURCE.c.id).where(condition))))
    deleted = conn.execute(_RESOURCE.delete().where(condition)).rowcount
    properties_data.delete_unused(conn, {
        data_id for row in owned for data_id in row if data_id is not None})
    return deleted


@session.writes
def resource_delete_many(conn: sa.Connection, ids: Iterable[int]) -> int:
    return sum(_delete(conn, _RESOURCE.c.id.in_(some))
               for some in query.chunks(ids))


@session.writes
def resource_purge_for_stacks(conn: sa.Connection,
                              stack_ids: Iterable[str]) -> int:
    return sum(_delete(conn, _RESOURCE.c.stack_id.in_(some))
               for some in query.chunks(stack_ids))


def delete_some_of_stacks(conn: sa.Connection, stack_ids: list[str],
                          limit: int) -> list[int | None]:
    """Delete at most limit resources of these stacks.

    Return the template of each, None where it has none.
    """
    rows = conn.execute(
        sa.select(_RESOURCE.c.id, _RESOURCE.c.current_template_id)
        .where(_RESOURCE.c.stack_id.in_(stack_ids)).limit(limit)).all()
    if rows:
        _delete(conn, _RESOURCE.c.id.in_([row.id for row in rows]))
    return [row.current_template_id for row in rows]


@query.built_once
def _data() -> sa.Select[Any]:
    return sa.select(_DATA).where(
        _DATA.c.resource_id.in_(sa.bindparam('resource_ids', expanding=True))
    ).order_by(_DATA.c.id)


@session.reads
def resource_data_get_all(conn: sa.Connection, ids: Iterable[int]
                          ) -> list[query.Row]:
    rows: list[query.Row] = []
    for some in query.chunks(ids):
        rows += query.all_rows(conn, _data(), resource_ids=some)
    return rows


@session.reads
def resource_ids_with_data(conn: sa.Connection, stack_id: str, key: str
                           ) -> list[int]:
    """Return the resources of a stack that have data under a key."""
    return query.scalars(
        conn, sa.select(_RESOURCE.c.id)
        .join(_DATA, _DATA.c.resource_id == _RESOURCE.c.id)
        .where(_RESOURCE.c.stack_id == stack_id, _DATA.c.key == key))


@session.writes
def resource_data_set(conn: sa.Connection, resource_id: int, key: str,
                      values: Mapping[str, Any]) -> None:
    """Write the value of a key, replacing an earlier one."""
    result = conn.execute(
        _DATA.update().where(_DATA.c.resource_id == resource_id,
                             _DATA.c.key == key), dict(values))
    if not result.rowcount:
        query.insert_one(conn, _DATA, {**values, 'key': key,
                                       'resource_id': resource_id})


@session.writes
def resource_data_create_many(conn: sa.Connection,
                              rows: Iterable[Mapping[str, Any]]) -> None:
    query.insert_rows(conn, _DATA, rows)


@session.writes
def resource_data_replace_many(conn: sa.Connection,
                               rows: Iterable[Mapping[str, Any]]) -> None:
    """Write values of keys of many resources, replacing earlier ones."""
    everything = list(rows)
    owners: dict[str, list[int]] = {}
    for row in everything:
        owners.setdefault(row['key'], []).append(row['resource_id'])
    for key, ids in sorted(owners.items()):
        for some in query.chunks(sorted(ids)):
            conn.execute(_DATA.delete().where(
                _DATA.c.key == key, _DATA.c.resource_id.in_(some)))
    query.insert_rows(conn, _DATA, everything)


@session.writes
def resource_data_delete(conn: sa.Connection, resource_id: int, key: str
                         ) -> bool:
    result = conn.execute(_DATA.delete().where(
        _DATA.c.resource_id == resource_id, _DATA.c.key == key))
    return result.rowcount > 0
