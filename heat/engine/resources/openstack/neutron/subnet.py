"""Subnets of Neutron."""
import ipaddress

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class Subnet(neutron.NeutronResource):
    """A subnet of Neutron.

    A subnet is an address range for the ports of a network, with the
    routes and DNS servers that DHCP announces to hosts.
    """

    type_name = 'OS::Neutron::Subnet'
    entity = 'subnet'

    PROPERTIES = (
        NAME, ALLOCATION_POOLS, CIDR, DNS_NAMESERVERS, ENABLE_DHCP,
        GATEWAY_IP, HOST_ROUTES, IP_VERSION, IPV6_ADDRESS_MODE,
        IPV6_RA_MODE, NETWORK, NETWORK_ID, PREFIXLEN, SEGMENT,
        SUBNETPOOL, TAGS, TENANT_ID, VALUE_SPECS,
    ) = (
        'name', 'allocation_pools', 'cidr', 'dns_nameservers',
        'enable_dhcp', 'gateway_ip', 'host_routes', 'ip_version',
        'ipv6_address_mode', 'ipv6_ra_mode', 'network', 'network_id',
        'prefixlen', 'segment', 'subnetpool', 'tags', 'tenant_id',
        'value_specs',
    )
    ATTRIBUTES = (
        ALLOCATION_POOLS_ATTR, CIDR_ATTR, DNS_NAMESERVERS_ATTR,
        ENABLE_DHCP_ATTR, GATEWAY_IP_ATTR, HOST_ROUTES_ATTR,
        IP_VERSION_ATTR, NAME_ATTR, NETWORK_ID_ATTR, TENANT_ID_ATTR,
    ) = (
        'allocation_pools', 'cidr', 'dns_nameservers', 'enable_dhcp',
        'gateway_ip', 'host_routes', 'ip_version', 'name',
        'network_id', 'tenant_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        ALLOCATION_POOLS: properties.list(
            _('Allocation pools: ranges of addresses for ports. Defaults to '
              'all addresses of the subnet except the gateway.'),
            schema=properties.map(
                _('Allocation pools: ranges of addresses for ports. Defaults '
                  'to all addresses of the subnet except the gateway.'),
                schema={
                    'end': properties.string(
                        _('Last address of the range.'), required=True,
                        constraints=[constraints.CustomConstraint('ip_addr')]),
                    'start': properties.string(
                        _('First address of the range.'), required=True,
                        constraints=[constraints.CustomConstraint('ip_addr')]),
                }),
            update_allowed=True),
        CIDR: properties.string(
            _('Address range of the subnet in CIDR notation, for example '
              '192.0.2.0/24.'),
            constraints=[constraints.CustomConstraint('net_cidr')]),
        DNS_NAMESERVERS: properties.list(
            _('IP addresses of the DNS servers that are announced to hosts by '
              'DHCP.'),
            default=[], update_allowed=True),
        ENABLE_DHCP: properties.boolean(
            _('Whether DHCP is enabled for the subnet.'), default=True,
            update_allowed=True),
        GATEWAY_IP: properties.string(
            _('IP address of the gateway. If omitted, Neutron uses the first '
              'address of the subnet. An empty string disables the gateway.'),
            update_allowed=True),
        HOST_ROUTES: properties.list(
            _('Static routes that are announced to hosts by DHCP.'),
            schema=properties.map(
                _('Static routes that are announced to hosts by DHCP.'),
                schema={
                    'destination': properties.string(
                        _('Destination network of the route in CIDR '
                          'notation.'),
                        required=True,
                        constraints=[constraints.CustomConstraint('net_cidr')]),
                    'nexthop': properties.string(
                        _('IP address of the next hop.'),
                        required=True,
                        constraints=[constraints.CustomConstraint('ip_addr')]),
                }),
            update_allowed=True),
        IP_VERSION: properties.integer(
            _('IP version, 4 or 6.'), default=4,
            constraints=[constraints.AllowedValues([4, 6])]),
        IPV6_ADDRESS_MODE: properties.string(
            _('IPv6 address mode of the subnet.'),
            constraints=[constraints.AllowedValues(['dhcpv6-stateful',
                'dhcpv6-stateless', 'slaac'])],
            support_status=support.SupportStatus(version='2015.1')),
        IPV6_RA_MODE: properties.string(
            _('IPv6 router advertisement mode of the subnet.'),
            constraints=[constraints.AllowedValues(['dhcpv6-stateful',
                'dhcpv6-stateless', 'slaac'])],
            support_status=support.SupportStatus(version='2015.1')),
        NETWORK: properties.string(
            _('Network to which the subnet belongs, by name or ID.'),
            required=True, constraints=[constraints.ref('neutron.network')],
            support_status=support.SupportStatus(version='2014.2')),
        NETWORK_ID: properties.string(
            _('Deprecated name of "network".'),
            constraints=[constraints.CustomConstraint('neutron.network')],
            support_status=neutron.hidden('5.0.0', '2014.2')),
        PREFIXLEN: properties.integer(
            _('Prefix length of a subnet allocated from a subnet pool.'),
            constraints=[constraints.Range(min=0)],
            support_status=support.SupportStatus(version='6.0.0')),
        SEGMENT: properties.string(
            _('Segment of the network with which the subnet is associated, by '
              'name or ID.'),
            constraints=[constraints.ref('neutron.segment')],
            update_allowed=True,
            support_status=support.SupportStatus(version='11.0.0',
                previous_status=support.SupportStatus(version='9.0.0'))),
        SUBNETPOOL: properties.string(
            _('Subnet pool from which the address range is allocated, by name '
              'or ID.'),
            constraints=[constraints.ref('neutron.subnetpool')],
            support_status=support.SupportStatus(version='6.0.0')),
        TAGS: fragments.tags(),
        TENANT_ID: fragments.owner(),
        VALUE_SPECS: fragments.value_specs(),
    }

    attributes_schema = {
        ALLOCATION_POOLS_ATTR: attributes.Schema(
            _('Allocation pools: ranges of addresses for '
              'ports.'), type=attributes.Schema.LIST),
        CIDR_ATTR: fragments.text(_('Address range of the subnet in CIDR '
                                    'notation.')),
        DNS_NAMESERVERS_ATTR: attributes.Schema(
            _('IP addresses of the DNS servers that are announced to hosts by '
              'DHCP.'),
            type=attributes.Schema.LIST),
        ENABLE_DHCP_ATTR: fragments.text(
            _('Whether DHCP is enabled for the subnet.')),
        GATEWAY_IP_ATTR: fragments.text(_('IP address of the gateway.')),
        HOST_ROUTES_ATTR: attributes.Schema(
            _('Static routes that are announced to hosts by DHCP.'),
            type=attributes.Schema.LIST),
        IP_VERSION_ATTR: fragments.text(_('IP version.')),
        NAME_ATTR: fragments.name_attribute(),
        NETWORK_ID_ATTR: fragments.text(_('ID of the network.')),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }

    rename = {NETWORK: 'network_id', SUBNETPOOL: 'subnetpool_id',
              SEGMENT: 'segment_id'}
    omit = (*neutron.NeutronResource.omit, NETWORK_ID)

    def translation_rules(self, properties):
        """Return rules for the old names of properties and for ids."""
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.REPLACE,
                    [self.NETWORK], value_path=[self.NETWORK_ID])]

    def validate(self):
        """Check that the addresses are told in one way, and fit together.
        """
        problem = super().validate()
        cidr, pool = self.properties[self.CIDR], self.properties[
            self.SUBNETPOOL]
        if cidr and pool:
            raise exception.ResourcePropertyConflict(self.CIDR,
                                                     self.SUBNETPOOL)
        if not cidr and not pool:
            raise exception.PropertyUnspecifiedError(self.CIDR,
                                                     self.SUBNETPOOL)
        if self.properties[self.PREFIXLEN] and not pool:
            raise exception.ResourcePropertyDependency(
                prop1=self.PREFIXLEN, prop2=self.SUBNETPOOL)
        self._validate_ipv6()
        self._validate_gateway()
        return problem

    def _validate_ipv6(self):
        modes = [self.properties[name] for name in (
            self.IPV6_RA_MODE, self.IPV6_ADDRESS_MODE)]
        if any(modes) and self.properties[self.IP_VERSION] == 4:
            raise exception.StackValidationFailed(message=_(
                'ipv6_ra_mode and ipv6_address_mode cannot be specified for a '
                'subnet whose ip_version is 4.'))
        if all(modes) and modes[0] != modes[1]:
            raise exception.StackValidationFailed(message=_(
                'ipv6_ra_mode and ipv6_address_mode must be equal if both are '
                'specified.'))

    def _validate_gateway(self):
        gateway = self.properties[self.GATEWAY_IP]
        if gateway:
            try:
                ipaddress.ip_address(gateway)
            except ValueError as error:
                raise exception.StackValidationFailed(message=_(
                    'The gateway_ip "%s" is not an IP address.') % gateway
                ) from error

    def prepare_create(self, body):
        """Say null where the template has an empty text for no gateway."""
        if body.get(self.GATEWAY_IP) == '':
            body[self.GATEWAY_IP] = None
        return super().prepare_create(body)

    def prepare_update(self, body, prop_diff):
        """Empty lists that are not given any more."""
        for name in (self.ALLOCATION_POOLS, self.HOST_ROUTES,
                     self.DNS_NAMESERVERS):
            if name in body and body[name] is None:
                body[name] = []
        if body.get(self.GATEWAY_IP) == '':
            body[self.GATEWAY_IP] = None
        return super().prepare_update(body, prop_diff)
