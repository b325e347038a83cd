"""The engine's calls for software configs and deployments."""
from heat.rpc import client_base


class SoftwareCalls(client_base.Calls):
    """Part of EngineClient."""

    def show_software_config(self, cnxt, config_id):
        """Return one software config."""
        return self.call(cnxt, self.make_msg('show_software_config',
                                             config_id=config_id))

    def list_software_configs(self, cnxt, limit=None, marker=None):
        """Return the software configs of the project."""
        return self.call(cnxt, self.make_msg(
            'list_software_configs', limit=limit, marker=marker),
            version='1.33')

    def create_software_config(self, cnxt, group, name, config,
                               inputs=None, outputs=None, options=None):
        """Store a software config and return it."""
        return self.call(cnxt, self.make_msg(
            'create_software_config', group=group, name=name, config=config,
            inputs=inputs or [], outputs=outputs or [],
            options=options or {}))

    def delete_software_config(self, cnxt, config_id):
        """Delete a software config that no deployment uses."""
        return self.call(cnxt, self.make_msg('delete_software_config',
                                             config_id=config_id))

    def list_software_deployments(self, cnxt, server_id=None):
        """Return the deployments of the project, or of one server."""
        return self.call(cnxt, self.make_msg('list_software_deployments',
                                             server_id=server_id))

    def metadata_software_deployments(self, cnxt, server_id):
        """Return what a server is to deploy."""
        return self.call(cnxt, self.make_msg(
            'metadata_software_deployments', server_id=server_id))

    def show_software_deployment(self, cnxt, deployment_id):
        """Return one deployment."""
        return self.call(cnxt, self.make_msg('show_software_deployment',
                                             deployment_id=deployment_id))

    def check_software_deployment(self, cnxt, deployment_id, timeout):
        """Return a deployment once it has ended, or after the timeout."""
        return self.call(cnxt, self.make_msg(
            'check_software_deployment', deployment_id=deployment_id,
            timeout=timeout), version='1.27', timeout=timeout)

    def create_software_deployment(self, cnxt, server_id, config_id=None,
                                   input_values=None, action='INIT',
                                   status='COMPLETE', status_reason='',
                                   stack_user_project_id=None,
                                   deployment_id=None):
        """Store a deployment and return it."""
        return self.call(cnxt, self.make_msg(
            'create_software_deployment', server_id=server_id,
            config_id=config_id, deployment_id=deployment_id,
            input_values=input_values or {}, action=action, status=status,
            status_reason=status_reason,
            stack_user_project_id=stack_user_project_id))

    def update_software_deployment(self, cnxt, deployment_id,
                                   config_id=None, input_values=None,
                                   output_values=None, action=None,
                                   status=None, status_reason=None,
                                   updated_at=None):
        """Change a deployment and return it; None leaves a value alone."""
        return self.call(cnxt, self.make_msg(
            'update_software_deployment', deployment_id=deployment_id,
            config_id=config_id, input_values=input_values,
            output_values=output_values, action=action, status=status,
            status_reason=status_reason, updated_at=updated_at),
            version='1.5')

    def delete_software_deployment(self, cnxt, deployment_id):
        """Delete a deployment."""
        return self.call(cnxt, self.make_msg('delete_software_deployment',
                                             deployment_id=deployment_id))

    def signal_software_deployment(self, cnxt, deployment_id, details,
                                   updated_at=None):
        """Tell a deployment what its server reported."""
        return self.call(cnxt, self.make_msg(
            'signal_software_deployment', deployment_id=deployment_id,
            details=details, updated_at=updated_at), version='1.6')
