"""Queries on software configurations and their deployments."""
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session

_CONFIG = models.SOFTWARE_CONFIG
_DEPLOYMENT = models.SOFTWARE_DEPLOYMENT
_STACK = models.STACK


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


def _visible(project_id: str | None) -> list[sa.ColumnElement[bool]]:
    """Return conditions for the deployments that a project may see.

    These are its own. The project of the users of a stack sees the
    deployments that name it, if the stack belongs to the project that made
    them: the column alone proves nothing, clients have filled it.
    """
    if project_id is None:
        return []
    of_users = sa.and_(
        _DEPLOYMENT.c.stack_user_project_id == project_id,
        sa.exists().where(_STACK.c.stack_user_project_id == project_id,
                          _STACK.c.tenant == _DEPLOYMENT.c.tenant,
                          _STACK.c.deleted_at.is_(None)))
    return [sa.or_(_DEPLOYMENT.c.tenant == project_id, of_users)]


@session.writes
def software_deployment_create(conn: sa.Connection,
                               values: Mapping[str, Any]) -> str:
    return query.insert_named(conn, _DEPLOYMENT, values)


@session.reads
def software_deployment_get(conn: sa.Connection, deployment_id: str,
                            tenant: str | None) -> query.Row | None:
    """Return a deployment; with a tenant only if that may see it."""
    return query.first(conn, _select_deployment().where(
        _DEPLOYMENT.c.id == deployment_id, *_visible(tenant)))


@session.reads
def software_deployment_get_all(conn: sa.Connection, tenant: str | None,
                                server_id: str | None) -> list[query.Row]:
    statement = _select_deployment().where(*_visible(tenant))
    if server_id:
        statement = statement.where(_DEPLOYMENT.c.server_id == server_id)
    return query.all_rows(conn, statement.order_by(
        _DEPLOYMENT.c.created_at, _DEPLOYMENT.c.id))


@session.reads
def software_deployment_get_all_of_server(
        conn: sa.Connection, tenant: str, server_id: str
        ) -> list[query.Row]:
    """Return the deployments that a project has made on a server."""
    return query.all_rows(conn, _select_deployment().where(
        _DEPLOYMENT.c.tenant == tenant,
        _DEPLOYMENT.c.server_id == server_id).order_by(
            _DEPLOYMENT.c.created_at, _DEPLOYMENT.c.id))


@session.reads
def software_deployment_count_all(conn: sa.Connection, tenant: str | None
                                  ) -> int:
    statement = sa.select(_DEPLOYMENT.c.id)
    if tenant is not None:
        statement = statement.where(_DEPLOYMENT.c.tenant == tenant)
    return query.count(conn, statement)


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
