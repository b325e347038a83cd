"""OS::Heat::Stack: a stack of its own, in this or another region."""
import re
import tempfile

from oslo_log import log as logging
from oslo_serialization import jsonutils

from heat.common import cloud_error
from heat.common import environment_format
from heat.common import exception
from heat.common import template_format
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import clients as heat_clients
from heat.engine import environment
from heat.engine import lifecycle_plugin
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine import template
from heat.engine.clients.os import heat_stacks
from heat.engine.resources import stack_resource

LOG = logging.getLogger(__name__)

#: Key of the resource data that keeps the snapshot of the stack.
_SNAPSHOT_KEY = 'snapshot_id'
#: Key of the resource data that is there once a stack elsewhere may be.
_ASKED_KEY = 'asked_for'

_POSITION = re.compile(r' \(line \d+, column \d+\)')
_UNKNOWN_SECTION = re.compile(r'The template section is invalid: [^\s.]+')

#: Seconds after which an update elsewhere has begun, if it has not ended.
_BEGINNING = 3


class RemoteStack(stack_resource.StackResource):
    """A stack that can be created in another region or cloud.

    The stack is not nested in the stack of the resource, but it is
    updated, suspended and deleted with it. The credentials for another
    cloud are stored in a Barbican secret, as a JSON map with the keys
    ``auth_type`` and ``auth``.
    """

    PROPERTIES = (
        CONTEXT, TEMPLATE, TIMEOUT, PARAMETERS,
    ) = (
        'context', 'template', 'timeout', 'parameters',
    )

    ATTRIBUTES = (
        NAME_ATTR, OUTPUTS,
    ) = (
        'stack_name', 'outputs',
    )

    _CONTEXT_KEYS = (
        REGION_NAME, CREDENTIAL_SECRET_ID, CA_CERT, SSL_INSECURE,
    ) = (
        'region_name', 'credential_secret_id', 'ca_cert', 'insecure',
    )

    default_client_name = 'heat'
    entity = 'stacks'
    requires_deferred_auth = False
    child_is_independent = True

    properties_schema = {
        CONTEXT: properties.Schema(
            properties.Schema.MAP,
            _('Context of the remote stack: its region and the credentials '
              'for it.'),
            update_allowed=True,
            schema={
                REGION_NAME: properties.Schema(
                    properties.Schema.STRING,
                    _('Name of the region in which the stack is created.'),
                    required=False),
                CREDENTIAL_SECRET_ID: properties.Schema(
                    properties.Schema.STRING,
                    _('ID of the Barbican secret with the credentials for the '
                      'remote region.'),
                    required=False,
                    update_allowed=True,
                    support_status=support.SupportStatus(version='12.0.0')),
                CA_CERT: properties.Schema(
                    properties.Schema.STRING,
                    _('Contents of the CA certificate bundle with which the '
                      'certificate of the remote region is verified.'),
                    required=False,
                    update_allowed=True,
                    support_status=support.SupportStatus(version='12.0.0')),
                SSL_INSECURE: properties.Schema(
                    properties.Schema.BOOLEAN,
                    _('Whether the TLS certificate of the remote region is '
                      'accepted without verification.'),
                    required=False,
                    default=False,
                    update_allowed=True,
                    support_status=support.SupportStatus(version='12.0.0')),
            }),
        TEMPLATE: properties.Schema(
            properties.Schema.STRING,
            _('Template of the stack, as text.'),
            required=True,
            update_allowed=True),
        TIMEOUT: properties.Schema(
            properties.Schema.INTEGER,
            _('Timeout of each action on the stack in minutes.'),
            update_allowed=True),
        PARAMETERS: properties.Schema(
            properties.Schema.MAP,
            _('Values of the template parameters.'),
            default={},
            update_allowed=True),
    }

    attributes_schema = {
        NAME_ATTR: attributes.Schema(
            _('Name of the stack.'),
            type=attributes.Schema.STRING),
        OUTPUTS: attributes.Schema(
            _('Outputs of the stack by name.'),
            type=attributes.Schema.MAP),
    }

    drift_unsupported = _('The stack has a detection of its own.')

    @classmethod
    def is_service_available(cls, context):
        """Return that it is: we are the orchestration service."""
        return True, None

    # -- where the stack is -------------------------------------------------

    def _where(self, props=None):
        return (props or self.properties)[self.CONTEXT] or {}

    def _is_elsewhere(self):
        """Return whether another orchestration service has the stack."""
        where = self._where()
        region = where.get(self.REGION_NAME)
        here = self.client_plugin_or_none()
        return bool(where.get(self.CREDENTIAL_SECRET_ID)
                    or where.get(self.CA_CERT)
                    or (region and (here is None or
                                    region != here.region_name)))

    @property
    def handlers_only_begin(self):  # type: ignore[override] # a constant else
        """True if the resource and its stack are stored in one transaction.

        The stack must belong to this service. Lifecycle plugins prevent it:
        they are called before the stack is stored, and its id has to be
        recorded before they are called.
        """
        try:
            return not lifecycle_plugin.plugins() and not self._is_elsewhere()
        except (ValueError, exception.HeatException):
            # The handler reports what is wrong with the context.
            return False

    def client_plugin_or_none(self):
        """Return the client plugin, None in a process without clients."""
        return self.client_plugin() if heat_clients.has_client(
            self.default_client_name) else None

    def _remote(self):
        """Return the client of the stack elsewhere, None for one here."""
        if not self._is_elsewhere():
            return None
        where = self._where()
        plugin = self.client_plugin()
        if plugin is None:
            raise exception.ClientNotAvailable(
                client_name=self.default_client_name)
        return heat_stacks.StackClient(
            plugin.elsewhere(where.get(self.REGION_NAME),
                             self._credentials(where), self._verify(where)),
            self.physical_resource_name(), self.resource_id)

    def _credentials(self, where):
        """Return the credentials that a secret holds, None for our own."""
        secret_id = where.get(self.CREDENTIAL_SECRET_ID)
        if not secret_id:
            return None
        plugin = self.client_plugin('barbican')
        if plugin is None:
            raise exception.ClientNotAvailable(client_name='barbican')
        payload = plugin.get_secret_payload_by_ref(
            secret_ref='secrets/%s' % secret_id)
        try:
            return jsonutils.loads(payload)
        except (TypeError, ValueError):
            # The text of the error would show the secret.
            raise exception.Error(_(
                'The secret %s does not contain credentials in JSON format.')
                % secret_id) from None

    def _verify(self, where):
        """Return how certificates are checked, None for as configured."""
        if where.get(self.SSL_INSECURE):
            return False
        if not where.get(self.CA_CERT):
            return None
        # It must be a file; it goes with the resource object.
        self._ca_file = tempfile.NamedTemporaryFile('w', suffix='.pem')
        self._ca_file.write(where[self.CA_CERT])
        self._ca_file.flush()
        return self._ca_file.name

    # -- the template inside ------------------------------------------------

    def validate(self):
        """Validate the properties, and the template in them.

        A stack elsewhere is validated there.
        """
        if not self._is_elsewhere():
            super().validate()
            return
        resource.Resource.validate(self)
        region = (self._where().get(self.REGION_NAME) or
                  self.context.region_name)
        try:
            self._remote().validate(self._body(
                'template', 'environment', 'files'))
        except Exception as error:
            # Clients match both texts, and the causes as well.
            text = (_('Failed validating stack template using Heat endpoint '
                      'at region "%(region)s" due to "ERROR: %(cause)s"')
                    if cloud_error.status_of(error) else
                    _('Cannot establish connection to Heat endpoint at '
                      'region "%(region)s" due to "%(cause)s"'))
            raise exception.StackValidationFailed(message=text % {
                'region': region,
                'cause': self._cause(error, region)}) from error

    def _cause(self, error, region):
        """Return why the service of a region could not validate the stack.

        Lines and columns of its answer are those of the property's text.
        """
        plugin = self.client_plugin()
        if plugin is not None and plugin.is_endpoint_missing(error):
            return plugin.endpoint_missing_text(region)
        text = _POSITION.sub('', str(getattr(error, 'details', None) or
                                     exception.text_of(error)))
        section = _UNKNOWN_SECTION.search(text)
        return section.group() if section else text

    def _parsed(self, props):
        return template.make(
            template_format.parse(props[self.TEMPLATE]),
            files=self.stack.t.files)

    def child_template(self):
        """Return the template of the property."""
        return self._parsed(self.properties)

    def child_params(self):
        """Return the parameters of the property."""
        return {environment_format.PARAMETERS:
                self.properties[self.PARAMETERS] or {}}

    def _child_environment(self, child_params):
        # Files and types are those of the parent; parameter defaults of the
        # parent are meant for its own templates.
        registry = self.stack.env.user_env_as_dict()[
            environment_format.RESOURCE_REGISTRY]
        return environment.get_custom_environment(
            registry, child_params[environment_format.PARAMETERS])

    def _body(self, *keys):
        """Return the request that makes or changes a stack elsewhere."""
        env = self._child_environment(self.child_params())
        body = {
            'template': self.properties[self.TEMPLATE],
            'environment': env.user_env_as_dict(),
            'files': dict(self.stack.t.files),
            'disable_rollback': True,
            'timeout_mins': self.properties[self.TIMEOUT],
        }
        return {key: value for key, value in body.items()
                if value is not None and (not keys or key in keys)}

    # -- handlers -----------------------------------------------------------

    def nested_status(self):
        """Return (action, status, reason, when) of the stack."""
        remote = self._remote()
        if remote is None or self.resource_id is None:
            return super().nested_status()
        shown = remote.show()
        if shown is None:
            return None
        action, _sep, status = shown['stack_status'].partition('_')
        return (action, status, shown['stack_status_reason'],
                shown.get('updated_time'))

    def wake_key(self):
        """Return the key of the stack's end; nobody tells of one far away.
        """
        return None if self._is_elsewhere() else super().wake_key()

    def wake_within(self, _cookie):
        """Return in how many seconds to look, should nobody tell us.

        None for a stack elsewhere, of which nobody does.
        """
        return None if self._is_elsewhere() else super().wake_within(_cookie)

    def nested(self):
        """Return the stack, None when it is elsewhere."""
        return None if self._is_elsewhere() else super().nested()

    def find_created(self):
        """Return the id of the stack if an interrupted create made it."""
        if not self._is_elsewhere():
            return super().find_created()
        return self._remote().find() if _ASKED_KEY in self.data() else None

    def handle_create(self):
        """Begin to create the stack."""
        remote = self._remote()
        if remote is not None:
            # Should the answer not reach us, there may be a stack.
            self.data_set(_ASKED_KEY, 'true')
            self.resource_id_set(remote.create(self._body()))
            return None
        return self.create_with_template(
            self.child_template(), self.child_params(),
            self.properties[self.TIMEOUT])

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to update the stack, when anything about it changed."""
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        remote = self._remote()
        if remote is None:
            return self.update_with_template(
                self.child_template(), self.child_params(),
                self.properties[self.TIMEOUT])
        before = self.nested_status()
        if before is None:
            raise resource.UpdateReplace(self.name)
        remote.update(self._body())
        return before, timeutils.Duration(_BEGINNING)

    def check_update_complete(self, cookie=None):
        """Look whether the stack is updated.

        :param cookie: the state a stack elsewhere was in before, and how
            long that may be what the other side still says.
        """
        if cookie is not None and self._is_elsewhere():
            before, patience = cookie
            if not patience.expired() and self.nested_status() == before:
                return False
        return super().check_update_complete()

    def _needs_update(self, after, before, after_props, before_props,
                      prev_resource, check_init_complete=True):
        if not self._is_elsewhere():
            return super()._needs_update(after, before, after_props,
                                         before_props, prev_resource,
                                         check_init_complete)
        # Of the stack behind ours nothing is known that differs by itself.
        return super(stack_resource.StackResource, self)._needs_update(
            after, before, after_props, before_props, prev_resource,
            check_init_complete)

    def needs_replace_failed(self):
        """Replace only what has no stack that could be updated."""
        if not self._is_elsewhere():
            return super().needs_replace_failed()
        state = (None if self.resource_id is None else self.nested_status())
        return state is None or state[0] == self.DELETE

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """A stack cannot move to another region."""
        if self.CONTEXT not in changed_properties_set:
            return False
        before = before_props.get(self.CONTEXT) or {}
        after = after_props.get(self.CONTEXT) or {}
        return before.get(self.REGION_NAME) != after.get(self.REGION_NAME)

    def delete_nested(self):
        """Begin to delete the stack, if there is one."""
        if self.resource_id is None and _ASKED_KEY not in self.data():
            return
        remote = self._remote()
        if remote is not None and self.resource_id is None:
            self.resource_id_set(remote.find())
        if remote is None or self.resource_id is None:
            super().delete_nested()
        else:
            remote.delete()

    def _cancel_nested(self):
        remote = self._remote() if self.resource_id is not None else None
        if remote is None:
            super()._cancel_nested()
            return
        try:
            remote.act('cancel_without_rollback')
        except Exception as error:  # noqa: BLE001
            # It came to its end meanwhile, or is gone.
            LOG.info('The stack of resource "%s" was not cancelled: %s',
                     self.name, exception.text_of(error))

    def _begin(self, verb):
        remote = self._remote() if self.resource_id is not None else None
        if remote is None:
            super()._begin(verb)
        else:
            remote.act(verb)

    def handle_snapshot(self):
        """Begin to take a snapshot of the stack."""
        remote = self._remote()
        if remote is not None:
            snapshot_id = remote.take_snapshot(self.physical_resource_name())
        else:
            snapshot_id = self._snapshot_nested()
        self.data_set(_SNAPSHOT_KEY, snapshot_id)
        return snapshot_id

    def check_snapshot_complete(self, snapshot_id):
        """Look whether the stack has its snapshot."""
        return self._check_status_complete(self.SNAPSHOT)

    def handle_delete_snapshot(self, snapshot):
        """Delete the snapshot of the stack that goes with one of ours."""
        snapshot_id = snapshot['resource_data'].get(_SNAPSHOT_KEY)
        if snapshot_id is None or self.resource_id is None:
            return
        remote = self._remote()
        if remote is not None:
            remote.delete_snapshot(snapshot_id)
        else:
            self._delete_nested_snapshot(snapshot_id)

    def handle_restore(self, defn, restore_data):
        """Return the definition with what the stack had at the snapshot."""
        data = self._snapshot_data(
            restore_data['resource_data'][_SNAPSHOT_KEY],
            restore_data.get('resource_id'))
        values = {name: value for name, value
                  in defn.properties(self.properties_schema).items()
                  if value is not None}
        values[self.TEMPLATE] = jsonutils.dumps(data['template'])
        values[self.PARAMETERS] = data['environment'].get(
            environment_format.PARAMETERS, {})
        return defn.freeze(properties=values)

    def _snapshot_data(self, snapshot_id, stack_id):
        """Return what a snapshot of the stack holds."""
        if self._is_elsewhere():
            if self.resource_id is None:
                # We are made for the restore only.
                self.resource_id = stack_id
            found = self._remote().snapshot(snapshot_id)
            data = None if found is None else found['data']
        else:
            row = self._nested_snapshot(snapshot_id)
            data = None if row is None else row.data
        if data is None:
            raise exception.EntityNotFound(entity='Snapshot',
                                           name=snapshot_id)
        return data

    # -- values -------------------------------------------------------------

    def has_nested(self):
        """Return False: the stack is not shown as a part of this one."""
        return False

    def _show_resource(self):
        """Return what there is to say of the stack."""
        remote = self._remote()
        if remote is not None:
            return remote.show(resolve_outputs=True) or {}
        child = self.nested()
        if child is None:
            return {}
        return {
            'id': child.id,
            'stack_name': child.name,
            'stack_status': '_'.join(child.state),
            'stack_status_reason': child.status_reason,
            'parameters': child.parameters.map(str),
            'outputs': [
                {'output_key': name, 'output_value': value,
                 'description': child.defn.output_definition(
                     name).description()}
                for name, value in self._all_outputs().items()],
        }

    def get_reference_id(self):
        """Return the id of the stack."""
        return self.resource_id

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == self.NAME_ATTR:
            return self.physical_resource_name()
        if name == self.OUTPUTS:
            return self._all_outputs()
        return None

    def _all_outputs(self):
        """Return the outputs that can be resolved, by name."""
        remote = self._remote()
        if remote is not None:
            shown = remote.show(resolve_outputs=True) or {}
            return {each['output_key']: each.get('output_value')
                    for each in shown.get('outputs', ())}
        child = self.nested()
        if child is None:
            return None
        values = {}
        for name in child.defn.enabled_output_names():
            try:
                values[name] = jsonutils.to_primitive(self.get_output(name))
            except exception.TemplateOutputError:
                values[name] = None
        return values


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'OS::Heat::Stack': RemoteStack,
    }
