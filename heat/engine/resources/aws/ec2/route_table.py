"""Route tables of EC2, which are routers here."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import replacing
from heat.engine.resources.aws.ec2 import network_thing
from heat.engine.resources.aws.ec2 import tags
from heat.engine.resources.aws.ec2 import vpc


class RouteTable(network_thing.NetworkThing):
    """A route table.

    It is implemented as a router of Neutron for the subnets that are
    associated with it.
    """

    type_name = 'AWS::EC2::RouteTable'
    support_status = support.SupportStatus(version='2014.1')
    noun = 'router'

    PROPERTIES = (
        VPC_ID, TAGS,
    ) = (
        'VpcId', tags.TAGS,
    )

    properties_schema = {
        VPC_ID: properties.string(
            _('Network to which the route table belongs.'),
            required=True),
        TAGS: tags.schema(implemented=False),
    }

    def handle_create(self):
        """Make a router."""
        self.resource_id_set(self._made(
            self.sdk().create_router,
            name=self.physical_resource_name()).id)

    def check_create_complete(self, *args):
        """Return whether the router is ready."""
        return vpc.is_built(self, self.sdk().get_router(self.resource_id))

    def handle_delete(self):
        """Delete the router; it may be gone."""
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            self.sdk().update_router(self.resource_id,
                                        external_gateway_info={})
            self.sdk().delete_router(self.resource_id,
                                        ignore_missing=True)


class SubnetRouteTableAssociation(resource.Resource):
    """The association of a subnet with a route table.

    The subnet is attached to the router of the route table instead of
    the router of its network.
    """

    type_name = 'AWS::EC2::SubnetRouteTableAssociation'
    support_status = support.SupportStatus()
    default_client_name = 'neutron'

    PROPERTIES = (
        ROUTE_TABLE_ID, SUBNET_ID,
    ) = (
        'RouteTableId', 'SubnetId',
    )

    properties_schema = {
        ROUTE_TABLE_ID: properties.string(
            _('Route table to associate with the subnet.'),
            required=True),
        SUBNET_ID: properties.string(
            _('Subnet to associate with the route table.'),
            required=True,
            constraints=[constraints.CustomConstraint('neutron.subnet')]),
    }

    def handle_create(self):
        """Attach the subnet to the other router."""
        subnet_id = self.properties[self.SUBNET_ID]
        router_id = self.properties[self.ROUTE_TABLE_ID]
        self.resource_id_set('%s:%s' % (router_id, subnet_id))
        usual = self._usual_router(subnet_id)
        if usual is not None:
            self._detach(usual.id, subnet_id)
        self.sdk().add_interface_to_router(router_id,
                                              subnet=subnet_id)

    def _usual_router(self, subnet_id):
        """Return the router of the network, None if it has none."""
        client = self.sdk()
        return vpc.VPC.router_for_vpc(
            client, client.get_subnet(subnet_id).network_id)

    def _detach(self, router_id, subnet_id):
        """Detach a subnet from a router; return whether it was attached."""
        with self.client_plugin().ignore_not_found:
            self.sdk().remove_interface_from_router(router_id,
                                                       subnet=subnet_id)
            return True
        return False

    def prepare_for_replace(self):
        """Detach the subnet: it can be attached to one router only."""
        if self.resource_id is not None:
            # With floating IPs behind it, it stays for now.
            with self.client_plugin().ignore_conflict_and_not_found:
                self._detach(*_router_and_subnet(self.resource_id))

    def restore_prev_rsrc(self, convergence=False):
        """Attach the subnet as it was before the replacement."""
        previous, (replacement, _data) = replacing.replaced_and_replacement(
            self, convergence)
        if previous is None:
            return
        if replacement is not None:
            self._detach(*_router_and_subnet(replacement))
        router_id, subnet_id = _router_and_subnet(previous.resource_id)
        # It may never have come to that.
        self._detach(router_id, subnet_id)
        self.sdk().add_interface_to_router(router_id, subnet=subnet_id)

    def handle_delete(self):
        """Attach the subnet to the router of its network again.

        Unless it is attached to that of a replacement by now.
        """
        if self.resource_id is None:
            return
        router_id, subnet_id = _router_and_subnet(self.resource_id)
        if not self._detach(router_id, subnet_id):
            return
        with self.client_plugin().ignore_not_found:
            usual = self._usual_router(subnet_id)
            if usual is not None:
                self.sdk().add_interface_to_router(usual.id,
                                                      subnet=subnet_id)


def _router_and_subnet(resource_id):
    """Return the ids that the id of an association is made of."""
    router_id, _colon, subnet_id = resource_id.partition(':')
    return router_id, subnet_id
