"""Subnets of EC2, attached to the router of their network."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.aws.ec2 import network_thing
from heat.engine.resources.aws.ec2 import tags
from heat.engine.resources.aws.ec2 import vpc


class Subnet(network_thing.NetworkThing):
    """A subnet in a VPC.

    It is implemented as a subnet of Neutron that is attached to the
    router of its network.
    """

    type_name = 'AWS::EC2::Subnet'
    support_status = support.SupportStatus()
    noun = 'subnet'

    PROPERTIES = (
        AVAILABILITY_ZONE, CIDR_BLOCK, VPC_ID, TAGS,
    ) = (
        'AvailabilityZone', 'CidrBlock', 'VpcId', tags.TAGS,
    )

    properties_schema = {
        AVAILABILITY_ZONE: properties.string(
            _('Availability zone of the subnet. It is stored for display '
              'only.')),
        CIDR_BLOCK: properties.string(
            _('Address range of the subnet in CIDR notation.'),
            required=True),
        VPC_ID: properties.string(
            _('Network to which the subnet belongs.'),
            required=True),
        TAGS: tags.schema(implemented=False),
    }

    attributes_schema = {
        AVAILABILITY_ZONE: attributes.Schema(
            _('Availability zone of the subnet.'),
            type=attributes.Schema.STRING),
    }

    def handle_create(self):
        """Make the subnet and attach it to the router of the network."""
        client = self.sdk()
        self.resource_id_set(self._made(
            client.create_subnet, network_id=self.properties[self.VPC_ID],
            cidr=self.properties[self.CIDR_BLOCK],
            name=self.physical_resource_name(), ip_version=4).id)
        router = vpc.VPC.router_for_vpc(client,
                                        self.properties[self.VPC_ID])
        if router is not None:
            client.add_interface_to_router(router.id,
                                           subnet=self.resource_id)

    def handle_delete(self):
        """Detach the subnet and delete it; it may be gone."""
        if self.resource_id is None:
            return
        client, plugin = self.sdk(), self.client_plugin()
        with plugin.ignore_not_found:
            router = vpc.VPC.router_for_vpc(client,
                                            self.properties[self.VPC_ID])
            if router is not None:
                client.remove_interface_from_router(
                    router.id, subnet=self.resource_id)
        client.delete_subnet(self.resource_id, ignore_missing=True)

    def _resolve_attribute(self, name):
        return self.properties[name]


