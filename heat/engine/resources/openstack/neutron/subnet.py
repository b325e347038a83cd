"""Subnets of Neutron."""
import ipaddress

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources.openstack.neutron import neutron


class Subnet(neutron.NeutronResource):
    """A subnet of Neutron.

    A subnet is a block of addresses for the ports of a network, and what
    hosts with such an address are told by DHCP: routes and name servers.
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
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        ALLOCATION_POOLS: properties.list(
            _('Ranges of addresses for ports; all addresses of the subnet '
              'but that of the gateway if none are given.'),
            schema=properties.map(
                _('Ranges of addresses for ports; all addresses of the '
                  'subnet but that of the gateway if none are given.'),
                schema={
                    'end': properties.string(
                        _('The last address of the range.'), required=True,
                        constraints=[constraints.CustomConstraint('ip_addr')]),
                    'start': properties.string(
                        _('The first address of the range.'), required=True,
                        constraints=[constraints.CustomConstraint('ip_addr')]),
                }),
            update_allowed=True),
        CIDR: properties.string(
            _('The addresses of the subnet, like 192.0.2.0/24.'),
            constraints=[constraints.CustomConstraint('net_cidr')]),
        DNS_NAMESERVERS: properties.list(
            _('The addresses of name servers that DHCP tells to hosts.'),
            default=[], update_allowed=True),
        ENABLE_DHCP: properties.boolean(
            _('Whether DHCP is enabled for the subnet.'), default=True,
            update_allowed=True),
        GATEWAY_IP: properties.string(
            _('The address of the gateway. Without one Neutron takes the '
              'first address; an empty text means that there is no '
              'gateway.'),
            update_allowed=True),
        HOST_ROUTES: properties.list(
            _('Routes that DHCP tells to hosts.'),
            schema=properties.map(
                _('Routes that DHCP tells to hosts.'),
                schema={
                    'destination': properties.string(
                        _('The network at the end of the route.'),
                        required=True,
                        constraints=[constraints.CustomConstraint('net_cidr')]),
                    'nexthop': properties.string(
                        _('The address to which packets for it are sent.'),
                        required=True,
                        constraints=[constraints.CustomConstraint('ip_addr')]),
                }),
            update_allowed=True),
        IP_VERSION: properties.integer(
            _('The address family, 4 or 6.'), default=4,
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
            _('The network that the subnet is of, by name or id.'),
            required=True, constraints=[constraints.ref('neutron.network')],
            support_status=support.SupportStatus(version='2014.2')),
        NETWORK_ID: properties.string(
            _('The network that the subnet is of; the old name of '
              '"network".'),
            constraints=[constraints.CustomConstraint('neutron.network')],
            support_status=neutron.hidden('5.0.0', '2014.2')),
        PREFIXLEN: properties.integer(
            _('Prefix length of a subnet allocated from a subnet pool.'),
            constraints=[constraints.Range(min=0)],
            support_status=support.SupportStatus(version='6.0.0')),
        SEGMENT: properties.string(
            _('The segment of the network that the subnet is on, by name '
              'or id.'),
            constraints=[constraints.ref('neutron.segment')],
            update_allowed=True,
            support_status=support.SupportStatus(version='11.0.0',
                previous_status=support.SupportStatus(version='9.0.0'))),
        SUBNETPOOL: properties.string(
            _('The pool from which the addresses are taken, by name or '
              'id.'),
            constraints=[constraints.ref('neutron.subnetpool')],
            support_status=support.SupportStatus(version='6.0.0')),
        TAGS: properties.list(
            _('Tags of the resource.'),
            schema=properties.string(
                _('Tags of the resource.')),
            update_allowed=True,
            support_status=support.SupportStatus(version='9.0.0')),
        TENANT_ID: properties.string(
            _('The project that owns it. Only administrators may name '
              'another one than their own.')),
        VALUE_SPECS: properties.map(
            _('Parameters of extensions to be sent along as they are.'),
            default={}, update_allowed=True),
    }

    attributes_schema = {
        ALLOCATION_POOLS_ATTR: attributes.Schema(
            _('Ranges of addresses for ports.'), type=attributes.Schema.LIST),
        CIDR_ATTR: attributes.Schema(
            _('The addresses of the subnet.'), type=attributes.Schema.STRING),
        DNS_NAMESERVERS_ATTR: attributes.Schema(
            _('The name servers that DHCP tells to hosts.'),
            type=attributes.Schema.LIST),
        ENABLE_DHCP_ATTR: attributes.Schema(
            _('Whether DHCP is enabled for the subnet.'),
            type=attributes.Schema.STRING),
        GATEWAY_IP_ATTR: attributes.Schema(
            _('The address of the gateway.'), type=attributes.Schema.STRING),
        HOST_ROUTES_ATTR: attributes.Schema(
            _('Routes that DHCP tells to hosts.'),
            type=attributes.Schema.LIST),
        IP_VERSION_ATTR: attributes.Schema(
            _('The address family.'), type=attributes.Schema.STRING),
        NAME_ATTR: attributes.Schema(
            _('The name.'), type=attributes.Schema.STRING),
        NETWORK_ID_ATTR: attributes.Schema(
            _('The id of the network.'), type=attributes.Schema.STRING),
        TENANT_ID_ATTR: attributes.Schema(
            _('The project that owns it.'), type=attributes.Schema.STRING),
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
                'ipv6_ra_mode and ipv6_address_mode are not for a subnet '
                'whose ip_version is 4.'))
        if all(modes) and modes[0] != modes[1]:
            raise exception.StackValidationFailed(message=_(
                'ipv6_ra_mode and ipv6_address_mode must be the same where '
                'both are given.'))

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
