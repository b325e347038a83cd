"""Images of servers: what a snapshot of a stack keeps of them."""
from heat.common import exception
from heat.common.i18n import _

#: The key of the resource data.
_IMAGE = 'snapshot_image_id'
#: The states of an image that is not there yet.
_BEING_MADE = ('queued', 'saving')


class ServerImages:
    """The images of a server.

    :param server: the resource
    """

    def __init__(self, server):
        self._server = server

    def begin(self):
        """Ask for an image, unless one is being made; return its id."""
        server = self._server
        if server.state_before == (server.SNAPSHOT, server.IN_PROGRESS):
            image_id = server.data().get(_IMAGE)
            if image_id and self._is_being_made(image_id):
                return image_id
        image_id = server.client_plugin().create_image(
            server.resource_id, server.physical_resource_name())
        server.data_set(_IMAGE, image_id)
        return image_id

    def _is_being_made(self, image_id):
        plugin = self._server.client_plugin('glance')
        with plugin.ignore_not_found:
            return plugin.get_image(image_id).status in _BEING_MADE
        return False

    def is_complete(self, image_id):
        """Return whether the image is there."""
        status = self._server.client_plugin('glance').get_image(
            image_id).status
        if status == 'active':
            return True
        if status in ('killed', 'deleted', 'pending_delete', 'deactivated'):
            raise exception.Error(_('The image %(id)s is %(status)s') % {
                'id': image_id, 'status': status})
        return False

    def made_before(self, deletion):
        """A task to make an image of the server, and then delete that.

        :param deletion: deletes the server; it may return a task
        """
        image_id = self.begin()
        while not self.is_complete(image_id):
            yield
        yield from deletion() or ()

    def delete(self, snapshot):
        """Delete the image of a snapshot; it may be gone."""
        image_id = (snapshot.get('resource_data') or {}).get(_IMAGE)
        if image_id:
            with self._server.client_plugin('glance').ignore_not_found:
                self._server.sdk('glance').delete_image(
                    image_id, ignore_missing=False)

    def restored(self, defn, restore_data):
        """Return a definition that makes the server from its image."""
        image_id = ((restore_data or {}).get('resource_data') or {}).get(
            _IMAGE)
        if not image_id:
            return defn
        props = {key: value for key, value in
                 defn.properties(self._server.properties_schema).data.items()
                 if value is not None}
        return defn.freeze(properties={**props, 'image': image_id})
