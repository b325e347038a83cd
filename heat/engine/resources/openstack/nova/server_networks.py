"""The network interfaces of servers: create, match, change, lend ports."""
import json
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine.resources.openstack.neutron import neutron
from heat.engine.resources.openstack.neutron import order
from heat.engine.resources.openstack.nova import port_handover

#: Keys of the resource data: ports created by Heat and by Nova.
INTERNAL, EXTERNAL = 'internal_ports', 'external_ports'


class NetworkCards:
    """The network interfaces of a server.

    A port is created for each network in the template before the server
    is. It has the specified address, security groups and other properties,
    and can be lent to the server that replaces this one.

    :param server: the resource
    """

    def __init__(self, server):
        self._server = server
        self.handover = port_handover.PortHandover(server, self)

    @property
    def _plugin(self):
        return self._server.client_plugin('neutron')

    @property
    def _client(self):
        return self._server.sdk('neutron')

    # -- validation ---------------------------------------------------------

    def validate_card(self, network):
        """Check one network interface; return its network or None."""
        if network.get('allocate_network'):
            return None
        port, subnet = network.get('port'), network.get('subnet')
        net = network.get('network')
        if not (net or port or subnet):
            raise exception.StackValidationFailed(message=_(
                'A network interface requires one of "network", "port", '
                '"subnet", "allocate_network"'))
        for name in ('fixed_ip', 'subnet', 'port_extra_properties'):
            if port and network.get(name):
                raise exception.ResourcePropertyConflict(
                    'networks/' + name, 'networks/port')
        return net

    def _validate_belonging_subnet_to_net(self, network):
        """Check that a subnet belongs to the network named beside it."""
        net, subnet = network.get('network'), network.get('subnet')
        if not net or not subnet or network.get('port'):
            return
        found = self._plugin.network_id_from_subnet_id(subnet)
        if found != net:
            raise exception.StackValidationFailed(message=_(
                'The subnet %(subnet)s belongs to the network %(found)s, not '
                'to %(net)s') % {'subnet': subnet, 'net': net,
                                     'found': found})

    @staticmethod
    def is_tagged(networks):
        """Return whether any network interface has a tag."""
        return any(net.get('tag') for net in networks or ())

    @staticmethod
    def allocation(networks):
        """Return the automatic allocation, 'auto' or 'none', or None."""
        return next((net['allocate_network'] for net in networks or ()
                     if net.get('allocate_network')), None)

    # -- stored ports -------------------------------------------------------

    def stored_ports(self, port_type=INTERNAL):
        """Return [{'id': port}] of the ports of a kind."""
        return json.loads(self._server.data().get(port_type) or '[]')

    def port_ids(self, port_type=INTERNAL):
        """Return the ids of the ports of a kind."""
        return [each['id'] for each in self.stored_ports(port_type)]

    def store_port(self, port_id, action, port_type=INTERNAL):
        """Add a port to those of a kind, or delete it from them."""
        others = [each for each in self.stored_ports(port_type)
                  if each['id'] != port_id]
        if action == 'add':
            others.append({'id': port_id})
        if others:
            self._server.data_set(port_type, json.dumps(others))
        else:
            self._server.data_delete(port_type)

    def store_external_ports(self):
        """Store the ports that Nova created for the server."""
        networks = self._server.properties['networks'] or []
        known = {*self.port_ids(), *self._given_ports(networks)}
        if networks and not self.allocation(networks):
            # Heat or the user created all of them.
            return
        self._server.data_set(EXTERNAL, json.dumps(
            [{'id': each.port_id} for each in self.interfaces()
             if each.port_id not in known]))

    def interfaces(self):
        """Return the network interfaces of the server from Nova."""
        return list(self._server.sdk('nova').server_interfaces(
            self._server.resource_id))

    def network_of(self, net):
        """Return the network of a network interface, or None."""
        if net.get('network'):
            return net['network']
        if net.get('subnet'):
            return self._plugin.network_id_from_subnet_id(net['subnet'])
        return None

    # -- creation -----------------------------------------------------------

    def _create_internal_port(self, net, index, security_groups=None):
        """Create the port of a network interface; return its id."""
        body = {'network_id': self.network_of(net),
                'name': self._port_name(index)}
        address = {'subnet_id': net.get('subnet'),
                   'ip_address': net.get('fixed_ip')}
        address = {key: value for key, value in address.items() if value}
        if address:
            body['fixed_ips'] = [address]
        if security_groups:
            body['security_groups'] = self._plugin.get_secgroup_uuids(
                security_groups)
        body.update(self._extra(net))
        port_id = self._client.create_port(**body).id
        # Immediately, because an unrecorded port would never be deleted.
        self.store_port(port_id, 'add')
        return port_id

    def _port_name(self, index):
        return '%s-port-%s' % (self._server.physical_resource_name(), index)

    def find_ports(self):
        """Store ports that were created just before an interruption."""
        known = set(self.port_ids())
        for index, net in enumerate(self._server.properties['networks'] or ()):
            if net.get('port') or self.allocation([net]):
                continue
            for port in self._client.ports(name=self._port_name(index)):
                if port.id not in known:
                    self.store_port(port.id, 'add')

    def _extra(self, net):
        """Return the additional properties of a port for a request."""
        extra = {key: value for key, value in
                 (net.get('port_extra_properties') or {}).items()
                 if value is not None}
        policy = extra.pop('qos_policy', None)
        if policy:
            extra['qos_policy_id'] = self._plugin.get_qos_policy_id(policy)
        if extra.pop('no_fixed_ips', None):
            extra['fixed_ips'] = []
        if extra.get('allowed_address_pairs'):
            extra['allowed_address_pairs'] = [
                neutron.renamed(each)
                for each in extra['allowed_address_pairs']]
        neutron.NeutronResource.merge_value_specs(extra)
        return extra

    def build(self, networks, security_groups=None):
        """Return the networks of a request to create the server.

        Missing ports are created. The result is None if the template has
        no networks, and 'auto' or 'none' for an automatic allocation.
        """
        if not networks:
            return None
        word = self.allocation(networks)
        if word is not None:
            return word
        # Ports exist only after an interruption.
        made = (self.matched(networks, {}) if self.port_ids() else
                [net.get('port') for net in networks])
        nics = []
        for index, net in enumerate(networks):
            self._validate_belonging_subnet_to_net(net)
            port_id = made[index] or self._create_internal_port(
                net, index, security_groups)
            self._lead_floating_ip(net, port_id)
            nics.append({'port': port_id})
            if net.get('tag'):
                nics[-1]['tag'] = net['tag']
        return nics

    def _lead_floating_ip(self, net, port_id):
        """Associate the floating IP of a network interface with its port."""
        if net.get('floating_ip'):
            given = {'port_id': port_id}
            if net.get('fixed_ip'):
                given['fixed_ip_address'] = net['fixed_ip']
            self._client.update_ip(net['floating_ip'], **given)

    def may_have_floating_ips(self):
        """Return whether the template may name floating IPs of the server.

        Reading the property would look up each network and port.
        """
        written = self._server.properties.data.get('networks')
        return not isinstance(written, list) or any(
            order.item(net, 'floating_ip') is not None for net in written)

    def release_floating_ips(self, networks):
        """Disassociate the floating IPs of network interfaces.

        Floating IPs that are associated with another server are kept.
        """
        client, plugin = self._client, self._plugin
        for net in networks or ():
            floating_ip = net.get('floating_ip')
            if not floating_ip:
                continue
            with plugin.ignore_not_found:
                port_id = client.get_ip(floating_ip).port_id
                if port_id and self.handover.holder(port_id) in (
                        None, '', self._server.resource_id):
                    client.update_ip(floating_ip, port_id=None)

    def delete_port(self, port_id):
        """Delete a port created for the server, if it still exists."""
        with self._plugin.ignore_not_found:
            self._client.delete_port(port_id, ignore_missing=False)
        self.store_port(port_id, 'delete')

    def delete_ports(self):
        """Delete the ports created for the server."""
        for port_id in self.port_ids():
            self.delete_port(port_id)
        self._server.data_delete(INTERNAL)

    # -- updates ------------------------------------------------------------

    def changes(self, old_nets, new_nets, ifaces, security_groups=None):
        """Return (ports to detach, attachments to make) for an update.

        An attachment is the arguments of interface_attach(). Missing ports
        are created and remaining ports are updated. The call is idempotent.
        """
        attached = {iface.port_id: iface for iface in ifaces}
        known = {*self.port_ids(), *self.port_ids(EXTERNAL),
                 *self._given_ports(old_nets)}
        word = self.allocation(new_nets)
        if word is None and new_nets:
            kept, added = self._serve(old_nets or [], new_nets, attached,
                                      security_groups)
        elif word == 'none':
            kept, added = set(), []
        else:
            kept, added = self._serve_by_default(attached, old_nets, word)
        return [port_id for port_id in attached
                if port_id in known and port_id not in kept], added

    def given(self):
        """Return the ids of the ports that the template names."""
        return self._given_ports(self._server.properties['networks'])

    @staticmethod
    def made(data):
        """Return the ids of the ports created by Heat, from resource data."""
        return [each['id']
                for each in json.loads(data.get(INTERNAL) or '[]')]

    def floating_ips(self):
        """Return the ids of the floating IPs of the ports."""
        return [net['floating_ip']
                for net in self._server.properties['networks'] or ()
                if net.get('floating_ip')]

    @staticmethod
    def _given_ports(networks):
        return {net['port'] for net in networks or () if net.get('port')}

    def _serve_by_default(self, attached, old_nets, word):
        """Return (ports, attachments) if Nova chooses the network."""
        kept = set(attached) - self._given_ports(old_nets)
        if word is None:
            # Any present port meets the request.
            return kept, [] if kept else [{}]
        network = self._client.get_auto_allocated_topology(
            self._server.stack.context.tenant_id).id
        kept = {port_id for port_id in kept
                if attached[port_id].net_id == network}
        return kept, [] if kept else [{'net_id': network}]

    def _serve(self, old_nets, new_nets, attached, security_groups):
        """Return (ports, attachments) of the wanted network interfaces."""
        found = self.matched(new_nets, attached)
        added = []
        for index, net in enumerate(new_nets):
            if found[index] is None:
                self._validate_belonging_subnet_to_net(net)
                found[index] = self._create_internal_port(
                    net, self._free_index(index), security_groups)
            elif not net.get('port'):
                self._change_port(found[index], net, old_nets)
            if found[index] not in attached:
                added.append({'port_id': found[index]})
                if net.get('tag'):
                    added[-1]['tag'] = net['tag']
        self._move_floating_ips(old_nets, new_nets, found)
        return set(found), added

    def _free_index(self, index):
        """Return a number for the name of a port; names need not differ."""
        return max(index, len(self.port_ids()))

    def matched(self, nets, attached):
        """Return the port of each network interface, or None."""
        candidates = self._candidates(attached)
        found: list[Any] = [None] * len(nets)
        # The most specific network interfaces choose first.
        for index in sorted(range(len(nets)), key=lambda index: -sum(
                bool(nets[index].get(name)) for name in
                ('fixed_ip', 'subnet', 'tag', 'port_extra_properties'))):
            net = nets[index]
            found[index] = net.get('port') or next(
                (port_id for port_id, facts in candidates.items()
                 if self._suits(facts, net)), None)
            candidates.pop(found[index], None)
        return found

    def _candidates(self, attached):
        """Return {port: facts} of the ports created for the server."""
        candidates = {}
        for port_id in (*self.port_ids(), *self.port_ids(EXTERNAL)):
            if port_id in attached:
                iface = attached[port_id]
                candidates[port_id] = {
                    'net': iface.net_id, 'ips': iface.fixed_ips or [],
                    'mac': iface.mac_addr,
                    'tag': getattr(iface, 'tag', None)}
                continue
            with self._plugin.ignore_not_found:
                port = self._client.get_port(port_id)
                # Its tag is set when it is attached.
                candidates[port_id] = {
                    'net': port.network_id, 'ips': port.fixed_ips or [],
                    'mac': port.mac_address}
                continue
            self.store_port(port_id, 'delete')
        return candidates

    def _suits(self, facts, net):
        """Return whether a port meets the request of a network interface."""
        mac = (net.get('port_extra_properties') or {}).get('mac_address')
        wanted = {'ip_address': net.get('fixed_ip'),
                  'subnet_id': net.get('subnet')}
        wanted = {key: value for key, value in wanted.items() if value}
        return (
            (not net.get('network') or net['network'] == facts['net']) and
            (not mac or mac.lower() == str(facts['mac']).lower()) and
            facts.get('tag', net.get('tag')) == net.get('tag') and
            (not wanted or any(wanted.items() <= dict(each).items()
                               for each in facts['ips'])))

    def _change_port(self, port_id, net, old_nets):
        """Update the additional properties of a port that remains."""
        extra = self._extra(net)
        same = any(self._extra(old) == extra for old in old_nets
                   if all(old.get(name) == net.get(name) for name in
                          ('network', 'subnet')))
        extra.pop('mac_address', None)
        if 'port_security_enabled' in extra:
            # Neutron keeps the groups of an existing port when this changes.
            extra.setdefault(
                'security_groups',
                self._plugin.get_secgroup_uuids(['default'])
                if extra['port_security_enabled'] else [])
        if not same and extra:
            self._client.update_port(port_id, **extra)

    def _move_floating_ips(self, old_nets, new_nets, ports):
        """Associate floating IPs as the new networks specify."""
        wanted = {net['floating_ip'] for net in new_nets
                  if net.get('floating_ip')}
        self.release_floating_ips(
            [net for net in old_nets
             if net.get('floating_ip') not in wanted])
        for net, port_id in zip(new_nets, ports, strict=True):
            if net.get('floating_ip') and not any(
                    old.get('floating_ip') == net['floating_ip'] and
                    self._same_place(old, net) for old in old_nets):
                self._lead_floating_ip(net, port_id)

    @staticmethod
    def _same_place(old, net):
        return all(old.get(name) == net.get(name) for name in
                   ('network', 'port', 'subnet', 'fixed_ip'))

    def forget_unused(self, removed, wanted):
        """Delete ports created for the server that it no longer uses.

        :param removed: the ports that were detached
        :param wanted: the network interfaces of the template
        """
        attached = {each.port_id for each in self.interfaces()}
        for port_id in self.port_ids():
            if port_id in removed or port_id not in attached:
                self.delete_port(port_id)
        for port_id in removed:
            self.store_port(port_id, 'delete', EXTERNAL)
        if not wanted or self.allocation(wanted):
            for port_id in (attached - self._given_ports(wanted) -
                            set(self.port_ids())):
                self.store_port(port_id, 'add', EXTERNAL)
