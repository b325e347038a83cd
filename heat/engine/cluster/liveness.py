"""Whether engines are alive, as their heartbeat rows say."""
import datetime
from typing import Any

from heat.common import timeutils as heat_timeutils
from heat.objects import service as service_objects


def is_up(row: Any, now: datetime.datetime | None = None) -> bool:
    """Return whether a service reported within its interval, and a bit."""
    return service_objects.Service.is_alive(row, now)


def format_service(row: Any) -> dict[str, Any]:
    """Return one service as `openstack orchestration service list` has it."""
    if row.deleted_at is not None or not is_up(row):
        status = 'down'
    else:
        status = 'up'
    updated = row.updated_at or row.created_at
    return {
        'id': row.id,
        'engine_id': row.engine_id,
        'host': row.host,
        'hostname': row.hostname,
        'binary': row.binary,
        'topic': row.topic,
        'report_interval': row.report_interval,
        'created_at': heat_timeutils.isotime(row.created_at),
        'updated_at': heat_timeutils.isotime(updated),
        'deleted_at': (heat_timeutils.isotime(row.deleted_at)
                       if row.deleted_at else None),
        'status': status,
    }
