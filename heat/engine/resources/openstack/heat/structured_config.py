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
    """A resource which has same logic with OS::Heat::SoftwareConfig.

    Its config is a map instead of a text. Values in it that are maps of
    the single key `get_input` are replaced by the input that they name,
    when a structured deployment applies it.
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
            _('The config, as the tool knows it.')),
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
        _('The single key of those maps in the config that stand for '
          'inputs.'),
        default='get_input'),
    INPUT_VALUES_VALIDATE: properties.Schema(
        properties.Schema.STRING,
        _('Whether a referenced input must have a value (STRICT) or is null '
          'without one (LAX).'),
        default=LAX,
        constraints=[constraints.AllowedValues(_VALIDATIONS)]),
}


class StructuredDeployment(software_deployment.SoftwareDeployment):
    """A resource which has same logic with OS::Heat::SoftwareDeployment.

    It puts the values of inputs into the config, which is a map, before
    the server gets it. So tools that have no inputs of their own can use
    them.
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
    """This resource associates a group of servers with some configuration.

    It works like a software deployment group, with structured deployments
    for members, which put the values of inputs into the config.
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
    """This resource associates a group of servers with some configuration.

    It is the group of structured deployments by its earlier name.
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
