"""A network service in memory that speaks as that of openstacksdk does."""
from tests.fakes import cloud


class FakeNetwork(cloud.FakeService):
    """Creates, shows, changes and deletes things of Neutron.

    :ivar agents: {router: ids of the L3 agents that serve it}.
    """

    #: What is listed: the plural and the noun.
    PLURALS = {'subnets': 'subnet', 'ports': 'port',
               'security_group_rules': 'security_group_rule'}

    def __init__(self, **script):
        super().__init__(**script)
        self.agents = {}

    def __getattr__(self, name):
        if name in self.PLURALS:
            return lambda **filters: self._all(self.PLURALS[name], filters)
        return super().__getattr__(name)

    @property
    def network(self):
        """What a connection calls this service."""
        return self

    def _all(self, entity, filters):
        return [cloud.Thing(thing)
                for (kind, _id), thing in self.things.items()
                if kind == entity and filters.items() <= thing.items()]

    def of(self, entity):
        """Return the things of a kind, in the order they were made."""
        return [thing for (kind, _id), thing in self.things.items()
                if kind == entity]

    def extensions(self):
        """Return the optional parts of the service."""
        return [cloud.Thing({'alias': alias}) for alias in (
            'address-scope', 'qos', 'sfc', 'dns-integration', 'router',
            'floating-ip-port-forwarding', 'subnet_allocation',
            'rbac-policies', 'provider', 'metering', 'trunk', 'segment',
            'extraroute', 'extraroute-atomic', 'vpnaas', 'fwaas', 'quotas',
            'taas', 'l2-gateway', 'network-gateway', 'security-group')]

    # -- routers ------------------------------------------------------------

    def add_interface_to_router(self, router, subnet=None, port=None):
        """Attach a router."""
        self.log.append(('attach', router, subnet or port))
        if subnet:
            self._create('port', device_id=router,
                         fixed_ips=[{'subnet_id': subnet}])

    def remove_interface_from_router(self, router, subnet=None, port=None):
        """Detach a router."""
        self._kept('router', router)
        self.log.append(('detach', router, subnet or port))
        for each in self._all('port', {'device_id': router}):
            if each.fixed_ips == [{'subnet_id': subnet}]:
                del self.things['port', each.id]

    def routers_hosting_l3_agents(self, router):
        """Return the agents of a router."""
        return [cloud.Thing({'id': agent})
                for agent in self.agents.get(router, ())]

    def add_router_to_agent(self, agent, router):
        """Let an agent serve a router."""
        self.agents.setdefault(router, []).append(agent)

    def remove_router_from_agent(self, agent, router):
        """Let an agent no longer serve a router."""
        self.agents[router].remove(agent)

    # -- what is a part of something else -----------------------------------

    def _part(self, verb):
        def request(whole, part, **given):
            self._kept('ip', whole)
            return getattr(self, '_' + verb)(
                'floating_ip_port_forwarding', part, **given)
        return request

    @property
    def get_floating_ip_port_forwarding(self):
        """Show a forwarding; the floating IP comes first."""
        return self._part('get')

    @property
    def update_floating_ip_port_forwarding(self):
        """Change a forwarding; the floating IP comes first."""
        return self._part('update')

    @property
    def delete_floating_ip_port_forwarding(self):
        """Delete a forwarding; the floating IP comes first."""
        return self._part('delete')
