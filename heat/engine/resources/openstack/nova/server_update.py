"""Changing a server where it is, one thing after the other."""
from typing import Any

from oslo_config import cfg

from heat.common import exception
from heat.common.i18n import _

#: Microversions that brought tags, and other user data for rebuilt servers.
TAGS, REBUILD_USER_DATA = '2.26', '2.57'

_AT_REST = ('ACTIVE', 'SHUTOFF')


class ServerUpdate:
    """For servers that are changed where they are.

    What is asked for is looked at first: after an interruption everything
    is gone through once more.
    """

    _user_data: Any
    client: Any
    client_plugin: Any
    context: Any
    name: Any
    physical_resource_name: Any
    properties: Any
    properties_schema: Any
    sdk: Any
    resource_id: Any
    calculate_networks: Any
    translate_properties: Any
    _data_get_ports: Any
    _data_update_ports: Any
    _delete_internal_port: Any
    _interfaces: Any
    _port_ids: Any
    _str_network: Any
    store_external_ports: Any

    # -- in place or not ----------------------------------------------------

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """Return whether the template wants another server for a change."""
        return any(
            name in changed_properties_set and
            decides(after_props, before_props)
            for name, decides in (
                ('flavor', self._flavor_replaces),
                ('image', self._image_replaces),
                ('user_data', self._user_data_replaces)))

    @staticmethod
    def _flavor_replaces(after_props, before_props):
        return after_props['flavor_update_policy'] == 'REPLACE'

    @staticmethod
    def _image_replaces(after_props, before_props):
        # What starts from a volume cannot start from an image instead.
        return (after_props['image_update_policy'] == 'REPLACE' or
                not after_props['image'] or not before_props['image'])

    @staticmethod
    def _user_data_replaces(after_props, before_props):
        policy = after_props['user_data_update_policy']
        return policy == 'REPLACE' or (policy == 'REBUILD' and
                                       not after_props['image'])

    # -- the work -----------------------------------------------------------

    def _changed(self, json_snippet, diff):
        """Make the changes; look once at each step."""
        after = json_snippet.properties(self.properties_schema, self.context)
        self.translate_properties(after)
        plugin = self.client_plugin()
        server = plugin.get_server(self.resource_id)
        if 'metadata' in diff:
            plugin.meta_update(server, after['metadata'])
        if 'tags' in diff:
            self._set_tags(after['tags'] or [])
        if 'name' in diff:
            plugin.rename(server, after['name'] or
                          self.physical_resource_name())
        if diff.get('admin_pass'):
            self.sdk().change_server_password(self.resource_id,
                                                 after['admin_pass'])
        if 'flavor' in diff:
            yield from self._resized(after['flavor'])
        if 'image' in diff or self._wants_rebuild(diff, after):
            yield from self._rebuilt(after, diff)
        if 'networks' in diff:
            yield from self._moved(after)

    @staticmethod
    def _wants_rebuild(diff, after):
        return ('user_data' in diff and
                after['user_data_update_policy'] == 'REBUILD')

    def _set_tags(self, tags):
        """Make these the tags of the server."""
        self.client_plugin().set_tags(self.resource_id, tags)

    # -- flavor -------------------------------------------------------------

    def _resized(self, flavor):
        """Resize the server, unless it has the flavor."""
        plugin = self.client_plugin()
        server = yield from self._await_states((*_AT_REST, 'VERIFY_RESIZE'))
        if server.status not in _AT_REST:
            yield from plugin.resize_confirmed(self.resource_id)
        elif not plugin.has_flavor(server, flavor):
            yield from plugin.resized(self.resource_id, flavor)

    def _await_states(self, states):
        """Return the server once it is in one of some states."""
        while True:
            server = self.client_plugin().fetch_server(self.resource_id)
            if server is not None:
                if server.status in states and not server.task_state:
                    return server
                if server.status not in (
                        *states, 'REBUILD',
                        *self.client_plugin().deferred_server_statuses):
                    raise exception.ResourceUnknownStatus(
                        resource_status=server.status,
                        result=_('The server cannot be changed'))
            yield

    # -- image and user data ------------------------------------------------

    def _rebuilt(self, after, diff):
        """Rebuild the server from the image that is wanted."""
        plugin = self.client_plugin()
        yield from self._await_states(_AT_REST)
        given = {}
        if self._wants_rebuild(diff, after):
            given['user_data'] = self._user_data(after)
        if after['personality'] and not given:
            given['files'] = after['personality']
        plugin.rebuild(
            self.resource_id, after['image'], password=after['admin_pass'],
            preserve_ephemeral=(after['image_update_policy'] ==
                                'REBUILD_PRESERVE_EPHEMERAL'),
            meta=after['metadata'], **given)
        while not plugin.check_rebuild(self.resource_id):
            yield

    # -- networks -----------------------------------------------------------

    def _moved(self, after):
        """Attach the server to what is wanted, and detach it elsewhere."""
        before, wanted = self.properties['networks'], after['networks']
        plugin = self.client_plugin()
        interfaces = self._interfaces()
        removed, added = self.calculate_networks(
            before, wanted, interfaces, self.properties['security_groups'])
        for port_id in removed:
            plugin.interface_detach(self.resource_id, port_id)
        for port_id in removed:
            yield from self._looked_at(
                plugin.check_interface_detach, port_id,
                exception.InterfaceDetachFailed)
        yield from self._forgotten({each.mac_addr for each in interfaces
                                    if each.port_id in removed})
        for given in added:
            self._attach(given)
        for given in added:
            yield from self._looked_at(
                plugin.check_interface_attach, given.get('port_id'),
                exception.InterfaceAttachFailed)
        self._forget_unused(removed, wanted)

    def _looked_at(self, check, port_id, failure):
        """Wait for a port; raise when it has been looked at often enough."""
        for _attempt in range(cfg.CONF.max_interface_check_attempts):
            if check(self.resource_id, port_id):
                return
            yield
        raise failure(port=port_id, server=self.resource_id)

    def _forgotten(self, cards):
        """Wait until Nova shows no address of cards that were detached.

        It lists what Neutron has, but remembers the addresses a moment
        longer; outputs would keep them. In vain it is waited only so long.
        """
        attempts = cfg.CONF.max_interface_check_attempts if cards else 0
        for _attempt in range(attempts):
            server = self.client_plugin().fetch_server(self.resource_id)
            if server is not None and not cards & {
                    address.get('OS-EXT-IPS-MAC:mac_addr')
                    for addresses in (server.addresses or {}).values()
                    for address in addresses}:
                return
            yield

    def _attach(self, given):
        if 'tag' not in given:
            self.client_plugin().interface_attach(self.resource_id, **given)
        else:
            self.sdk().create_server_interface(self.resource_id, **given)

    def _forget_unused(self, removed, wanted):
        """Delete ports that we have made and nobody needs any more."""
        attached = {each.port_id for each in self._interfaces()}
        for port_id in self._port_ids():
            if port_id in removed or port_id not in attached:
                self._delete_internal_port(port_id)
        for port_id in removed:
            self._data_update_ports(port_id, 'delete', 'external_ports')
        if not wanted or self._str_network(wanted):
            self.store_external_ports_of(attached, wanted)

    def store_external_ports_of(self, attached, wanted):
        """Remember which of the ports Nova has made."""
        given = {net['port'] for net in wanted or () if net.get('port')}
        for port_id in attached - given - set(self._port_ids()):
            self._data_update_ports(port_id, 'add', 'external_ports')
