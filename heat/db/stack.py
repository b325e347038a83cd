"""Queries on stacks."""
from collections.abc import Iterable, Mapping, Sequence
import dataclasses
import enum
import functools
import hashlib
from typing import Any

from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.common import timeutils
from heat.db import export
from heat.db import models
from heat.db import query
from heat.db import raw_template
from heat.db import session
from heat.db import stack_lock
from heat.db import user_creds

_STACK = models.STACK
_TAG = models.STACK_TAG
_RESOURCE = models.RESOURCE

_TEMPLATE_PREFIX = 'raw_template_'

# Lists leave out the graph of the last traversal, which grows with the
# stack, and what only the database needs.
_LIST_COLUMNS = [column for column in _STACK.c
                 if column.name not in ('current_deps', 'live_name_key')]

_COMPLETE = 'COMPLETE'

_SORT_KEYS = {
    'stack_name': 'name', 'name': 'name',
    'stack_status': 'status', 'status': 'status',
    'creation_time': 'created_at', 'created_at': 'created_at',
    'updated_time': 'updated_at', 'updated_at': 'updated_at',
}


class Graph(enum.StrEnum):
    """Of which stacks a query reads the graph of the last traversal.

    It grows with the stack and takes longer to read than all else.
    """

    ANY = 'any'
    UNFINISHED = 'unfinished'  # only if the operation has not completed
    NONE = 'none'


class StackConflict(Exception):
    """Another stack has the id, or the name in its project."""


@dataclasses.dataclass(frozen=True, slots=True)
class Selection:
    """Which stacks a list or a count is about."""

    tenant: str | None = None
    filters: Mapping[str, Any] | None = None
    show_deleted: bool = False
    show_nested: bool = False
    tags: Sequence[str] = ()
    tags_any: Sequence[str] = ()
    not_tags: Sequence[str] = ()
    not_tags_any: Sequence[str] = ()


@functools.cache
def _select(graph: Graph) -> sa.Select[Any]:
    """Return a query for stacks, which takes longer to make than to run."""
    if graph == Graph.ANY:
        return sa.select(_STACK)
    if graph == Graph.NONE:
        return sa.select(*_LIST_COLUMNS)
    column = _STACK.c.current_deps
    return sa.select(*_LIST_COLUMNS, sa.type_coerce(
        sa.case((_STACK.c.status == _COMPLETE, None), else_=column),
        column.type).label(column.name))


def _has_tag(tags: Sequence[str]) -> sa.ColumnElement[bool]:
    return sa.exists().where(_TAG.c.stack_id == _STACK.c.id,
                             _TAG.c.tag.in_(list(tags)))


def _has_all_tags(tags: Sequence[str]) -> sa.ColumnElement[bool]:
    """Compare a count: SQLite refuses a thousand conditions in a row."""
    wanted = set(tags)
    found = sa.select(
        sa.func.count(sa.distinct(_TAG.c.tag))).where(
            _TAG.c.stack_id == _STACK.c.id, _TAG.c.tag.in_(wanted))
    return found.scalar_subquery() == len(wanted)


def _of_tenant(selection: Selection) -> list[sa.ColumnElement[bool]]:
    if selection.tenant is None:
        return []
    return [_STACK.c.tenant == selection.tenant]


def _selected(statement: sa.Select[Any], selection: Selection
              ) -> sa.Select[Any]:
    conditions = query.exact_filters(_STACK, selection.filters)
    if not selection.show_deleted:
        conditions.append(_STACK.c.deleted_at.is_(None))
    if selection.show_nested:
        conditions.append(_STACK.c.backup == sa.false())
    else:
        conditions.append(_STACK.c.owner_id.is_(None))
    conditions += _of_tenant(selection)
    if selection.tags:
        conditions.append(_has_all_tags(selection.tags))
    if selection.tags_any:
        conditions.append(_has_tag(selection.tags_any))
    if selection.not_tags:
        conditions.append(~_has_all_tags(selection.not_tags))
    if selection.not_tags_any:
        conditions.append(~_has_tag(selection.not_tags_any))
    return statement.where(*conditions)


def _project_of(selection: Selection) -> Any:
    """Return the project whose stacks are wanted; a filter may name it."""
    return (selection.filters or {}).get('tenant', selection.tenant)


