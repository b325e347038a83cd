"""The network interfaces of EC2 instances."""
import collections.abc

from heat.engine.resources.openstack.nova import port_handover

#: The resource data with the port that was made for the server.
_PORT = 'port_id'


class InstanceNetworks:
    """The network interfaces of an instance.

    The template specifies ports or a subnet. For a subnet a port is created
    that belongs to the instance.

    :param instance: the resource
    """

    def __init__(self, instance):
        self._instance = instance
        self.handover = port_handover.PortHandover(instance, self)

    @property
    def _client(self):
        return self._instance.sdk('neutron')

    def given(self):
        """Return the ids of the ports that the template names."""
        return set(_port_ids(
            self._instance.properties['NetworkInterfaces'] or ()))

    @staticmethod
    def made(_data):
        """Return no port: a replacement creates its own."""
        return []

    @staticmethod
    def floating_ips():
        """Return no floating IP: other resources associate them."""
        return []

    def security_groups(self):
        """Return the ids of the security groups."""
        props = self._instance.properties
        names = [*(props['SecurityGroups'] or ()),
                 *(props['SecurityGroupIds'] or ())]
        return names and self._instance.client_plugin(
            'neutron').get_secgroup_uuids(names)

    def requested(self, props, groups):
        """Return the networks of a request, None for Nova's choice.

        A port is created in the subnet, if one is specified.

        :param groups: the ids of the security groups
        """
        if props['NetworkInterfaces']:
            return [{'port': port_id}
                    for port_id in _port_ids(props['NetworkInterfaces'])]
        subnet_id = props['SubnetId']
        if not subnet_id:
            return None
        request = {
            'name': self._instance.physical_resource_name(),
            'network_id': self._instance.client_plugin(
                'neutron').network_id_from_subnet_id(subnet_id),
            'fixed_ips': [{'subnet_id': subnet_id}]}
        if groups:
            request['security_groups'] = groups
        port_id = self._client.create_port(**request).id
        self._instance.data_set(_PORT, port_id)
        return [{'port': port_id}]

    def _own_port(self):
        return self._instance.data().get(_PORT)

    def find_port(self):
        """Store a port that was created just before an interruption."""
        if self._instance.properties['SubnetId'] and not self._own_port():
            port = self._client.find_port(
                self._instance.physical_resource_name(), ignore_missing=True)
            if port is not None:
                self._instance.data_set(_PORT, port.id)

    def delete_port(self):
        """Delete the port that was created for the instance."""
        port_id = self._own_port()
        if port_id:
            self._client.delete_port(port_id, ignore_missing=True)
            self._instance.data_delete(_PORT)

    def connected(self, wanted):
        """A task to attach the ports that are wanted, and no others.

        :param wanted: the properties after the update
        """
        server_id = self._instance.resource_id
        plugin = self._instance.client_plugin()
        before = {each.port_id for each in
                  self._instance.sdk().server_interfaces(server_id)}
        ours = self._own_port()
        ports = self._wanted_ports(wanted, ours)
        for port_id in sorted(before - set(ports)):
            plugin.interface_detach(server_id, port_id)
            while not plugin.check_interface_detach(server_id, port_id):
                yield
        for port_id in [each for each in ports if each not in before]:
            plugin.interface_attach(server_id, port_id)
            while not plugin.check_interface_attach(server_id, port_id):
                yield
        if ours and ours not in ports:
            self._client.delete_port(ours, ignore_missing=True)
            if self._own_port() == ours:
                self._instance.data_delete(_PORT)

    def _wanted_ports(self, wanted, ours):
        """Return the wanted ports; keep the own port in the same subnet."""
        same_subnet = (wanted['SubnetId'] ==
                       self._instance.properties['SubnetId'])
        if ours and same_subnet and not wanted['NetworkInterfaces']:
            return [ours]
        networks = self.requested(wanted, self.security_groups())
        return [each['port'] for each in networks or ()]


def _port_ids(interfaces):
    """Return the ids of ports, in the order of their devices."""
    def place(interface):
        return (int(interface.get('DeviceIndex') or 0)
                if isinstance(interface, collections.abc.Mapping) else 0)

    return [each['NetworkInterfaceId'] if isinstance(
        each, collections.abc.Mapping) else each
        for each in sorted(interfaces, key=place)]
