"""Events of stacks and resources as stored."""
from collections.abc import Iterable, Mapping, Sequence
import dataclasses
import datetime
from typing import Any

from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class Event:
    """One event; ``resource_properties`` as they were at the time."""

    id: int
    stack_id: str
    uuid: str | None = None
    resource_action: str | None = None
    resource_status: str | None = None
    resource_name: str | None = None
    physical_resource_id: str | None = None
    resource_status_reason: str | None = None
    resource_type: str | None = None
    resource_properties: dict[str, Any] | None = None
    rsrc_prop_data_id: int | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    acting_ms: int | None = None
    polling_ms: int | None = None

    @classmethod
    def get_all_by_stacks(cls, context: Any, stack_ids: Iterable[str],
                          limit: int | None = None,
                          marker: str | None = None,
                          sort_keys: str | Sequence[str] | None = None,
                          sort_dir: str | None = None,
                          filters: Mapping[str, Any] | None = None
                          ) -> list['Event']:
        """Return events of stacks, oldest first unless sorted otherwise.

        The marker is the uuid of the last event of the page before.
        """
        rows = db_api.event_get_all_by_stacks(
            context, list(stack_ids), limit=limit, marker=marker,
            sort_keys=sort_keys, descending=sort_dir == 'desc',
            filters=filters)
        return [_from_row(row) for row in rows]

    @classmethod
    def get_all_by_stack(cls, context: Any, stack_id: str,
                         limit: int | None = None,
                         marker: str | None = None,
                         sort_keys: str | Sequence[str] | None = None,
                         sort_dir: str | None = None,
                         filters: Mapping[str, Any] | None = None
                         ) -> list['Event']:
        """Return events of a stack, oldest first unless sorted."""
        return cls.get_all_by_stacks(context, [stack_id], limit, marker,
                                     sort_keys, sort_dir, filters)

    @classmethod
    def get_all_by_tenant(cls, context: Any, limit: int | None = None,
                          marker: str | None = None,
                          sort_keys: str | Sequence[str] | None = None,
                          sort_dir: str | None = None,
                          filters: Mapping[str, Any] | None = None
                          ) -> list['Event']:
        """Return events of all existing stacks of the project."""
        rows = db_api.event_get_all_by_tenant(
            context, context.project_id, limit=limit, marker=marker,
            sort_keys=sort_keys, descending=sort_dir == 'desc',
            filters=filters)
        return [_from_row(row) for row in rows]

    @classmethod
    def count_all_by_stack(cls, context: Any, stack_id: str) -> int:
        """Count the events of a stack."""
        return db_api.event_count_all_by_stack(context, stack_id)

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> int:
        """Store an event and return the id of its row."""
        return db_api.event_create(context, _stored(values))

    @classmethod
    def create_many(cls, context: Any, values: Iterable[Mapping[str, Any]]
                    ) -> None:
        """Store events with few statements."""
        db_api.event_create_many(
            context, [_stored(one) for one in values])

    @classmethod
    def purge_excess(cls, context: Any, stack_id: str, keep: int,
                     batch: int) -> int:
        """Delete up to batch of the oldest events beyond the last keep."""
        return db_api.event_purge_excess(context, stack_id, keep, batch)


def _from_row(row: Any) -> Event:
    properties = row.resource_properties
    if row.rsrc_prop_data_id is not None:
        properties = base.plain(row.prop_data, row.prop_encrypted)
    return base.record(Event, row, resource_properties=properties)


def _stored(values: Mapping[str, Any]) -> dict[str, Any]:
    stored = dict(values)
    for name in ('resource_status_reason', 'physical_resource_id'):
        if name in stored:
            stored[name] = base.short_text(stored[name])
    return stored
