"""Floating IPs of Neutron."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources import replacing
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron
from heat.engine.resources.openstack.neutron import order


class FloatingIP(neutron.NeutronResource):
    """A floating IP of Neutron.

    A floating IP is an address of an external network. A router
    forwards its traffic to a port of an internal network.
    """

    type_name = 'OS::Neutron::FloatingIP'
    required_service_extension = 'router'
    entity = 'floatingip'
    noun = 'ip'

    PROPERTIES = (
        DNS_DOMAIN, DNS_NAME, FIXED_IP_ADDRESS, FLOATING_IP_ADDRESS,
        FLOATING_NETWORK, FLOATING_NETWORK_ID, FLOATING_SUBNET,
        PORT_ID, VALUE_SPECS,
    ) = (
        'dns_domain', 'dns_name', 'fixed_ip_address',
        'floating_ip_address', 'floating_network',
        'floating_network_id', 'floating_subnet', 'port_id',
        'value_specs',
    )
    ATTRIBUTES = (
        FIXED_IP_ADDRESS_ATTR, FLOATING_IP_ADDRESS_ATTR,
        FLOATING_NETWORK_ID_ATTR, PORT_ID_ATTR, ROUTER_ID_ATTR,
        TENANT_ID_ATTR,
    ) = (
        'fixed_ip_address', 'floating_ip_address',
        'floating_network_id', 'port_id', 'router_id', 'tenant_id',
    )

    properties_schema = {
        DNS_DOMAIN: properties.string(
            _('DNS domain of the floating IP, with a trailing dot.'),
            constraints=[constraints.CustomConstraint('dns_domain')],
            update_allowed=True,
            support_status=support.SupportStatus(version='7.0.0')),
        DNS_NAME: properties.string(
            _('DNS name of the floating IP in its DNS domain.'),
            constraints=[constraints.CustomConstraint('rel_dns_name')],
            update_allowed=True,
            support_status=support.SupportStatus(version='7.0.0')),
        FIXED_IP_ADDRESS: properties.string(
            _('Fixed IP address of the port with which the floating IP is '
              'associated. Specify it if the port has several addresses.'),
            constraints=[constraints.CustomConstraint('ip_addr')],
            update_allowed=True),
        FLOATING_IP_ADDRESS: properties.string(
            _('IP address to allocate. By default only administrators may '
              'choose the address.'),
            constraints=[constraints.CustomConstraint('ip_addr')],
            support_status=support.SupportStatus(version='5.0.0')),
        FLOATING_NETWORK: properties.string(
            _('External network from which the floating IP is allocated, by '
              'name or ID.'),
            required=True, constraints=[constraints.ref('neutron.network')],
            support_status=support.SupportStatus(version='2014.2')),
        FLOATING_NETWORK_ID: properties.string(
            _('Deprecated name of "floating_network".'),
            constraints=[constraints.CustomConstraint('neutron.network')],
            support_status=neutron.hidden('5.0.0', '2014.2')),
        FLOATING_SUBNET: properties.string(
            _('Subnet of the external network from which the floating IP is '
              'allocated, by name or ID.'),
            constraints=[constraints.ref('neutron.subnet')],
            support_status=support.SupportStatus(version='9.0.0')),
        PORT_ID: properties.string(
            _('Port with which the floating IP is associated, by name or ID.'),
            constraints=[constraints.ref('neutron.port')],
            update_allowed=True),
        VALUE_SPECS: properties.map(
            _('Additional parameters that are added to the request unchanged, '
              'for extensions of the network service.'),
            default={}),
    }

    attributes_schema = {
        FIXED_IP_ADDRESS_ATTR: attributes.Schema(
            _('Fixed IP address with which the floating IP is associated.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        FLOATING_IP_ADDRESS_ATTR: fragments.text(
            _('IP address of the floating IP.')),
        FLOATING_NETWORK_ID_ATTR: fragments.text(
            _('ID of the external network.')),
        PORT_ID_ATTR: attributes.Schema(
            _('ID of the port.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        ROUTER_ID_ATTR: fragments.text(_('ID of the router.')),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }

    rename = {FLOATING_NETWORK: 'floating_network_id',
              FLOATING_SUBNET: 'subnet_id'}
    omit = (*neutron.NeutronResource.omit, FLOATING_NETWORK_ID)

    def translation_rules(self, properties):
        """Return rules for the old name of a property and for ids."""
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.REPLACE,
                    [self.FLOATING_NETWORK],
                    value_path=[self.FLOATING_NETWORK_ID])]

    def add_dependencies(self, deps):
        """Create the way from the external network to the port before us.
        """
        super().add_dependencies(deps)
        order.after_gateways(self, deps, network=order.given(
            self, self.FLOATING_NETWORK, self.FLOATING_NETWORK_ID))
        order.after_reachable(self, deps, order.given(self, self.PORT_ID))

    def prepare_create(self, body):
        """Describe it by a name of ours, as it cannot have one.

        It is found by that if the answer to the request is lost.
        """
        body = super().prepare_create(body)
        body.setdefault('description', self.physical_resource_name())
        return body

    def _find_by_name(self):
        """Return the floating IP that has our description, or None."""
        return next(iter(self.sdk().ips(
            description=self.physical_resource_name())), None)

    def prepare_update(self, body, prop_diff):
        """Tell address and port together, as the service wants it."""
        return associated(super().prepare_update(body, prop_diff),
                          self.properties)

    def prepare_for_replace(self):
        """Lead nowhere: one address at a time leads to one of a port."""
        if self.resource_id is not None and self.properties[self.PORT_ID]:
            self._lead(self.resource_id)

    def restore_prev_rsrc(self, convergence=False):
        """Lead to the port again that the replacement was to lead to."""
        previous, (replacement, _data) = replacing.replaced_and_replacement(
            self, convergence)
        if previous is None or not previous.properties[self.PORT_ID]:
            return
        if replacement is not None:
            self._lead(replacement)
        self._lead(previous.resource_id, **{
            name: previous.properties[name]
            for name in (self.PORT_ID, self.FIXED_IP_ADDRESS)
            if previous.properties[name]})

    def _lead(self, floating_ip, port_id=None, **given):
        with self.client_plugin().ignore_not_found:
            self.sdk().update_ip(floating_ip, port_id=port_id, **given)


class FloatingIPAssociation(neutron.NeutronResource):
    """The association of a floating IP with a port.

    The floating IP exists independently of the port.
    """

    type_name = 'OS::Neutron::FloatingIPAssociation'
    required_service_extension = 'router'
    noun = 'ip'

    PROPERTIES = (
        FIXED_IP_ADDRESS, FLOATINGIP_ID, PORT_ID,
    ) = (
        'fixed_ip_address', 'floatingip_id', 'port_id',
    )

    properties_schema = {
        FIXED_IP_ADDRESS: properties.string(
            _('Fixed IP address of the port with which the floating IP is '
              'associated. Specify it if the port has several addresses.'),
            constraints=[constraints.CustomConstraint('ip_addr')],
            update_allowed=True),
        FLOATINGIP_ID: properties.string(
            _('ID of the floating IP.'), required=True, update_allowed=True),
        PORT_ID: properties.string(
            _('Port with which the floating IP is associated, by name or ID.'),
            required=True,
            constraints=[constraints.ref('neutron.port')],
            update_allowed=True),
    }

    def add_dependencies(self, deps):
        """Create the interfaces of routers to the port before us."""
        super().add_dependencies(deps)
        order.after_reachable(self, deps, order.given(self, self.PORT_ID))

    def _create(self):
        given = self._given()
        floating_ip = given.pop(self.FLOATINGIP_ID)
        self.sdk().update_ip(floating_ip, **given)
        self.resource_id_set(floating_ip)

    def _update(self, prop_diff):
        wanted = associated(dict(prop_diff), self.properties)
        other = wanted.pop(self.FLOATINGIP_ID, None)
        if other is not None:
            self._delete()
            wanted = {self.PORT_ID: self.properties[self.PORT_ID],
                      **wanted}
            self.resource_id_set(other)
        self.sdk().update_ip(self._floating_ip(other), **associated(
            wanted, self.properties))

    def _floating_ip(self, other=None):
        return other or self.properties[self.FLOATINGIP_ID]

    def _delete(self):
        with self.client_plugin().ignore_not_found:
            self.sdk().update_ip(self._floating_ip(), port_id=None)

    def drift_listing(self):
        """Return the list of floating IPs."""
        return ('neutron', self.noun, ()), lambda: self.sdk().ips(
            limit=sdk_resource.LIST_PAGE)

    def drift_thing_id(self):
        """Return the id of the floating IP."""
        return self._floating_ip()

    def _show_resource(self):
        """Return the floating IP."""
        return sdk_resource.shown(self.sdk().get_ip(
            self._floating_ip()))


class FloatingIPPortForward(neutron.NeutronResource):
    """The forwarding of a port number of a floating IP to an internal port.

    Several servers can share one floating IP on different port numbers.
    """

    type_name = 'OS::Neutron::FloatingIPPortForward'
    support_status = support.SupportStatus(version='19.0.0')
    required_service_extension = 'floating-ip-port-forwarding'
    default_client_name = 'openstack'
    noun = 'floating_ip_port_forwarding'

    PROPERTIES = (
        EXTERNAL_PORT, FLOATING_IP, INTERNAL_IP_ADDRESS, INTERNAL_PORT,
        INTERNAL_PORT_NUMBER, PROTOCOL,
    ) = (
        'external_port', 'floating_ip', 'internal_ip_address',
        'internal_port', 'internal_port_number', 'protocol',
    )

    properties_schema = {
        EXTERNAL_PORT: properties.integer(
            _('External port number on the floating IP.'), required=True,
            constraints=[constraints.Range(min=1, max=65535)],
            update_allowed=True),
        FLOATING_IP: properties.string(
            _('Floating IP, by address or ID.'), required=True),
        INTERNAL_IP_ADDRESS: properties.string(
            _('Fixed IP address of the internal port to which traffic is '
              'forwarded.'),
            required=True,
            constraints=[constraints.CustomConstraint('ip_addr')],
            update_allowed=True),
        INTERNAL_PORT: properties.string(
            _('Internal Neutron port to which traffic is forwarded, by name '
              'or ID.'),
            required=True, constraints=[constraints.ref('neutron.port')],
            update_allowed=True),
        INTERNAL_PORT_NUMBER: properties.integer(
            _('Port number to which traffic is forwarded.'),
            constraints=[constraints.Range(min=1, max=65535)],
            update_allowed=True),
        PROTOCOL: properties.string(
            _('IP protocol of the traffic to forward.'),
            required=True,
            constraints=[constraints.AllowedValues(['tcp', 'udp', 'icmp',
                'icmp6', 'sctp', 'dccp'])],
            update_allowed=True),
    }

    parent = FLOATING_IP
    rename = {INTERNAL_PORT: 'internal_port_id',
              INTERNAL_PORT_NUMBER: 'internal_port'}

    def translation_rules(self, properties):
        """Return rules that make ids of names and addresses."""
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.RESOLVE,
                    [self.FLOATING_IP], client_plugin=self.client_plugin(),
                    finder='find_network_ip')]

    def add_dependencies(self, deps):
        """Create the interfaces of routers to the port before us."""
        super().add_dependencies(deps)
        order.after_reachable(self, deps,
                              order.given(self, self.INTERNAL_PORT))

    def _service(self):
        return self.sdk().network

    def _verb(self, verb):
        request = super()._verb(verb)
        if verb == 'create':
            return request

        def in_place(forwarding, floating_ip, **given):
            # The client names the floating IP before what is part of it.
            return request(floating_ip, forwarding, **given)
        return in_place


def associated(body, before):
    """Return a change of a floating IP with all that has to be told.

    :param before: the properties that the change starts from.
    """
    if 'port_id' not in body and 'fixed_ip_address' not in body:
        return body
    told = {**{name: before[name] for name in ('port_id',
                                               'fixed_ip_address')}, **body}
    if told['fixed_ip_address'] is None or told['port_id'] is None:
        del told['fixed_ip_address']
    return told
