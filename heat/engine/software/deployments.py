"""Deployments of software configs to servers, as the engine keeps them.

A server learns what to apply by its metadata; it reports by signals.
"""
import json
import uuid

from oslo_config import cfg
from oslo_log import log as logging
import requests

from heat.common import exception
from heat.common import guarded_http
from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine.cluster import wakeup
from heat.engine.software import configs as software_configs
from heat.objects import resource as resource_objects
from heat.objects import software_deployment as deployment_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

STATUSES = (
    IN_PROGRESS, FAILED, COMPLETE,
) = (
    'IN_PROGRESS', 'FAILED', 'COMPLETE',
)

#: Key of the metadata of a server under which its deployments stand.
METADATA_KEY = 'deployments'
#: Keys of the resource data of a server that wants its metadata elsewhere.
PUT_URL, QUEUE_ID = 'metadata_put_url', 'metadata_queue_id'

#: Names of the inputs that each deployment has beside those of its config.
ADDED_INPUTS = (
    'deploy_server_id', 'deploy_action', 'deploy_signal_id',
    'deploy_stack_id', 'deploy_resource_name', 'deploy_auth_url',
    'deploy_username', 'deploy_password', 'deploy_project_id',
    'deploy_user_id', 'deploy_signal_verb', 'deploy_signal_transport',
    'deploy_queue_id', 'deploy_region_name',
)
#: How many characters the columns of texts hold.
_LENGTHS = {'server_id': 36, 'action': 255, 'status': 255,
            'stack_user_project_id': 64}


def get(context, deployment_id):
    """Return a deployment of the project; NotFound if there is none."""
    row = find(context, deployment_id)
    if row is None:
        raise software_configs.not_found(_('Deployment'), deployment_id)
    return row


def find(context, deployment_id):
    """Return a deployment of the project; None if there is none."""
    return deployment_objects.SoftwareDeployment.get_by_id(context,
                                                           deployment_id)


def metadata(context, server_id):
    """Return the configs that a server has to apply, in order.

    By the name of the config, so that whoever names them has a say, then
    by age.
    """
    return _configs_in_order(
        deployment_objects.SoftwareDeployment.get_all(context, server_id))


def _configs_in_order(rows):
    rows.sort(key=lambda row: (row.config.name or '', row.created_at,
                               row.id))
    return [row.config for row in rows]


def create(context, *, server_id, config_id, **values):
    """Store a deployment of a config on a server, and tell the server.

    :raises NotFound: the project has no such config.
    :raises Invalid: the project of stack users is that of no stack of the
        caller's project. Its users would read the deployment.
    """
    software_configs.get(context, config_id)
    _check_user_project(context, values.get('stack_user_project_id'))
    row = _insert(context, server_id=server_id, config_id=config_id,
                  **values)
    tell_server(context, row)
    return row


def _check_user_project(context, project_id):
    _require_lengths(stack_user_project_id=project_id)
    if project_id and not stack_objects.Stack.has_user_project(
            context, context.project_id, project_id):
        raise exception.Invalid(reason=_(
            'stack_user_project_id must be the stack_user_project_id of a '
            'stack of this project, or be left out'))


def _insert(  # noqa: PLR0913 (the columns that users give)
        context, *, server_id, config_id, input_values=None, action=None,
        status=None, status_reason=None, stack_user_project_id=None,
        deployment_id=None):
    if not server_id:
        raise exception.Invalid(reason=_('server_id must be specified'))
    _require_lengths(server_id=server_id, action=action, status=status,
                     stack_user_project_id=stack_user_project_id)
    software_configs.require_room(
        context, deployment_objects.SoftwareDeployment,
        'max_software_deployments_per_tenant')
    return deployment_objects.SoftwareDeployment.create(context, {
        'id': deployment_id or str(uuid.uuid4()),
        'config_id': config_id,
        'server_id': server_id,
        'input_values': input_values,
        'tenant': context.project_id,
        'stack_user_project_id': stack_user_project_id,
        'action': action,
        'status': status,
        'status_reason': str(status_reason or ''),
    })


def _require_lengths(**texts):
    """Raise Invalid for a text that its column does not hold."""
    for name, text in texts.items():
        software_configs.require_length(_LENGTHS[name], **{name: text})


def update(context, deployment_id, *, updated_at=None, **given):
    """Change what is given of a deployment; None leaves it alone.

    The server is told when it has to do something else.
    """
    get(context, deployment_id)
    if given.get('config_id'):
        software_configs.get(context, given['config_id'])
    values = {key: value for key, value in given.items()
              if value is not None}
    _require_lengths(**{key: value for key, value in values.items()
                        if key in _LENGTHS})
    if values:
        values['updated_at'] = (
            heat_timeutils.parse_isotime(updated_at) if updated_at
            else heat_timeutils.utcnow())
        deployment_objects.SoftwareDeployment.update_by_id(
            context, deployment_id, values)
    row = get(context, deployment_id)
    if row.status != IN_PROGRESS:
        wakeup.announce(wake_key(deployment_id))
    if given.get('config_id'):
        tell_server(context, row)
    return row


