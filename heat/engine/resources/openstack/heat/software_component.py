"""OS::Heat::SoftwareComponent: what to do on a server in each action."""
import collections

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import status
from heat.engine import support
from heat.engine.resources.openstack.heat import software_config
from heat.engine.software import configs as software_configs


class SoftwareComponent(software_config.SoftwareConfig):
    """A software component: a set of configs for different stack actions.

    One config can install the software, for example, and another one
    remove it. Each action has at most one config.
    """

    support_status = support.SupportStatus(version='2014.2')

    PROPERTIES = (
        CONFIGS, INPUTS, OUTPUTS, OPTIONS,
    ) = (
        'configs', 'inputs', 'outputs', 'options',
    )

    CONFIG_PROPERTIES = (
        CONFIG_ACTIONS, CONFIG_CONFIG, CONFIG_TOOL,
    ) = (
        'actions', 'config', 'tool',
    )

    properties_schema = {
        CONFIGS: properties.Schema(
            properties.Schema.LIST,
            _('Configs for the actions of the stack.'),
            required=True,
            constraints=[constraints.Length(min=1)],
            schema=properties.Schema(
                properties.Schema.MAP,
                schema={
                    CONFIG_ACTIONS: properties.Schema(
                        properties.Schema.LIST,
                        _('Actions to which the config applies. Names other '
                          'than stack actions are passed to the tool.'),
                        default=[status.ResourceStatus.CREATE,
                                 status.ResourceStatus.UPDATE],
                        schema=properties.Schema(properties.Schema.STRING),
                        constraints=[constraints.Length(min=1)]),
                    CONFIG_CONFIG: properties.Schema(
                        properties.Schema.STRING,
                        _('Content of the config, in the language of the '
                          'tool.')),
                    CONFIG_TOOL: properties.Schema(
                        properties.Schema.STRING,
                        _('Tool that applies the config.'),
                        required=True),
                })),
        INPUTS: software_config.SoftwareConfig.properties_schema[INPUTS],
        OUTPUTS: software_config.SoftwareConfig.properties_schema[OUTPUTS],
        OPTIONS: software_config.SoftwareConfig.properties_schema[OPTIONS],
    }

    def handle_create(self):
        """Store the configs as one of the group `component`."""
        self._store(group=software_configs.COMPONENT,
                    config={self.CONFIGS: self.properties[self.CONFIGS]},
                    **self._io())

    def _resolve_attribute(self, name):
        config = super()._resolve_attribute(name)
        return config and config.get(self.CONFIGS)

    def validate(self):
        """Check the definition: an action has at most one config."""
        result = super().validate()
        counts = collections.Counter(
            action for config in self.properties[self.CONFIGS] or ()
            for action in config[self.CONFIG_ACTIONS])
        several = sorted(action for action, count in counts.items()
                         if count > 1)
        if several:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      'properties', self.CONFIGS],
                message=_('Defining more than one configuration for the '
                          'same action in SoftwareComponent is not '
                          'allowed: %s') % ', '.join(several))
        return result


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::SoftwareComponent': SoftwareComponent}
