"""OS::Heat::SoftwareDeployment: a config applied to a server."""
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine import software_config_io
from heat.engine import status
from heat.engine import support
from heat.engine.resources import signal_responder
from heat.engine.resources.openstack.heat import derived_config
from heat.engine.resources.openstack.heat import resource_group
from heat.engine.software import configs as software_configs
from heat.engine.software import deployments as software_deployments
from heat.rpc import api as rpc_api
from heat.scaling import template as scl_template

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: What the members of a group have in common.
_MEMBER_PROPERTIES = ('config', 'input_values', 'actions', 'name',
                      'signal_transport')


class SoftwareDeployment(signal_responder.SignalResponder):
    """The deployment of a software config to a server.

    The config is offered to the server together with the values of its
    inputs. The deployment is in progress until the server signals that
    it has applied the config, unless the transport requires no signal.
    The outputs in the signal become attributes of the deployment. The
    deployment fails if the signal reports an exit code other than 0, or
    a value for an output that is marked as an error output.

    The property ``actions`` lists the stack actions in which the config
    is applied. A config for DELETE is applied before the deployment is
    deleted.
    """

    drift_unsupported = _('Nothing but Heat knows of it.')
    support_status = support.SupportStatus(version='2014.1')
    default_client_name = 'heat'
    entity = 'software_deployments'
    no_signal_actions = ()
    # A signal is about this deployment and nothing else.
    signal_needs_metadata_updates = False

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        CONFIG, SERVER, INPUT_VALUES,
        DEPLOY_ACTIONS, NAME, SIGNAL_TRANSPORT,
    ) = (
        'config', 'server', 'input_values',
        'actions', 'name', 'signal_transport',
    )

    ALLOWED_DEPLOY_ACTIONS = (
        _R.CREATE, _R.UPDATE, _R.DELETE, _R.SUSPEND, _R.RESUME,
    )

    ATTRIBUTES = (
        STDOUT, STDERR, STATUS_CODE,
    ) = (
        'deploy_stdout', 'deploy_stderr', 'deploy_status_code',
    )

    DERIVED_CONFIG_INPUTS = (
        DEPLOY_SERVER_ID, DEPLOY_ACTION, DEPLOY_SIGNAL_ID,
        DEPLOY_STACK_ID, DEPLOY_RESOURCE_NAME, DEPLOY_AUTH_URL,
        DEPLOY_USERNAME, DEPLOY_PASSWORD, DEPLOY_PROJECT_ID,
        DEPLOY_USER_ID, DEPLOY_SIGNAL_VERB, DEPLOY_SIGNAL_TRANSPORT,
        DEPLOY_QUEUE_ID, DEPLOY_REGION_NAME,
    ) = software_deployments.ADDED_INPUTS

    SIGNAL_TRANSPORTS = (
        CFN_SIGNAL, TEMP_URL_SIGNAL, HEAT_SIGNAL, NO_SIGNAL, ZAQAR_SIGNAL,
    ) = (
        'CFN_SIGNAL', 'TEMP_URL_SIGNAL', 'HEAT_SIGNAL', 'NO_SIGNAL',
        'ZAQAR_SIGNAL',
    )

    properties_schema = {
        CONFIG: properties.Schema(
            properties.Schema.STRING,
            _('ID of the software config to apply. If omitted, an empty '
              'config is applied whose inputs are the input values.'),
            update_allowed=True),
        SERVER: properties.Schema(
            properties.Schema.STRING,
            _('ID of the server to which the config is applied.'),
            required=True),
        INPUT_VALUES: properties.Schema(
            properties.Schema.MAP,
            _('Values of the inputs of the config, by name.'),
            update_allowed=True),
        DEPLOY_ACTIONS: properties.Schema(
            properties.Schema.LIST,
            _('Stack actions in which the config is applied. For a software '
              'component its configs specify the actions.'),
            update_allowed=True,
            default=[_R.CREATE, _R.UPDATE],
            constraints=[constraints.AllowedValues(ALLOWED_DEPLOY_ACTIONS)]),
        NAME: properties.Schema(
            properties.Schema.STRING,
            _('Name of the derived config on the server. Deployments that are '
              'due at the same time are applied in the order of their names.'),
            update_allowed=True),
        SIGNAL_TRANSPORT: properties.Schema(
            properties.Schema.STRING,
            _('Transport by which the server signals the result. CFN_SIGNAL: '
              'a signed URL of the CloudFormation API. TEMP_URL_SIGNAL: an '
              'object at a temporary URL. HEAT_SIGNAL: the Orchestration API, '
              'with a user restricted to signals. ZAQAR_SIGNAL: a dedicated '
              'queue. NO_SIGNAL: the deployment does not wait for a signal.'),
            default=cfg.CONF.default_deployment_signal_transport,
            constraints=[constraints.AllowedValues(SIGNAL_TRANSPORTS)]),
    }

    attributes_schema = {
        STDOUT: attributes.Schema(
            _('Captured standard output of the config.'),
            type=attributes.Schema.STRING),
        STDERR: attributes.Schema(
            _('Captured standard error of the config.'),
            type=attributes.Schema.STRING),
        STATUS_CODE: attributes.Schema(
            _('Exit code of the config.'),
            type=attributes.Schema.STRING),
    }

    @classmethod
    def is_service_available(cls, context):
        """Return that it is: we are the orchestration service."""
        return True, None

    def validate(self):
        """Check the definition, and that the server expects deployments."""
        result = super().validate()
        server = self.properties[self.SERVER]
        if not server:
            return result
        res = self.stack.resource_by_refid(server)
        schema = res and res.properties_schema
        if not schema or 'user_data_format' not in schema:
            return result
        if res.properties.get('user_data_format') != 'SOFTWARE_CONFIG':
            raise exception.StackValidationFailed(message=_(
                "Resource %s's property user_data_format should be set to "
                'SOFTWARE_CONFIG since there are software deployments on '
                'it.') % res.name)
        return result

    # -- actions ------------------------------------------------------------

    def handle_create(self):
        """Offer the config to the server."""
        return self._handle_action(self.CREATE)

    def find_created(self):
        """Return the id of the deployment of an interrupted create, or None.

        The server may be at work on it: it is not to be offered another.
        """
        deployment = self._deployment()
        if deployment is None:
            return None
        software_deployments.tell_server(self.context, deployment)
        return deployment.id

    def check_create_complete(self, deployment_id):
        """Return whether the server has applied the config."""
        return deployment_id is None or self._check_complete()

    def handle_create_cancel(self, deployment_id):
        """Tell that nobody waits for the server any longer."""
        self._cancel(deployment_id)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Offer another config or other values to the server."""
        old_config, old_values = self._config(), self._input_values()
        before = self._build_derived_config_params(self.UPDATE, old_config)
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        config = self._config()
        derived_config.require_no_replacement(
            self.name,
            derived_config.declared_inputs(old_config, old_values),
            derived_config.declared_inputs(config, self._input_values()))
        return self._handle_action(self.UPDATE, config, before)

    def check_update_complete(self, deployment_id):
        """Return whether the server has applied the config."""
        return deployment_id is None or self._check_complete()

    def handle_update_cancel(self, deployment_id):
        """Tell that nobody waits for the server any longer."""
        self._cancel(deployment_id)

    def handle_delete(self):
        """Offer the config for deleting to the server, if there is one."""
        deployment = self._deployment()
        if deployment is None or not self._server_exists(deployment):
            return None
        try:
            return self._handle_action(self.DELETE)
        except exception.NotFound:
            # Without the config nothing can be applied.
            return None

    def check_delete_complete(self, deployment_id):
        """Delete the deployment once the server has followed it."""
        if deployment_id is not None:
            deployment = self._deployment()
            if (deployment is not None and self._server_exists(deployment)
                    and not self._check_complete()):
                return False
        self._delete_resource()
        return True

    def handle_suspend(self):
        """Offer the config for suspending to the server."""
        return self._handle_action(self.SUSPEND)

    def check_suspend_complete(self, deployment_id):
        """Return whether the server has applied the config."""
        return deployment_id is None or self._check_complete()

    def handle_resume(self):
        """Offer the config for resuming to the server."""
        return self._handle_action(self.RESUME)

    def check_resume_complete(self, deployment_id):
        """Return whether the server has applied the config."""
        return deployment_id is None or self._check_complete()

    def handle_signal(self, details):
        """Take over what the server reports."""
        return software_deployments.signal(self.context, self.resource_id,
                                           details)

    # -- the deployment -----------------------------------------------------

    def _deployment(self):
        """Return our deployment, None if there is none."""
        return software_deployments.find(self.context,
                                         self.resource_id or self.uuid)

    def _handle_action(self, action, config=None, before=None):
        """Offer the config for an action; return the id to wait for.

        :param before: what the server has been offered, if that is about to
            change. A server that has applied what is new was offered it
            before the action was interrupted.
        """
        if config is None:
            config = self._config()
        if action not in self._actions(config):
            return None
        if self._signal_transport_none():
            state: dict[str, Any] = {
                'status': software_deployments.COMPLETE,
                'status_reason': _('Not waiting for outputs signal')}
        else:
            state = {'status': software_deployments.IN_PROGRESS,
                     'status_reason': _('Deploy data available')}
        derived = self._build_derived_config_params(action, config)
        state['may_be_done'] = before is not None and (
            not software_deployments.are_alike(before, derived))
        self._deploy(action, derived, state)
        return None if self._signal_transport_none() else self.resource_id

    def _deploy(self, action, derived, state):
        # Known before the server is told, which may be quick to signal;
        # and the same however often we are interrupted.
        if self.resource_id is None:
            self.resource_id_set(self.uuid)
        software_deployments.deploy(
            self.context, self.resource_id, derived,
            action=action, input_values=self._input_values(),
            server_id=self.properties[self.SERVER],
            stack_user_project_id=self.stack.stack_user_project_id, **state)

    def _actions(self, config):
        """Return the actions in which there is something to apply."""
        if config is not None and config.group == software_configs.COMPONENT:
            whole = software_configs.part(
                config, rpc_api.SOFTWARE_CONFIG_CONFIG) or {}
            return {action for each in whole.get('configs') or ()
                    for action in each['actions']}
        return set(self.properties[self.DEPLOY_ACTIONS])

    def wake_key(self):
        """Return the key under which the end of a deployment is told."""
        if self.resource_id is None or self.signals_are_fetched():
            return None
        return software_deployments.wake_key(self.resource_id)

    def wake_within(self, _deployment_id):
        """Return in how many seconds to look, should nobody tell us."""
        return 30

    def _check_complete(self):
        """Return whether the server is done; raise an error if it failed."""
        self._service_signal()
        deployment = software_deployments.check(
            self.context, self.resource_id, self.stack.timeout_secs())
        if deployment.status == software_deployments.COMPLETE:
            return True
        if deployment.status == software_deployments.FAILED:
            LOG.info('Deployment %s to server %s failed: %s', deployment.id,
                     deployment.server_id, deployment.status_reason)
            raise exception.Error(_('Deployment to server failed: %s')
                                  % deployment.status_reason)
        return False

    def _cancel(self, deployment_id):
        deployment = self._deployment()
        if deployment is not None and (
                deployment.status == software_deployments.IN_PROGRESS):
            software_deployments.update(
                self.context, deployment.id,
                status=software_deployments.FAILED,
                status_reason=_('Deployment cancelled.'))

    def _server_exists(self, deployment):
        """Return whether the server can still apply anything."""
        plugin = self.client_plugin('nova')
        server = self.stack.resource_by_refid(deployment.server_id)
        if plugin is None or (server is not None and
                              server.default_client_name != 'nova'):
            return True
        try:
            plugin.get_server(deployment.server_id)
        except exception.EntityNotFound:
            return False
        return True

    def _delete_resource(self):
        software_deployments.withdraw(self.context,
                                      self.resource_id or self.uuid)
        self._delete_signals()
        self._delete_user()

    # -- the config that the server gets ------------------------------------

    def _config(self):
        """Return the config to apply, None for an empty one."""
        config_id = self.properties[self.CONFIG]
        if not config_id:
            return None
        return software_configs.get(self.context, config_id)

    def _input_values(self):
        return self.properties[self.INPUT_VALUES] or {}

    def empty_config(self):
        """Return what stands for a config that is not given."""
        return ''

    def _build_derived_config_params(self, action, source):
        part = software_configs.part
        inputs = self._build_derived_inputs(action, source)
        options = (source and part(
            source, rpc_api.SOFTWARE_CONFIG_OPTIONS)) or {}
        config = self._build_derived_config(action, source, inputs, options)
        return {
            'group': (source and source.group) or software_configs.UNGROUPED,
            'name': (self.properties[self.NAME] or (source and source.name)
                     or self.physical_resource_name()),
            'config': config or self.empty_config(),
            'options': options,
            'inputs': [each.as_dict() for each in inputs],
            'outputs': (source and part(
                source, rpc_api.SOFTWARE_CONFIG_OUTPUTS)) or [],
        }

    def _build_derived_config(self, action, source, derived_inputs,
                              derived_options):
        """Return the text of the config that the server gets."""
        return source and software_configs.part(
            source, rpc_api.SOFTWARE_CONFIG_CONFIG)

    def _build_derived_inputs(self, action, source):
        """Return all inputs with values, those that tell how to signal too.
        """
        inputs = derived_config.declared_inputs(source, self._input_values())
        for name, description, value in derived_config.signal_inputs(
                self, action):
            inputs.append(software_config_io.InputConfig(
                name=name, description=description, value=value))
        return inputs

    # -- attributes ---------------------------------------------------------

    def get_attribute(self, key, *path):
        """Return an output value by its name."""
        deployment = self._deployment()
        values = (deployment and deployment.output_values) or {}
        if key in values:
            return attributes.select_from_attribute(values[key], path)
        if key == self.SHOW:
            return super().get_attribute(key, *path)
        if key not in self.ATTRIBUTES and not self._has_output(key):
            raise exception.InvalidTemplateAttribute(resource=self.name,
                                                     key=key)
        return None

    def _has_output(self, key):
        try:
            config = self._config()
        except exception.NotFound:
            return False
        declared = (config and software_configs.part(
            config, rpc_api.SOFTWARE_CONFIG_OUTPUTS)) or []
        return any(each['name'] == key for each in declared)

    def _show_resource(self):
        row = software_deployments.get(self.context, self.resource_id)
        return {name: getattr(row, name) for name in (
            'id', 'server_id', 'config_id', 'input_values', 'output_values',
            'action', 'status', 'status_reason')}


def _batch_policies():
    """Return the policies of a resource group without what we lack."""
    group = resource_group.ResourceGroup
    batch = {name: group.rolling_update_schema[name]
             for name in (group.MAX_BATCH_SIZE, group.PAUSE_TIME)}
    return {name: properties.Schema(
        properties.Schema.MAP, schema=batch,
        support_status=support.SupportStatus(version='7.0.0'))
        for name in (group.ROLLING_UPDATE, group.BATCH_CREATE)}


class SoftwareDeploymentGroup(resource_group.ResourceGroup):
    """The deployment of a software config to a group of servers.

    Each server in the map gets its own deployment with the same config
    and input values. The attributes of the group map the names of the
    servers to the outputs of their deployments.
    """

    support_status = support.SupportStatus(version='5.0.0')

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        SERVERS, CONFIG, INPUT_VALUES, DEPLOY_ACTIONS, NAME,
        SIGNAL_TRANSPORT,
    ) = (
        'servers', *_MEMBER_PROPERTIES,
    )

    ATTRIBUTES = (
        STDOUTS, STDERRS, STATUS_CODES,
    ) = (
        'deploy_stdouts', 'deploy_stderrs', 'deploy_status_codes',
    )

    _MEMBER_ATTRIBUTES = {
        STDOUTS: SoftwareDeployment.STDOUT,
        STDERRS: SoftwareDeployment.STDERR,
        STATUS_CODES: SoftwareDeployment.STATUS_CODE,
    }

    #: The type of the members.
    member_type = 'OS::Heat::SoftwareDeployment'

    properties_schema = {
        SERVERS: properties.Schema(
            properties.Schema.MAP,
            _('IDs of the servers by arbitrary names.'),
            update_allowed=True,
            required=True),
        **{name: SoftwareDeployment.properties_schema[name]
           for name in _MEMBER_PROPERTIES},
    }

    attributes_schema = {
        STDOUTS: attributes.Schema(
            _('Captured standard output of the config, by server.'),
            type=attributes.Schema.MAP),
        STDERRS: attributes.Schema(
            _('Captured standard error of the config, by server.'),
            type=attributes.Schema.MAP),
        STATUS_CODES: attributes.Schema(
            _('Exit code of the config, by server.'),
            type=attributes.Schema.MAP),
    }

    update_policy_schema = _batch_policies()

    def get_size(self):
        """Return how many servers there are."""
        return len(self.properties[self.SERVERS])

    def _resource_names(self, size=None):
        names = sorted(self.properties[self.SERVERS])
        return iter(names if size is None else names[:size])

    def _name_skiplist(self):
        return set()

    def _update_name_skiplist(self, properties):
        """Skip nobody: the servers have their names from the user."""

    def res_def_changed(self, prop_diff):
        """Return whether an update changes the members."""
        return True

    def get_resource_def(self, include_all=False):
        """Return the definition of a member, without its server.

        What is not given is null, as in the databases that Heat wrote.
        """
        return rsrc_defn.ResourceDefinition(
            None, self.member_type,
            {name: self.properties[name] for name in self.PROPERTIES
             if name != self.SERVERS}, None)

    def build_resource_definition(self, res_name, res_defn):
        """Return the definition of one member.

        Null and absence mean the same to a deployment, but are different
        values: what is stored stays, lest a script runs once more.
        """
        raw = res_defn.render_hot()
        wanted = rsrc_defn.ResourceDefinition(
            res_name, res_defn.resource_type,
            {**raw.get('properties', {}), SoftwareDeployment.SERVER:
                self.properties[self.SERVERS].get(res_name)}, None)
        nested = self.nested()
        if nested is None or res_name not in nested.defn.all_rsrc_names():
            return wanted
        return scl_template.stored_if_same(
            nested.defn.resource_definition(res_name), wanted)

    def _try_rolling_update(self):
        policy = self.update_policy.get(self.ROLLING_UPDATE)
        if not policy:
            return None
        return self._replace(0, policy[self.MAX_BATCH_SIZE],
                             policy[self.PAUSE_TIME])

    def _member_attribute_name(self, key):
        # What a single deployment gives, the group gives for all.
        return self._MEMBER_ATTRIBUTES.get(key, key)

    def _output_value(self, key, path, names, get_attr_fn, get_res_fn):
        return super()._output_value(
            self.ATTR_ATTRIBUTES, [self._member_attribute_name(key)], names,
            get_attr_fn, get_res_fn)

    def _attribute_output_name(self, *attr_path):
        if attr_path[0] == self.ATTR_ATTRIBUTES:
            return super()._attribute_output_name(*attr_path)
        return super()._attribute_output_name(
            self.ATTR_ATTRIBUTES, self._member_attribute_name(attr_path[0]))

    def get_attribute(self, key, *path):
        """Return the values of an attribute by server."""
        if key in self.base_attributes_schema:
            return super().get_attribute(key, *path)
        return attributes.select_from_attribute(
            super().get_attribute(self.ATTR_ATTRIBUTES,
                                  self._member_attribute_name(key)), path)

    def _resolve_attribute(self, name):
        return None


class SoftwareDeployments(SoftwareDeploymentGroup):
    """The former name of a software deployment group.

    Use OS::Heat::SoftwareDeploymentGroup instead.
    """

    support_status = support.SupportStatus(
        status=support.HIDDEN,
        message=_('Use OS::Heat::SoftwareDeploymentGroup.'),
        version='7.0.0',
        previous_status=support.SupportStatus(
            status=support.DEPRECATED, version='2014.2'),
        substitute_class=SoftwareDeploymentGroup)


def resource_mapping():
    """Return the types of this module."""
    return {
        'OS::Heat::SoftwareDeployment': SoftwareDeployment,
        'OS::Heat::SoftwareDeploymentGroup': SoftwareDeploymentGroup,
        'OS::Heat::SoftwareDeployments': SoftwareDeployments,
    }
