"""Static routes of routers of Neutron."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import neutron
from heat.engine.resources.openstack.neutron import order


class ExtraRouteSet(neutron.NeutronResource):
    """A set of static routes of a router.

    The other routes of the router are not changed: several sets of one
    router do not interfere with each other.
    """

    type_name = 'OS::Neutron::ExtraRouteSet'
    support_status = support.SupportStatus(version='14.0.0')
    required_service_extension = 'extraroute-atomic'

    PROPERTIES = (
        ROUTER, ROUTES,
    ) = (
        'router', 'routes',
    )

    properties_schema = {
        ROUTER: properties.string(
            _('Router, by name or ID.'), required=True,
            constraints=[constraints.ref('neutron.router')]),
        ROUTES: properties.list(
            _('Static routes to add to the router. Its other routes are not '
              'changed.'),
            default=[],
            schema=properties.map(
                _('Static routes to add to the router. Its other routes are '
                  'not changed.'),
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
    }

    def add_dependencies(self, deps):
        """Attach the router to its networks before us."""
        super().add_dependencies(deps)
        router = order.given(self, self.ROUTER)
        order.after_interfaces(self, deps, router)
        order.after_gateways(self, deps, router=router)

    def validate(self):
        """Check that no route is there twice."""
        problem = super().validate()
        seen = []
        for route in self.properties[self.ROUTES] or ():
            if route in seen:
                raise exception.StackValidationFailed(message=_(
                    'The route to %(destination)s with the next hop '
                    '%(nexthop)s is specified twice.') % route)
            if None not in route.values():
                seen.append(route)
        return problem

    def _create(self):
        # All routes are added or none.
        router = self.properties[self.ROUTER]
        self._change('add', self.properties[self.ROUTES], router)
        self.resource_id_set(router)

    def _change(self, verb, routes, router=None):
        if routes:
            request = {'add': self.sdk().add_extra_routes_to_router,
                       'remove':
                       self.sdk().remove_extra_routes_from_router}[verb]
            request(router or self.resource_id, {'router': {'routes': [
                dict(route) for route in routes]}})

    def _update(self, prop_diff):
        if self.ROUTES in prop_diff:
            before = self.properties[self.ROUTES] or []
            after = prop_diff[self.ROUTES] or []
            self._change('remove', [route for route in before
                                    if route not in after])
            live = self._show_resource().get('routes') or ()
            self._change('add', [route for route in after
                                 if dict(route) not in live])

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return which of our routes the router has; others are not ours.
        """
        live = resource_data.get('routes') or ()
        return {self.ROUTES: [
            route for route in resource_properties[self.ROUTES] or ()
            if dict(route) in live]}

    def _delete(self):
        self._change('remove', self.properties[self.ROUTES])

    def _show_resource(self):
        """Return what the router is like."""
        return sdk_resource.shown(self.sdk().get_router(
            self.resource_id))


class ExtraRoute(neutron.NeutronResource):
    """A static route of a router.

    A route can be lost when several routes are created at the same
    time. Use a set of routes, OS::Neutron::ExtraRouteSet, to avoid
    this.
    """

    type_name = 'OS::Neutron::ExtraRoute'
    support_status = support.SupportStatus(status=support.UNSUPPORTED)
    required_service_extension = 'extraroute'

    PROPERTIES = (
        DESTINATION, NEXTHOP, ROUTER_ID,
    ) = (
        'destination', 'nexthop', 'router_id',
    )

    properties_schema = {
        DESTINATION: properties.string(
            _('Destination network of the route in CIDR '
              'notation.'), required=True),
        NEXTHOP: properties.string(
            _('IP address of the next hop.'), required=True),
        ROUTER_ID: properties.string(
            _('ID of the router.'), required=True,
            constraints=[constraints.ref('neutron.router')]),
    }

    def add_dependencies(self, deps):
        """Attach the router to its networks before us."""
        super().add_dependencies(deps)
        router = order.given(self, self.ROUTER_ID)
        order.after_interfaces(self, deps, router)
        order.after_gateways(self, deps, router=router)

    def _route(self):
        return {'destination': self.properties[self.DESTINATION],
                'nexthop': self.properties[self.NEXTHOP]}

    def _create(self):
        router = self.properties[self.ROUTER_ID]
        routes = self._routes()
        if self._route() in routes:
            raise exception.Error(_(
                'The router already has a route to %(destination)s with the '
                'next hop %(nexthop)s.') % self._route())
        self.sdk().update_router(router, routes=[*routes, self._route()])
        self.resource_id_set('%s:%s:%s' % (
            router, self.properties[self.DESTINATION],
            self.properties[self.NEXTHOP]))

    def _routes(self):
        router = self.sdk().get_router(self.properties[self.ROUTER_ID])
        return list(sdk_resource.shown(router).get('routes') or ())

    def _delete(self):
        self.sdk().update_router(
            self.properties[self.ROUTER_ID],
            routes=[route for route in self._routes()
                    if route != self._route()])

    def _show_resource(self):
        """Return the route if the router has it."""
        if self._route() not in self._routes():
            raise exception.EntityNotFound(entity=_('route'),
                                           name=self.resource_id)
        return self._route()
