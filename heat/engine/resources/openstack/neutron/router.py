"""Routers of Neutron, and what attaches them to networks."""
from heat.common import exception
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

#: Routers with several agents are given these by and by.
_BUILT = sdk_resource.WaitFor(
    ready=frozenset(['ACTIVE', 'DOWN']),
    pending=frozenset(['BUILD', 'ALLOCATING', 'PENDING_CREATE',
                       'PENDING_UPDATE']),
    failed=frozenset(['ERROR']))


class Router(neutron.NeutronResource):
    """A router of Neutron.

    A router forwards packets between the subnets to which it is
    attached, and through its gateway to an external network.
    """

    type_name = 'OS::Neutron::Router'
    required_service_extension = 'router'
    entity = 'router'

    PROPERTIES = (
        NAME, ADMIN_STATE_UP, AVAILABILITY_ZONE_HINTS, DISTRIBUTED,
        EXTERNAL_GATEWAY, HA, L3_AGENT_ID, L3_AGENT_IDS, TAGS,
        TENANT_ID, VALUE_SPECS,
    ) = (
        'name', 'admin_state_up', 'availability_zone_hints',
        'distributed', 'external_gateway_info', 'ha', 'l3_agent_id',
        'l3_agent_ids', 'tags', 'tenant_id', 'value_specs',
    )
    ATTRIBUTES = (
        ADMIN_STATE_UP_ATTR, EXTERNAL_GATEWAY_INFO_ATTR, NAME_ATTR,
        STATUS_ATTR, TENANT_ID_ATTR,
    ) = (
        'admin_state_up', 'external_gateway_info', 'name', 'status',
        'tenant_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        ADMIN_STATE_UP: fragments.admin_state_up(),
        AVAILABILITY_ZONE_HINTS: properties.list(
            _('Availability zones in which the resource is '
              'scheduled.'), update_allowed=True,
            support_status=support.SupportStatus(version='19.0.0')),
        DISTRIBUTED: properties.boolean(
            _('Whether the router is distributed. By default only '
              'administrators may set it.'),
            support_status=support.SupportStatus(version='2015.1')),
        EXTERNAL_GATEWAY: properties.map(
            _('External gateway of the router.'),
            schema={
                'enable_snat': properties.boolean(
                    _('Whether source NAT is enabled on the gateway. By '
                      'default only administrators may set it.'),
                    update_allowed=True),
                'external_fixed_ips': properties.list(
                    _('IP addresses of the router on the external network.'),
                    schema=properties.map(
                        _('IP addresses of the router on the external '
                          'network.'),
                        schema={
                            'ip_address': properties.string(
                                _('IP address on the external network.'),
                                constraints=[
                                    constraints.CustomConstraint('ip_addr')]),
                            'subnet': properties.string(
                                _('Subnet of the external network, by name or '
                                  'ID.'),
                                constraints=[constraints.ref('neutron.subnet')]),
                        }),
                    update_allowed=True,
                    support_status=support.SupportStatus(version='6.0.0')),
                'network': properties.string(
                    _('External network, by name or ID.'), required=True,
                    update_allowed=True),
            },
            update_allowed=True),
        HA: properties.boolean(
            _('Whether the router is highly available. By default only '
              'administrators may set it.'),
            support_status=support.SupportStatus(version='2015.1')),
        L3_AGENT_ID: properties.string(
            _('ID of the L3 agent that hosts the router. Use l3_agent_ids '
              'instead.'),
            update_allowed=True,
            support_status=neutron.hidden('6.0.0', '2015.1', '2014.1')),
        L3_AGENT_IDS: properties.list(
            _('IDs of the L3 agents that host the router. By default only '
              'administrators may specify them.'),
            schema=properties.string(
                _('IDs of the L3 agents that host the router. By default only '
                  'administrators may specify them.')),
            update_allowed=True,
            support_status=support.SupportStatus(version='2015.1')),
        TAGS: fragments.tags(),
        TENANT_ID: fragments.owner(
            support_status=support.SupportStatus(version='24.0.0')),
        VALUE_SPECS: fragments.value_specs(),
    }

    attributes_schema = {
        ADMIN_STATE_UP_ATTR: fragments.admin_state_up_attribute(),
        EXTERNAL_GATEWAY_INFO_ATTR: attributes.Schema(
            _('External gateway of the router.'),
            type=attributes.Schema.MAP),
        NAME_ATTR: fragments.name_attribute(),
        STATUS_ATTR: fragments.status_attribute(),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }

    EXTERNAL_GATEWAY_KEYS = (
        EXTERNAL_GATEWAY_NETWORK, EXTERNAL_GATEWAY_ENABLE_SNAT,
        EXTERNAL_GATEWAY_FIXED_IPS,
    ) = ('network', 'enable_snat', 'external_fixed_ips')

    omit = (*neutron.NeutronResource.omit, L3_AGENT_ID, L3_AGENT_IDS)
    ready = _BUILT

    def add_dependencies(self, deps):
        """Create the subnets of the external network before us."""
        super().add_dependencies(deps)
        gateway = order.given(self, self.EXTERNAL_GATEWAY)
        order.after_subnets(self, deps, order.item(
            gateway, self.EXTERNAL_GATEWAY_NETWORK))

    def translation_rules(self, properties):
        """Return rules for the old way to name an agent, and for ids."""
        rules = [*super().translation_rules(properties),
                 translation.TranslationRule(
                     properties, translation.TranslationRule.RESOLVE,
                     [self.EXTERNAL_GATEWAY, self.EXTERNAL_GATEWAY_NETWORK],
                     client_plugin=self.client_plugin(),
                     finder='find_resourceid_by_name_or_id',
                     entity='network')]
        agent = properties.get(self.L3_AGENT_ID)
        if agent is not None:
            rules += [translation.TranslationRule(
                properties, translation.TranslationRule.ADD,
                [self.L3_AGENT_IDS], value=[agent]),
                translation.TranslationRule(
                    properties, translation.TranslationRule.DELETE,
                    [self.L3_AGENT_ID])]
        return rules

    def validate(self):
        """Check that agents are named in one way, and not too many."""
        problem = super().validate()
        if all(self.properties.data.get(name) for name in (
                self.L3_AGENT_ID, self.L3_AGENT_IDS)):
            raise exception.ResourcePropertyConflict(self.L3_AGENT_ID,
                                                     self.L3_AGENT_IDS)
        agents = self.properties[self.L3_AGENT_IDS] or ()
        if len(agents) > 1 and not self.properties[self.HA]:
            raise exception.StackValidationFailed(message=_(
                'Several agents require that "%s" is true.')
                % self.HA)
        return problem

    def prepare_create(self, body):
        """Describe the gateway as requests do."""
        if self.EXTERNAL_GATEWAY in body:
            body[self.EXTERNAL_GATEWAY] = self._gateway(
                body[self.EXTERNAL_GATEWAY])
        return super().prepare_create(body)

    def prepare_update(self, body, prop_diff):
        """Describe the gateway as requests do; empty if there is none."""
        if self.EXTERNAL_GATEWAY in body:
            body[self.EXTERNAL_GATEWAY] = self._gateway(
                body[self.EXTERNAL_GATEWAY] or {})
        return super().prepare_update(body, prop_diff)

    @staticmethod
    def _gateway(given):
        gateway = neutron.renamed(given, network='network_id')
        if 'external_fixed_ips' in gateway:
            gateway['external_fixed_ips'] = [
                neutron.renamed(each, subnet='subnet_id')
                for each in gateway['external_fixed_ips']]
        return gateway

    def _create(self):
        created = super()._create()
        if self.properties[self.L3_AGENT_IDS]:
            self._serve_by(self.properties[self.L3_AGENT_IDS])
        return created

    def _takes_steps(self):
        return super()._takes_steps() or bool(
            self.properties[self.L3_AGENT_IDS])

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if self.L3_AGENT_IDS in prop_diff:
            self._serve_by(prop_diff[self.L3_AGENT_IDS] or [])

    def _serve_by(self, wanted):
        """Let these L3 agents, and no others, serve the router."""
        client = self.sdk()
        present = {agent.id for agent in
                   client.routers_hosting_l3_agents(self.resource_id)}
        for agent_id in sorted(present - set(wanted)):
            with self.client_plugin().ignore_not_found:
                client.remove_router_from_agent(agent_id, self.resource_id)
        for agent_id in sorted(set(wanted) - present):
            client.add_router_to_agent(agent_id, self.resource_id)

    def parse_live(self, live):
        """Describe the gateway as templates do."""
        found = super().parse_live(live)
        gateway = found.get(self.EXTERNAL_GATEWAY)
        if gateway:
            found[self.EXTERNAL_GATEWAY] = {
                **gateway, self.EXTERNAL_GATEWAY_NETWORK:
                    gateway.get('network_id')}
        return found

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return another gateway, not the details of the one wished for."""
        found = super().parse_live_resource_data(resource_properties,
                                                 resource_data)
        live, wanted = (some.get(self.EXTERNAL_GATEWAY) or {}
                        for some in (found, resource_properties))
        if live.get('network_id') == wanted.get(
                self.EXTERNAL_GATEWAY_NETWORK):
            found.pop(self.EXTERNAL_GATEWAY, None)
        return found

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        return self._show_resource().get(name)


class RouterInterface(neutron.NeutronResource):
    """The attachment of a router to a subnet.

    The router gets the gateway address of the subnet, unless a port
    with another address is specified.
    """

    type_name = 'OS::Neutron::RouterInterface'
    required_service_extension = 'router'

    PROPERTIES = (
        PORT, PORT_ID, ROUTER, ROUTER_ID, SUBNET, SUBNET_ID,
    ) = (
        'port', 'port_id', 'router', 'router_id', 'subnet',
        'subnet_id',
    )

    properties_schema = {
        PORT: properties.string(
            _('Port by which the router is attached, by name or ID. Specify '
              'either a port or a subnet.'),
            constraints=[constraints.ref('neutron.port')],
            support_status=support.SupportStatus(version='2015.1')),
        PORT_ID: properties.string(
            _('Deprecated name of "port".'),
            constraints=[constraints.CustomConstraint('neutron.port')],
            support_status=neutron.hidden('6.0.0', '2015.1', '2014.1')),
        ROUTER: properties.string(
            _('Router, by name or ID.'), required=True,
            constraints=[constraints.ref('neutron.router')]),
        ROUTER_ID: properties.string(
            _('Deprecated name of "router".'),
            constraints=[constraints.CustomConstraint('neutron.router')],
            support_status=neutron.hidden('6.0.0', '2015.1', '2013.1')),
        SUBNET: properties.string(
            _('Subnet to which the router is attached, by name or ID. Specify '
              'either a port or a subnet.'),
            constraints=[constraints.ref('neutron.subnet')]),
        SUBNET_ID: properties.string(
            _('Deprecated name of "subnet".'),
            constraints=[constraints.CustomConstraint('neutron.subnet')],
            support_status=neutron.hidden('5.0.0', '2014.2')),
    }

    def translation_rules(self, properties):
        """Return rules for the old names of properties and for ids."""
        return [*super().translation_rules(properties), *(
            translation.TranslationRule(
                properties, translation.TranslationRule.REPLACE, [new],
                value_path=[old])
            for new, old in ((self.PORT, self.PORT_ID),
                             (self.ROUTER, self.ROUTER_ID),
                             (self.SUBNET, self.SUBNET_ID)))]

    def validate(self):
        """Check that either a subnet or a port is given."""
        problem = super().validate()
        given = [any(self.properties.data.get(name) is not None
                     for name in names)
                 for names in ((self.SUBNET, self.SUBNET_ID),
                               (self.PORT, self.PORT_ID))]
        if all(given):
            raise exception.ResourcePropertyConflict(self.SUBNET, self.PORT)
        if not any(given):
            raise exception.PropertyUnspecifiedError(self.SUBNET, self.PORT)
        return problem

    def _create(self):
        router = self.properties[self.ROUTER]
        key = self.SUBNET if self.properties[self.SUBNET] else self.PORT
        value = self.properties[key]
        self.sdk().add_interface_to_router(router, **{key: value})
        self.resource_id_set('%s:%s_id=%s' % (router, key, value))

    def _parts(self, resource_id=None):
        """Return (router, {'subnet' or 'port': id}) of an attachment."""
        router, _colon, what = (resource_id or
                                self.resource_id).partition(':')
        key, equals, value = what.partition('=')
        if not equals:
            return router, {self.SUBNET: key}
        return router, {key.removesuffix('_id'): value}

    def _delete(self):
        router, what = self._parts()
        self.sdk().remove_interface_from_router(router, **what)

    def _detach(self, resource_id):
        """Detach a subnet, unless that has to wait for floating IPs."""
        router, what = self._parts(resource_id)
        with self.client_plugin().ignore_conflict_and_not_found:
            self.sdk().remove_interface_from_router(router, **what)

    def prepare_for_replace(self):
        """Detach the subnet: its gateway can be one router only.

        A port stays, for Neutron would delete it.
        """
        if self.resource_id is not None and self.SUBNET in self._parts()[1]:
            self._detach(self.resource_id)

    def restore_prev_rsrc(self, convergence=False):
        """Attach the subnet as it was before the replacement."""
        previous, (replacement, _data) = replacing.replaced_and_replacement(
            self, convergence)
        if previous is None or previous.resource_id is None:
            return
        router, what = self._parts(previous.resource_id)
        if self.SUBNET not in what:
            return
        for resource_id in (replacement, previous.resource_id):
            # It may never have come to that.
            if resource_id is not None and (
                    self._parts(resource_id)[1] == what):
                self._detach(resource_id)
        with self.client_plugin().ignore_conflict_and_not_found:
            self.sdk().add_interface_to_router(router, **what)

    def _show_resource(self):
        """Return the port that the router has on the subnet."""
        router, what = self._parts()
        if self.PORT in what:
            return sdk_resource.shown(self.sdk().get_port(
                what[self.PORT]))
        for port in self.sdk().ports(device_id=router):
            if any(address['subnet_id'] == what[self.SUBNET]
                   for address in port.fixed_ips):
                return sdk_resource.shown(port)
        raise exception.EntityNotFound(entity=_('router interface'),
                                       name=self.resource_id)


class RouterGateway(neutron.NeutronResource):
    """The gateway of a router to an external network.

    The property ``external_gateway_info`` of the router is an
    alternative.
    """

    type_name = 'OS::Neutron::RouterGateway'
    required_service_extension = 'router'
    support_status = support.SupportStatus(
        status=support.HIDDEN, version='5.0.0',
        message=_('Use the property external_gateway_info of '
                  'OS::Neutron::Router instead.'),
        previous_status=support.SupportStatus(
            status=support.DEPRECATED, version='2014.1'))

    PROPERTIES = (
        NETWORK, NETWORK_ID, ROUTER_ID,
    ) = (
        'network', 'network_id', 'router_id',
    )

    properties_schema = {
        NETWORK: properties.string(
            _('External network, by name or ID.'),
            constraints=[constraints.ref('neutron.network')]),
        NETWORK_ID: properties.string(
            _('Deprecated name of "network".'),
            constraints=[constraints.CustomConstraint('neutron.network')],
            support_status=neutron.hidden('9.0.0', '2014.2')),
        ROUTER_ID: properties.string(
            _('Router.'), required=True,
            constraints=[constraints.ref('neutron.router')]),
    }

    def translation_rules(self, properties):
        """Return rules for the old name of a property and for ids."""
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.REPLACE,
                    [self.NETWORK], value_path=[self.NETWORK_ID])]

    def add_dependencies(self, deps):
        """Create the interfaces of the router and the subnets before us."""
        super().add_dependencies(deps)
        order.after_interfaces(self, deps, order.given(self, self.ROUTER_ID))
        order.after_subnets(self, deps, order.given(
            self, self.NETWORK, self.NETWORK_ID))

    def _create(self):
        router = self.properties[self.ROUTER_ID]
        network = self.properties[self.NETWORK]
        self.sdk().update_router(
            router, external_gateway_info={'network_id': network})
        self.resource_id_set('%s:%s' % (router, network))

    def _delete(self):
        router, _colon, network = self.resource_id.partition(':')
        live = sdk_resource.shown(self.sdk().get_router(router))
        gateway = live.get('external_gateway_info') or {}
        # What has replaced us may have led the router elsewhere.
        if gateway.get('network_id') == network:
            self.sdk().update_router(router, external_gateway_info={})

    def _show_resource(self):
        """Return the gateway that the router has."""
        router, _colon, network = self.resource_id.partition(':')
        live = sdk_resource.shown(self.sdk().get_router(router))
        gateway = live.get('external_gateway_info') or {}
        if gateway.get('network_id') != network:
            raise exception.EntityNotFound(entity=_('router gateway'),
                                           name=self.resource_id)
        return gateway
