"""Metering of Neutron: what traffic is counted."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import neutron


class MeteringLabel(neutron.NeutronResource):
    """A label under which traffic of routers is counted.

    Its rules say which traffic that is.
    """

    type_name = 'OS::Neutron::MeteringLabel'
    support_status = support.SupportStatus(version='2014.1')
    required_service_extension = 'metering'
    entity = 'metering_label'

    PROPERTIES = (
        NAME, DESCRIPTION, SHARED,
    ) = (
        'name', 'description', 'shared',
    )
    ATTRIBUTES = (
        DESCRIPTION_ATTR, NAME_ATTR, SHARED_ATTR,
    ) = (
        'description', 'name', 'shared',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name. It need not be unique.')),
        DESCRIPTION: properties.string(
            _('Description of the resource.')),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            default=False,
            support_status=support.SupportStatus(version='2015.1')),
    }

    attributes_schema = {
        DESCRIPTION_ATTR: attributes.Schema(
            _('Description of the resource.'),
            type=attributes.Schema.STRING),
        NAME_ATTR: attributes.Schema(
            _('The name.'), type=attributes.Schema.STRING),
        SHARED_ATTR: attributes.Schema(
            _('Whether the resource is shared with all projects.'),
            type=attributes.Schema.STRING),
    }


class MeteringRule(neutron.NeutronResource):
    """A rule that says which traffic a label counts.

    Several rules of a label add up; some may leave traffic out again.
    """

    type_name = 'OS::Neutron::MeteringRule'
    support_status = support.SupportStatus(version='2014.1')
    required_service_extension = 'metering'
    entity = 'metering_label_rule'

    PROPERTIES = (
        DIRECTION, EXCLUDED, METERING_LABEL_ID, REMOTE_IP_PREFIX,
    ) = (
        'direction', 'excluded', 'metering_label_id',
        'remote_ip_prefix',
    )
    ATTRIBUTES = (
        DIRECTION_ATTR, EXCLUDED_ATTR, METERING_LABEL_ID_ATTR,
        REMOTE_IP_PREFIX_ATTR,
    ) = (
        'direction', 'excluded', 'metering_label_id',
        'remote_ip_prefix',
    )

    properties_schema = {
        DIRECTION: properties.string(
            _('Whether ingress or egress traffic is counted.'),
            default='ingress',
            constraints=[constraints.AllowedValues(['ingress', 'egress'])]),
        EXCLUDED: properties.boolean(
            _('Whether the traffic is excluded from counting.'),
            default='False'),
        METERING_LABEL_ID: properties.string(
            _('The label to which the rule belongs.'), required=True),
        REMOTE_IP_PREFIX: properties.string(
            _('The addresses of the traffic that the rule is about.'),
            required=True),
    }

    attributes_schema = {
        DIRECTION_ATTR: attributes.Schema(
            _('Whether ingress or egress traffic is counted.'),
            type=attributes.Schema.STRING),
        EXCLUDED_ATTR: attributes.Schema(
            _('Whether the traffic is excluded from counting.'),
            type=attributes.Schema.STRING),
        METERING_LABEL_ID_ATTR: attributes.Schema(
            _('The label to which the rule belongs.'),
            type=attributes.Schema.STRING),
        REMOTE_IP_PREFIX_ATTR: attributes.Schema(
            _('The addresses of the traffic that the rule is about.'),
            type=attributes.Schema.STRING),
    }
