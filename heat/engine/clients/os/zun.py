"""The client of the service of containers, as plugins of resources see it.
"""
from heat.engine.clients import sdk_noun
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'zun'
#: Keys of networks in requests, by the arguments that they come as.
_NETWORK_KEYS = (('net_id', 'network'), ('port_id', 'port'),
                 ('fip', 'fixed_ip'))
# A container is stopped before it is deleted.
_NOUNS = {'container': sdk_noun.Noun(
    '/containers', None, 'containers', identity='uuid',
    create_query=(('run', 'true'),), delete_query=(('stop', 'true'),))}


class ZunClientPlugin(sdk_plugin.ListingPlugin):
    """Changes containers of Zun."""

    client_name = CLIENT_NAME
    proxy = 'application_container'
    service_types = [CONTAINER] = ['container']
    supported_versions = [V1_12, V1_18, V1_36] = ['1.12', '1.18', '1.36']
    default_version = V1_12

    def _connect(self, version=None):
        proxy = self._adapter()
        proxy.default_microversion = version
        return sdk_noun.extended(proxy, _NOUNS)

    def update_container(self, container_id, **prop_diff):
        """Change a container; nothing is asked for without a change."""
        if prop_diff:
            self.answer(self.sdk(version=self.V1_18).patch(
                f'containers/{container_id}', json=prop_diff))

    def network_attach(self, container_id, port_id=None, net_id=None,
                       fip=None, security_groups=None):
        """Attach a port, or a new one of a network, to a container."""
        given = {'port_id': port_id, 'net_id': net_id, 'fip': fip}
        if port_id:
            given = {'port_id': port_id}
        self._about_network(container_id, 'network_attach', given)
        if security_groups and port_id:
            self.clients.sdk('neutron').update_port(
                port_id, security_groups=security_groups)
        return True

    def network_detach(self, container_id, port_id):
        """Detach a port from a container; it may be detached already."""
        with self.ignore_not_found:
            self._about_network(container_id, 'network_detach',
                                {'port_id': port_id})
        return True

    def _about_network(self, container_id, action, given):
        self.answer(self.sdk(version=self.V1_18).post(
            f'containers/{container_id}/{action}', params={
                key: given[name] for name, key in _NETWORK_KEYS
                if given.get(name)}))

    def _ports(self, container_id):
        return {each['port_id'] for each in self.listed(
            f'containers/{container_id}/network_list', key='networks')}

    def check_network_attach(self, container_id, port_id):
        """Return whether a port is attached to a container."""
        return not port_id or port_id in self._ports(container_id)

    def check_network_detach(self, container_id, port_id):
        """Return whether a port is no longer attached to a container."""
        with self.ignore_not_found:
            return not port_id or port_id not in self._ports(container_id)
        return True
