"""Service function chains of Neutron."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron

_UNSUPPORTED_SINCE = {
    version: support.SupportStatus(status=support.UNSUPPORTED,
                                   version=version)
    for version in ('7.0.0', '8.0.0')}


class PortPair(neutron.NeutronResource):
    """The two ports of a service function, for example a firewall.

    Packets enter the service function through one port and leave it
    through the other.
    """

    type_name = 'OS::Neutron::PortPair'
    support_status = _UNSUPPORTED_SINCE['7.0.0']
    required_service_extension = 'sfc'
    noun = 'sfc_port_pair'

    PROPERTIES = (
        NAME, DESCRIPTION, EGRESS, INGRESS,
        SERVICE_FUNCTION_PARAMETERS,
    ) = (
        'name', 'description', 'egress', 'ingress',
        'service_function_parameters',
    )

    properties_schema = {
        NAME: fragments.name(),
        DESCRIPTION: fragments.description(),
        EGRESS: properties.string(
            _('Port where packets leave the service function, by name or ID.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
        INGRESS: properties.string(
            _('Port where packets enter the service function, by name or ID.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
        SERVICE_FUNCTION_PARAMETERS: properties.map(
            _('Parameters of the service function.'),
            default={'correlation': None}),
    }


class PortPairGroup(neutron.NeutronResource):
    """A group of service functions that perform the same task.

    Each packet passes one of them.
    """

    type_name = 'OS::Neutron::PortPairGroup'
    support_status = _UNSUPPORTED_SINCE['8.0.0']
    required_service_extension = 'sfc'
    noun = 'sfc_port_pair_group'

    PROPERTIES = (
        NAME, DESCRIPTION, PORT_PAIRS,
    ) = (
        'name', 'description', 'port_pairs',
    )

    properties_schema = {
        NAME: fragments.name(),
        DESCRIPTION: fragments.description(),
        PORT_PAIRS: properties.list(
            _('Port pairs among which the traffic is distributed, by name or '
              'ID.'),
            required=True,
            schema=properties.string(
                _('Port pairs among which the traffic is distributed, by name '
                  'or ID.'),
                constraints=[constraints.ref('neutron.port_pair')]),
            update_allowed=True),
    }


class FlowClassifier(neutron.NeutronResource):
    """A classifier that selects the packets that pass a port chain.

    It matches addresses, port numbers and the protocol.
    """

    type_name = 'OS::Neutron::FlowClassifier'
    support_status = _UNSUPPORTED_SINCE['8.0.0']
    required_service_extension = 'sfc'
    noun = 'sfc_flow_classifier'

    PROPERTIES = (
        NAME, DESCRIPTION, DESTINATION_IP_PREFIX,
        DESTINATION_PORT_RANGE_MAX, DESTINATION_PORT_RANGE_MIN,
        ETHERTYPE, L7_PARAMETERS, LOGICAL_DESTINATION_PORT,
        LOGICAL_SOURCE_PORT, PROTOCOL, SOURCE_IP_PREFIX,
        SOURCE_PORT_RANGE_MAX, SOURCE_PORT_RANGE_MIN,
    ) = (
        'name', 'description', 'destination_ip_prefix',
        'destination_port_range_max', 'destination_port_range_min',
        'ethertype', 'l7_parameters', 'logical_destination_port',
        'logical_source_port', 'protocol', 'source_ip_prefix',
        'source_port_range_max', 'source_port_range_min',
    )

    properties_schema = {
        NAME: fragments.name(),
        DESCRIPTION: fragments.description(),
        DESTINATION_IP_PREFIX: properties.string(
            _('Destination IP address range in CIDR notation.'),
            constraints=[constraints.CustomConstraint('net_cidr')]),
        DESTINATION_PORT_RANGE_MAX: properties.integer(
            _('Last destination port number.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        DESTINATION_PORT_RANGE_MIN: properties.integer(
            _('First destination port number.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        ETHERTYPE: properties.string(
            _('Ethertype of the packets, IPv4 or IPv6.'),
            default='IPv4',
            constraints=[constraints.AllowedValues(['IPv4', 'IPv6'])]),
        L7_PARAMETERS: properties.map(
            _('Layer 7 match criteria.'),
            support_status=support.SupportStatus(status=support.UNSUPPORTED)),
        LOGICAL_DESTINATION_PORT: properties.string(
            _('Destination Neutron port, by name or ID.'),
            constraints=[constraints.ref('neutron.port')]),
        LOGICAL_SOURCE_PORT: properties.string(
            _('Source Neutron port, by name or ID.'),
            constraints=[constraints.ref('neutron.port')]),
        PROTOCOL: properties.string(
            _('IP protocol of the packets.'),
            constraints=[constraints.AllowedValues(['tcp', 'udp', 'icmp'])]),
        SOURCE_IP_PREFIX: properties.string(
            _('Source IP address range in CIDR notation.'),
            constraints=[constraints.CustomConstraint('net_cidr')]),
        SOURCE_PORT_RANGE_MAX: properties.integer(
            _('Last source port number.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        SOURCE_PORT_RANGE_MIN: properties.integer(
            _('First source port number.'),
            constraints=[constraints.Range(min=1, max=65535)]),
    }


class PortChain(neutron.NeutronResource):
    """A chain of service functions.

    The selected packets pass the port pair groups of the chain in
    order.
    """

    type_name = 'OS::Neutron::PortChain'
    support_status = _UNSUPPORTED_SINCE['8.0.0']
    required_service_extension = 'sfc'
    noun = 'sfc_port_chain'

    PROPERTIES = (
        NAME, CHAIN_PARAMETERS, DESCRIPTION, FLOW_CLASSIFIERS,
        PORT_PAIR_GROUPS,
    ) = (
        'name', 'chain_parameters', 'description', 'flow_classifiers',
        'port_pair_groups',
    )

    properties_schema = {
        NAME: fragments.name(),
        CHAIN_PARAMETERS: properties.map(
            _('Parameters of the chain.'), default={'correlation': 'mpls'}),
        DESCRIPTION: fragments.description(),
        FLOW_CLASSIFIERS: properties.list(
            _('Flow classifiers that select the packets, by name or ID.'),
            default=[],
            schema=properties.string(
                _('Flow classifiers that select the packets, by name or ID.'),
                constraints=[constraints.ref('neutron.flow_classifier')]),
            update_allowed=True),
        PORT_PAIR_GROUPS: properties.list(
            _('Port pair groups that packets pass, in this order, by name or '
              'ID.'),
            required=True,
            schema=properties.string(
                _('Port pair groups that packets pass, in this order, by name '
                  'or ID.'),
                constraints=[constraints.ref('neutron.port_pair_group')]),
            update_allowed=True),
    }
