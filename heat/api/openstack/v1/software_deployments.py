"""Deployments of software configs to servers."""
from collections.abc import Collection
from typing import Any

import webob

from heat.rpc import client as engine_client

TEXTS = ('config_id', 'action', 'status', 'status_reason')
VALUES = ('input_values', 'output_values')


class SoftwareDeploymentController:
    """Lists, creates, changes, shows and deletes deployments."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def index(self, req: webob.Request, query: dict[str, Any]
              ) -> dict[str, Any]:
        """List the deployments of the project, or of one server."""
        deployments = self.rpc_client.list_software_deployments(
            req.context, **query)
        return {'software_deployments': deployments}

    def metadata(self, req: webob.Request, server_id: str) -> dict[str, Any]:
        """List the configs deployed to a server, ready to be applied."""
        metadata = self.rpc_client.metadata_software_deployments(
            req.context, server_id=server_id)
        return {'metadata': metadata}

    def show(self, req: webob.Request, deployment_id: str) -> dict[str, Any]:
        """Show a deployment."""
        deployment = self.rpc_client.show_software_deployment(
            req.context, deployment_id)
        return {'software_deployment': deployment}

    def create(self, req: webob.Request, body: Any) -> dict[str, Any]:
        """Deploy a config to a server."""
        values = _values(body, (*TEXTS, 'server_id',
                                'stack_user_project_id'))
        # Left out is not the same as null: a reason is never the text None.
        values['status_reason'] = values.get('status_reason') or ''
        for name in ('server_id', 'config_id', 'input_values', 'action',
                     'status', 'stack_user_project_id'):
            values.setdefault(name, None)
        values.pop('output_values', None)
        deployment = self.rpc_client.create_software_deployment(
            req.context, **values)
        return {'software_deployment': deployment}

    def update(self, req: webob.Request, deployment_id: str, body: Any
               ) -> dict[str, Any]:
        """Record progress of a deployment."""
        deployment = self.rpc_client.update_software_deployment(
            req.context, deployment_id=deployment_id,
            **_values(body, TEXTS))
        return {'software_deployment': deployment}

    def delete(self, req: webob.Request, deployment_id: str) -> None:
        """Delete a deployment."""
        self.rpc_client.delete_software_deployment(
            req.context, deployment_id)


def _values(body: Any, names: Collection[str]) -> dict[str, Any]:
    """Return the values of a body that a deployment has."""
    return {name: body[name] for name in (*names, *VALUES) if name in body}
