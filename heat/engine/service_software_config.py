"""RPC calls about software configs and deployments."""
import uuid

from oslo_config import cfg

from heat.common import context as heat_context
from heat.common import exception
from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import api
from heat.engine import software_config_io
from heat.objects import software_config as config_objects
from heat.objects import software_deployment as deployment_objects
from heat.rpc import api as rpc_api

_VISIBLE = (rpc_api.SOFTWARE_DEPLOYMENT_STATUS,
            rpc_api.SOFTWARE_DEPLOYMENT_STATUS_REASON)
_PROJECT_ID_LENGTH = 64


def _config(context, config_id):
    row = config_objects.SoftwareConfig.get_by_id(context, config_id)
    if row is None:
        raise _not_found(_('Software config'), config_id)
    return row


def _deployment(context, deployment_id):
    row = deployment_objects.SoftwareDeployment.get_by_id(context,
                                                          deployment_id)
    if row is None:
        raise _not_found(_('Deployment'), deployment_id)
    return row


def _not_found(what, its_id):
    return exception.NotFound(_('%(what)s with id %(id)s not found.')
                              % {'what': what, 'id': its_id})


def _require_room(context, records, option):
    """Raise RequestLimitExceeded when a project has its number already.

    Administrators have no limit.
    """
    limit = cfg.CONF[option]
    if context.is_admin or limit == -1:
        return
    if records.count_all(context) >= limit:
        raise exception.RequestLimitExceeded(message=_(
            'You have reached the limit of %(option)s, %(limit)d. Please '
            'delete some.') % {'option': option, 'limit': limit})


