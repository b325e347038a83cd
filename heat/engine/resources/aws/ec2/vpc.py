"""Networks of EC2, which are networks with a router here."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.aws.ec2 import network_thing
from heat.engine.resources.aws.ec2 import tags


class VPC(network_thing.NetworkThing):
    """A virtual private cloud.

    It is implemented as a network of Neutron with a router to which all
    of its subnets are attached.
    """

    type_name = 'AWS::EC2::VPC'
    support_status = support.SupportStatus()
    noun = 'network'

    PROPERTIES = (
        CIDR_BLOCK, INSTANCE_TENANCY, TAGS,
    ) = (
        'CidrBlock', 'InstanceTenancy', tags.TAGS,
    )

    properties_schema = {
        CIDR_BLOCK: properties.string(
            _('Address range of the network in CIDR notation. Only the ranges '
              'of its subnets take effect.')),
        INSTANCE_TENANCY: properties.string(
            _('Tenancy of the servers in the network: whether they run on '
              'dedicated hosts.'),
            default='default',
            constraints=[constraints.AllowedValues(['default',
                                                    'dedicated'])],
            implemented=False),
        TAGS: tags.schema(implemented=False),
    }

    def handle_create(self):
        """Make a network and a router of the same name."""
        name = self.physical_resource_name()
        self.resource_id_set(self._made(self.sdk().create_network,
                                        name=name).id)
        self.sdk().create_router(name=name)

    @staticmethod
    def router_for_vpc(client, network_id):
        """Return the router of a network, None if it is none of ours.

        :raises EntityNotFound: there is no such network.
        """
        name = client.get_network(network_id).name
        routers = list(client.routers(name=name))
        if len(routers) > 1:
            raise exception.PhysicalResourceNameAmbiguity(name=name)
        return routers[0] if routers else None

    def check_create_complete(self, *args):
        """Return whether the network and the router are there."""
        client = self.sdk()
        router = self.router_for_vpc(client, self.resource_id)
        return (is_built(self, client.get_network(self.resource_id)) and
                router is not None and is_built(self, router))

    def handle_delete(self):
        """Delete the router and the network; they may be gone."""
        if self.resource_id is None:
            return
        client = self.sdk()
        with self.client_plugin().ignore_not_found:
            router = self.router_for_vpc(client, self.resource_id)
            if router is not None:
                client.delete_router(router.id, ignore_missing=True)
            client.delete_network(self.resource_id, ignore_missing=True)


def is_built(found_by, thing):
    """Return whether a network or router is ready.

    :raises ResourceInError: it never will be.
    """
    if thing.status == 'ERROR':
        raise exception.ResourceInError(
            resource_status=thing.status,
            status_reason=_('the service reports it of %s') % found_by.name)
    return thing.status == 'ACTIVE'
