"""Snapshots of stacks as stored."""
from collections.abc import Iterable, Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import crypt
from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class Snapshot:
    """One snapshot of a stack."""

    id: str
    stack_id: str
    tenant: str
    name: str | None = None
    data: Any = None
    action: str | None = None
    status: str | None = None
    status_reason: str | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> 'Snapshot':
        """Store a snapshot."""
        stored = base.with_reason(values, short=True)
        stored.setdefault('id', str(uuid.uuid4()))
        stored.setdefault('created_at', timeutils.utcnow())
        db_api.snapshot_create(context, _sealed(stored))
        return cls(**stored)

    @classmethod
    def get_by_id(cls, context: Any, snapshot_id: str) -> 'Snapshot | None':
        """Return a snapshot that the context's project may see."""
        row = db_api.snapshot_get(context, snapshot_id)
        if row is None:
            return None
        if not context.is_admin and row.tenant != context.project_id:
            return None
        return _record(row)

    @classmethod
    def get_snapshot_by_stack(cls, context: Any, snapshot_id: str,
                              stack_id: str) -> 'Snapshot | None':
        """Return a snapshot if it is one of this stack."""
        snapshot = cls.get_by_id(context, snapshot_id)
        if snapshot is None or snapshot.stack_id != stack_id:
            return None
        return snapshot

    @classmethod
    def stacks_with_any(cls, context: Any, stack_ids: Iterable[str]
                        ) -> set[str]:
        """Return those of some stacks that have snapshots."""
        return db_api.snapshot_stacks_with_any(context, stack_ids)

    @classmethod
    def get_all_by_stack(cls, context: Any, stack_id: str
                         ) -> list['Snapshot']:
        """Return the snapshots of a stack, oldest first."""
        return [_record(row) for row in
                db_api.snapshot_get_all_by_stack(context, stack_id)]

    @classmethod
    def stacks_deleting(cls, context: Any) -> list[str]:
        """Return the ids of the stacks that have some being deleted."""
        return db_api.snapshot_stacks_deleting(context)

    @classmethod
    def count_all_by_stack(cls, context: Any, stack_id: str) -> int:
        """Count the snapshots of a stack."""
        return db_api.snapshot_count_all_by_stack(context, stack_id)

    @classmethod
    def update(cls, context: Any, snapshot_id: str,
               values: Mapping[str, Any]) -> bool:
        """Write values; False if there is no such snapshot."""
        return db_api.snapshot_update(
            context, snapshot_id,
            _sealed(base.with_reason(values, short=True)))

    @classmethod
    def delete(cls, context: Any, snapshot_id: str) -> bool:
        """Delete a snapshot together with those of its resources."""
        return db_api.snapshot_delete(context, snapshot_id)


def _record(row: Any) -> Snapshot:
    return base.record(Snapshot, row, data=crypt.unsealed(row.data))


def _sealed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as stored: what a snapshot holds can be secret."""
    stored = dict(values)
    if stored.get('data') is not None:
        stored['data'] = crypt.sealed(stored['data'])
    return stored
