"""Stacks as stored."""
from collections.abc import Iterable, Mapping, Sequence
import dataclasses
import datetime
from typing import Any
import uuid

from oslo_config import cfg

from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base
from heat.objects import raw_template as templates
from heat.objects import transaction

StackConflict = db_api.StackConflict
Graph = db_api.Graph

SHOWN_STATUS = tuple[str | None, str | None, str | None,
                     datetime.datetime | None]


@dataclasses.dataclass(frozen=True, slots=True)
class StackState:
    """The columns that operations on a stack change."""

    action: str | None
    status: str | None
    current_traversal: str | None
    raw_template_id: int
    updated_at: datetime.datetime | None

    @classmethod
    def of_row(cls, row: Any) -> 'StackState':
        """Return the state in a row, or in a record of one."""
        return cls(row.action, row.status, row.current_traversal,
                   row.raw_template_id, row.updated_at)


@dataclasses.dataclass(slots=True)
class Stack:
    """One row; ``tags`` and ``raw_template`` only where asked for.

    Records from lists lack ``current_deps``: it is None in them.
    """

    id: str
    name: str | None
    raw_template_id: int
    prev_raw_template_id: int | None = None
    user_creds_id: int | None = None
    username: str | None = None
    owner_id: str | None = None
    action: str | None = None
    status: str | None = None
    status_reason: str | None = None
    timeout: int | None = None
    tenant: str | None = None
    disable_rollback: bool = True
    stack_user_project_id: str | None = None
    backup: bool | None = False
    nested_depth: int | None = 0
    convergence: bool | None = False
    current_traversal: str | None = None
    current_deps: Any = None
    parent_resource_name: str | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    deleted_at: datetime.datetime | None = None
    tags: list[str] | None = None
    raw_template: templates.RawTemplate | None = None

    @classmethod
    def get_by_id(cls, context: Any, stack_id: str, *,
                  show_deleted: bool = False, eager: bool = False,
                  graph: Graph = Graph.ANY) -> 'Stack | None':
        """Return a stack that the context may see.

        :param eager: with its template
        :param graph: whether to read the graph; it is None if not
        """
        if eager:
            pair = db_api.stack_get_with_template(
                context, stack_id, show_deleted=show_deleted)
            if pair is None or not _may_see(context, pair[0]):
                return None
            return base.record(
                cls, pair[0],
                raw_template=templates.RawTemplate.from_row(pair[1]))
        row = db_api.stack_get(context, stack_id, graph=graph,
                               show_deleted=show_deleted)
        if row is None or not _may_see(context, row):
            return None
        return base.record(cls, row)

    @classmethod
    def get_by_name(cls, context: Any, name: str) -> 'Stack | None':
        """Return the newest stack of that name in the project.

        Without its graph.
        """
        return _exact(cls, name, db_api.stack_get_all_by_name(
            context, name, _project_of(context)))

    @classmethod
    def get_by_name_and_owner_id(cls, context: Any, name: str,
                                 owner_id: str | None) -> 'Stack | None':
        """Return the newest of that name below an owner (None: root)."""
        return _exact(cls, name, db_api.stack_get_all_by_name_and_owner_id(
            context, name, owner_id, _project_of(context)))

    @classmethod
    def get_all(cls, context: Any, limit: int | None = None,
                sort_keys: str | Sequence[str] | None = None,
                marker: str | None = None, sort_dir: str | None = None,
                filters: Mapping[str, Any] | None = None,
                show_deleted: bool = False, show_nested: bool = False,
                show_hidden: bool = False,
                tags: Sequence[str] | None = None,
                tags_any: Sequence[str] | None = None,
                not_tags: Sequence[str] | None = None,
                not_tags_any: Sequence[str] | None = None,
                eager_load: bool = False) -> list['Stack']:
        """Return stacks of the project (an admin: of all), sorted.

        Without sort_keys the newest come first; with them the order is
        ascending unless sort_dir says 'desc'. eager_load adds the tags.
        """
        selection = _selection(
            context, filters, show_deleted, show_nested, show_hidden,
            tags, tags_any, not_tags, not_tags_any)

        def read() -> list['Stack']:
            rows = db_api.stack_get_all(
                context, selection, limit=limit, sort_keys=sort_keys,
                marker=marker, descending=_is_descending(sort_keys,
                                                         sort_dir))
            stacks = [base.record(cls, row) for row in rows]
            if eager_load and stacks:
                known = cls.tags_for(context, [stack.id for stack in stacks])
                for stack in stacks:
                    stack.tags = known.get(stack.id, [])
            return stacks

        return transaction.read(context, read)

    @classmethod
    def count_all(cls, context: Any,
                  filters: Mapping[str, Any] | None = None,
                  show_deleted: bool = False, show_nested: bool = False,
                  show_hidden: bool = False,
                  tags: Sequence[str] | None = None,
                  tags_any: Sequence[str] | None = None,
                  not_tags: Sequence[str] | None = None,
                  not_tags_any: Sequence[str] | None = None) -> int:
        """Count what get_all with the same filters would return."""
        return db_api.stack_count_all(context, _selection(
            context, filters, show_deleted, show_nested, show_hidden,
            tags, tags_any, not_tags, not_tags_any))

    @classmethod
    def get_all_by_owner_id(cls, context: Any, owner_id: str
                            ) -> list['Stack']:
        """Return the direct children of a stack, backups included."""
        return cls.get_all_by_owner_ids(context, [owner_id])

    @classmethod
    def get_all_by_owner_ids(cls, context: Any, owner_ids: Iterable[str], *,
                             graph: Graph = Graph.ANY) -> list['Stack']:
        """Return the direct children of stacks, backups included."""
        return [base.record(cls, row) for row in
                db_api.stack_get_all_by_owner_ids(context, owner_ids,
                                                  graph=graph)]

    @classmethod
    def get_all_by_root_owner_id(cls, context: Any, owner_id: str
                                 ) -> list['Stack']:
        """Return all stacks below one, upper levels first."""
        return [base.record(cls, row) for row in
                db_api.stack_get_all_by_root_owner_id(context, owner_id)]

    @classmethod
    def get_ids_in_progress(cls, context: Any, convergence: bool
                            ) -> list[str]:
        """Return the stacks in progress that a driver answers for."""
        return db_api.stack_get_ids_in_progress(context, convergence)

    @classmethod
    def get_ids_in_progress_among(cls, context: Any, stack_ids: list[str]
                                  ) -> list[str]:
        """Return which of some stacks are in progress."""
        return db_api.stack_get_ids_in_progress_among(context, stack_ids)

    @classmethod
    def get_many_in_progress(cls, context: Any, stack_ids: list[str]
                             ) -> list['Stack']:
        """Return those of some stacks that are in progress, without graphs.
        """
        return [base.record(cls, row) for row in
                db_api.stack_get_many_in_progress(context, stack_ids)]

    @classmethod
    def get_status(cls, context: Any, stack_id: str) -> SHOWN_STATUS | None:
        """Return (action, status, reason, updated_at), also if deleted.

        Return None for a stack that the context may not see.
        """
        row = db_api.stack_get_status(context, stack_id)
        if row is None or not _may_see(context, row):
            return None
        return row.action, row.status, row.status_reason, row.updated_at

    @classmethod
    def get_state(cls, context: Any, stack_id: str
                  ) -> StackState | None:
        """Return the state of a stack, also if it is deleted.

        Return None for a stack that the context may not see.
        """
        row = db_api.stack_get_status(context, stack_id)
        if row is None or not _may_see(context, row):
            return None
        return StackState.of_row(row)

    @classmethod
    def has_user_project(cls, context: Any, tenant: str | None,
                         project_id: str) -> bool:
        """Return whether a project has a stack whose users are in another.

        :param project_id: the other one, that of the stack's users
        """
        return db_api.stack_has_user_project(context, tenant, project_id)

    @classmethod
    def get_root_id(cls, context: Any, stack_id: str) -> str | None:
        """Return the stack at the top of the tree this one is in."""
        return db_api.stack_get_root_id(context, stack_id)

    @classmethod
    def count_total_resources(cls, context: Any, root_id: str) -> int:
        """Count the resources of a whole tree."""
        return db_api.stack_count_total_resources(context, root_id)

    @classmethod
    def have_credentials(cls, context: Any, creds_id: int | None, *,
                         besides: str | None) -> bool:
        """Return whether a root stack but one has these credentials."""
        return db_api.stack_have_credentials(context, creds_id, besides)

    @classmethod
    def replace_credentials(cls, context: Any, root_id: str,
                            old_id: int | None, new_id: int) -> None:
        """Give other credentials to all stacks of a tree that have some."""
        db_api.stack_replace_credentials(context, root_id, old_id, new_id)

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> 'Stack':
        """Store a stack; ``tags`` among the values are stored with it.

        :raises StackConflict: another stack has the id, or the name; what
            the transaction has written is undone.
        """
        row_values = base.with_reason(values)
        row_values.setdefault('id', str(uuid.uuid4()))
        row_values.setdefault('created_at', timeutils.utcnow())
        tags = list(row_values.pop('tags', None) or [])

        def store() -> None:
            db_api.stack_create(context, row_values)
            if tags:
                db_api.stack_tags_set(context, row_values['id'], tags)

        transaction.run(context, store)
        return cls(**row_values, tags=tags)

    @classmethod
    def release_name(cls, context: Any, tenant: str | None, name: str
                     ) -> bool:
        """Free a name that a deleted stack holds; True if one did."""
        return db_api.stack_release_name(context, tenant, name)

    @classmethod
    def create_many(cls, context: Any, values: Iterable[Mapping[str, Any]]
                    ) -> None:
        """Store stacks that have an id by one statement, without tags.

        :raises StackConflict: see create().
        """
        rows = [base.with_reason(one) for one in values]
        for row in rows:
            row.setdefault('created_at', timeutils.utcnow())
        db_api.stack_create_many(context, rows)

    @classmethod
    def set_deps(cls, context: Any, deps: Mapping[str, Any]) -> None:
        """Write the graphs of stacks, {stack id: graph}."""
        if len(deps) == 1:
            [(stack_id, graph)] = deps.items()
            cls.update_by_id(context, stack_id, {'current_deps': graph})
        elif deps:
            db_api.stack_update_many(context, [
                db_api.Change(stack_id, {'current_deps': graph})
                for stack_id, graph in deps.items()])

    @classmethod
    def update_by_id(cls, context: Any, stack_id: str,
                     values: Mapping[str, Any]) -> bool:
        """Write values; False if there is no such stack."""
        return db_api.stack_update(context, stack_id,
                                   base.with_reason(values))

    @classmethod
    def select_and_update(cls, context: Any, stack_id: str,
                          values: Mapping[str, Any],
                          expected: Mapping[str, Any]) -> bool:
        """Write values if all expected columns hold: compare and swap."""
        return db_api.stack_update(context, stack_id,
                                   base.with_reason(values), expected)

    @classmethod
    def swap_many(cls, context: Any, values: Mapping[str, Mapping[str, Any]],
                  expected: Mapping[str, Mapping[str, Any]]) -> int:
        """Write to stacks if they are as expected, by one statement.

        :param values: by stack id; each names the same columns
        :param expected: so, too, and each has the same ones absent
        Return how many were as expected; if some were not, the caller has
        to undo the transaction.
        """
        if len(values) == 1:
            [(stack_id, some)] = values.items()
            return int(cls.select_and_update(context, stack_id, some,
                                             expected[stack_id]))
        return db_api.stack_update_many(context, [
            db_api.Change(stack_id, base.with_reason(some),
                          expected[stack_id])
            for stack_id, some in values.items()])

    @classmethod
    def lock_many(cls, context: Any, stack_ids: Iterable[str]
                  ) -> dict[str, StackState]:
        """Lock stacks until the transaction ends; return {id: state}.

        Stacks that do not exist, or are deleted, are omitted.
        """
        return {row.id: StackState.of_row(row)
                for row in db_api.stack_lock_many(context, stack_ids)}

    @classmethod
    def set_many(cls, context: Any, stack_ids: Iterable[str],
                 values: Mapping[str, Any]) -> None:
        """Write the same values to all of the stacks."""
        db_api.stack_set_many(context, stack_ids, base.with_reason(values))

    @classmethod
    def persist_state_and_release_lock(cls, context: Any, stack_id: str,
                                       engine_id: str,
                                       values: Mapping[str, Any],
                                       action: str | None = None) -> bool:
        """Write a final state and give the lock back, in one go.

        False, and nothing written, if the engine no longer holds the lock.

        :param action: the one that ends; when the stack has been given
            another one the state is not written, and False returned.
        """
        return db_api.stack_update_and_release_lock(
            context, stack_id, engine_id, base.with_reason(values), action)

    @classmethod
    def delete(cls, context: Any, stack_id: str) -> bool:
        """Mark as deleted and drop its credentials; False if gone."""
        return cls.delete_many(context, [stack_id]) > 0

    @classmethod
    def delete_many(cls, context: Any, stack_ids: Iterable[str]) -> int:
        """Mark as deleted and drop credentials; return how many were."""
        return db_api.stack_delete_many(context, list(stack_ids))

    @classmethod
    def end_many(cls, context: Any, traversals: Mapping[str, str],
                 action: str, values: Mapping[str, Any]) -> int:
        """Write values to stacks whose traversals end: compare and swap.

        Return how many were in progress with the action, and had the
        traversal that is given by their id.
        """
        return db_api.stack_end_many(context, traversals, action,
                                     base.with_reason(values))

    @classmethod
    def tags_for(cls, context: Any, stack_ids: Iterable[str]
                 ) -> dict[str, list[str]]:
        """Return the tags of those of the stacks that have any."""
        return db_api.stack_tags_get(context, stack_ids)

    @classmethod
    def set_tags(cls, context: Any, stack_id: str,
                 tags: Sequence[str] | None) -> None:
        """Replace the tags of a stack."""
        db_api.stack_tags_set(context, stack_id, list(tags or []))


