"""The live state of a server, by the names of its properties."""
from typing import Any

from heat.common import exception


class ServerLiveState:
    """For servers that are compared with what their template says."""

    client: Any
    client_plugin: Any
    name: Any
    physical_resource_name: Any
    resource_id: Any
    _candidates: Any
    _interfaces: Any
    _matched: Any
    _str_network: Any

    def get_live_resource_data(self):
        """Return the server and its interfaces; EntityNotFound without."""
        server = self.client_plugin().get_server(self.resource_id)
        if server.status in ('DELETED', 'SOFT_DELETED'):
            raise exception.EntityNotFound(entity='Server', name=self.name)
        return server, self._interfaces()

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return what differs from the wish, by property."""
        server, ifaces = resource_data
        plugin, props = self.client_plugin(), resource_properties
        found: dict[str, Any] = {}
        if server.name != (props['name'] or self.physical_resource_name()):
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
        networks = props['networks']
        if networks and not self._str_network(networks):
            attached = self._attached(networks, ifaces)
            if attached != networks:
                found['networks'] = attached
        return found

    def _attached(self, networks, ifaces):
        """Return those network cards that the server really has."""
        attached = {iface.port_id: iface for iface in ifaces}
        ports = self._matched(networks, attached)
        return [net for net, port_id in zip(networks, ports, strict=True)
                if port_id in attached]


def _flavor_of(server):
    """Return the name of the flavor, or its id from older services."""
    known = server.flavor.get
    return known('original_name') or known('id')
