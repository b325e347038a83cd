"""OS::Heat::SoftwareConfig: what to do on a server."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import resource
from heat.engine import software_config_io
from heat.engine import support
from heat.engine.software import configs as software_configs
from heat.rpc import api as rpc_api


class SoftwareConfig(resource.Resource):
    """A configuration that can be deployed to servers.

    The config is the input of a configuration tool: a script, a
    manifest or a playbook. It is immutable; an update of the resource
    creates a new config. A software deployment applies the config to a
    server and sets the values of its inputs, so that several servers
    can share one config.
    """

    drift_unsupported = _('Nothing but Heat knows of it.')
    support_status = support.SupportStatus(version='2014.1')
    default_client_name = 'heat'
    entity = 'software_configs'

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        GROUP, CONFIG,
        OPTIONS,
        INPUTS, OUTPUTS,
    ) = (
        rpc_api.SOFTWARE_CONFIG_GROUP, rpc_api.SOFTWARE_CONFIG_CONFIG,
        rpc_api.SOFTWARE_CONFIG_OPTIONS,
        rpc_api.SOFTWARE_CONFIG_INPUTS, rpc_api.SOFTWARE_CONFIG_OUTPUTS,
    )

    ATTRIBUTES = (
        CONFIG_ATTR,
    ) = (
        'config',
    )

    properties_schema = {
        GROUP: properties.Schema(
            properties.Schema.STRING,
            _('Name of the tool that applies the config, as registered by a '
              'hook on the server.'),
            default=software_configs.UNGROUPED),
        CONFIG: properties.Schema(
            properties.Schema.STRING,
            _('Content of the config, in the language of the tool.')),
        OPTIONS: properties.Schema(
            properties.Schema.MAP,
            _('Options of the tool.')),
        INPUTS: properties.Schema(
            properties.Schema.LIST,
            _('Inputs of the config.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                schema=software_config_io.input_config_schema)),
        OUTPUTS: properties.Schema(
            properties.Schema.LIST,
            _('Outputs of the config.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                schema=software_config_io.output_config_schema)),
    }

    attributes_schema = {
        CONFIG_ATTR: attributes.Schema(
            _('Config as stored by the service.'),
            type=attributes.Schema.STRING),
    }

    @classmethod
    def is_service_available(cls, context):
        """Return that it is: we are the orchestration service."""
        return True, None

    def handle_create(self):
        """Store the config."""
        self._store(group=self.properties[self.GROUP],
                    config=self.properties[self.CONFIG],
                    **self._io())

    def _store(self, group, config, **io):
        row = software_configs.create(
            self.context, name=self.physical_resource_name(), group=group,
            config=config, **io)
        self.resource_id_set(row.id)

    def _io(self):
        """Return inputs, outputs and options."""
        return {
            'inputs': self._declared(self.INPUTS),
            'outputs': self._declared(self.OUTPUTS),
            'options': self.properties[self.OPTIONS],
        }

    def _declared(self, name):
        return [{key: value for key, value in each.items()
                 if value is not None}
                for each in self.properties[name] or ()]

    def handle_delete(self):
        """Delete the config, which may be gone."""
        if self.resource_id is None:
            return
        try:
            software_configs.delete(self.context, self.resource_id)
        except exception.NotFound:
            pass

    def _stored(self):
        """Return the stored config, None if there is none."""
        if self.resource_id is None:
            return None
        try:
            return software_configs.get(self.context, self.resource_id)
        except exception.NotFound:
            return None

    def _resolve_attribute(self, name):
        row = self._stored()
        if name != self.CONFIG_ATTR or row is None:
            return None
        return software_configs.part(row, self.CONFIG)

    def _show_resource(self):
        row = software_configs.get(self.context, self.resource_id)
        return {'id': row.id, 'name': row.name, 'group': row.group,
                **(row.config or {})}


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::SoftwareConfig': SoftwareConfig}