def _may_see(context: Any, row: Any) -> bool:
    """Stack users live in a project of their own and see their stack."""
    if context is None or context.is_admin:
        return True
    project_id = context.project_id
    return project_id is not None and project_id in (
        row.tenant, row.stack_user_project_id)


def _project_of(context: Any) -> str:
    """Return the project of a context, one that owns nothing for none.

    A query takes no project at all for every project.
    """
    return context.project_id or ''


def _exact(cls: type[Stack], name: str, rows: Iterable[Any]
           ) -> Stack | None:
    """Return the first of exactly that name.

    MariaDB and MySQL do not tell upper from lower case when they compare.
    """
    for row in rows:
        if row.name == name:
            return base.record(cls, row)
    return None


def _is_descending(sort_keys: Any, sort_dir: str | None) -> bool:
    return sort_dir == 'desc' if sort_dir else not sort_keys


def _selection(context: Any, filters: Mapping[str, Any] | None,
               show_deleted: bool, show_nested: bool, show_hidden: bool,
               tags: Sequence[str] | None, tags_any: Sequence[str] | None,
               not_tags: Sequence[str] | None,
               not_tags_any: Sequence[str] | None) -> db_api.Selection:
    unwanted = list(not_tags_any or [])
    if not show_hidden:
        unwanted += cfg.CONF.hidden_stack_tags
    return db_api.Selection(
        tenant=None if context.is_admin else _project_of(context),
        filters=filters, show_deleted=show_deleted, show_nested=show_nested,
        tags=list(tags or []), tags_any=list(tags_any or []),
        not_tags=list(not_tags or []), not_tags_any=unwanted)
