"""RPC calls about software configs and deployments."""
from heat.common import context as heat_context
from heat.common.i18n import _
from heat.engine.rpc import formats
from heat.engine.software import configs as software_configs
from heat.engine.software import deployments as software_deployments
from heat.objects import software_config as config_objects
from heat.objects import software_deployment as deployment_objects


class SoftwareConfigOperations:
    """Store configs and deployments, and tell servers about them."""

    @heat_context.request_context
    def list_software_configs(self, cnxt, limit=None, marker=None,
                              tenant_safe=True):
        """Return the configs of a project, or of all for an operator."""
        context = cnxt if tenant_safe else cnxt.elevated()
        return [formats.format_software_config(
            row, detail=False, include_project=cnxt.is_admin)
            for row in config_objects.SoftwareConfig.get_all(
                context, limit=limit, marker=marker)]

    @heat_context.request_context
    def show_software_config(self, cnxt, config_id):
        """Return one config."""
        return formats.format_software_config(
            software_configs.get(cnxt, config_id))

    @heat_context.request_context
    def create_software_config(self, cnxt, group, name, config, inputs,
                               outputs, options):
        """Store a config; it never changes afterwards."""
        return formats.format_software_config(software_configs.create(
            cnxt, group=group, name=name, config=config, inputs=inputs,
            outputs=outputs, options=options))

    @heat_context.request_context
    def delete_software_config(self, cnxt, config_id):
        """Delete a config.

        :raises ActionInProgress: a deployment uses it (a conflict).
        """
        software_configs.delete(cnxt, config_id)

    @heat_context.request_context
    def list_software_deployments(self, cnxt, server_id):
        """Return the deployments of a server, or of the project."""
        return [formats.format_software_deployment(row)
                for row in deployment_objects.SoftwareDeployment.get_all(
                    cnxt, server_id)]

    @heat_context.request_context
    def metadata_software_deployments(self, cnxt, server_id):
        """Return what the agent of a server has to apply, in order."""
        if not server_id:
            raise ValueError(_('server_id must be specified'))
        return [formats.format_software_config(config) for config in
                software_deployments.metadata(cnxt, server_id)]

    @heat_context.request_context
    def show_software_deployment(self, cnxt, deployment_id):
        """Return one deployment."""
        return formats.format_software_deployment(
            software_deployments.get(cnxt, deployment_id))

    @heat_context.request_context
    def check_software_deployment(self, cnxt, deployment_id, timeout):
        """Return a deployment; one that timed out becomes FAILED."""
        return formats.format_software_deployment(
            software_deployments.check(cnxt, deployment_id, timeout))

    @heat_context.request_context
    def create_software_deployment(self, cnxt, server_id, config_id,
                                   input_values, action, status,
                                   status_reason, stack_user_project_id,
                                   deployment_id=None):
        """Store a deployment of a config on a server."""
        return formats.format_software_deployment(software_deployments.create(
            cnxt, server_id=server_id, config_id=config_id,
            input_values=input_values, action=action, status=status,
            status_reason=status_reason,
            stack_user_project_id=stack_user_project_id,
            deployment_id=deployment_id))

    @heat_context.request_context
    def update_software_deployment(self, cnxt, deployment_id, config_id,
                                   input_values, output_values, action,
                                   status, status_reason, updated_at=None):
        """Change what is given of a deployment; None leaves it alone."""
        return formats.format_software_deployment(software_deployments.update(
            cnxt, deployment_id, config_id=config_id,
            input_values=input_values, output_values=output_values,
            action=action, status=status, status_reason=status_reason,
            updated_at=updated_at))

    @heat_context.request_context
    def delete_software_deployment(self, cnxt, deployment_id):
        """Delete a deployment."""
        software_deployments.delete(cnxt, deployment_id)

    @heat_context.request_context
    def signal_software_deployment(self, cnxt, deployment_id, details,
                                   updated_at):
        """Take over what the agent of a server reports.

        Outputs go by name; the reserved ones are those of
        heat.rpc.api.SOFTWARE_DEPLOYMENT_OUTPUTS. An exit code other than
        0, or a value for an output declared as error output, fails it.
        """
        if not deployment_id:
            raise ValueError(_('deployment_id must be specified'))
        return software_deployments.signal(cnxt, deployment_id, details,
                                           updated_at)