class SoftwareConfigOperations:
    """Store configs and deployments, and tell servers about them."""

    @heat_context.request_context
    def list_software_configs(self, cnxt, limit=None, marker=None,
                              tenant_safe=True):
        """Return the configs of a project, or of all for an operator."""
        context = cnxt if tenant_safe else cnxt.elevated()
        return [api.format_software_config(
            row, detail=False, include_project=cnxt.is_admin)
            for row in config_objects.SoftwareConfig.get_all(
                context, limit=limit, marker=marker)]

    @heat_context.request_context
    def show_software_config(self, cnxt, config_id):
        """Return one config."""
        return api.format_software_config(_config(cnxt, config_id))

    @heat_context.request_context
    def create_software_config(self, cnxt, group, name, config, inputs,
                               outputs, options):
        """Store a config; it never changes afterwards."""
        _require_room(cnxt, config_objects.SoftwareConfig,
                      'max_software_configs_per_tenant')
        row = config_objects.SoftwareConfig.create(cnxt, {
            'group': group,
            'name': name,
            'config': {
                rpc_api.SOFTWARE_CONFIG_INPUTS:
                    software_config_io.inputs(inputs),
                rpc_api.SOFTWARE_CONFIG_OUTPUTS:
                    software_config_io.outputs(outputs),
                rpc_api.SOFTWARE_CONFIG_OPTIONS: options or {},
                rpc_api.SOFTWARE_CONFIG_CONFIG: config,
            },
            'tenant': cnxt.project_id,
        })
        return api.format_software_config(row)

    @heat_context.request_context
    def delete_software_config(self, cnxt, config_id):
        """Delete a config.

        :raises ActionInProgress: a deployment uses it (a conflict).
        """
        # Nobody deletes what is another project's.
        _config(cnxt, config_id)
        deleted = config_objects.SoftwareConfig.delete(cnxt, config_id)
        if deleted is None:
            raise exception.SoftwareConfigInUse(config_id=config_id)
        if not deleted:
            raise _not_found(_('Software config'), config_id)

    @heat_context.request_context
    def list_software_deployments(self, cnxt, server_id):
        """Return the deployments of a server, or of the project."""
        return [api.format_software_deployment(row)
                for row in deployment_objects.SoftwareDeployment.get_all(
                    cnxt, server_id)]

    @heat_context.request_context
    def metadata_software_deployments(self, cnxt, server_id):
        """Return what the agent of a server has to apply, in order."""
        if not server_id:
            raise ValueError(_('server_id must be specified'))
        rows = deployment_objects.SoftwareDeployment.get_all(cnxt, server_id)
        rows.sort(key=lambda row: (row.created_at, row.id))
        return [api.format_software_config(_config(cnxt, row.config_id))
                for row in rows]

    @heat_context.request_context
    def show_software_deployment(self, cnxt, deployment_id):
        """Return one deployment."""
        return api.format_software_deployment(
            _deployment(cnxt, deployment_id))

    @heat_context.request_context
    def check_software_deployment(self, cnxt, deployment_id, timeout):
        """Return a deployment; one that timed out becomes FAILED."""
        row = _deployment(cnxt, deployment_id)
        began = row.updated_at or row.created_at
        elapsed = (heat_timeutils.utcnow() - began).total_seconds()
        if row.status == 'IN_PROGRESS' and elapsed > timeout:
            deployment_objects.SoftwareDeployment.update_by_id(
                cnxt, deployment_id, {
                    'status': 'FAILED',
                    'status_reason': _('Deployment timed out.')})
            row = _deployment(cnxt, deployment_id)
        return api.format_software_deployment(row)

    @heat_context.request_context
    def create_software_deployment(self, cnxt, server_id, config_id,
                                   input_values, action, status,
                                   status_reason, stack_user_project_id,
                                   deployment_id=None):
        """Store a deployment of a config on a server."""
        _config(cnxt, config_id)
        if not server_id:
            raise exception.Invalid(reason=_('server_id must be specified'))
        if len(stack_user_project_id or '') > _PROJECT_ID_LENGTH:
            raise exception.Invalid(reason=_(
                'stack_user_project_id has more than %d characters')
                % _PROJECT_ID_LENGTH)
        _require_room(cnxt, deployment_objects.SoftwareDeployment,
                      'max_software_deployments_per_tenant')
        row = deployment_objects.SoftwareDeployment.create(cnxt, {
            'id': deployment_id or str(uuid.uuid4()),
            'config_id': config_id,
            'server_id': server_id,
            'input_values': input_values,
            'tenant': cnxt.project_id,
            'stack_user_project_id': stack_user_project_id,
            'action': action,
            'status': status,
            'status_reason': str(status_reason or ''),
        })
        return api.format_software_deployment(row)

    @heat_context.request_context
    def update_software_deployment(self, cnxt, deployment_id, config_id,
                                   input_values, output_values, action,
                                   status, status_reason, updated_at):
        """Change what is given of a deployment; None leaves it alone."""
        _deployment(cnxt, deployment_id)
        if config_id:
            _config(cnxt, config_id)
        given = {
            'config_id': config_id,
            'input_values': input_values,
            'output_values': output_values,
            'action': action,
            'status': status,
            'status_reason': status_reason,
        }
        values = {key: value for key, value in given.items()
                  if value is not None}
        if values:
            values['updated_at'] = (
                heat_timeutils.parse_isotime(updated_at) if updated_at
                else heat_timeutils.utcnow())
            deployment_objects.SoftwareDeployment.update_by_id(
                cnxt, deployment_id, values)
        return api.format_software_deployment(
            _deployment(cnxt, deployment_id))

    @heat_context.request_context
    def delete_software_deployment(self, cnxt, deployment_id):
        """Delete a deployment."""
        _deployment(cnxt, deployment_id)
        if not deployment_objects.SoftwareDeployment.delete(cnxt,
                                                            deployment_id):
            raise _not_found(_('Deployment'), deployment_id)

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
        row = _deployment(cnxt, deployment_id)
        if row.status != 'IN_PROGRESS':
            return None
        details = details or {}
        status, reason, outputs = self._judged(
            _config(cnxt, row.config_id), row, details)
        self.update_software_deployment(
            cnxt, deployment_id=deployment_id, config_id=None,
            input_values=None, output_values=outputs, action=None,
            status=status, status_reason=reason, updated_at=updated_at)
        return _('deployment %(id)s %(status)s') % {
            'id': deployment_id,
            'status': 'succeeded' if status == 'COMPLETE' else 'failed'}

    @staticmethod
    def _judged(config_row, row, details):
        """Return (status, reason, outputs) that a report amounts to."""
        outputs = dict(row.output_values or {})
        status, reasons = 'COMPLETE', []
        declared = (config_row.config or {}).get(
            rpc_api.SOFTWARE_CONFIG_OUTPUTS) or []
        for output in declared:
            name = output.get('name')
            if name not in details:
                continue
            outputs[name] = details[name]
            if output.get('error_output') and details[name]:
                status = 'FAILED'
                reasons.append(f'{name} : {details[name]}')
        for name in rpc_api.SOFTWARE_DEPLOYMENT_OUTPUTS:
            outputs[name] = details.get(name)
        code = details.get(rpc_api.SOFTWARE_DEPLOYMENT_OUTPUT_STATUS_CODE)
        if code and str(code) != '0':
            status = 'FAILED'
            reasons.append(_('deploy_status_code : Deployment exited with '
                             'non-zero status code: %s') % code)
        if status == 'COMPLETE':
            return status, _('Outputs received'), outputs
        return status, ', '.join(reasons), outputs
