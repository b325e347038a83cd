"""OS::Heat::StructuredConfig and what deploys it: configs that are maps."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.heat import software_config
from heat.engine.resources.openstack.heat import software_deployment
from heat.engine.software import configs as software_configs
from heat.rpc import api as rpc_api


class StructuredConfig(software_config.SoftwareConfig):
    """A software config whose content is a map instead of a text.

    When a structured deployment applies the config, each map in it with
    the single key ``get_input`` is replaced with the value of that
    input.
    """

    support_status = support.SupportStatus(version='2014.1')

    PROPERTIES = (
        GROUP, CONFIG, OPTIONS, INPUTS, OUTPUTS,
    ) = (
        'group', 'config', 'options', 'inputs', 'outputs',
    )

    properties_schema = {
        **software_config.SoftwareConfig.properties_schema,
        CONFIG: properties.Schema(
            properties.Schema.MAP,
            _('Content of the config, in the structure that the tool '
              'expects.')),
    }


_PROPERTIES = (
    INPUT_KEY, INPUT_VALUES_VALIDATE,
) = (
    'input_key', 'input_values_validate',
)

_VALIDATIONS = (
    LAX, STRICT,
) = (
    'LAX', 'STRICT',
)

_own_schema = {
    INPUT_KEY: properties.Schema(
        properties.Schema.STRING,
        _('Key that marks a reference to an input: a map in the config with '
          'this single key.'),
        default='get_input'),
    INPUT_VALUES_VALIDATE: properties.Schema(
        properties.Schema.STRING,
        _('Whether a referenced input must have a value (STRICT) or is null '
          'without one (LAX).'),
        default=LAX,
        constraints=[constraints.AllowedValues(_VALIDATIONS)]),
}


class StructuredDeployment(software_deployment.SoftwareDeployment):
    """The deployment of a structured config to a server.

    The values of the inputs are inserted into the config before it is
    sent to the server. This supports tools that have no concept of
    inputs.
    """

    PROPERTIES = (
        *software_deployment.SoftwareDeployment.PROPERTIES, *_PROPERTIES)
    INPUT_KEY, INPUT_VALUES_VALIDATE = _PROPERTIES
    LAX, STRICT = _VALIDATIONS

    support_status = support.SupportStatus(version='2014.1')

    properties_schema = {
        **software_deployment.SoftwareDeployment.properties_schema,
        **_own_schema,
    }

    def empty_config(self):
        """Return what stands for a config that is not given."""
        return {}

    def _build_derived_config(self, action, source, derived_inputs,
                              derived_options):
        config = (source and software_configs.part(
            source, rpc_api.SOFTWARE_CONFIG_CONFIG)) or {}
        return self.parse(
            dict(each.input_data() for each in derived_inputs),
            self.properties[self.INPUT_KEY], config,
            self.properties[self.INPUT_VALUES_VALIDATE])

    @classmethod
    def parse(cls, inputs, input_key, snippet, check_input_val=LAX):
        """Return a snippet with values in place of references to inputs."""
        if isinstance(snippet, dict):
            name = snippet.get(input_key)
            if len(snippet) == 1 and isinstance(name, str):
                if check_input_val == STRICT and name not in inputs:
                    raise exception.UserParameterMissing(key=name)
                return inputs.get(name)
            return {key: cls.parse(inputs, input_key, value,
                                   check_input_val)
                    for key, value in snippet.items()}
        if isinstance(snippet, (list, tuple)):
            return [cls.parse(inputs, input_key, value, check_input_val)
                    for value in snippet]
        return snippet


class StructuredDeploymentGroup(software_deployment.SoftwareDeploymentGroup):
    """The deployment of a structured config to a group of servers.

    It behaves like a software deployment group whose members are
    structured deployments.
    """

    PROPERTIES = (
        *software_deployment.SoftwareDeploymentGroup.PROPERTIES,
        *_PROPERTIES)
    INPUT_KEY, INPUT_VALUES_VALIDATE = _PROPERTIES

    support_status = support.SupportStatus(version='5.0.0')
    member_type = 'OS::Heat::StructuredDeployment'

    properties_schema = {
        **software_deployment.SoftwareDeploymentGroup.properties_schema,
        **_own_schema,
    }


class StructuredDeployments(StructuredDeploymentGroup):
    """The former name of a structured deployment group.

    Use OS::Heat::StructuredDeploymentGroup instead.
    """

    support_status = support.SupportStatus(
        status=support.HIDDEN,
        message=_('Use OS::Heat::StructuredDeploymentGroup.'),
        version='7.0.0',
        previous_status=support.SupportStatus(
            status=support.DEPRECATED, version='2014.2'),
        substitute_class=StructuredDeploymentGroup)


def resource_mapping():
    """Return the types of this module."""
    return {
        'OS::Heat::StructuredConfig': StructuredConfig,
        'OS::Heat::StructuredDeployment': StructuredDeployment,
        'OS::Heat::StructuredDeploymentGroup': StructuredDeploymentGroup,
        'OS::Heat::StructuredDeployments': StructuredDeployments,
    }
