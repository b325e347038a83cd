"""OS::Heat::Stack: a stack of its own, in this or another region."""
from oslo_serialization import jsonutils

from heat.common import environment_format
from heat.common import exception
from heat.common import template_format
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import environment
from heat.engine import properties
from heat.engine import support
from heat.engine import template
from heat.engine.resources import stack_resource

#: Key of the resource data that keeps the snapshot of the stack.
_SNAPSHOT_KEY = 'snapshot_id'


class RemoteStack(stack_resource.StackResource):
    """A resource that creates a stack from a template in its property.

    The stack is one of its own, not nested in this one, but updated,
    suspended and deleted with it.
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
    entity = 'stacks'
    requires_deferred_auth = False

    properties_schema = {
        CONTEXT: properties.Schema(
            properties.Schema.MAP,
            _('Where the stack is created: the region, and how to '
              'authenticate there.'),
            update_allowed=True,
            schema={
                REGION_NAME: properties.Schema(
                    properties.Schema.STRING,
                    _('Name of the region in which the stack is created.'),
                    required=False),
                CREDENTIAL_SECRET_ID: properties.Schema(
                    properties.Schema.STRING,
                    _('ID of the secret that holds the credentials to '
                      'authenticate with in the other region.'),
                    required=False,
                    update_allowed=True,
                    support_status=support.SupportStatus(version='12.0.0')),
                CA_CERT: properties.Schema(
                    properties.Schema.STRING,
                    _('Contents of the certificate bundle to check the '
                      'other region with.'),
                    required=False,
                    update_allowed=True,
                    support_status=support.SupportStatus(version='12.0.0')),
                SSL_INSECURE: properties.Schema(
                    properties.Schema.BOOLEAN,
                    _('Whether the certificate of the other region is taken '
                      'without checking it.'),
                    required=False,
                    default=False,
                    update_allowed=True,
                    support_status=support.SupportStatus(version='12.0.0')),
            }),
        TEMPLATE: properties.Schema(
            properties.Schema.STRING,
            _('The template of the stack, as text.'),
            required=True,
            update_allowed=True),
        TIMEOUT: properties.Schema(
            properties.Schema.INTEGER,
            _('Number of minutes after which an action on the stack is '
              'given up.'),
            update_allowed=True),
        PARAMETERS: properties.Schema(
            properties.Schema.MAP,
            _('Values for the parameters of the template.'),
            default={},
            update_allowed=True),
    }

    attributes_schema = {
        NAME_ATTR: attributes.Schema(
            _('Name of the stack.'),
            type=attributes.Schema.STRING),
        OUTPUTS: attributes.Schema(
            _('The outputs of the stack by name.'),
            type=attributes.Schema.MAP),
    }

    @classmethod
    def is_service_available(cls, context):
        """Return that it is: we are the orchestration service."""
        return True, None

    # -- the template inside ------------------------------------------------

    def validate(self):
        """Validate the properties, and the template in them."""
        if self._is_elsewhere():
            raise exception.NotSupported(
                feature=_('OS::Heat::Stack in another region or with other '
                          'credentials'))
        super().validate()

    def _is_elsewhere(self):
        where = self.properties[self.CONTEXT] or {}
        here = self.context.region_name
        region = where.get(self.REGION_NAME)
        return bool(where.get(self.CREDENTIAL_SECRET_ID)
                    or where.get(self.CA_CERT)
                    or (region and region != here))

    def _parsed(self, props):
        return template.Template(
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

    # -- handlers -----------------------------------------------------------

    def handle_create(self):
        """Begin to create the stack."""
        return self.create_with_template(
            self.child_template(), self.child_params(),
            self.properties[self.TIMEOUT])

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to update the stack, when anything about it changed."""
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        return self.update_with_template(
            self.child_template(), self.child_params(),
            self.properties[self.TIMEOUT])

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """A stack cannot move to another region."""
        if self.CONTEXT not in changed_properties_set:
            return False
        before = before_props.get(self.CONTEXT) or {}
        after = after_props.get(self.CONTEXT) or {}
        return before.get(self.REGION_NAME) != after.get(self.REGION_NAME)

    def handle_snapshot(self):
        """Begin to take a snapshot of the stack."""
        snapshot_id = self._snapshot_nested()
        self.data_set(_SNAPSHOT_KEY, snapshot_id)
        return snapshot_id

    def check_snapshot_complete(self, snapshot_id):
        """Look whether the stack has its snapshot."""
        return self._check_status_complete(self.SNAPSHOT)

    def handle_delete_snapshot(self, snapshot):
        """Delete the snapshot of the stack that goes with one of ours."""
        snapshot_id = snapshot['resource_data'].get(_SNAPSHOT_KEY)
        if snapshot_id is not None and self.resource_id is not None:
            self._delete_nested_snapshot(snapshot_id)

    def handle_restore(self, defn, restore_data):
        """Return the definition with what the stack had at the snapshot."""
        snapshot_id = restore_data['resource_data'][_SNAPSHOT_KEY]
        row = self._nested_snapshot(snapshot_id)
        if row is None:
            raise exception.EntityNotFound(entity='Snapshot',
                                           name=snapshot_id)
        values = {name: value for name, value
                  in defn.properties(self.properties_schema).items()
                  if value is not None}
        values[self.TEMPLATE] = jsonutils.dumps(row.data['template'])
        values[self.PARAMETERS] = row.data['environment'].get(
            environment_format.PARAMETERS, {})
        return defn.freeze(properties=values)

    # -- values -------------------------------------------------------------

    def has_nested(self):
        """Return False: the stack is not shown as a part of this one."""
        return False

    def _show_resource(self):
        """Return what there is to say of the stack."""
        child = self.nested()
        if child is None:
            return {}
        return {
            'id': child.id,
            'stack_name': child.name,
            'stack_status': '_'.join(child.state),
            'stack_status_reason': child.status_reason,
            'parameters': child.parameters.map(str),
            'outputs': self._all_outputs(),
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
