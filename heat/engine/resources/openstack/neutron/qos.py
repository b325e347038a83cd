"""QoS policies of Neutron, and their rules."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import neutron


class QoSPolicy(neutron.NeutronResource):
    """A QoS policy of Neutron.

    Networks and ports that have the policy are treated as its rules say.
    """

    type_name = 'OS::Neutron::QoSPolicy'
    support_status = support.SupportStatus(version='6.0.0')
    required_service_extension = 'qos'
    entity = 'qos_policy'

    PROPERTIES = (
        NAME, DESCRIPTION, SHARED, TENANT_ID,
    ) = (
        'name', 'description', 'shared', 'tenant_id',
    )
    ATTRIBUTES = (
        RULES_ATTR,
    ) = (
        'rules',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            default=False, update_allowed=True),
        TENANT_ID: properties.string(
            _('The project that owns it. Only administrators may name '
              'another one than their own.')),
    }

    attributes_schema = {
        RULES_ATTR: attributes.Schema(
            _('The rules of the policy.'), type=attributes.Schema.LIST),
    }


class QoSRule(neutron.NeutronResource):
    """Common base of the rules of QoS policies."""

    required_service_extension = 'qos'
    parent = 'policy'

    common_properties = {
        'policy': properties.string(
            _('The QoS policy to which the rule belongs, by name or id.'),
            required=True,
            constraints=[constraints.ref('neutron.qos_policy')]),
        'tenant_id': properties.string(
            _('The project that owns it. Only administrators may name '
              'another one than their own.')),
    }


class QoSBandwidthLimitRule(QoSRule):
    """A rule that limits the bandwidth of a port.

    It applies to each port that has the policy.
    """

    type_name = 'OS::Neutron::QoSBandwidthLimitRule'
    support_status = support.SupportStatus(version='6.0.0')
    entity = 'bandwidth_limit_rule'
    noun = 'qos_bandwidth_limit_rule'

    PROPERTIES = (
        DIRECTION, MAX_BURST_KBPS, MAX_KBPS, POLICY, TENANT_ID,
    ) = (
        'direction', 'max_burst_kbps', 'max_kbps', 'policy',
        'tenant_id',
    )

    properties_schema = {
        DIRECTION: properties.string(
            _('Whether ingress or egress traffic is limited.'),
            default='egress',
            constraints=[constraints.AllowedValues(['egress', 'ingress'])],
            update_allowed=True,
            support_status=support.SupportStatus(version='13.0.0')),
        MAX_BURST_KBPS: properties.integer(
            _('Maximum burst size in kilobits; 0 selects the default of '
              'Neutron.'),
            default=0, constraints=[constraints.Range(min=0)],
            update_allowed=True),
        MAX_KBPS: properties.integer(
            _('The limit, in kilobits per second.'), required=True,
            constraints=[constraints.Range(min=0)], update_allowed=True),
        **QoSRule.common_properties,
    }


class QoSDscpMarkingRule(QoSRule):
    """A rule that marks packets for others to treat them accordingly.

    The mark is a DSCP value in the header of the packet.
    """

    type_name = 'OS::Neutron::QoSDscpMarkingRule'
    support_status = support.SupportStatus(version='7.0.0')
    entity = 'dscp_marking_rule'
    noun = 'qos_dscp_marking_rule'

    PROPERTIES = (
        DSCP_MARK, POLICY, TENANT_ID,
    ) = (
        'dscp_mark', 'policy', 'tenant_id',
    )

    properties_schema = {
        DSCP_MARK: properties.integer(
            _('The DSCP mark that packets get.'), required=True,
            constraints=[constraints.AllowedValues([0, 8, 10, 12, 14, 16,
                18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 46, 48, 56])],
            update_allowed=True),
        **QoSRule.common_properties,
    }


class QoSMinimumBandwidthRule(QoSRule):
    """A rule that guarantees bandwidth to a port.

    Servers are placed where as much is left.
    """

    type_name = 'OS::Neutron::QoSMinimumBandwidthRule'
    support_status = support.SupportStatus(version='14.0.0')
    entity = 'minimum_bandwidth_rule'
    noun = 'qos_minimum_bandwidth_rule'

    PROPERTIES = (
        DIRECTION, MIN_KBPS, POLICY, TENANT_ID,
    ) = (
        'direction', 'min_kbps', 'policy', 'tenant_id',
    )

    properties_schema = {
        DIRECTION: properties.string(
            _('Whether the rule applies to ingress or egress traffic.'),
            default='egress',
            constraints=[constraints.AllowedValues(['egress', 'ingress'])],
            update_allowed=True),
        MIN_KBPS: properties.integer(
            _('Guaranteed minimum '
              'bandwidth in kilobits per second.'), required=True,
            constraints=[constraints.Range(min=0)], update_allowed=True),
        **QoSRule.common_properties,
    }


class QoSMinimumPacketRateRule(QoSRule):
    """A rule that guarantees a rate of packets to a port.

    Servers are placed where as much is left.
    """

    type_name = 'OS::Neutron::QoSMinimumPacketRateRule'
    support_status = support.SupportStatus(version='19.0.0')
    entity = 'minimum_packet_rate_rule'
    noun = 'qos_minimum_packet_rate_rule'

    PROPERTIES = (
        DIRECTION, MIN_KPPS, POLICY, TENANT_ID,
    ) = (
        'direction', 'min_kpps', 'policy', 'tenant_id',
    )

    properties_schema = {
        DIRECTION: properties.string(
            _('Whether the rule applies to ingress traffic, egress traffic or '
              'both.'),
            default='egress',
            constraints=[constraints.AllowedValues(['any', 'egress',
                'ingress'])],
            update_allowed=True),
        MIN_KPPS: properties.integer(
            _('Guaranteed minimum packet rate in kilopackets per second.'),
            required=True, constraints=[constraints.Range(min=0)],
            update_allowed=True),
        **QoSRule.common_properties,
    }
