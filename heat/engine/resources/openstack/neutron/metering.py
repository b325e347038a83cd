"""Metering of Neutron: what traffic is counted."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class MeteringLabel(neutron.NeutronResource):
    """A label under which the traffic of routers is counted.

    The rules of the label select the traffic.
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
            _('Name of the resource. It need not be unique.')),
        DESCRIPTION: properties.string(
            _('Description of the resource.')),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            default=False,
            support_status=support.SupportStatus(version='2015.1')),
    }

    attributes_schema = {
        DESCRIPTION_ATTR: fragments.description_attribute(),
        NAME_ATTR: fragments.name_attribute(),
        SHARED_ATTR: fragments.shared_attribute(),
    }


class MeteringRule(neutron.NeutronResource):
    """A rule that selects the traffic that a metering label counts.

    The rules of a label are combined; a rule can also exclude traffic.
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
            _('Direction of the traffic to which the rule applies: ingress or '
              'egress.'),
            default='ingress',
            constraints=[constraints.AllowedValues(['ingress', 'egress'])]),
        EXCLUDED: properties.boolean(
            _('Whether the traffic is excluded from counting.'),
            default='False'),
        METERING_LABEL_ID: properties.string(
            _('ID of the metering label to which the rule '
              'belongs.'), required=True),
        REMOTE_IP_PREFIX: properties.string(
            _('Remote addresses of the traffic to which the rule applies, in '
              'CIDR notation.'),
            required=True),
    }

    attributes_schema = {
        DIRECTION_ATTR: fragments.text(
            _('Direction of the traffic to which the rule applies: ingress or '
              'egress.')),
        EXCLUDED_ATTR: fragments.text(
            _('Whether the traffic is excluded from counting.')),
        METERING_LABEL_ID_ATTR: fragments.text(
            _('ID of the metering label to which the rule belongs.')),
        REMOTE_IP_PREFIX_ATTR: fragments.text(
            _('Remote addresses of the traffic to which the rule applies, in '
              'CIDR notation.')),
    }
