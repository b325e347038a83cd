"""The engine's calls for software configs and deployments."""
from typing import Any

from heat.common import context as heat_context
from heat.rpc import client_base


class SoftwareCalls(client_base.Calls):
    """Part of EngineClient."""

    def show_software_config(self, cnxt: heat_context.RequestContext,
                             config_id: str) -> dict[str, Any]:
        """Return one software config."""
        return self.call(cnxt, self.make_msg('show_software_config',
                                             config_id=config_id))

    def list_software_configs(self, cnxt: heat_context.RequestContext,
                              limit: int | None = None,
                              marker: str | None = None
                              ) -> list[dict[str, Any]]:
        """Return the software configs of the project."""
        return self.call(cnxt, self.make_msg(
            'list_software_configs', limit=limit, marker=marker),
            version='1.33')

    def create_software_config(self, cnxt: heat_context.RequestContext,
                               group: str, name: str, config: Any,
                               inputs: list[dict[str, Any]] | None = None,
                               outputs: list[dict[str, Any]] | None = None,
                               options: dict[str, Any] | None = None
                               ) -> dict[str, Any]:
        """Store a software config and return it."""
        return self.call(cnxt, self.make_msg(
            'create_software_config', group=group, name=name, config=config,
            inputs=inputs or [], outputs=outputs or [],
            options=options or {}))

    def delete_software_config(self, cnxt: heat_context.RequestContext,
                               config_id: str) -> None:
        """Delete a software config that no deployment uses."""
        return self.call(cnxt, self.make_msg('delete_software_config',
                                             config_id=config_id))

    def list_software_deployments(self, cnxt: heat_context.RequestContext,
                                  server_id: str | None = None
                                  ) -> list[dict[str, Any]]:
        """Return the deployments of the project, or of one server."""
        return self.call(cnxt, self.make_msg('list_software_deployments',
                                             server_id=server_id))

    def metadata_software_deployments(self, cnxt: heat_context.RequestContext,
                                      server_id: str) -> list[dict[str, Any]]:
        """Return what a server is to deploy."""
        return self.call(cnxt, self.make_msg(
            'metadata_software_deployments', server_id=server_id))

    def show_software_deployment(self, cnxt: heat_context.RequestContext,
                                 deployment_id: str) -> dict[str, Any]:
        """Return one deployment."""
        return self.call(cnxt, self.make_msg('show_software_deployment',
                                             deployment_id=deployment_id))

    def check_software_deployment(self, cnxt: heat_context.RequestContext,
                                  deployment_id: str, timeout: float
                                  ) -> dict[str, Any]:
        """Return a deployment once it has ended, or after the timeout."""
        return self.call(cnxt, self.make_msg(
            'check_software_deployment', deployment_id=deployment_id,
            timeout=timeout), version='1.27', timeout=timeout)

    def create_software_deployment(self, cnxt: heat_context.RequestContext,
                                   server_id: str,
                                   config_id: str | None = None,
                                   input_values: dict[str, Any] | None = None,
                                   action: str = 'INIT',
                                   status: str = 'COMPLETE',
                                   status_reason: str = '',
                                   stack_user_project_id: str | None = None,
                                   deployment_id: str | None = None
                                   ) -> dict[str, Any]:
        """Store a deployment and return it."""
        return self.call(cnxt, self.make_msg(
            'create_software_deployment', server_id=server_id,
            config_id=config_id, deployment_id=deployment_id,
            input_values=input_values or {}, action=action, status=status,
            status_reason=status_reason,
            stack_user_project_id=stack_user_project_id))

    def update_software_deployment(self, cnxt: heat_context.RequestContext,
                                   deployment_id: str,
                                   config_id: str | None = None,
                                   input_values: dict[str, Any] | None = None,
                                   output_values: dict[str, Any] | None = None,
                                   action: str | None = None,
                                   status: str | None = None,
                                   status_reason: str | None = None,
                                   updated_at: str | None = None
                                   ) -> dict[str, Any]:
        """Change a deployment and return it; None leaves a value alone."""
        return self.call(cnxt, self.make_msg(
            'update_software_deployment', deployment_id=deployment_id,
            config_id=config_id, input_values=input_values,
            output_values=output_values, action=action, status=status,
            status_reason=status_reason, updated_at=updated_at),
            version='1.5')

    def delete_software_deployment(self, cnxt: heat_context.RequestContext,
                                   deployment_id: str) -> None:
        """Delete a deployment."""
        return self.call(cnxt, self.make_msg('delete_software_deployment',
                                             deployment_id=deployment_id))

    def signal_software_deployment(self, cnxt: heat_context.RequestContext,
                                   deployment_id: str, details: Any,
                                   updated_at: str | None = None) -> Any:
        """Tell a deployment what its server reported."""
        return self.call(cnxt, self.make_msg(
            'signal_software_deployment', deployment_id=deployment_id,
            details=details, updated_at=updated_at), version='1.6')
