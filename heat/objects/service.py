"""Engines in the list of services as stored."""
from collections.abc import Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from oslo_utils import timeutils

from heat.db import api as db_api
from heat.objects import base

# How many missed reports it takes until an engine counts as down.
_MISSED_REPORTS = 2


@dataclasses.dataclass(slots=True)
class Service:
    """One engine process."""

    id: str
    engine_id: str
    host: str
    hostname: str
    binary: str
    topic: str
    report_interval: int
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    deleted_at: datetime.datetime | None = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> 'Service':
        """Store an engine."""
        stored = dict(values)
        stored.setdefault('id', str(uuid.uuid4()))
        stored.setdefault('created_at', timeutils.utcnow())
        db_api.service_create(context, stored)
        return cls(**stored)

    @classmethod
    def update_by_id(cls, context: Any, service_id: str,
                     values: Mapping[str, Any]) -> bool:
        """Write values and the time of this report."""
        return db_api.service_update(
            context, service_id,
            {'updated_at': timeutils.utcnow(), **values})

    @classmethod
    def delete(cls, context: Any, service_id: str, soft_delete: bool = True
               ) -> bool:
        """Remove an engine from the list; False if it was not in it."""
        return db_api.service_delete(context, service_id, soft=soft_delete)

    @classmethod
    def get(cls, context: Any, service_id: str) -> 'Service | None':
        """Return an engine, also one that was deleted softly."""
        row = db_api.service_get(context, service_id)
        return base.record(cls, row) if row is not None else None

    @classmethod
    def get_all(cls, context: Any) -> list['Service']:
        """Return all engines."""
        return [base.record(cls, row)
                for row in db_api.service_get_all(context)]

    @classmethod
    def get_all_by_args(cls, context: Any, host: str, binary: str,
                        hostname: str) -> list['Service']:
        """Return the entries of a machine, deleted ones included."""
        return [base.record(cls, row) for row in
                db_api.service_get_all_by_args(context, host, binary,
                                               hostname)]

    @classmethod
    def active_service_count(cls, context: Any,
                             binary: str = 'heat-engine') -> int:
        """Count the engines that report in time."""
        now = timeutils.utcnow()
        return sum(row.binary == binary and cls.is_alive(row, now)
                   for row in cls.get_all(context))

    @classmethod
    def alive_engines(cls, context: Any) -> set[str]:
        """Return the ids of the engines that report in time."""
        now = timeutils.utcnow()
        return {row.engine_id for row in cls.get_all(context)
                if cls.is_alive(row, now)}

    @staticmethod
    def is_alive(row: 'Service', now: datetime.datetime | None = None
                 ) -> bool:
        """Whether the last report is recent enough."""
        if row.deleted_at is not None:
            return False
        if now is None:
            now = timeutils.utcnow()
        reported = row.updated_at or row.created_at
        allowed = datetime.timedelta(
            seconds=_MISSED_REPORTS * row.report_interval)
        return reported is not None and now - reported <= allowed
