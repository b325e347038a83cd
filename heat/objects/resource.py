"""Resources as stored."""
from collections.abc import Iterable, Mapping, Sequence
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base
from heat.objects import resource_data

_ID_LISTS = ('requires', 'needed_by')


@dataclasses.dataclass(frozen=True, slots=True)
class Swap:
    """A write to a row on condition that it is as expected.

    :ivar engine_id: who is expected to hold it
    """

    row_id: int
    values: Mapping[str, Any]
    engine_id: str | None
    atomic_key: int | None


@dataclasses.dataclass(slots=True)
class ListedResource:
    """The columns of a row that lists of the API are made of, in order."""

    id: int
    name: str
    stack_id: str
    physical_resource_id: str | None
    action: str | None
    status: str | None
    status_reason: str | None
    requires: list[int] | None
    replaced_by: int | None
    current_template_id: int | None
    created_at: datetime.datetime
    updated_at: datetime.datetime | None


@dataclasses.dataclass(slots=True)
class ResourceState:
    """The columns that show whether a resource matches its definition."""

    id: int
    name: str
    stack_id: str
    physical_resource_id: str | None
    action: str
    status: str
    engine_id: str | None
    replaced_by: int | None
    current_template_id: int | None
    rsrc_prop_data_id: int | None
    updated_at: datetime.datetime | None


