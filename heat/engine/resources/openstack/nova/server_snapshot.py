"""Images of servers: what a snapshot of a stack keeps of them."""
from typing import Any

from heat.common import exception
from heat.common.i18n import _

#: The key of the resource data.
_IMAGE = 'snapshot_image_id'


class ServerSnapshots:
    """For servers that images can be made of."""

    FAILED: str
    IMAGE: str
    client_plugin: Any
    client: Any
    data_set: Any
    handle_delete: Any
    physical_resource_name: Any
    properties_schema: Any
    resource_id: Any
    sdk: Any

    def handle_snapshot(self):
        """Ask for an image; return its id."""
        image_id = self.client_plugin().create_image(
            self.resource_id, self.physical_resource_name())
        self.data_set(_IMAGE, image_id)
        return image_id

    def check_snapshot_complete(self, image_id):
        """Return whether the image is there."""
        status = self.client_plugin('glance').get_image(image_id).status
        if status == 'active':
            return True
        if status in ('killed', 'deleted', 'pending_delete', 'deactivated'):
            raise exception.Error(_('The image %(id)s is %(status)s') % {
                'id': image_id, 'status': status})
        return False

    def handle_snapshot_delete(self, state):
        """Make an image of the server, unless it failed, and delete it."""
        if self.resource_id is None or state[1] == self.FAILED:
            return self.handle_delete()
        return self._deleted_after(self.handle_snapshot())

    def _deleted_after(self, image_id):
        while not self.check_snapshot_complete(image_id):
            yield
        yield from self.handle_delete() or ()

    def handle_delete_snapshot(self, snapshot):
        """Delete the image of a snapshot; it may be gone."""
        image_id = (snapshot.get('resource_data') or {}).get(_IMAGE)
        if image_id:
            with self.client_plugin('glance').ignore_not_found:
                self.sdk('glance').delete_image(image_id,
                                                   ignore_missing=False)

    def handle_restore(self, defn, restore_data):
        """Return a definition that makes the server from its image."""
        image_id = ((restore_data or {}).get('resource_data') or {}).get(
            _IMAGE)
        if not image_id:
            return defn
        props = {key: value for key, value in
                 defn.properties(self.properties_schema).data.items()
                 if value is not None}
        return defn.freeze(properties={**props, self.IMAGE: image_id})
