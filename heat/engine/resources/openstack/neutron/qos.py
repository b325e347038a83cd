"""QoS policies of Neutron, and their rules."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class QoSPolicy(neutron.NeutronResource):
    """A QoS policy of Neutron.

    Its rules apply to the networks and ports that have the policy.
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
        NAME: fragments.name(),
        DESCRIPTION: fragments.description(),
        SHARED: fragments.shared(),
        TENANT_ID: fragments.owner(),
    }

    attributes_schema = {
        RULES_ATTR: attributes.Schema(
            _('Rules of the policy.'), type=attributes.Schema.LIST),
    }


class QoSRule(neutron.NeutronResource):
    """Common base of the rules of QoS policies."""

    required_service_extension = 'qos'
    parent = 'policy'

    common_properties = {
        'policy': properties.string(
            _('QoS policy to which the rule belongs, by name or ID.'),
            required=True,
            constraints=[constraints.ref('neutron.qos_policy')]),
        'tenant_id': fragments.owner(),
    }


class QoSBandwidthLimitRule(QoSRule):
    """A rule that limits the bandwidth of ports.

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
            _('Direction of the traffic to limit: ingress or egress.'),
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
            _('Maximum bandwidth in kilobits per second.'), required=True,
            constraints=[constraints.Range(min=0)], update_allowed=True),
        **QoSRule.common_properties,
    }


class QoSDscpMarkingRule(QoSRule):
    """A rule that marks packets for treatment in other parts of the network.

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
            _('DSCP mark that is set in packets.'), required=True,
            constraints=[constraints.AllowedValues([0, 8, 10, 12, 14, 16,
                18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 46, 48, 56])],
            update_allowed=True),
        **QoSRule.common_properties,
    }


class QoSMinimumBandwidthRule(QoSRule):
    """A rule that guarantees a minimum bandwidth to ports.

    Servers are placed on hosts with sufficient bandwidth.
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
            _('Direction of the traffic to which the rule applies: ingress or '
              'egress.'),
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
    """A rule that guarantees a minimum packet rate to ports.

    Servers are placed on hosts with a sufficient packet rate.
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
            _('Direction of the traffic to which the rule applies: ingress, '
              'egress or any.'),
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