@dataclasses.dataclass(slots=True)
class Resource:
    """One row with its properties and attributes in the clear.

    ``data`` is None unless it was asked for. Records from summaries have
    neither properties nor attributes.
    """

    id: int
    name: str
    stack_id: str
    uuid: str | None = None
    physical_resource_id: str | None = None
    action: str | None = None
    status: str | None = None
    status_reason: str | None = None
    root_stack_id: str | None = None
    rsrc_metadata: Any = None
    rsrc_prop_data_id: int | None = None
    attr_data_id: int | None = None
    engine_id: str | None = None
    atomic_key: int | None = None
    needed_by: list[int] | None = None
    requires: list[int] | None = None
    replaces: int | None = None
    replaced_by: int | None = None
    current_template_id: int | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    properties: dict[str, Any] | None = None
    attributes: dict[str, Any] | None = None
    data: dict[str, str | None] | None = None

    @classmethod
    def get_obj(cls, context: Any, resource_id: int | str, *,
                with_data: bool = False) -> 'Resource | None':
        """Return a resource, or None if its row is gone.

        A text is taken as the number of a row if it is one, else as a uuid.
        """
        if isinstance(resource_id, str) and not resource_id.isdigit():
            row = db_api.resource_get_by_uuid(context, resource_id)
        else:
            row = db_api.resource_get(context, int(resource_id))
        if row is None:
            return None
        return _filled(context, [_from_row(row)], with_data)[0]

    @classmethod
    def lock_metadata(cls, context: Any, resource_id: int) -> Any:
        """Return metadata that nobody else changes in this transaction."""
        return db_api.resource_lock_metadata(context, resource_id)

    @classmethod
    def get_many(cls, context: Any, ids: Iterable[int], *,
                 with_data: bool = False) -> list['Resource']:
        """Return those that exist, by id, with one statement."""
        rows = db_api.resource_get_many(context, ids)
        return _filled(context, [_from_row(row) for row in rows], with_data)

    @classmethod
    def get_by_name_and_stack(cls, context: Any, name: str | None,
                              stack_id: str) -> 'Resource | None':
        """Return the newest row of that name in a stack."""
        for row in db_api.resource_get_all_by_name_and_stack(
                context, name, stack_id):
            # MariaDB and MySQL take "Name" and "name" for equal.
            if row.name == name:
                return _from_row(row)
        return None

    @classmethod
    def get_by_physical_resource_id(cls, context: Any, physical_id: str,
                                    stack_id: str | None = None,
                                    project_id: str | None = None
                                    ) -> 'Resource | None':
        """Return the newest row that stands for a thing in the cloud.

        :param project_id: only of stacks that have to do with this project
        """
        for row in db_api.resource_get_all_by_physical_id(
                context, physical_id, stack_id, project_id):
            if row.physical_resource_id == physical_id:
                return _from_row(row)
        return None

    @classmethod
    def get_all_by_physical_resource_id(
            cls, context: Any, physical_id: str,
            project_id: str | None = None) -> list['Resource']:
        """Return all rows that stand for a thing in the cloud.

        :param project_id: only of stacks that have to do with this project
        """
        return [_from_row(row) for row in
                db_api.resource_get_all_by_physical_id(
                    context, physical_id, None, project_id)
                if row.physical_resource_id == physical_id]

    @classmethod
    def get_all(cls, context: Any) -> list['Resource']:
        """Return all resources of all stacks."""
        return [_from_row(row) for row in db_api.resource_get_all(context)]

    @classmethod
    def get_all_by_stack(cls, context: Any, stack_id: str,
                         filters: Mapping[str, Any] | None = None, *,
                         with_data: bool = False) -> dict[str, 'Resource']:
        """Return the resources by name; of one name the newest row."""
        rows = db_api.resource_get_all_by_stack(context, stack_id, filters)
        found = {row.name: row for row in rows}
        records = [_from_row(row) for row in found.values()]
        return {record.name: record
                for record in _filled(context, records, with_data)}

    @classmethod
    def get_all_rows_by_stack(cls, context: Any, stack_id: str, *,
                              with_data: bool = False
                              ) -> dict[int, 'Resource']:
        """Return all rows by id, several of one name included."""
        rows = db_api.resource_get_all_by_stack(context, stack_id)
        records = [_from_row(row) for row in rows]
        return {record.id: record
                for record in _filled(context, records, with_data)}

    @classmethod
    def get_all_active_by_stack(cls, context: Any, stack_id: str, *,
                                names: Iterable[str] | None = None,
                                with_data: bool = False
                                ) -> dict[int, 'Resource']:
        """Return the rows by id, without those that are DELETE_COMPLETE.

        :param names: only the rows of these resources; not too many names
            for one statement
        """
        rows = db_api.resource_get_all_by_stack(
            context, stack_id, None if names is None else {
                'name': list(names)}, active=True)
        records = [_from_row(row) for row in rows]
        return {record.id: record
                for record in _filled(context, records, with_data)}

    @classmethod
    def get_all_active_of_stacks(cls, context: Any, stack_ids: Iterable[str]
                                 ) -> dict[str, dict[int, 'Resource']]:
        """Return the rows of each stack like get_all_active_by_stack()."""
        found: dict[str, dict[int, Resource]] = {
            stack_id: {} for stack_id in stack_ids}
        for row in db_api.resource_get_all_active_of_stacks(
                context, list(found)):
            found[row.stack_id][row.id] = _from_row(row)
        return found

    @classmethod
    def get_all_by_root_stack(cls, context: Any, root_id: str,
                              filters: Mapping[str, Any] | None = None,
                              stack_id_only: bool = False
                              ) -> dict[int, Any]:
        """Return the resources of a tree by id, or just their stack ids."""
        if stack_id_only:
            return {row.id: row.stack_id for row in
                    db_api.resource_get_stack_ids_by_root_stack(
                        context, root_id, filters)}
        return {row.id: _from_row(row) for row in
                db_api.resource_get_all_by_root_stack(
                    context, root_id, filters)}

    @classmethod
    def get_all_stack_ids_by_root_stack(cls, context: Any, root_id: str
                                        ) -> set[str]:
        """Return the stacks of a tree that have resources."""
        return set(db_api.stack_ids_with_resources_by_root_stack(
            context, root_id))

    @classmethod
    def get_summaries(cls, context: Any, stack_ids: str | Iterable[str],
                      filters: Mapping[str, Any] | None = None
                      ) -> list['Resource']:
        """Return what lists show: no properties and no attributes."""
        if isinstance(stack_ids, str):
            stack_ids = [stack_ids]
        return [base.record(cls, row) for row in
                db_api.resource_get_summaries(
                    context, list(stack_ids), filters)]

    @classmethod
    def get_listed(cls, context: Any, stack_ids: Iterable[str]
                   ) -> list['ListedResource']:
        """Return the resources of stacks as the API lists them."""
        rows: list[Any] = db_api.resource_get_listed(context, list(stack_ids))
        return [ListedResource(*row) for row in rows]

    @classmethod
    def get_states(cls, context: Any, stack_ids: Iterable[str], limit: int
                   ) -> list['ResourceState']:
        """Return the states of at most `limit` resources of stacks."""
        rows: list[Any] = db_api.resource_get_states(context, stack_ids,
                                                     limit)
        return [ResourceState(*row) for row in rows]

    @classmethod
    def names_requiring(cls, context: Any, stack_id: str, resource_id: int
                        ) -> list[str]:
        """Return the names of what a stack has that requires a resource."""
        return [row.name for row in db_api.resource_get_requirers(
            context, stack_id, resource_id)
            if resource_id in (row.requires or ())]

    @classmethod
    def claims(cls, context: Any) -> list[tuple[int, str, str]]:
        """Return (resource id, stack id, engine id) of what is held.

        Only convergence stacks that are in progress have such claims.
        """
        return [(row.id, row.stack_id, row.engine_id)
                for row in db_api.resource_get_claims(context)]

    @classmethod
    def with_metadata_key(cls, context: Any, key: str
                          ) -> list[tuple[str, str]]:
        """Return (stack id, name) of those whose metadata have a key.

        It looks at the metadata of all resources.
        """
        return [(row.stack_id, row.name) for row in
                db_api.resource_get_with_metadata_key(context, key)]

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> 'Resource':
        """Store a resource."""
        stored = _stored(values)
        stored.setdefault('uuid', str(uuid.uuid4()))
        stored.setdefault('created_at', timeutils.utcnow())
        stored['id'] = db_api.resource_create(context, stored)
        return cls(**stored)

    @classmethod
    def create_many(cls, context: Any, values: Iterable[Mapping[str, Any]]
                    ) -> list[int]:
        """Store resources with few statements; return the ids in order."""
        return db_api.resource_create_many(
            context, [_stored(one) for one in values])

    @classmethod
    def update_by_id(cls, context: Any, resource_id: int,
                     values: Mapping[str, Any]) -> bool:
        """Write values regardless of claims; False if the row is gone."""
        return db_api.resource_update(context, resource_id, _stored(values))

    @classmethod
    def update_many(cls, context: Any, ids: Iterable[int],
                    values: Mapping[str, Any]) -> int:
        """Write the same values to many rows; return how many there were.
        """
        return db_api.resource_update_many(context, list(ids),
                                           _stored(values))

    @classmethod
    def set_templates(cls, context: Any, ids: Iterable[int],
                      templates: Mapping[str, int]) -> None:
        """Let rows, whoever holds them, belong to a template.

        :param templates: the one of each stack, by stack id
        """
        db_api.resource_set_templates(context, ids, templates)

    @classmethod
    def set_root(cls, context: Any, stack_ids: Iterable[str], root_id: str
                 ) -> None:
        """Let all rows of nested stacks belong to a tree.

        :param root_id: the id of the stack at the top
        """
        db_api.resource_set_root(context, stack_ids, root_id)

    @classmethod
    def select_and_update(cls, context: Any, resource_id: int,
                          values: Mapping[str, Any],
                          expected_engine_id: str | None,
                          atomic_key: int | None,
                          expected_status: str | None = None) -> bool:
        """Write values if nobody else did meanwhile: compare and swap.

        One statement; it counts atomic_key up (an absent one to 1).
        """
        expected = {'engine_id': expected_engine_id,
                    'atomic_key': atomic_key}
        if expected_status is not None:
            expected['status'] = expected_status
        return db_api.resource_swap(context, resource_id, _stored(values),
                                    expected)

    @classmethod
    def swap_many(cls, context: Any, swaps: Sequence[Swap]) -> list[Swap]:
        """Carry out swaps like select_and_update(); return the lost ones.

        Those that are alike take one statement. Of several only a part may
        be told, and the caller has to undo the transaction if any is.
        """
        if len(swaps) == 1:
            [swap] = swaps
            return [] if cls.select_and_update(
                context, swap.row_id, swap.values, swap.engine_id,
                swap.atomic_key) else [swap]
        alike: dict[Any, list[Swap]] = {}
        for swap in swaps:
            alike.setdefault((swap.engine_id is None,
                              swap.atomic_key is None,
                              frozenset(swap.values)), []).append(swap)
        lost: list[Swap] = []
        for some in alike.values():
            swapped = db_api.resource_swap_many(context, [
                db_api.Change(swap.row_id, _stored(swap.values),
                              {'engine_id': swap.engine_id,
                               'atomic_key': swap.atomic_key})
                for swap in some])
            if swapped < len(some):
                lost += cls._lost(context, some)
        return lost

    @staticmethod
    def _lost(context: Any, swaps: list[Swap]) -> list[Swap]:
        """Return those of some swaps that others were faster than."""
        rows = {row.id: (row.engine_id, row.atomic_key)
                for row in db_api.resource_get_claimed(
                    context, [swap.row_id for swap in swaps])}
        return [swap for swap in swaps if rows.get(swap.row_id) != (
            swap.values.get('engine_id', swap.engine_id),
            (swap.atomic_key or 0) + 1)] or swaps

    @classmethod
    def fence(cls, context: Any, stack_id: str) -> int:
        """Make every swap fail that was prepared before now.

        Rows that somebody holds are left alone. One statement; return how
        many rows it changed.
        """
        return db_api.resource_fence(context, stack_id)

    @classmethod
    def replacement(cls, context: Any, existing_id: int,
                    new_values: Mapping[str, Any],
                    atomic_key_expected: int | None,
                    expected_engine_id: str | None = None,
                    existing_values: Mapping[str, Any] | None = None
                    ) -> int | None:
        """Store the resource that replaces one; return its id.

        The existing row learns of it by the same compare-and-swap as in
        select_and_update, which may write more (existing_values). None,
        and nothing stored, if that is lost.
        """
        return db_api.resource_replace(
            context, existing_id, _stored(new_values),
            _stored(existing_values or {}),
            {'engine_id': expected_engine_id,
             'atomic_key': atomic_key_expected})

    @classmethod
    def delete(cls, context: Any, resource_id: int) -> bool:
        """Delete a row with its data; False if it was gone."""
        return cls.delete_many(context, [resource_id]) > 0

    @classmethod
    def delete_many(cls, context: Any, ids: Iterable[int]) -> int:
        """Delete rows, data and unshared properties by set statements."""
        return db_api.resource_delete_many(context, ids)

    @classmethod
    def purge_for_stack(cls, context: Any, stack_id: str) -> int:
        """Delete all rows of a stack; return how many there were."""
        return cls.purge_for_stacks(context, [stack_id])

    @classmethod
    def purge_for_stacks(cls, context: Any, stack_ids: Iterable[str]) -> int:
        """Delete all rows of stacks; return how many there were."""
        return db_api.resource_purge_for_stacks(context, list(stack_ids))


def _from_row(row: Any) -> Resource:
    if row.rsrc_prop_data_id is not None:
        properties = base.plain(row.prop_data, row.prop_encrypted)
    else:
        # A row that an old release wrote.
        properties = base.plain(row.properties_data,
                                row.properties_data_encrypted)
    return base.record(
        Resource, row, properties=properties,
        attributes=base.plain(row.attr_data, row.attr_encrypted))


def _filled(context: Any, records: list[Resource], with_data: bool
            ) -> list[Resource]:
    if with_data and records:
        data = resource_data.ResourceData.get_all_many(
            context, [record.id for record in records])
        for record in records:
            record.data = data.get(record.id, {})
    return records


def _stored(values: Mapping[str, Any]) -> dict[str, Any]:
    stored = base.with_reason(values)
    for name in _ID_LISTS:
        if stored.get(name) is not None:
            stored[name] = base.ids(stored[name])
    return stored