def _is_all_of_one_project(selection: Selection) -> bool:
    return isinstance(_project_of(selection), str) and not (
        set(selection.filters or ()) - {'tenant'})


def _is_plain(selection: Selection) -> bool:
    """Return whether only a project and the kinds of stacks are selected.

    A request that is limited to a project must name the same one.
    """
    return (_is_all_of_one_project(selection)
            and selection.tenant in (None, _project_of(selection))
            and not any((selection.tags, selection.tags_any,
                         selection.not_tags, selection.not_tags_any)))


@query.built_once
def _first_page(show_deleted: bool, show_nested: bool, sort: tuple[str, ...],
                descending: bool, is_limited: bool) -> sa.Select[Any]:
    """Return a query for the first `page_size` stacks of project `tenant`.
    """
    project: Any = sa.bindparam('tenant')
    size: Any = sa.bindparam('page_size') if is_limited else None
    return query.sorted_page(
        _selected(_select(Graph.NONE), Selection(
            project, show_deleted=show_deleted, show_nested=show_nested)),
        _STACK, sort, descending, limit=size)


def _entered_at_marker(statement: sa.Select[Any]) -> sa.Select[Any]:
    """Have MariaDB enter the index where a page begins.

    Of many stacks it knows neither how many the project has nor how many
    come before the marker; left to itself, it reads all of the latter.
    """
    for dialect in ('mysql', 'mariadb'):
        statement = statement.with_hint(
            _STACK, f'FORCE INDEX ({models.STACK_LIST_INDEX})', dialect)
    return statement


@query.built_once
def _by_id(graph: Graph, show_deleted: bool) -> sa.Select[Any]:
    statement = _select(graph).where(_STACK.c.id == sa.bindparam('stack_id'))
    return statement if show_deleted else statement.where(
        _STACK.c.deleted_at.is_(None))


@session.reads
def stack_get(conn: sa.Connection, stack_id: str, *,
              show_deleted: bool = False, graph: Graph = Graph.ANY
              ) -> query.Row | None:
    return query.first(conn, _by_id(graph, show_deleted), stack_id=stack_id)


@session.reads
def stack_get_with_template(conn: sa.Connection, stack_id: str, *,
                            show_deleted: bool = False
                            ) -> tuple[query.Row, query.Row] | None:
    """Return the rows of a stack and of its template."""
    stack = query.first(conn, _by_id(Graph.ANY, show_deleted),
                        stack_id=stack_id)
    if stack is None:
        return None
    template = conn.execute(raw_template.select_template(), {
        'template_id': stack.raw_template_id}).one()
    return stack, template


@query.built_once
def _by_name(has_project: bool) -> sa.Select[Any]:
    project_id = sa.bindparam('project_id') if has_project else sa.null()
    return _select(Graph.NONE).where(
        _STACK.c.name == sa.bindparam('name'), _STACK.c.deleted_at.is_(None),
        sa.or_(_STACK.c.tenant == project_id,
               _STACK.c.stack_user_project_id == project_id)
    ).order_by(_STACK.c.created_at.desc())


@session.reads
def stack_get_all_by_name(conn: sa.Connection, name: str,
                          project_id: str | None) -> list[query.Row]:
    """Return the stacks of a name that a project has to do with.

    Without their graphs.
    """
    if project_id is None:
        return query.all_rows(conn, _by_name(False), name=name)
    return query.all_rows(conn, _by_name(True), name=name,
                          project_id=project_id)


@session.reads
def stack_get_all_by_name_and_owner_id(conn: sa.Connection, name: str,
                                       owner_id: str | None,
                                       project_id: str | None
                                       ) -> list[query.Row]:
    return query.all_rows(
        conn, sa.select(_STACK).where(
            _STACK.c.name == name, _STACK.c.deleted_at.is_(None),
            query.equals(_STACK.c.owner_id, owner_id),
            sa.or_(_STACK.c.tenant == project_id,
                   _STACK.c.stack_user_project_id == project_id))
        .order_by(_STACK.c.created_at.desc()))