def wake_key(deployment_id):
    """Return the key under which the end of a deployment is told."""
    return ('deployment', deployment_id)


def delete(context, deployment_id):
    """Delete a deployment, and tell the server."""
    row = get(context, deployment_id)
    if not deployment_objects.SoftwareDeployment.delete(context,
                                                        deployment_id):
        raise software_configs.not_found(_('Deployment'), deployment_id)
    tell_server(context, row)


def deploy(context, deployment_id, derived, *, may_be_done=False, **values):
    """Make or change a deployment of a config of its own.

    All at once; the config that it had before goes away. A deployment in
    progress that offers the same stays as it is: the agent would apply a
    config with another id once more.

    :param derived: arguments of software_configs.create()
    :param may_be_done: whether a deployment that is complete stays, too:
        the agent may have signalled before an interrupted action is resumed
    """
    def write():
        previous = find(context, deployment_id)
        if (previous is not None and
                (may_be_done and previous.status == COMPLETE or
                 previous.status == values['status'] == IN_PROGRESS) and
                _offers(previous, derived, values)):
            return None
        config_id = software_configs.create(context, **derived).id
        if previous is None:
            return _insert(context, deployment_id=deployment_id,
                           config_id=config_id, **values)
        deployment_objects.SoftwareDeployment.update_by_id(
            context, deployment_id, {
                **values, 'config_id': config_id,
                'updated_at': heat_timeutils.utcnow()})
        _delete_derived(context, previous.config_id)
        return None

    transaction.run(context, write)
    row = get(context, deployment_id)
    tell_server(context, row)
    return row


def _offers(row, derived, values):
    """Return whether a deployment offers a config already."""
    part, config = software_configs.part, row.config
    return (row.action, row.server_id) == (
        values['action'], values['server_id']) and are_alike(derived, {
            'group': config.group, 'name': config.name,
            'config': part(config, rpc_api.SOFTWARE_CONFIG_CONFIG),
            'options': part(config, rpc_api.SOFTWARE_CONFIG_OPTIONS),
            'inputs': part(config, rpc_api.SOFTWARE_CONFIG_INPUTS)})


def are_alike(one, other):
    """Return whether two configs for a server have it do the same.

    How to signal is not compared: what the agent was told first works.
    """
    return _task_of(one) == _task_of(other)


def _task_of(derived):
    return (derived['group'], derived['name'], derived['config'] or '',
            derived['options'] or {}, _own_values(derived['inputs']))


def _own_values(inputs):
    """Return the values of inputs but those that every deployment has."""
    return {each['name']: each.get('value') for each in inputs or ()
            if each['name'] not in ADDED_INPUTS}


def withdraw(context, deployment_id):
    """Delete a deployment, which may be gone, and the config of its own.
    """
    row = deployment_objects.SoftwareDeployment.get_by_id(context,
                                                          deployment_id)
    if row is None:
        return

    def write():
        deployment_objects.SoftwareDeployment.delete(context, deployment_id)
        _delete_derived(context, row.config_id)

    transaction.run(context, write)
    tell_server(context, row)


def _delete_derived(context, config_id):
    try:
        software_configs.delete(context, config_id)
    except (exception.NotFound, exception.SoftwareConfigInUse):
        # Somebody deployed it by itself; then it is theirs.
        LOG.debug('Config %s of a deployment is not deleted', config_id)


def check(context, deployment_id, timeout):
    """Return a deployment; one that timed out becomes FAILED."""
    row = get(context, deployment_id)
    began = row.updated_at or row.created_at
    elapsed = (heat_timeutils.utcnow() - began).total_seconds()
    if row.status == IN_PROGRESS and elapsed > timeout:
        row = update(context, deployment_id, status=FAILED,
                     status_reason=_('Deployment timed out.'))
    return row


def signal(context, deployment_id, details, updated_at=None):
    """Take over what the agent of a server reports.

    Outputs go by name; the reserved ones are those of
    heat.rpc.api.SOFTWARE_DEPLOYMENT_OUTPUTS. An exit code other than 0, or
    a value for an output declared as error output, fails the deployment.
    Return what came of it, None when it had ended before.
    """
    row = get(context, deployment_id)
    if row.status != IN_PROGRESS:
        return None
    status, reason, outputs = judged(row, details or {})
    update(context, deployment_id, output_values=outputs, status=status,
           status_reason=reason, updated_at=updated_at)
    return _('deployment %(id)s %(status)s') % {
        'id': deployment_id,
        'status': 'succeeded' if status == COMPLETE else 'failed'}


