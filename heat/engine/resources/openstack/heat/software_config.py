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
    """Describes and stores software configuration.

    The config is a text for one of the tools that servers have: a script,
    a manifest, a playbook. It never changes; an update of the resource
    makes another one. A deployment applies it to a server and gives values
    to its inputs, so one config may serve many servers.
    """

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
            _('The tool that applies the config, as the hooks on the server '
              'know it.'),
            default=software_configs.UNGROUPED),
        CONFIG: properties.Schema(
            properties.Schema.STRING,
            _('The config, in the language of the tool.')),
        OPTIONS: properties.Schema(
            properties.Schema.MAP,
            _('Options for the tool.')),
        INPUTS: properties.Schema(
            properties.Schema.LIST,
            _('The inputs that the config takes.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                schema=software_config_io.input_config_schema)),
        OUTPUTS: properties.Schema(
            properties.Schema.LIST,
            _('The outputs that the config gives.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                schema=software_config_io.output_config_schema)),
    }

    attributes_schema = {
        CONFIG_ATTR: attributes.Schema(
            _('The config as it is stored.'),
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