@session.reads
def stack_get_all(conn: sa.Connection, selection: Selection, *,
                  limit: int | None = None,
                  sort_keys: str | Sequence[str] | None = None,
                  marker: str | None = None,
                  descending: bool = False) -> list[query.Row]:
    """Return stacks without their graphs.

    A marker is ignored that is unknown, or is not of the tenant asked for.
    """
    keys = query.known_sort_keys(sort_keys, _SORT_KEYS, ['created_at'])
    if not marker and _is_plain(selection):
        statement = _first_page(
            selection.show_deleted, selection.show_nested, (*keys, 'id'),
            descending, limit is not None)
        given = {} if limit is None else {'page_size': int(limit)}
        return query.all_rows(conn, statement, **given,
                              tenant=_project_of(selection))
    marker_row = marker and query.first(
        conn, _select(Graph.NONE).where(
            _STACK.c.id == marker, *_of_tenant(selection)))
    statement = _selected(_select(Graph.NONE), selection)
    if (marker_row and keys == ['created_at']
            and _is_all_of_one_project(selection)):
        statement = _entered_at_marker(statement)
    return query.all_rows(conn, query.sorted_page(
        statement, _STACK, [*keys, 'id'], descending, marker_row or None,
        limit))


@session.reads
def stack_count_all(conn: sa.Connection, selection: Selection) -> int:
    return query.count(conn, _selected(sa.select(_STACK.c.id), selection))


@session.reads
def stack_get_all_by_owner_ids(conn: sa.Connection,
                               owner_ids: Iterable[str], *,
                               graph: Graph = Graph.ANY) -> list[query.Row]:
    """Return the children of stacks."""
    return [row for some in query.chunks(owner_ids)
            for row in conn.execute(_select(graph).where(
                _STACK.c.owner_id.in_(some), _STACK.c.deleted_at.is_(None)))]


@session.reads
def stack_get_all_by_root_owner_id(conn: sa.Connection, owner_id: str
                                   ) -> list[query.Row]:
    """Return all stacks below one, level by level, without graphs."""
    found: list[query.Row] = []
    owners = [owner_id]
    while owners:
        level: list[query.Row] = []
        for some in query.chunks(owners):
            level += query.all_rows(conn, _select(Graph.NONE).where(
                _STACK.c.owner_id.in_(some), _STACK.c.deleted_at.is_(None)))
        found += level
        owners = [row.id for row in level]
    return found


@session.reads
def stack_get_ids_in_progress(conn: sa.Connection, convergence: bool
                              ) -> list[str]:
    return query.scalars(conn, sa.select(_STACK.c.id).where(
        _STACK.c.status == 'IN_PROGRESS', _STACK.c.deleted_at.is_(None),
        _STACK.c.convergence == convergence))


@session.reads
def stack_get_ids_in_progress_among(conn: sa.Connection,
                                    stack_ids: list[str]) -> list[str]:
    found: list[str] = []
    for some in query.chunks(stack_ids):
        found += query.scalars(conn, sa.select(_STACK.c.id).where(
            _STACK.c.id.in_(some), _STACK.c.status == 'IN_PROGRESS',
            _STACK.c.deleted_at.is_(None)))
    return found


@session.reads
def stack_get_many_in_progress(conn: sa.Connection, stack_ids: list[str]
                               ) -> list[query.Row]:
    """Return those of some stacks that are in progress, without graphs."""
    rows: list[query.Row] = []
    for some in query.chunks(stack_ids):
        rows += query.all_rows(conn, _select(Graph.NONE).where(
            _STACK.c.id.in_(some), _STACK.c.status == 'IN_PROGRESS',
            _STACK.c.deleted_at.is_(None)))
    return rows


@session.reads
def stack_get_status(conn: sa.Connection, stack_id: str) -> query.Row | None:
    return query.first(
        conn, sa.select(_STACK.c.action, _STACK.c.status,
                        _STACK.c.status_reason, _STACK.c.updated_at,
                        _STACK.c.current_traversal,
                        _STACK.c.raw_template_id,
                        _STACK.c.tenant, _STACK.c.stack_user_project_id)
        .where(_STACK.c.id == stack_id))


@session.reads
def stack_has_user_project(conn: sa.Connection, tenant: str | None,
                           project_id: str) -> bool:
    """Return whether a project's stack has its users in another one."""
    return query.first(conn, sa.select(_STACK.c.id).where(
        _STACK.c.tenant == tenant,
        _STACK.c.stack_user_project_id == project_id,
        _STACK.c.deleted_at.is_(None)).limit(1)) is not None


