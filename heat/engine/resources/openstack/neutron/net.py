"""Networks of Neutron."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.clients import sdk
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class Net(neutron.NeutronResource):
    """A network of Neutron.

    A network is a layer 2 segment to which the ports of servers and
    routers are attached. Its subnets define the addresses of the ports.
    """

    type_name = 'OS::Neutron::Net'
    entity = 'network'

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        NAME, VALUE_SPECS, ADMIN_STATE_UP, TENANT_ID, SHARED,
        DHCP_AGENT_IDS, PORT_SECURITY_ENABLED, QOS_POLICY,
        DNS_DOMAIN, AVAILABILITY_ZONE_HINTS, TAGS,
    ) = (
        'name', 'value_specs', 'admin_state_up', 'tenant_id', 'shared',
        'dhcp_agent_ids', 'port_security_enabled', 'qos_policy',
        'dns_domain', 'availability_zone_hints', 'tags',
    )
    ATTRIBUTES: tuple[str, ...]
    ATTRIBUTES = (
        STATUS, NAME_ATTR, SUBNETS, ADMIN_STATE_UP_ATTR, TENANT_ID_ATTR,
        PORT_SECURITY_ENABLED_ATTR, MTU_ATTR, QOS_POLICY_ATTR,
        L2_ADJACENCY, SEGMENTS,
    ) = (
        'status', 'name', 'subnets', 'admin_state_up', 'tenant_id',
        'port_security_enabled', 'mtu', 'qos_policy_id',
        'l2_adjacency', 'segments',
    )

    properties_schema = {
        NAME: properties.string(
            _('Name of the network. It need not be unique.'),
            update_allowed=True),
        VALUE_SPECS: fragments.value_specs(),
        ADMIN_STATE_UP: properties.boolean(
            _('Whether the network is administratively up.'), default=True,
            update_allowed=True),
        TENANT_ID: properties.string(
            _('ID of the project that owns the network. Only administrators '
              'may specify a project other than their own.')),
        SHARED: properties.boolean(
            _('Whether the network is shared with all projects. By default '
              'only administrators may set it.'), default=False,
            update_allowed=True),
        DHCP_AGENT_IDS: properties.list(
            _('IDs of the DHCP agents that serve the network. By default only '
              'administrators may specify them.'), update_allowed=True),
        PORT_SECURITY_ENABLED: properties.boolean(
            _('Whether port security is enabled by default for ports of the '
              'network: security groups and protection against address '
              'spoofing.'), update_allowed=True,
            support_status=support.SupportStatus(version='5.0.0')),
        QOS_POLICY: properties.string(
            _('QoS policy of the network, by name or ID.'),
            constraints=[constraints.ref('neutron.qos_policy')],
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
        DNS_DOMAIN: properties.string(
            _('DNS domain of the network, with a trailing dot.'),
            constraints=[constraints.CustomConstraint('dns_domain')],
            update_allowed=True,
            support_status=support.SupportStatus(version='7.0.0')),
        AVAILABILITY_ZONE_HINTS: properties.list(
            _('Availability zones in which the network is scheduled.'),
            support_status=support.SupportStatus(version='19.0.0')),
        TAGS: properties.list(
            _('Tags of the network.'),
            schema=properties.string(),
            update_allowed=True,
            support_status=support.SupportStatus(version='9.0.0')),
    }

    attributes_schema = {
        STATUS: fragments.text(_('Status of the network.')),
        NAME_ATTR: fragments.text(_('Name of the network.')),
        SUBNETS: attributes.Schema(
            _('IDs of the subnets of the network.'),
            type=attributes.Schema.LIST),
        ADMIN_STATE_UP_ATTR: fragments.text(
            _('Whether the network is administratively up.')),
        TENANT_ID_ATTR: fragments.text(
            _('ID of the project that owns the network.')),
        PORT_SECURITY_ENABLED_ATTR: attributes.Schema(
            _('Whether port security is enabled by default for ports of the '
              'network.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.BOOLEAN),
        MTU_ATTR: attributes.Schema(
            _('Maximum transmission unit (MTU) of the network in bytes.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.INTEGER),
        QOS_POLICY_ATTR: attributes.Schema(
            _('ID of the QoS policy.'),
            support_status=support.SupportStatus(version='6.0.0'),
            type=attributes.Schema.STRING),
        L2_ADJACENCY: attributes.Schema(
            _('Whether layer 2 connectivity is available throughout the '
              'network.'),
            support_status=support.SupportStatus(version='9.0.0'),
            type=attributes.Schema.BOOLEAN),
        SEGMENTS: attributes.Schema(
            _('Segments of the network.'),
            support_status=support.SupportStatus(version='11.0.0'),
            type=attributes.Schema.LIST),
    }

    rename = {QOS_POLICY: 'qos_policy_id'}
    omit = (*neutron.NeutronResource.omit, DHCP_AGENT_IDS)
    ready = neutron.BUILT

    def _create(self):
        created = super()._create()
        if self._agents():
            self._serve_by(self._agents())
        return created

    def _agents(self):
        return (self.DHCP_AGENT_IDS in self.properties_schema and
                self.properties[self.DHCP_AGENT_IDS])

    def _takes_steps(self):
        return super()._takes_steps() or bool(self._agents())

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if self.DHCP_AGENT_IDS in prop_diff:
            self._serve_by(prop_diff[self.DHCP_AGENT_IDS] or [])

    def _serve_by(self, wanted):
        """Let these DHCP agents, and no others, serve the network."""
        client = self.sdk()
        network = client.get_network(self.resource_id)
        present = {agent.id for agent in
                   client.network_hosting_dhcp_agents(network)}
        for agent_id in sorted(set(wanted) - present):
            client.add_dhcp_agent_to_network(agent_id, network)
        for agent_id in sorted(present - set(wanted)):
            with self.client_plugin().ignore_not_found:
                client.remove_dhcp_agent_from_network(agent_id, network)

    def _resolve_attribute(self, name):
        if name == self.SEGMENTS and self.resource_id is not None:
            return [sdk.shown(segment)
                    for segment in self.sdk().segments(
                        network_id=self.resource_id)]
        return super()._resolve_attribute(name)
