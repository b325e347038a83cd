"""The attributes of a server, addresses included."""
import collections

from heat.engine.resources import sdk_resource


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
