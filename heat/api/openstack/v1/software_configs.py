"""Software configs."""
from collections.abc import Mapping
from typing import Any

import webob

from heat.api.openstack.v1 import util
from heat.rpc import api as rpc_api
from heat.rpc import client as engine_client


class SoftwareConfigController:
    """Lists, creates, shows and deletes software configs."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def index(self, req: webob.Request, query: dict[str, Any]
              ) -> dict[str, Any]:
        """List the configs of the project, or of all."""
        context = req.context
        if query.pop(rpc_api.PARAM_GLOBAL_TENANT):
            context = util.admin_context(req)
        configs = self.rpc_client.list_software_configs(context, **query)
        return {'software_configs': [
            _without_project(config) if not context.is_admin else config
            for config in configs]}

    def show(self, req: webob.Request, config_id: str) -> dict[str, Any]:
        """Show a config."""
        config = self.rpc_client.show_software_config(req.context, config_id)
        return {'software_config': config}

    def create(self, req: webob.Request, body: Any) -> dict[str, Any]:
        """Store a config."""
        config = self.rpc_client.create_software_config(
            req.context,
            group=body.get(rpc_api.SOFTWARE_CONFIG_GROUP),
            name=body.get(rpc_api.SOFTWARE_CONFIG_NAME),
            config=body.get(rpc_api.SOFTWARE_CONFIG_CONFIG),
            inputs=body.get(rpc_api.SOFTWARE_CONFIG_INPUTS),
            outputs=body.get(rpc_api.SOFTWARE_CONFIG_OUTPUTS),
            options=body.get(rpc_api.SOFTWARE_CONFIG_OPTIONS))
        return {'software_config': config}

    def delete(self, req: webob.Request, config_id: str) -> None:
        """Delete a config that no deployment uses."""
        self.rpc_client.delete_software_config(req.context, config_id)


def _without_project(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items()
            if key != rpc_api.SOFTWARE_CONFIG_PROJECT}