@session.reads
def stack_get_root_id(conn: sa.Connection, stack_id: str) -> str | None:
    """Return the id of the stack at the top of the tree."""
    current: str | None = stack_id
    root = None
    while current is not None:
        row = query.first(conn, sa.select(_STACK.c.id, _STACK.c.owner_id)
                          .where(_STACK.c.id == current))
        if row is None:
            return root
        root, current = row.id, row.owner_id
    return root


@session.reads
def stack_have_credentials(conn: sa.Connection, creds_id: int | None,
                           besides: str | None) -> bool:
    """Return whether a live root stack but one names credentials."""
    return query.first(conn, sa.select(_STACK.c.id).where(
        _STACK.c.user_creds_id == creds_id, _STACK.c.id != besides,
        _STACK.c.owner_id.is_(None), _STACK.c.deleted_at.is_(None)).limit(1)
    ) is not None


@session.writes
def stack_replace_credentials(conn: sa.Connection, root_id: str,
                              old_id: int | None, new_id: int) -> None:
    """Have the stacks of a tree name other credentials."""
    level = [root_id]
    while level:
        for some in query.chunks(level):
            conn.execute(_STACK.update().where(
                _STACK.c.id.in_(some), _STACK.c.user_creds_id == old_id),
                {'user_creds_id': new_id})
        level = [found for some in query.chunks(level) for found in
                 conn.execute(sa.select(_STACK.c.id).where(
                     _STACK.c.owner_id.in_(some))).scalars()]


@session.reads
def stack_count_total_resources(conn: sa.Connection, root_id: str) -> int:
    """Count the resources of a tree, each name once a stack.

    A resource that is being replaced has two rows; hidden backup stacks
    hold what is about to go.
    """
    names = sa.select(_RESOURCE.c.stack_id, _RESOURCE.c.name).distinct()
    return query.count(conn, names.select_from(
        _RESOURCE.join(_STACK, _RESOURCE.c.stack_id == _STACK.c.id)).where(
            _RESOURCE.c.root_stack_id == root_id,
            _STACK.c.deleted_at.is_(None), _STACK.c.backup == sa.false()))


def _live_name_key(tenant: str | None, name: str | None) -> str:
    """Return what no two live root stacks have in common.

    A digest compares exactly in every collation and fits every index.
    """
    # No name of a stack has a slash.
    return hashlib.sha256(f'{tenant or ""}/{name}'.encode()).hexdigest()


def _with_key(values: Mapping[str, Any]) -> dict[str, Any]:
    live = (values.get('owner_id') is None
            and values.get('deleted_at') is None
            and values.get('name') is not None)
    return {**values, 'live_name_key': _live_name_key(
        values.get('tenant'), values['name']) if live else None}


@session.writes
def stack_create(conn: sa.Connection, values: Mapping[str, Any]) -> str:
    """Insert a stack and return its id.

    :raises StackConflict: its id is taken, or it is a root stack whose name
        a live one of the project has. The transaction must be undone.
    """
    try:
        return query.insert_named(conn, _STACK, _with_key(values))
    except db_exception.DBDuplicateEntry as error:
        raise StackConflict() from error


@session.writes
def stack_create_many(conn: sa.Connection, rows: Iterable[Mapping[str, Any]]
                      ) -> None:
    """Insert stacks whose ids are given.

    :raises StackConflict: see stack_create().
    """
    try:
        query.insert_rows(conn, _STACK, map(_with_key, rows))
    except db_exception.DBDuplicateEntry as error:
        raise StackConflict() from error


@session.writes
def stack_release_name(conn: sa.Connection, tenant: str | None, name: str
                       ) -> bool:
    """Free a name that a deleted stack holds; return whether one did.

    Engines of the previous release do not free names when they delete.
    """
    return conn.execute(
        _STACK.update().where(
            _STACK.c.live_name_key == _live_name_key(tenant, name),
            _STACK.c.deleted_at.is_not(None)),
        {'live_name_key': None}).rowcount > 0


@session.writes
def stack_update_many(conn: sa.Connection, changes: Sequence[query.Change]
                      ) -> int:
    """Write to stacks values of their own; return how many were as expected.

    See query.update_rows().
    """
    return query.update_rows(conn, _STACK, changes)


