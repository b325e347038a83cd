"""Deployments of software configurations as stored."""
from collections.abc import Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base
from heat.objects import software_config


@dataclasses.dataclass(slots=True)
class SoftwareDeployment:
    """One deployment; ``config`` is loaded with it."""

    id: str
    server_id: str
    config_id: str
    tenant: str
    input_values: Any = None
    output_values: Any = None
    action: str | None = None
    status: str | None = None
    status_reason: str | None = None
    stack_user_project_id: str | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    config: software_config.SoftwareConfig | None = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]
               ) -> 'SoftwareDeployment':
        """Store a deployment; the record has no ``config``."""
        stored = base.with_reason(values)
        stored.setdefault('id', str(uuid.uuid4()))
        stored.setdefault('created_at', timeutils.utcnow())
        db_api.software_deployment_create(context, stored)
        return cls(**stored)

    @classmethod
    def get_by_id(cls, context: Any, deployment_id: str
                  ) -> 'SoftwareDeployment | None':
        """Return a deployment that the project may see."""
        row = db_api.software_deployment_get(context, deployment_id,
                                             _tenant(context))
        return _from_row(row) if row is not None else None

    @classmethod
    def get_all(cls, context: Any, server_id: str | None = None
                ) -> list['SoftwareDeployment']:
        """Return the deployments that the project may see.

        :param server_id: restricts them to one server.
        """
        return [_from_row(row) for row in
                db_api.software_deployment_get_all(
                    context, context.project_id or _tenant(context),
                    server_id)]

    @classmethod
    def get_all_of_server(cls, context: Any, tenant: str, server_id: str
                          ) -> list['SoftwareDeployment']:
        """Return the deployments that a project has made on a server."""
        return [_from_row(row) for row in
                db_api.software_deployment_get_all_of_server(
                    context, tenant, server_id)]

    @classmethod
    def count_all(cls, context: Any) -> int:
        """Count the deployments that the project made (an admin: all)."""
        return db_api.software_deployment_count_all(context,
                                                    _tenant(context))

    @classmethod
    def update_by_id(cls, context: Any, deployment_id: str,
                     values: Mapping[str, Any]) -> bool:
        """Write values; False if there is no such deployment."""
        return db_api.software_deployment_update(
            context, deployment_id, base.with_reason(values))

    @classmethod
    def delete(cls, context: Any, deployment_id: str) -> bool:
        """Delete a deployment; False if there was none."""
        return db_api.software_deployment_delete(context, deployment_id)


def _tenant(context: Any) -> str | None:
    return None if context.is_admin else (context.project_id or '')


def _from_row(row: Any) -> SoftwareDeployment:
    config = software_config.SoftwareConfig(
        id=row.config_id, tenant=row.config_tenant, name=row.config_name,
        group=row.config_group, config=row.config_config,
        created_at=row.config_created_at, updated_at=row.config_updated_at)
    return base.record(SoftwareDeployment, row, config=config)
