"""Queries on software configurations and their deployments."""
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_CONFIG = models.SOFTWARE_CONFIG
_DEPLOYMENT = models.SOFTWARE_DEPLOYMENT


@session.writes
def software_config_create(conn: sa.Connection, values: Mapping[str, Any]
                           ) -> str:
    return query.insert_named(conn, _CONFIG, values)


@session.reads
def software_config_get(conn: sa.Connection, config_id: str,
                        tenant: str | None) -> query.Row | None:
    """Return a configuration; with a tenant only if it is its own."""
    statement = sa.select(_CONFIG).where(_CONFIG.c.id == config_id)
    if tenant is not None:
        statement = statement.where(_CONFIG.c.tenant == tenant)
    return query.first(conn, statement)


@session.reads
def software_config_get_all(conn: sa.Connection, tenant: str | None,
                            limit: int | None, marker: str | None
                            ) -> list[query.Row]:
    """Return configurations without their content, newest first."""
    columns = [column for column in _CONFIG.c if column.name != 'config']
    statement = sa.select(*columns)
    if tenant is not None:
        statement = statement.where(_CONFIG.c.tenant == tenant)
    marker_row = marker and query.first(
        conn, statement.where(_CONFIG.c.id == marker))
    return query.all_rows(conn, query.sorted_page(
        statement, _CONFIG, ['created_at', 'id'], True,
        marker_row or None, limit))


@session.reads
def software_config_count_all(conn: sa.Connection, tenant: str | None
                              ) -> int:
    statement = sa.select(_CONFIG.c.id)
    if tenant is not None:
        statement = statement.where(_CONFIG.c.tenant == tenant)
    return query.count(conn, statement)


@session.writes
def software_config_delete(conn: sa.Connection, config_id: str
                           ) -> bool | None:
    """Delete a configuration.

    Return None, and change nothing, while a deployment uses it.
    """
    used = sa.exists().where(_DEPLOYMENT.c.config_id == _CONFIG.c.id)
    result = conn.execute(
        _CONFIG.delete().where(_CONFIG.c.id == config_id, ~used))
    if result.rowcount:
        return True
    exists = query.first(
        conn, sa.select(_CONFIG.c.id).where(_CONFIG.c.id == config_id))
    return False if exists is None else None


def _select_deployment() -> sa.Select[Any]:
    """Return a query for deployments together with their configuration."""
    config = [column.label(f'config_{column.name}') for column in _CONFIG.c
              if column.name != 'id']
    return sa.select(_DEPLOYMENT, *config).select_from(
        _DEPLOYMENT.join(_CONFIG))


def _own(tenant: str | None) -> list[sa.ColumnElement[bool]]:
    if tenant is None:
        return []
    return [sa.or_(_DEPLOYMENT.c.tenant == tenant,
                   _DEPLOYMENT.c.stack_user_project_id == tenant)]


@session.writes
def software_deployment_create(conn: sa.Connection,
                               values: Mapping[str, Any]) -> str:
    return query.insert_named(conn, _DEPLOYMENT, values)


@session.reads
def software_deployment_get(conn: sa.Connection, deployment_id: str,
                            tenant: str | None) -> query.Row | None:
    """Return a deployment; with a tenant only if it has to do with it."""
    return query.first(conn, _select_deployment().where(
        _DEPLOYMENT.c.id == deployment_id, *_own(tenant)))


@session.reads
def software_deployment_get_all(conn: sa.Connection, tenant: str | None,
                                server_id: str | None) -> list[query.Row]:
    statement = _select_deployment().where(*_own(tenant))
    if server_id:
        statement = statement.where(_DEPLOYMENT.c.server_id == server_id)
    return query.all_rows(conn, statement.order_by(
        _DEPLOYMENT.c.created_at, _DEPLOYMENT.c.id))


@session.reads
def software_deployment_count_all(conn: sa.Connection, tenant: str | None
                                  ) -> int:
    return query.count(
        conn, sa.select(_DEPLOYMENT.c.id).where(*_own(tenant)))


@session.writes
def software_deployment_update(conn: sa.Connection, deployment_id: str,
                               values: Mapping[str, Any]) -> bool:
    result = conn.execute(
        _DEPLOYMENT.update().where(_DEPLOYMENT.c.id == deployment_id),
        dict(values))
    return result.rowcount > 0


@session.writes
def software_deployment_delete(conn: sa.Connection, deployment_id: str
                               ) -> bool:
    result = conn.execute(
        _DEPLOYMENT.delete().where(_DEPLOYMENT.c.id == deployment_id))
    return result.rowcount > 0
