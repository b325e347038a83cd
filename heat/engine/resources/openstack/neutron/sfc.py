"""Service function chains of Neutron."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import neutron

_UNSUPPORTED_SINCE = {
    version: support.SupportStatus(status=support.UNSUPPORTED,
                                   version=version)
    for version in ('7.0.0', '8.0.0')}


class PortPair(neutron.NeutronResource):
    """The two ports of a service function.

    Packets enter a firewall or the like by one and leave it by the other.
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
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        EGRESS: properties.string(
            _('The port where packets leave the service function, by name '
              'or id.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
        INGRESS: properties.string(
            _('The port where packets enter the service function, by name '
              'or id.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
        SERVICE_FUNCTION_PARAMETERS: properties.map(
            _('Parameters of the service function.'),
            default={'correlation': None}),
    }


class PortPairGroup(neutron.NeutronResource):
    """Service functions that do the same.

    Packets pass one of them.
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
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        PORT_PAIRS: properties.list(
            _('The port pairs among which the traffic is divided, by '
              'names or ids.'),
            required=True,
            schema=properties.string(
                _('The port pairs among which the traffic is divided, by '
                  'names or ids.'),
                constraints=[constraints.ref('neutron.port_pair')]),
            update_allowed=True),
    }


class FlowClassifier(neutron.NeutronResource):
    """A choice of packets that are to pass a chain.

    Packets are chosen by their addresses, port numbers and protocol.
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
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        DESTINATION_IP_PREFIX: properties.string(
            _('The addresses that packets go to.'),
            constraints=[constraints.CustomConstraint('net_cidr')]),
        DESTINATION_PORT_RANGE_MAX: properties.integer(
            _('The last port number that packets go to.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        DESTINATION_PORT_RANGE_MIN: properties.integer(
            _('The first port number that packets go to.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        ETHERTYPE: properties.string(
            _('The address family of the packets, IPv4 or IPv6.'),
            default='IPv4',
            constraints=[constraints.AllowedValues(['IPv4', 'IPv6'])]),
        L7_PARAMETERS: properties.map(
            _('Layer 7 match criteria.'),
            support_status=support.SupportStatus(status=support.UNSUPPORTED)),
        LOGICAL_DESTINATION_PORT: properties.string(
            _('The port of Neutron that packets go to, by name or id.'),
            constraints=[constraints.ref('neutron.port')]),
        LOGICAL_SOURCE_PORT: properties.string(
            _('The port of Neutron that packets come from, by name or id.'),
            constraints=[constraints.ref('neutron.port')]),
        PROTOCOL: properties.string(
            _('The protocol of the packets.'),
            constraints=[constraints.AllowedValues(['tcp', 'udp', 'icmp'])]),
        SOURCE_IP_PREFIX: properties.string(
            _('The addresses that packets come from.'),
            constraints=[constraints.CustomConstraint('net_cidr')]),
        SOURCE_PORT_RANGE_MAX: properties.integer(
            _('The last port number that packets come from.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        SOURCE_PORT_RANGE_MIN: properties.integer(
            _('The first port number that packets come from.'),
            constraints=[constraints.Range(min=1, max=65535)]),
    }


class PortChain(neutron.NeutronResource):
    """A chain of service functions that packets pass.

    Each of the groups of the chain does something to them in turn.
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
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        CHAIN_PARAMETERS: properties.map(
            _('Parameters of the chain.'), default={'correlation': 'mpls'}),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        FLOW_CLASSIFIERS: properties.list(
            _('The flow classifiers that choose the packets, by names or '
              'ids.'),
            default=[],
            schema=properties.string(
                _('The flow classifiers that choose the packets, by names '
                  'or ids.'),
                constraints=[constraints.ref('neutron.flow_classifier')]),
            update_allowed=True),
        PORT_PAIR_GROUPS: properties.list(
            _('The port pair groups that packets pass, in this order, by '
              'names or ids.'),
            required=True,
            schema=properties.string(
                _('The port pair groups that packets pass, in this order, '
                  'by names or ids.'),
                constraints=[constraints.ref('neutron.port_pair_group')]),
            update_allowed=True),
    }
