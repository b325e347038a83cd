"""Segments of networks of Neutron."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class Segment(neutron.NeutronResource):
    """A segment of a network of Neutron.

    A routed network consists of segments, each with its own subnets.
    """

    type_name = 'OS::Neutron::Segment'
    support_status = support.SupportStatus(version='9.0.0')
    required_service_extension = 'segment'
    noun = 'segment'

    PROPERTIES = (
        NAME, DESCRIPTION, NETWORK, NETWORK_TYPE, PHYSICAL_NETWORK,
        SEGMENTATION_ID,
    ) = (
        'name', 'description', 'network', 'network_type',
        'physical_network', 'segmentation_id',
    )

    NETWORK_TYPES = (
        LOCAL, VLAN, VXLAN, GRE, GENEVE, FLAT,
    ) = (
        'local', 'vlan', 'vxlan', 'gre', 'geneve', 'flat',
    )

    properties_schema = {
        NAME: fragments.name(),
        DESCRIPTION: fragments.description(),
        NETWORK: properties.string(
            _('Network to which the segment belongs, by name or ID.'),
            required=True, constraints=[constraints.ref('neutron.network')]),
        NETWORK_TYPE: properties.string(
            _('Physical mechanism by which '
              'the segment is implemented.'), required=True,
            constraints=[constraints.AllowedValues(NETWORK_TYPES)]),
        PHYSICAL_NETWORK: properties.string(
            _('Name of the physical network on which the segment is '
              'implemented.')),
        SEGMENTATION_ID: properties.integer(
            _('VLAN ID or tunnel ID of the segment.'),
            constraints=[constraints.Range(min=1)]),
    }

    rename = {NETWORK: 'network_id'}
