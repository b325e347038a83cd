"""Network interfaces of EC2, which are ports here."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.aws.ec2 import network_thing
from heat.engine.resources.aws.ec2 import tags


class NetworkInterface(network_thing.NetworkThing):
    """An elastic network interface.

    It is implemented as a port of Neutron.
    """

    type_name = 'AWS::EC2::NetworkInterface'
    support_status = support.SupportStatus()
    noun = 'port'

    PROPERTIES = (
        DESCRIPTION, GROUP_SET, PRIVATE_IP_ADDRESS, SOURCE_DEST_CHECK,
        SUBNET_ID, TAGS,
    ) = (
        'Description', 'GroupSet', 'PrivateIpAddress', 'SourceDestCheck',
        'SubnetId', tags.TAGS,
    )

    ATTRIBUTES = (
        PRIVATE_IP_ADDRESS_ATTR,
    ) = (
        'PrivateIpAddress',
    )

    properties_schema = {
        DESCRIPTION: properties.string(
            _('Description of the network interface.')),
        GROUP_SET: properties.list(
            _('Security groups of the interface, by name or ID. Defaults to '
              'the default security group of the project.'),
            update_allowed=True),
        PRIVATE_IP_ADDRESS: properties.string(
            _('Private IP address of the interface. If omitted, Neutron '
              'allocates one.')),
        SOURCE_DEST_CHECK: properties.boolean(
            _('Whether packets with a source or destination address other '
              'than those of the interface are dropped.'),
            implemented=False),
        SUBNET_ID: properties.string(
            _('Subnet of the interface.'),
            required=True,
            constraints=[constraints.CustomConstraint('neutron.subnet')]),
        TAGS: tags.schema(implemented=False),
    }

    attributes_schema = {
        PRIVATE_IP_ADDRESS_ATTR: attributes.Schema(
            _('Private IP address of the interface.'),
            type=attributes.Schema.STRING),
    }

    def handle_create(self):
        """Make a port."""
        subnet_id = self.properties[self.SUBNET_ID]
        address = {'subnet_id': subnet_id}
        if self.properties[self.PRIVATE_IP_ADDRESS]:
            address['ip_address'] = self.properties[self.PRIVATE_IP_ADDRESS]
        values = {
            'name': self.physical_resource_name(),
            'admin_state_up': True,
            'network_id':
                self.client_plugin().network_id_from_subnet_id(subnet_id),
            'fixed_ips': [address]}
        if self.properties[self.DESCRIPTION]:
            values['description'] = self.properties[self.DESCRIPTION]
        if self.properties[self.GROUP_SET]:
            values['security_groups'] = self._groups(
                self.properties[self.GROUP_SET])
        self.resource_id_set(self._made(self.sdk().create_port,
                                        **values).id)

    def _groups(self, names):
        return self.client_plugin().get_secgroup_uuids(names or ['default'])

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Change the security groups."""
        if self.GROUP_SET in prop_diff:
            self.sdk().update_port(
                self.resource_id,
                security_groups=self._groups(prop_diff[self.GROUP_SET]))

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        fixed = self.sdk().get_port(self.resource_id).fixed_ips
        return fixed[0]['ip_address'] if fixed else None
