"""ServerNetworkMixin: the network interfaces of servers, for plugins."""
import functools

from heat.engine.resources.openstack.nova import server_networks


class ServerNetworkMixin:
    """Base of resources that are servers with network interfaces.

    Its methods are the contract with plugins; they forward to NetworkCards.
    """

    # What the schema of the resource has.
    (NETWORK_ID, NETWORK_FIXED_IP, NETWORK_PORT, NETWORK_SUBNET,
     NETWORK_PORT_EXTRA, NETWORK_FLOATING_IP, NIC_TAG, ALLOCATE_NETWORK,
     NETWORK_AUTO, NETWORK_NONE) = (
        'network', 'fixed_ip', 'port', 'subnet', 'port_extra_properties',
        'floating_ip', 'tag', 'allocate_network', 'auto', 'none')

    @functools.cached_property
    def network_cards(self):
        """The network interfaces of this server."""
        return server_networks.NetworkCards(self)

    def _validate_network(self, network):
        """Check one network interface; return its network or None."""
        return self.network_cards.validate_card(network)

    def _is_nic_tagged(self, networks):
        """Return whether any network interface has a tag."""
        return self.network_cards.is_tagged(networks)

    def _str_network(self, networks):
        """Return the automatic allocation, 'auto' or 'none', or None."""
        return self.network_cards.allocation(networks)

    def _get_network_id(self, net):
        """Return the network of a network interface, or None."""
        return self.network_cards.network_of(net)

    def _data_get_ports(self, port_type=server_networks.INTERNAL):
        """Return [{'id': port}] of the ports of a kind."""
        return self.network_cards.stored_ports(port_type)

    def _build_nics(self, networks, security_groups=None):
        """Return the networks of a request to create the server."""
        return self.network_cards.build(networks, security_groups)

    def store_external_ports(self):
        """Store the ports that Nova created for the server."""
        self.network_cards.store_external_ports()

    def _delete_internal_ports(self):
        """Delete the ports created for the server."""
        self.network_cards.delete_ports()

    def calculate_networks(self, old_nets, new_nets, ifaces,
                           security_groups=None):
        """Return (ports to detach, attachments to make) for an update."""
        return self.network_cards.changes(old_nets, new_nets, ifaces,
                                          security_groups)

    def prepare_ports_for_replace(self):
        """Begin to give up ports and addresses for a replacement."""
        self.network_cards.handover.lend()

    def restore_ports_after_rollback(self, convergence):
        """Begin to take back what the replacement was given."""
        self.network_cards.handover.take_back(convergence)

    def ports_are_handed_over(self):
        """Continue the handover; return whether it is complete."""
        return self.network_cards.handover.is_done()
