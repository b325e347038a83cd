"""Snapshots of single resources as stored."""
from collections.abc import Iterable, Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import crypt
from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class ResourceSnapshot:
    """The part of a stack snapshot that describes one resource."""

    id: str
    snapshot_id: str
    resource_name: str
    data: Any = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> str:
        """Store one and return its id."""
        stored = {'id': str(uuid.uuid4()), **values}
        cls.create_many(context, [stored])
        return str(stored['id'])

    @classmethod
    def create_many(cls, context: Any, values: Iterable[Mapping[str, Any]]
                    ) -> None:
        """Store several with few statements."""
        db_api.resource_snapshot_create_many(
            context, [{**each, 'data': crypt.sealed(each.get('data'))}
                      for each in values])

    @classmethod
    def get_all(cls, context: Any, snapshot_id: str
                ) -> list['ResourceSnapshot']:
        """Return those that belong to a snapshot."""
        return [base.record(cls, row, data=crypt.unsealed(row.data))
                for row in
                db_api.resource_snapshot_get_all(context, snapshot_id)]
