"""The network cards of servers: ports made, given, changed and handed over.
"""
import json
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine.resources.openstack.neutron import neutron
from heat.engine.resources.openstack.nova import port_handover

#: Keys of the resource data: ports that we made, ports that Nova made.
_INTERNAL, _EXTERNAL = 'internal_ports', 'external_ports'


class ServerNetworkMixin(port_handover.PortHandover):
    """For resources that are servers with network cards.

    For each network that a template names a port is made beforehand: it
    has the address, the security groups and whatever else is wanted, and
    it can be handed over to the server that replaces this one.
    """

    # What the resource has.
    client: Any
    client_plugin: Any
    data: Any
    data_set: Any
    data_delete: Any
    sdk: Any
    physical_resource_name: Any
    properties: Any
    resource_id: Any
    stack: Any
    name: Any

    # What the schema of the resource has.
    (NETWORK_ID, NETWORK_FIXED_IP, NETWORK_PORT, NETWORK_SUBNET,
     NETWORK_PORT_EXTRA, NETWORK_FLOATING_IP, NIC_TAG, ALLOCATE_NETWORK,
     NETWORK_AUTO, NETWORK_NONE) = (
        'network', 'fixed_ip', 'port', 'subnet', 'port_extra_properties',
        'floating_ip', 'tag', 'allocate_network', 'auto', 'none')

    # -- validation ---------------------------------------------------------

    def _validate_network(self, network):
        """Check one network card; return its network, None if unknown."""
        if network.get(self.ALLOCATE_NETWORK):
            return None
        port, subnet = (network.get(self.NETWORK_PORT),
                        network.get(self.NETWORK_SUBNET))
        net = network.get(self.NETWORK_ID)
        if not (net or port or subnet):
            raise exception.StackValidationFailed(message=_(
                'A network card needs one of "%s"') % '", "'.join(
                    (self.NETWORK_ID, self.NETWORK_PORT,
                     self.NETWORK_SUBNET, self.ALLOCATE_NETWORK)))
        for name in (self.NETWORK_FIXED_IP, self.NETWORK_SUBNET,
                     self.NETWORK_PORT_EXTRA):
            if port and network.get(name):
                raise exception.ResourcePropertyConflict(
                    '/'.join(('networks', name)),
                    '/'.join(('networks', self.NETWORK_PORT)))
        return net

    def _validate_belonging_subnet_to_net(self, network):
        """Check that a subnet is one of the network that is named, too."""
        net, subnet = (network.get(self.NETWORK_ID),
                       network.get(self.NETWORK_SUBNET))
        if not net or not subnet or network.get(self.NETWORK_PORT):
            return
        found = self.client_plugin('neutron').network_id_from_subnet_id(
            subnet)
        if found != net:
            raise exception.StackValidationFailed(message=_(
                'The subnet %(subnet)s is one of the network %(found)s, '
                'not of %(net)s') % {'subnet': subnet, 'net': net,
                                     'found': found})

    def _is_nic_tagged(self, networks):
        """Return whether any network card has a tag."""
        return any(net.get(self.NIC_TAG) for net in networks or ())

    def _str_network(self, networks):
        """Return 'auto' or 'none' if networks amount to that, else None."""
        return next((net[self.ALLOCATE_NETWORK] for net in networks or ()
                     if net.get(self.ALLOCATE_NETWORK)), None)

    # -- which ports are ours -----------------------------------------------

    def _data_get_ports(self, port_type=_INTERNAL):
        """Return [{'id': port}] of the ports of a kind."""
        return json.loads(self.data().get(port_type) or '[]')

    def _port_ids(self, port_type=_INTERNAL):
        return [each['id'] for each in self._data_get_ports(port_type)]

    def _data_update_ports(self, port_id, action, port_type=_INTERNAL):
        """Add a port to those of a kind, or delete it from them."""
        others = [each for each in self._data_get_ports(port_type)
                  if each['id'] != port_id]
        if action == 'add':
            others.append({'id': port_id})
        if others:
            self.data_set(port_type, json.dumps(others))
        else:
            self.data_delete(port_type)

    def store_external_ports(self):
        """Remember the ports that Nova has made for the server."""
        networks = self.properties['networks'] or []
        known = {*self._port_ids(), *(net[self.NETWORK_PORT]
                                      for net in networks
                                      if net.get(self.NETWORK_PORT))}
        if networks and not self._str_network(networks):
            # All of them were there before the server.
            return
        self.data_set(_EXTERNAL, json.dumps(
            [{'id': each.port_id} for each in self._interfaces()
             if each.port_id not in known]))

    def _interfaces(self):
        return list(self.sdk('nova').server_interfaces(self.resource_id))

    def _get_network_id(self, net):
        """Return the network of a network card, None if none is named."""
        if net.get(self.NETWORK_ID):
            return net[self.NETWORK_ID]
        if net.get(self.NETWORK_SUBNET):
            return self.client_plugin('neutron').network_id_from_subnet_id(
                net[self.NETWORK_SUBNET])
        return None

    # -- making ports -------------------------------------------------------

    def _create_internal_port(self, net, index, security_groups=None):
        """Make the port of a network card; return its id."""
        body = {'network_id': self._get_network_id(net),
                'name': self._port_name(index)}
        address = {'subnet_id': net.get(self.NETWORK_SUBNET),
                   'ip_address': net.get(self.NETWORK_FIXED_IP)}
        address = {key: value for key, value in address.items() if value}
        if address:
            body['fixed_ips'] = [address]
        if security_groups:
            body['security_groups'] = self.client_plugin(
                'neutron').get_secgroup_uuids(security_groups)
        body.update(self._extra(net))
        port_id = self.sdk('neutron').create_port(**body).id
        # At once: a port nobody knows of would stay for ever.
        self._data_update_ports(port_id, 'add')
        return port_id

    def _port_name(self, index):
        return '%s-port-%s' % (self.physical_resource_name(), index)

    def _find_ports(self):
        """Remember ports that were made just before an interruption."""
        known = set(self._port_ids())
        for index, net in enumerate(self.properties['networks'] or ()):
            if net.get(self.NETWORK_PORT) or self._str_network([net]):
                continue
            for port in self.sdk('neutron').ports(
                    name=self._port_name(index)):
                if port.id not in known:
                    self._data_update_ports(port.id, 'add')

    def _extra(self, net):
        """Return what else is said of a port, as requests have it."""
        extra = {key: value for key, value in
                 (net.get(self.NETWORK_PORT_EXTRA) or {}).items()
                 if value is not None}
        policy = extra.pop('qos_policy', None)
        if policy:
            extra['qos_policy_id'] = self.client_plugin(
                'neutron').get_qos_policy_id(policy)
        if extra.pop('no_fixed_ips', None):
            extra['fixed_ips'] = []
        if extra.get('allowed_address_pairs'):
            extra['allowed_address_pairs'] = [
                neutron.renamed(each)
                for each in extra['allowed_address_pairs']]
        neutron.NeutronResource.merge_value_specs(extra)
        return extra

    def _build_nics(self, networks, security_groups=None):
        """Return the network cards as Nova is asked for them.

        Ports are made on the way. None means that nothing was said, 'auto'
        and 'none' what these words say.
        """
        if not networks:
            return None
        word = self._str_network(networks)
        if word is not None:
            return word
        # There are some only after an interruption.
        made = (self._matched(networks, {}) if self._port_ids() else
                [net.get(self.NETWORK_PORT) for net in networks])
        nics = []
        for index, net in enumerate(networks):
            self._validate_belonging_subnet_to_net(net)
            port_id = made[index] or self._create_internal_port(
                net, index, security_groups)
            self._lead_floating_ip(net, port_id)
            nics.append({'port': port_id})
            if net.get(self.NIC_TAG):
                nics[-1]['tag'] = net[self.NIC_TAG]
        return nics

    def _lead_floating_ip(self, net, port_id):
        """Let the floating IP of a network card lead to its port."""
        if net.get(self.NETWORK_FLOATING_IP):
            given = {'port_id': port_id}
            if net.get(self.NETWORK_FIXED_IP):
                given['fixed_ip_address'] = net[self.NETWORK_FIXED_IP]
            self.sdk('neutron').update_ip(net[self.NETWORK_FLOATING_IP],
                                             **given)

    def _release_floating_ips(self, networks):
        """Let the floating IPs of network cards lead nowhere.

        They stay as they are if they lead to another server by now.
        """
        client, plugin = self.sdk('neutron'), self.client_plugin('neutron')
        for net in networks or ():
            floating_ip = net.get(self.NETWORK_FLOATING_IP)
            if not floating_ip:
                continue
            with plugin.ignore_not_found:
                port_id = client.get_ip(floating_ip).port_id
                if port_id and self._holder(port_id) in (
                        None, '', self.resource_id):
                    client.update_ip(floating_ip, port_id=None)

    def _delete_internal_port(self, port_id):
        with self.client_plugin('neutron').ignore_not_found:
            self.sdk('neutron').delete_port(port_id, ignore_missing=False)
        self._data_update_ports(port_id, 'delete')

    def _delete_internal_ports(self):
        """Delete the ports that we have made."""
        for port_id in self._port_ids():
            self._delete_internal_port(port_id)
        self.data_delete(_INTERNAL)

    # -- changing -----------------------------------------------------------

    def calculate_networks(self, old_nets, new_nets, ifaces,
                           security_groups=None):
        """Return (ports to detach, what to attach) for a change.

        What is to be attached are arguments of interface_attach(). Ports
        that are missing are made, those that stay are changed on the way;
        it does no harm to do so twice.
        """
        attached = {iface.port_id: iface for iface in ifaces}
        known = {*self._port_ids(), *self._port_ids(_EXTERNAL),
                 *self._given_ports(old_nets)}
        word = self._str_network(new_nets)
        if word is None and new_nets:
            kept, added = self._serve(old_nets or [], new_nets, attached,
                                      security_groups)
        elif word == self.NETWORK_NONE:
            kept, added = set(), []
        else:
            kept, added = self._serve_by_default(attached, old_nets, word)
        return [port_id for port_id in attached
                if port_id in known and port_id not in kept], added

    def _ports_given(self):
        return self._given_ports(self.properties['networks'])

    @staticmethod
    def _ports_made(data):
        return [each['id'] for each in json.loads(data.get(_INTERNAL) or
                                                  '[]')]

    def _floating_ips(self):
        return [net[self.NETWORK_FLOATING_IP]
                for net in self.properties['networks'] or ()
                if net.get(self.NETWORK_FLOATING_IP)]

    def _given_ports(self, networks):
        return {net[self.NETWORK_PORT] for net in networks or ()
                if net.get(self.NETWORK_PORT)}

    def _serve_by_default(self, attached, old_nets, word):
        """Return (ports, attachments) when Nova chooses the network."""
        kept = set(attached) - self._given_ports(old_nets)
        if word is None:
            # What it has is as good as anything else.
            return kept, [] if kept else [{}]
        network = self.sdk('neutron').get_auto_allocated_topology(
            self.stack.context.tenant_id).id
        kept = {port_id for port_id in kept
                if attached[port_id].net_id == network}
        return kept, [] if kept else [{'net_id': network}]

    def _serve(self, old_nets, new_nets, attached, security_groups):
        """Return (ports, attachments) of the network cards wanted."""
        found = self._matched(new_nets, attached)
        added = []
        for index, net in enumerate(new_nets):
            if found[index] is None:
                self._validate_belonging_subnet_to_net(net)
                found[index] = self._create_internal_port(
                    net, self._free_index(index), security_groups)
            elif not net.get(self.NETWORK_PORT):
                self._change_port(found[index], net, old_nets)
            if found[index] not in attached:
                added.append({'port_id': found[index]})
                if net.get(self.NIC_TAG):
                    added[-1]['tag'] = net[self.NIC_TAG]
        self._move_floating_ips(old_nets, new_nets, found)
        return set(found), added

    def _free_index(self, index):
        """Return a number for the name of a port; names need not differ."""
        return max(index, len(self._port_ids()))

    def _matched(self, nets, attached):
        """Return the port of each network card, None where it lacks one.
        """
        candidates = self._candidates(attached)
        found: list[Any] = [None] * len(nets)
        # Who is choosy chooses first.
        for index in sorted(range(len(nets)), key=lambda index: -sum(
                bool(nets[index].get(name)) for name in
                (self.NETWORK_FIXED_IP, self.NETWORK_SUBNET, self.NIC_TAG,
                 self.NETWORK_PORT_EXTRA))):
            net = nets[index]
            found[index] = net.get(self.NETWORK_PORT) or next(
                (port_id for port_id, facts in candidates.items()
                 if self._suits(facts, net)), None)
            candidates.pop(found[index], None)
        return found

    def _candidates(self, attached):
        """Return {port: facts} of ports that are nobody else's."""
        candidates = {}
        for port_id in (*self._port_ids(), *self._port_ids(_EXTERNAL)):
            if port_id in attached:
                iface = attached[port_id]
                candidates[port_id] = {
                    'net': iface.net_id, 'ips': iface.fixed_ips or [],
                    'mac': iface.mac_addr,
                    'tag': getattr(iface, 'tag', None)}
                continue
            with self.client_plugin('neutron').ignore_not_found:
                port = self.sdk('neutron').get_port(port_id)
                # It is tagged when it is attached.
                candidates[port_id] = {
                    'net': port.network_id, 'ips': port.fixed_ips or [],
                    'mac': port.mac_address}
                continue
            self._data_update_ports(port_id, 'delete')
        return candidates

    def _suits(self, facts, net):
        """Return whether a port is what a network card wants."""
        mac = (net.get(self.NETWORK_PORT_EXTRA) or {}).get('mac_address')
        wanted = {'ip_address': net.get(self.NETWORK_FIXED_IP),
                  'subnet_id': net.get(self.NETWORK_SUBNET)}
        wanted = {key: value for key, value in wanted.items() if value}
        return (
            (not net.get(self.NETWORK_ID) or
             net[self.NETWORK_ID] == facts['net']) and
            (not mac or mac.lower() == str(facts['mac']).lower()) and
            facts.get('tag', net.get(self.NIC_TAG)) == net.get(
                self.NIC_TAG) and
            (not wanted or any(wanted.items() <= dict(each).items()
                               for each in facts['ips'])))

    def _change_port(self, port_id, net, old_nets):
        """Change what else is said of a port that stays."""
        extra = self._extra(net)
        same = any(self._extra(old) == extra for old in old_nets
                   if all(old.get(name) == net.get(name) for name in
                          (self.NETWORK_ID, self.NETWORK_SUBNET)))
        extra.pop('mac_address', None)
        if 'port_security_enabled' in extra:
            # A new port would have them, or none; Neutron changes neither.
            extra.setdefault('security_groups', self.client_plugin(
                'neutron').get_secgroup_uuids(['default']) if (
                    extra['port_security_enabled']) else [])
        if not same and extra:
            self.sdk('neutron').update_port(port_id, **extra)

    def _move_floating_ips(self, old_nets, new_nets, ports):
        """Let floating IPs lead where they are wanted."""
        wanted = {net[self.NETWORK_FLOATING_IP] for net in new_nets
                  if net.get(self.NETWORK_FLOATING_IP)}
        self._release_floating_ips(
            [net for net in old_nets
             if net.get(self.NETWORK_FLOATING_IP) not in wanted])
        for net, port_id in zip(new_nets, ports, strict=True):
            if net.get(self.NETWORK_FLOATING_IP) and not any(
                    old.get(self.NETWORK_FLOATING_IP) ==
                    net[self.NETWORK_FLOATING_IP] and
                    self._same_place(old, net) for old in old_nets):
                self._lead_floating_ip(net, port_id)

    def _same_place(self, old, net):
        return all(old.get(name) == net.get(name) for name in
                   (self.NETWORK_ID, self.NETWORK_PORT, self.NETWORK_SUBNET,
                    self.NETWORK_FIXED_IP))
