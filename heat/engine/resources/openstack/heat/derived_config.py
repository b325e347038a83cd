"""The config that a deployment offers to its server: inputs with values."""
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import software_config_io
from heat.engine.software import configs as software_configs
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

_VERB = _('HTTP verb to use for signaling output values')


def declared_inputs(source, values):
    """Return the inputs of a config, and others that have values."""
    make = software_config_io.InputConfig
    declared = (source and software_configs.part(
        source, rpc_api.SOFTWARE_CONFIG_INPUTS)) or []
    result = []
    for each in declared:
        each = {key: item for key, item in each.items()
                if key != 'value'}
        result.append(make(
            value=values.get(each['name'], each.get('default')),
            **each))
    names = {each['name'] for each in declared}
    result += [make(name=name, value=value)
               for name, value in values.items() if name not in names]
    return result


def require_no_replacement(name_of_resource, old, new):
    """Raise UpdateReplace when an input that calls for it changes."""
    before = {each.name(): each for each in old}
    after = {each.name(): each for each in new}
    for name in before.keys() | after.keys():
        pair = [each for each in (before.get(name), after.get(name))
                if each is not None]
        if not any(each.replace_on_change() for each in pair):
            continue
        if len(pair) == 1 or (pair[0].input_data() !=
                              pair[1].input_data()):
            LOG.debug('A new value of input "%s" takes another '
                      'deployment', name)
            raise exception.UpdateReplace(name_of_resource)


def signal_inputs(deployment, action):
    """Yield (name, description, value) of the inputs that we add."""
    transport = deployment.properties[deployment.SIGNAL_TRANSPORT]
    yield (deployment.DEPLOY_SERVER_ID,
           _('ID of the server being deployed to'),
           deployment.properties[deployment.SERVER])
    yield (deployment.DEPLOY_ACTION,
           _('Name of the current action being deployed'), action)
    yield (deployment.DEPLOY_STACK_ID,
           _('ID of the stack this deployment belongs to'),
           deployment.stack.identifier().stack_path())
    yield (deployment.DEPLOY_RESOURCE_NAME,
           _('Name of this deployment resource in the stack'),
           deployment.name)
    yield (deployment.DEPLOY_SIGNAL_TRANSPORT,
           _('Transport by which the server signals the output values of the '
             'deployment.'), transport)
    access = deployment.signal_access()
    if access is None:
        return
    if 'url' in access:
        yield (deployment.DEPLOY_SIGNAL_ID,
               _('ID of signal to use for signaling output values'),
               access['url'])
        yield deployment.DEPLOY_SIGNAL_VERB, _VERB, access['verb']
    else:
        yield from _credentials(deployment, access)


def _credentials(deployment, creds):
    yield (deployment.DEPLOY_AUTH_URL, _('URL for API authentication'),
           creds['auth_url'])
    yield (deployment.DEPLOY_USERNAME, _('Username for API authentication'),
           creds['username'])
    yield (deployment.DEPLOY_USER_ID, _('User ID for API authentication'),
           creds['user_id'])
    yield (deployment.DEPLOY_PASSWORD, _('Password for API authentication'),
           creds['password'])
    yield (deployment.DEPLOY_PROJECT_ID,
           _('ID of project for API authentication'),
           creds['project_id'])
    yield (deployment.DEPLOY_REGION_NAME,
           _('Region name for API authentication'),
           creds['region_name'])
    if 'queue_id' in creds:
        yield (deployment.DEPLOY_QUEUE_ID,
               _('ID of queue to use for signaling output values'),
               creds['queue_id'])
