"""Update a server in place, step by step."""
from oslo_config import cfg

from heat.common import exception

#: Microversions that brought tags, and other user data for rebuilt servers.
TAGS, REBUILD_USER_DATA = '2.26', '2.57'


def replaces(changed, after, before):
    """Return whether a change replaces the server.

    :param changed: the names of the properties that differ
    """
    return any(name in changed and decides(after, before)
               for name, decides in (('flavor', _flavor_replaces),
                                     ('image', _image_replaces),
                                     ('user_data', _user_data_replaces)))


def _flavor_replaces(after, _before):
    return after['flavor_update_policy'] == 'REPLACE'


def _image_replaces(after, before):
    # A server that boots from a volume cannot boot from an image.
    return (after['image_update_policy'] == 'REPLACE' or
            not after['image'] or not before['image'])


def _user_data_replaces(after, _before):
    policy = after['user_data_update_policy']
    return policy == 'REPLACE' or (policy == 'REBUILD' and
                                   not after['image'])


def _wants_rebuild(diff, after):
    return ('user_data' in diff and
            after['user_data_update_policy'] == 'REBUILD')


class ServerUpdate:
    """The update of a server in place.

    Each step checks the state of the cloud first, because all steps are
    repeated after an interruption.

    :param server: the resource
    :param user_data: returns the user data of a server with the given
        properties
    """

    def __init__(self, server, user_data):
        self._server = server
        self._user_data = user_data
        self._cards = server.network_cards

    @property
    def _plugin(self):
        return self._server.client_plugin()

    @property
    def _id(self):
        return self._server.resource_id

    def changed(self, json_snippet, diff):
        """A task to apply the changes."""
        after = json_snippet.properties(self._server.properties_schema,
                                        self._server.context)
        self._server.translate_properties(after)
        plugin = self._plugin
        if 'metadata' in diff:
            plugin.replace_metadata(self._id, after['metadata'])
        if 'tags' in diff:
            plugin.set_tags(self._id, after['tags'] or [])
        if 'name' in diff:
            self._server.sdk().update_server(
                self._id, name=after['name'] or
                self._server.physical_resource_name())
        if diff.get('admin_pass'):
            self._server.sdk().change_server_password(self._id,
                                                      after['admin_pass'])
        if 'flavor' in diff:
            yield from plugin.resized(self._id, after['flavor'])
        if 'image' in diff or _wants_rebuild(diff, after):
            yield from self._rebuilt(after, diff)
        if 'networks' in diff:
            yield from self._moved(after)

    # -- image and user data ------------------------------------------------

    def _rebuilt(self, after, diff):
        """Rebuild the server from the image that is wanted."""
        plugin = self._plugin
        server = yield from plugin.awaited(self._id, plugin.at_rest_statuses)
        given = {}
        if _wants_rebuild(diff, after):
            given['user_data'] = self._user_data(after)
        elif server.image and server.image.id == after['image']:
            # An interrupted update asked for it: the data in the server are
            # not to be lost once more.
            return
        if after['personality'] and not given:
            given['files'] = after['personality']
        plugin.rebuild(
            self._id, after['image'], password=after['admin_pass'],
            preserve_ephemeral=(after['image_update_policy'] ==
                                'REBUILD_PRESERVE_EPHEMERAL'),
            meta=after['metadata'], **given)
        while not plugin.check_rebuild(self._id):
            yield

    # -- networks -----------------------------------------------------------

    def _moved(self, after):
        """Attach the wanted ports and detach the others."""
        before, wanted = self._server.properties['networks'], after['networks']
        plugin = self._plugin
        interfaces = self._cards.interfaces()
        removed, added = self._server.calculate_networks(
            before, wanted, interfaces,
            self._server.properties['security_groups'])
        for port_id in removed:
            plugin.interface_detach(self._id, port_id)
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
        self._cards.forget_unused(removed, wanted)

    def _looked_at(self, check, port_id, failure):
        """Wait for a port; raise an error after the last attempt."""
        for _attempt in range(cfg.CONF.max_interface_check_attempts):
            if check(self._id, port_id):
                return
            yield
        raise failure(port=port_id, server=self._id)

    def _forgotten(self, cards):
        """Wait until Nova shows no addresses of the detached interfaces.

        Nova caches addresses for a moment longer than the ports, and
        outputs would store them. The number of attempts is limited.
        """
        attempts = cfg.CONF.max_interface_check_attempts if cards else 0
        for _attempt in range(attempts):
            server = self._plugin.fetch_server(self._id)
            if server is not None and not cards & {
                    address.get('OS-EXT-IPS-MAC:mac_addr')
                    for addresses in (server.addresses or {}).values()
                    for address in addresses}:
                return
            yield

    def _attach(self, given):
        if 'tag' not in given:
            self._plugin.interface_attach(self._id, **given)
        else:
            self._server.sdk().create_server_interface(self._id, **given)