@session.writes
def stack_lock_many(conn: sa.Connection, stack_ids: Iterable[str]
                    ) -> list[query.Row]:
    """Lock stacks until the transaction ends; return their states."""
    return [row for some in query.chunks(stack_ids)
            for row in query.all_rows(conn, sa.select(
                _STACK.c.id, _STACK.c.action, _STACK.c.status,
                _STACK.c.current_traversal, _STACK.c.raw_template_id,
                _STACK.c.updated_at
            ).where(_STACK.c.id.in_(some), _STACK.c.deleted_at.is_(None))
            .with_for_update())]


@session.writes
def stack_set_many(conn: sa.Connection, stack_ids: Iterable[str],
                   values: Mapping[str, Any]) -> None:
    """Write the same values to all of the stacks."""
    for some in query.chunks(stack_ids):
        conn.execute(_STACK.update().where(_STACK.c.id.in_(some)),
                     dict(values))


@session.writes
def stack_update(conn: sa.Connection, stack_id: str,
                 values: Mapping[str, Any],
                 expected: Mapping[str, Any] | None = None) -> bool:
    """Write values if the row still is as expected."""
    conditions = [query.equals(_STACK.c[name], value)
                  for name, value in (expected or {}).items()]
    result = conn.execute(
        _STACK.update().where(_STACK.c.id == stack_id, *conditions),
        dict(values))
    return result.rowcount > 0


@session.writes
def stack_update_and_release_lock(conn: sa.Connection, stack_id: str,
                                  engine_id: str,
                                  values: Mapping[str, Any],
                                  action: str | None = None) -> bool:
    """Write a final state and give the lock back, together.

    An engine that has lost the lock writes nothing: another one has
    decided about the stack since. Of a stack that has left the given
    action meanwhile everything is written but the state.
    """
    if not stack_lock.release(conn, stack_id, engine_id):
        return False
    update = _STACK.update().where(_STACK.c.id == stack_id)
    if action is None:
        conn.execute(update, dict(values))
        return True
    result = conn.execute(update.where(_STACK.c.action == action),
                          dict(values))
    if result.rowcount:
        return True
    rest = {name: value for name, value in values.items()
            if name not in ('action', 'status', 'status_reason',
                            'updated_at')}
    if rest:
        conn.execute(update, rest)
    return False


@session.writes
def stack_end_many(conn: sa.Connection, traversals: Mapping[str, str],
                   action: str, values: Mapping[str, Any]) -> int:
    """Write the same values to stacks whose traversals come to their end.

    :param traversals: the current one of each stack, by stack id
    Return how many had this traversal and action, and were in progress.
    """
    return conn.execute(_STACK.update().where(
        _STACK.c.id.in_(sorted(traversals)),
        # No two stacks ever had the same one.
        _STACK.c.current_traversal.in_(sorted(traversals.values())),
        _STACK.c.action == action, _STACK.c.status == 'IN_PROGRESS'),
        dict(values)).rowcount


@session.writes
def stack_delete_many(conn: sa.Connection, stack_ids: Iterable[str]) -> int:
    """Mark stacks as deleted; credentials go that nobody shares."""
    return sum(_delete(conn, some) for some in query.chunks(stack_ids))


def _delete(conn: sa.Connection, stack_ids: list[str]) -> int:
    owner = _STACK.alias()
    rows = query.all_rows(
        conn, sa.select(_STACK.c.id, _STACK.c.user_creds_id,
                        owner.c.user_creds_id.label('of_owner'))
        .select_from(_STACK.outerjoin(owner, _STACK.c.owner_id == owner.c.id))
        .where(_STACK.c.id.in_(stack_ids), _STACK.c.deleted_at.is_(None)))
    if not rows:
        return 0
    export.delete_imports(conn, [row.id for row in rows])
    conn.execute(
        _STACK.update().where(_STACK.c.id.in_([row.id for row in rows])),
        {'deleted_at': timeutils.utcnow(), 'user_creds_id': None,
         'live_name_key': None})
    unused = {row.user_creds_id for row in rows
              if row.user_creds_id not in (None, row.of_owner)}
    if unused:
        # Deleted stacks have no use for the credentials any more.
        conn.execute(
            _STACK.update().where(
                _STACK.c.user_creds_id.in_(sorted(unused)),
                _STACK.c.deleted_at.is_not(None)),
            {'user_creds_id': None})
        user_creds.delete_unused(conn, sorted(unused))
    return len(rows)
