"""Software configurations as stored."""
from collections.abc import Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class SoftwareConfig:
    """One configuration; records from lists lack ``config``."""

    id: str
    tenant: str
    name: str | None = None
    group: str | None = None
    config: Any = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]
               ) -> 'SoftwareConfig':
        """Store a configuration."""
        stored = dict(values)
        stored.setdefault('id', str(uuid.uuid4()))
        stored.setdefault('created_at', timeutils.utcnow())
        db_api.software_config_create(context, stored)
        return cls(**stored)

    @classmethod
    def get_by_id(cls, context: Any, config_id: str
                  ) -> 'SoftwareConfig | None':
        """Return a configuration of the project (an admin: of any)."""
        row = db_api.software_config_get(context, config_id,
                                         _tenant(context))
        return base.record(cls, row) if row is not None else None

    @classmethod
    def get_all(cls, context: Any, limit: int | None = None,
                marker: str | None = None) -> list['SoftwareConfig']:
        """Return configurations without content, newest first.

        They are those of the project; of all for an administrator who acts
        in none.
        """
        return [base.record(cls, row) for row in
                db_api.software_config_get_all(
                    context, context.project_id or _tenant(context), limit,
                    marker)]

    @classmethod
    def count_all(cls, context: Any) -> int:
        """Count the configurations of the project (an admin: all)."""
        return db_api.software_config_count_all(context, _tenant(context))

    @classmethod
    def delete(cls, context: Any, config_id: str) -> bool | None:
        """Delete; False if there is none, None while one is deployed."""
        return db_api.software_config_delete(context, config_id)


def _tenant(context: Any) -> str | None:
    """Return the project to confine to; that of a stack user has none."""
    return None if context.is_admin else (context.project_id or '')
