"""The way out of a network of EC2: gateways of its routers."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources.aws.ec2 import route_table
from heat.engine.resources.aws.ec2 import tags
from heat.engine.resources.openstack.neutron import order

_ROUTE_TABLE = 'AWS::EC2::RouteTable'


class InternetGateway(resource.Resource):
    """Resource to manage AWS internet gateways.

    It stands for the external network; there has to be exactly one.
    """

    type_name = 'AWS::EC2::InternetGateway'
    support_status = support.SupportStatus()

    PROPERTIES = (TAGS,) = (tags.TAGS,)

    properties_schema = {
        TAGS: tags.schema(implemented=False),
    }

    def handle_create(self):
        """Take a name; the network is there already."""
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """Leave the network to its owner."""

    @staticmethod
    def get_external_network_id(client):
        """Return the id of the external network.

        :param client: the proxy of the network service.
        :raises Error: there is none, or more than one.
        """
        found = list(client.networks(is_router_external=True))
        if len(found) != 1:
            raise exception.Error(_(
                'One external network is needed, %d were found') %
                len(found))
        return found[0].id


class VPCGatewayAttachment(resource.Resource):
    """Resource to attach an AWS internet gateway to a VPC.

    All route tables of the network in the same template get a gateway to
    the external network.
    """

    type_name = 'AWS::EC2::VPCGatewayAttachment'
    support_status = support.SupportStatus()
    default_client_name = 'neutron'

    PROPERTIES = (
        VPC_ID, INTERNET_GATEWAY_ID, VPN_GATEWAY_ID,
    ) = (
        'VpcId', 'InternetGatewayId', 'VpnGatewayId',
    )

    properties_schema = {
        VPC_ID: properties.string(
            _('The network that is to have a way out.'),
            required=True),
        INTERNET_GATEWAY_ID: properties.string(
            _('The gateway: a reference to an AWS::EC2::InternetGateway.')),
        VPN_GATEWAY_ID: properties.string(
            _('The gateway of a virtual private network.'),
            implemented=False),
    }

    def _route_tables(self):
        """Return the route tables of the network in the template.

        Properties are compared as they are written: nothing has an id when
        a stack is made.
        """
        ours = order.given(self, self.VPC_ID)
        return [other for other in self.stack.values()
                if other.has_interface(_ROUTE_TABLE) and order.same(
                    ours, order.given(other, route_table.RouteTable.VPC_ID))]

    def add_dependencies(self, deps):
        """Wait for the route tables: they are what gets the gateway."""
        super().add_dependencies(deps)
        for other in self._route_tables():
            deps += (self, other)

    def _router_ids(self):
        return [found for found in (
            other.FnGetRefId() for other in self._route_tables())
            if found is not None]

    def handle_create(self):
        """Give the routers a gateway."""
        client = self.client()
        network_id = InternetGateway.get_external_network_id(client)
        for router_id in self._router_ids():
            client.update_router(router_id, external_gateway_info={
                'network_id': network_id})
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """Take the gateway from the routers; they may be gone."""
        if self.resource_id is None:
            return
        for router_id in self._router_ids():
            with self.client_plugin().ignore_not_found:
                self.client().update_router(router_id,
                                            external_gateway_info={})
