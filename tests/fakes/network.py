"""A network service in memory that speaks as that of openstacksdk does."""
from openstack import exceptions

from tests.fakes import cloud


class FakeNetwork(cloud.FakeService):
    """Creates, shows, changes and deletes things of Neutron.

    :ivar agents: {router: ids of the L3 agents that serve it}.
    """

    #: What is listed: the plural and the noun.
    PLURALS = {'subnets': 'subnet', 'ports': 'port', 'ips': 'ip',
               'routers': 'router', 'networks': 'network',
               'security_groups': 'security_group',
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
        """Attach a router; a subnet is attached to one at a time."""
        if subnet and any(each.fixed_ips == [{'subnet_id': subnet}] and
                          ('router', each.device_id) in self.things
                          for each in self._all('port', {})
                          if 'device_id' in each.to_dict()):
            raise exceptions.ConflictException('The gateway is in use')
        self.log.append(('attach', router, subnet or port))
        if subnet:
            self._create('port', device_id=router,
                         fixed_ips=[{'subnet_id': subnet}])

    def remove_interface_from_router(self, router, subnet=None, port=None):
        """Detach a router."""
        self._kept('router', router)
        self.log.append(('detach', router, subnet or port))
        attached = [each.id for each in self._all(
            'port', {'device_id': router})
            if each.fixed_ips == [{'subnet_id': subnet}]]
        if subnet and not attached:
            raise exceptions.NotFoundException('It is not attached')
        for port_id in attached:
            del self.things['port', port_id]

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

    def add_extra_routes_to_router(self, router, body):
        """Give a router more routes."""
        kept = self._kept('router', router)
        kept['routes'] = [*kept.get('routes', ()),
                          *body['router']['routes']]

    def remove_extra_routes_from_router(self, router, body):
        """Take routes from a router."""
        kept = self._kept('router', router)
        kept['routes'] = [route for route in kept['routes']
                          if route not in body['router']['routes']]

    # -- trunks -------------------------------------------------------------

    def add_trunk_subports(self, trunk, subports):
        """Let a trunk carry more ports."""
        self.log.append(('carry', trunk, subports))
        self._kept('trunk', trunk).setdefault('sub_ports', []).extend(
            subports)

    def delete_trunk_subports(self, trunk, subports):
        """Let a trunk carry fewer ports."""
        self.log.append(('drop', trunk, subports))
        gone = [each['port_id'] for each in subports]
        kept = self._kept('trunk', trunk)
        kept['sub_ports'] = [each for each in kept['sub_ports']
                             if each['port_id'] not in gone]

    # -- floating IPs -------------------------------------------------------

    def create_ip(self, **values):
        """Create a floating IP, for a port that has none."""
        self._require_free(None, values)
        return self._create('ip', **values)

    def update_ip(self, its_id, **values):
        """Let a floating IP lead elsewhere, to a port that has none."""
        self._require_free(its_id, values)
        return self._update('ip', its_id, **values)

    def _require_free(self, its_id, values):
        port_id = values.get('port_id')
        if port_id and any(each['id'] != its_id and
                           each.get('port_id') == port_id
                           for each in self.of('ip')):
            raise exceptions.ConflictException('It has a floating IP')

    # -- security groups ----------------------------------------------------

    def create_security_group(self, **values):
        """Create a group with the rules that each new one has."""
        made = self._create('security_group', **values)
        for family in ('IPv4', 'IPv6'):
            self._create('security_group_rule', direction='egress',
                         ethertype=family, security_group_id=made.id)
        del self.log[-2:]
        return made

    def get_security_group(self, group):
        """Show a group with its rules."""
        kept = self._kept('security_group', group)
        return cloud.Thing({**kept, 'security_group_rules': self.rules(
            group)})

    def rules(self, group):
        """Return the rules of a group."""
        return [rule for rule in self.of('security_group_rule')
                if rule['security_group_id'] == group]

    # -- quotas -------------------------------------------------------------

    def update_quota(self, project, **limits):
        """Change the quota of a project; every project has one."""
        self.things.setdefault(('quota', project), {
            'id': project, '_next': []})
        return self._update('quota', project, **limits)

    def get_quota_default(self, project):
        """Show the quota of a project that has none of its own."""
        return cloud.Thing({'network': 100, 'port': 500})

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
