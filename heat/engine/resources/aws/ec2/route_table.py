"""Route tables of EC2, which are routers here."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources.aws.ec2 import tags
from heat.engine.resources.aws.ec2 import vpc


class RouteTable(resource.Resource):
    """Resource to manage AWS route tables.

    It is a router of Neutron, for those subnets that are associated with
    it.
    """

    type_name = 'AWS::EC2::RouteTable'
    support_status = support.SupportStatus(version='2014.1')
    default_client_name = 'neutron'

    PROPERTIES = (
        VPC_ID, TAGS,
    ) = (
        'VpcId', tags.TAGS,
    )

    properties_schema = {
        VPC_ID: properties.string(
            _('The network whose subnets are routed.'),
            required=True),
        TAGS: tags.schema(implemented=False),
    }

    def handle_create(self):
        """Make a router."""
        self.resource_id_set(self.client().create_router(
            name=self.physical_resource_name()).id)

    def check_create_complete(self, *args):
        """Tell whether the router is ready."""
        return vpc.is_built(self, self.client().get_router(self.resource_id))

    def handle_check(self):
        """Look whether the router is there."""
        self.client().get_router(self.resource_id)

    def handle_delete(self):
        """Delete the router; it may be gone."""
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            self.client().update_router(self.resource_id,
                                        external_gateway_info={})
            self.client().delete_router(self.resource_id,
                                        ignore_missing=True)


class SubnetRouteTableAssociation(resource.Resource):
    """Resource to associate AWS subnets with route tables.

    The subnet is attached to the router of the route table instead of that
    of its network.
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
            _('The route table.'),
            required=True),
        SUBNET_ID: properties.string(
            _('The subnet.'),
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
        self.client().add_interface_to_router(router_id,
                                              subnet=subnet_id)

    def _usual_router(self, subnet_id):
        """Return the router of the network, None if it has none."""
        client = self.client()
        return vpc.VPC.router_for_vpc(
            client, client.get_subnet(subnet_id).network_id)

    def _detach(self, router_id, subnet_id):
        with self.client_plugin().ignore_not_found:
            self.client().remove_interface_from_router(router_id,
                                                       subnet=subnet_id)

    def handle_delete(self):
        """Attach the subnet to the router of its network again."""
        if self.resource_id is None:
            return
        router_id, _colon, subnet_id = self.resource_id.partition(':')
        self._detach(router_id, subnet_id)
        with self.client_plugin().ignore_not_found:
            usual = self._usual_router(subnet_id)
            if usual is not None:
                self.client().add_interface_to_router(usual.id,
                                                      subnet=subnet_id)
