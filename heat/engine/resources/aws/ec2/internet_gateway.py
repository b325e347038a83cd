"""The way out of a network of EC2: gateways of its routers."""
import json

from heat.common import exception
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import replacing
from heat.engine.resources.aws.ec2 import tags
from heat.engine.resources.aws.ec2 import way_out

#: The resource data with the routers that an attachment has served.
_SERVED = 'routers'


class InternetGateway(resource.Resource):
    """An internet gateway.

    It represents the external network. The cloud must have exactly one.
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
                'Exactly one external network is required, but %d were '
                'found') %
                len(found))
        return found[0].id


class VPCGatewayAttachment(resource.Resource):
    """The attachment of an internet gateway to a VPC.

    The routers of all route tables of the network in the same template
    get a gateway to the external network. The description of each
    router names the attachment.
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
            _('Network to connect to the gateway.'),
            required=True),
        INTERNET_GATEWAY_ID: properties.string(
            _('Reference to an AWS::EC2::InternetGateway resource.')),
        VPN_GATEWAY_ID: properties.string(
            _('ID of a virtual private network (VPN) gateway.'),
            implemented=False),
    }

    def add_dependencies(self, deps):
        """Wait for the route tables: they are what gets the gateway."""
        super().add_dependencies(deps)
        way_out.after_route_tables(self, deps)

    def _wanted(self):
        """Return the ids of the routers that are to have a gateway."""
        defn, vpc_id = self.stack.defn, self.properties[self.VPC_ID]
        return sorted(defn[table.name].FnGetRefId()
                      for table in way_out.route_tables(self.stack)
                      if defn.knows(table.name) and
                      table.properties[self.VPC_ID] == vpc_id)

    def served(self):
        """Return the ids of the routers that were given a gateway."""
        return json.loads(self.data().get(_SERVED) or '[]')

    def handle_create(self):
        """Give the routers a gateway."""
        self.resource_id_set(self.physical_resource_name())
        self._have_served(self._wanted())

    def _have_served(self, routers):
        self.data_set(_SERVED, json.dumps(routers))
        self._serve(routers, self.resource_id)

    def _serve(self, routers, attachment):
        """Give routers a gateway, and say which attachment it is from.

        What replaces us may serve the same ones: then they keep their
        gateway when we go.
        """
        client = self.sdk()
        network_id = InternetGateway.get_external_network_id(client)
        for router_id in routers:
            client.update_router(
                router_id, description=attachment,
                external_gateway_info={'network_id': network_id})

    def _needs_update(self, *args, **kwargs):
        """Return whether other route tables are to have the gateway, too."""
        return (super()._needs_update(*args, **kwargs) or
                self._wanted() != self.served())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Give a gateway to route tables that came after us."""
        before, wanted = self.served(), self._wanted()
        self._have_served(wanted)
        self._forsake(set(before) - set(wanted))

    def _forsake(self, routers):
        """Take gateways of ours from routers; they may be gone."""
        client = self.sdk()
        for router_id in sorted(routers):
            with self.client_plugin().ignore_not_found:
                found = client.get_router(router_id)
                if found.description == self.resource_id:
                    client.update_router(router_id, description='',
                                         external_gateway_info={})

    def restore_prev_rsrc(self, convergence=False):
        """Serve again what the replacement was to serve."""
        previous, _new = replacing.replaced_and_replacement(self,
                                                            convergence)
        if previous is not None:
            self._serve(previous.served(), previous.resource_id)

    def handle_delete(self):
        """Take the gateways from the routers."""
        if self.resource_id is not None:
            self._forsake(self.served())
