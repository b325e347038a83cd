"""What a server shows: its addresses, and how it differs from its template."""
import collections
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import comparable
from heat.engine.resources import sdk_resource

#: The microversion since which lists have servers whose database is away.
_LISTS_ALL = '2.69'


class ServerAddresses:
    """The addresses of a server by network.

    Nova knows networks by their names only, Neutron has the rest.
    """

    def __init__(self, server, network_client):
        self._server = server
        self._client = network_client
        self._shown = {}

    def _ports(self):
        """Return {(hardware address, address): port}."""
        return {(port.mac_address.lower(), address['ip_address']): port
                for port in self._client.ports(device_id=self._server.id)
                for address in port.fixed_ips or ()}

    def _found(self):
        """Yield (name of the network, address, port or None)."""
        ports = self._ports()
        by_mac = {mac: port for (mac, _address), port in ports.items()}
        for name, addresses in (self._server.addresses or {}).items():
            for address in addresses:
                mac = str(address.get('OS-EXT-IPS-MAC:mac_addr')).lower()
                # A floating address is not one of the port.
                yield name, address, ports.get(
                    (mac, address['addr']), by_mac.get(mac))

    def networks(self):
        """Return lists of addresses by names and by ids of networks."""
        found: dict = collections.defaultdict(list)
        for name, address, port in self._found():
            for key in self._keys(name, port):
                found[key].append(address['addr'])
        return dict(found)

    def addresses(self):
        """Return all that is known of addresses, as networks() does."""
        found: dict = collections.defaultdict(list)
        for name, address, port in self._found():
            told = {**address, 'port': port and port.id,
                    'network': port and self._show('network',
                                                   port.network_id),
                    'subnets': [self._show('subnet', each['subnet_id'])
                                for each in (port.fixed_ips if port
                                             else None) or ()]}
            for key in self._keys(name, port):
                found[key].append(told)
        return dict(found)

    @staticmethod
    def _keys(name, port):
        return [name] if port is None else dict.fromkeys(
            (name, port.network_id))

    def _show(self, noun, its_id):
        if its_id not in self._shown:
            self._shown[its_id] = sdk_resource.shown(
                getattr(self._client, 'get_' + noun)(its_id))
        return self._shown[its_id]


def differences(resource, props, server, interfaces):
    """Return what differs from the wish, by property.

    :param resource: the server as a resource
    :param props: the properties that are wished for
    :param server: the server as Nova shows it
    :param interfaces: its network cards
    """
    found = own_differences(resource, props, server)
    attached = _attached(resource.network_cards, props['networks'],
                         interfaces)
    if attached != props['networks']:
        found['networks'] = attached
    return found


def own_differences(resource, props, server):
    """Return what differs from the wish but for network cards.

    The arguments are those of differences().
    """
    plugin = resource.client_plugin()
    found: dict[str, Any] = {}
    if server.name != (props['name'] or resource.physical_resource_name()):
        found['name'] = server.name
    metadata = dict(server.metadata or {})
    if metadata != plugin.meta_serialize(props['metadata'] or {}):
        found['metadata'] = metadata
    if not plugin.has_flavor(server, props['flavor']):
        found['flavor'] = _flavor_of(server)
    image = server.image and server.image.id
    if props['image'] and image and image != props['image']:
        found['image'] = image
    tags = getattr(server, 'tags', None)
    if tags is not None and sorted(tags) != sorted(props['tags'] or ()):
        found['tags'] = list(tags)
    return found


def drifted(resource, props, server, port_ids):
    """Return what differs from the wish, as values that differ.

    :param port_ids: the ports that are attached to the server
    """
    found = own_differences(resource, props, server)
    networks = props['networks'] or []
    cards = resource.network_cards
    if networks and not cards.allocation(networks):
        kept = _kept(networks, set(port_ids), set(cards.port_ids()))
        if len(kept) < len(networks):
            found['networks'] = kept
    return {name: comparable.Differs(value)
            for name, value in found.items()}


def _kept(networks, attached, ours):
    """Return the network cards whose ports are still there.

    :param ours: the ports that were made for the server; which card each
        of them is of does not matter.
    """
    lost, kept = len(ours - attached), []
    for net in networks:
        if net.get('port'):
            is_there = net['port'] in attached
        else:
            is_there = not lost
            lost = max(lost - 1, 0)
        if is_there:
            kept.append(net)
    return kept


def _attached(cards, networks, interfaces):
    """Return those network cards that the server really has."""
    if not networks or cards.allocation(networks):
        return networks
    attached = {iface.port_id: iface for iface in interfaces}
    ports = cards.matched(networks, attached)
    return [net for net, port_id in zip(networks, ports, strict=True)
            if port_id in attached]


def _flavor_of(server):
    """Return the name of the flavor, or its id from older services."""
    known = server.flavor.get
    return known('original_name') or known('id')


def listing(resource):
    """Return the list of the servers of a project, as drift_listing() does.
    """
    return ('nova', 'server', ()), lambda: resource.sdk('nova').servers(
        limit=sdk_resource.LIST_PAGE)


def lists_all(plugin):
    """Return whether lists have all servers that can be asked for."""
    return plugin.is_version_supported(_LISTS_ALL)


def require_known(server):
    """Raise an error if Nova has no more than the id of a server now."""
    if server.status == 'UNKNOWN' and server.name is None:
        raise exception.Error(_(
            'Nova cannot reach its database of the server'))
