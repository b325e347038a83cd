"""Networks of Neutron as administrators make them."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import net


class ProviderNet(net.Net):
    """A network with a specified implementation on the physical network.

    By default only administrators may create it.
    """

    type_name = 'OS::Neutron::ProviderNet'
    support_status = support.SupportStatus(version='2014.1')
    required_service_extension = 'provider'
    entity = 'network'

    PROPERTIES = (
        NAME, ADMIN_STATE_UP, AVAILABILITY_ZONE_HINTS, DNS_DOMAIN,
        NETWORK_TYPE, PHYSICAL_NETWORK, PORT_SECURITY_ENABLED,
        ROUTER_EXTERNAL, SEGMENTATION_ID, SHARED, TAGS, TENANT_ID,
    ) = (
        'name', 'admin_state_up', 'availability_zone_hints',
        'dns_domain', 'network_type', 'physical_network',
        'port_security_enabled', 'router_external', 'segmentation_id',
        'shared', 'tags', 'tenant_id',
    )
    ATTRIBUTES = (
        SEGMENTS_ATTR, STATUS_ATTR, SUBNETS_ATTR,
    ) = (
        'segments', 'status', 'subnets',
    )

    properties_schema = {
        NAME: fragments.name(),
        ADMIN_STATE_UP: fragments.admin_state_up(),
        AVAILABILITY_ZONE_HINTS: properties.list(
            _('Availability zones in which the resource is '
              'scheduled.'), update_allowed=True,
            support_status=support.SupportStatus(version='19.0.0')),
        DNS_DOMAIN: properties.string(
            _('DNS domain of the network, with a trailing dot.'),
            constraints=[constraints.CustomConstraint('dns_domain')],
            update_allowed=True,
            support_status=support.SupportStatus(version='15.0.0')),
        NETWORK_TYPE: properties.string(
            _('Physical mechanism by which '
              'the network is implemented.'), required=True,
            constraints=[constraints.AllowedValues(['local', 'vlan',
                'vxlan', 'gre', 'geneve', 'flat'])],
            update_allowed=True),
        PHYSICAL_NETWORK: properties.string(
            _('Name of the physical network on which the network is '
              'implemented. Required for networks of type flat and vlan.'),
            update_allowed=True),
        PORT_SECURITY_ENABLED: properties.boolean(
            _('Whether port security is enabled by default for ports of the '
              'network: security groups and protection against address '
              'spoofing.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='8.0.0')),
        ROUTER_EXTERNAL: properties.boolean(
            _('Whether routers may use the '
              'network as their external gateway.'),
            default=False, update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
        SEGMENTATION_ID: properties.string(
            _('VLAN ID or tunnel ID of the network. Networks of type flat '
              'have none.'),
            update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            default=True, update_allowed=True),
        TAGS: properties.list(
            _('Tags of the resource.'),
            schema=properties.string(
                _('Tags of the resource.')),
            update_allowed=True,
            support_status=support.SupportStatus(version='12.0.0')),
        TENANT_ID: fragments.owner(
            support_status=support.SupportStatus(version='24.0.0')),
    }

    attributes_schema = {
        SEGMENTS_ATTR: attributes.Schema(
            _('Segments of the network.'),
            support_status=support.SupportStatus(version='16.0.0'),
            type=attributes.Schema.LIST),
        STATUS_ATTR: fragments.status_attribute(),
        SUBNETS_ATTR: attributes.Schema(
            _('IDs of the subnets of the network.'),
            type=attributes.Schema.LIST),
    }

    rename = {NETWORK_TYPE: 'provider:network_type',
              PHYSICAL_NETWORK: 'provider:physical_network',
              SEGMENTATION_ID: 'provider:segmentation_id',
              ROUTER_EXTERNAL: 'router:external'}

    def validate(self):
        """Check that the kind of network has what it needs and no more."""
        problem = super().validate()
        kind = self.properties[self.NETWORK_TYPE]
        if kind in ('flat', 'vlan') and not self.properties[
                self.PHYSICAL_NETWORK]:
            raise exception.StackValidationFailed(message=_(
                'A network of type %s requires a physical_network.') % kind)
        if kind == 'flat' and self.properties[self.SEGMENTATION_ID]:
            raise exception.StackValidationFailed(message=_(
                'A network of type flat has no segmentation_id.'))
        return problem
