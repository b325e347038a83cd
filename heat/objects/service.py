"""Engines in the list of services as stored."""
from collections.abc import Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base

# How many missed reports it takes until an engine counts as down.
_MISSED_REPORTS = 2


@dataclasses.dataclass(slots=True)
class Service:
    """One engine process.

    :ivar read_at: what time it was when the row was read; like the other
        times, by the clock of the database
    """

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
    read_at: datetime.datetime | None = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> 'Service':
        """Store an engine."""
        stored = dict(values)
        stored.setdefault('id', str(uuid.uuid4()))
        db_api.service_create(context, stored)
        made = cls.get(context, stored['id'])
        assert made is not None, 'just stored'
        return made

    @classmethod
    def update_by_id(cls, context: Any, service_id: str,
                     values: Mapping[str, Any]) -> bool:
        """Write values and the time of this report."""
        return db_api.service_update(context, service_id, values)

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
        return sum(row.binary == binary and cls.is_alive(row)
                   for row in cls.get_all(context))

    @classmethod
    def alive_engines(cls, context: Any) -> set[str]:
        """Return the ids of the engines that report in time."""
        return {row.engine_id for row in cls.get_all(context)
                if cls.is_alive(row)}

    @classmethod
    def is_alive(cls, row: 'Service', now: datetime.datetime | None = None
                 ) -> bool:
        """Return whether the last report is recent enough.

        :param now: the time, by default that at which the row was read
        """
        return cls.overdue(row, now) <= datetime.timedelta()

    @staticmethod
    def overdue(row: 'Service', now: datetime.datetime | None = None
                ) -> datetime.timedelta:
        """Return for how long the lease of an engine is over.

        Less than none while it runs; as long as can be if it was given up.
        """
        reported = row.updated_at or row.created_at
        if row.deleted_at is not None or reported is None:
            return datetime.timedelta.max
        return (now or row.read_at or timeutils.utcnow()) - reported - (
            datetime.timedelta(seconds=_MISSED_REPORTS *
                               row.report_interval))