def judged(row, details):
    """Return (status, reason, outputs) that a report amounts to."""
    outputs = dict(row.output_values or {})
    status, reasons = COMPLETE, []
    declared = software_configs.part(
        row.config, rpc_api.SOFTWARE_CONFIG_OUTPUTS) or []
    for output in declared:
        name = output.get('name')
        if name not in details:
            continue
        outputs[name] = details[name]
        if output.get('error_output') and details[name]:
            status = FAILED
            reasons.append(f'{name} : {details[name]}')
    for name in rpc_api.SOFTWARE_DEPLOYMENT_OUTPUTS:
        outputs[name] = details.get(name)
    code = details.get(rpc_api.SOFTWARE_DEPLOYMENT_OUTPUT_STATUS_CODE)
    if code and str(code) != '0':
        status = FAILED
        reasons.append(_('deploy_status_code : Deployment exited with '
                         'non-zero status code: %s') % code)
    if status == COMPLETE:
        return status, _('Outputs received'), outputs
    return status, ', '.join(reasons), outputs


# -- what servers are told --------------------------------------------------

def tell_server(context, deployment):
    """Put the deployments of a server where the server looks for them.

    In the metadata of its resource, if it is one of a stack, and from
    there at its temporary URL or into its queue. Other servers ask the API.

    The resource and all that it is told belong to the project of the
    deployment: another project may name the same server.
    """
    server = resource_objects.Resource.get_by_physical_resource_id(
        context, deployment.server_id, project_id=deployment.tenant)
    if server is None:
        return
    row_id = server.id

    def write():
        # The second of two writers sees what the first one has deployed.
        known = resource_objects.Resource.lock_metadata(context, row_id)
        rows = deployment_objects.SoftwareDeployment.get_all_of_server(
            context, deployment.tenant, deployment.server_id)
        wanted = {**(known or {}),
                  METADATA_KEY: [_shown(config) for config in
                                 _configs_in_order(rows)]}
        resource_objects.Resource.update_by_id(
            context, row_id, {'rsrc_metadata': wanted})
        return wanted

    wanted = transaction.run(context, write)
    server = resource_objects.Resource.get_obj(context, row_id,
                                               with_data=True)
    if server is not None:
        publish(context, wanted, server)


def publish(context, wanted, server):
    """Send metadata to where a server reads them, if it does not ask us."""
    data = server.data or {}
    if data.get(PUT_URL):
        _put(context, data[PUT_URL], wanted)
    elif data.get(QUEUE_ID):
        plugin = context.clients.client_plugin('zaqar')
        if plugin is None:
            raise exception.ClientNotAvailable(client_name='zaqar')
        # The queue belongs to the user of the server, whose project is
        # that of the server's stack, whatever a deployment says.
        stack = stack_objects.Stack.get_by_id(context, server.stack_id)
        project_id = stack and stack.stack_user_project_id
        keystone = context.clients.sdk('keystone')
        token = keystone.stack_domain_user_token(
            data['user_id'], project_id, data['password'])
        client = plugin.create_for_tenant(project_id, token)
        client.post_message(data[QUEUE_ID], [{'body': wanted, 'ttl': 3600}])


def _put(context, url, wanted):
    """Put metadata at a temporary URL.

    The URL may be that of a stack which somebody has adopted: unless it is
    one of the object store, it must not lead into our network.
    """
    plugin = context.clients.client_plugin('swift')
    ours = plugin is not None and plugin.is_own_url(url)
    try:
        with (requests.Session() if ours
              else guarded_http.session()) as session:
            answer = session.put(url, json.dumps(wanted),
                                 allow_redirects=False,
                                 timeout=cfg.CONF.metadata_put_timeout)
        problem = '' if answer.ok else str(answer.status_code)
    except requests.RequestException as error:
        problem = type(error).__name__
    if problem:
        # The URL is as good as a password; nobody is to see it.
        raise exception.Error(_(
            'The metadata of a server could not be stored at its temporary '
            'URL: %s') % problem)


def _shown(config):
    """Return a config as metadata have it: all but who owns it."""
    whole = config.config or {}
    return {
        rpc_api.SOFTWARE_CONFIG_ID: config.id,
        rpc_api.SOFTWARE_CONFIG_NAME: config.name,
        rpc_api.SOFTWARE_CONFIG_GROUP: config.group,
        rpc_api.SOFTWARE_CONFIG_CREATION_TIME:
            heat_timeutils.isotime(config.created_at),
        **{key: whole.get(key) for key in (
            rpc_api.SOFTWARE_CONFIG_CONFIG, rpc_api.SOFTWARE_CONFIG_INPUTS,
            rpc_api.SOFTWARE_CONFIG_OUTPUTS,
            rpc_api.SOFTWARE_CONFIG_OPTIONS)},
    }
