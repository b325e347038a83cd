"""The client of the image service, as plugins of resources see it."""
from heat.common import exception
from heat.engine import constraints
from heat.engine.clients import client_exception
from heat.engine.clients import sdk
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'glance'

_PATCH = 'application/openstack-images-v2.1-json-patch'


class GlanceClientPlugin(sdk_plugin.SDKClientPlugin):
    """Finds images by name or id."""

    client_name = CLIENT_NAME
    proxy = 'image'
    exceptions_module = [sdk_plugin.SDKClientPlugin.exceptions_module,
                         client_exception]
    service_types = [IMAGE] = ['image']
    listed_by_name = {'image': 'images'}
    supported_versions = [V2] = ['2']
    default_version = V2

    def is_not_found(self, ex):
        """Return whether an error means that there is no such image."""
        return super().is_not_found(ex) or isinstance(
            ex, client_exception.EntityMatchNotFound)

    def find_image_by_name_or_id(self, image_identifier):
        """Return the id of an image, given that or its name."""
        try:
            return self.find('image', image_identifier)
        except exception.EntityNotFound as error:
            raise client_exception.EntityMatchNotFound(
                entity='image', args=image_identifier) from error
        except exception.PhysicalResourceNameAmbiguity as error:
            raise client_exception.EntityUniqueMatchNotFound(
                entity='image', args=image_identifier) from error

    def get_image(self, image_identifier):
        """Return what is known of an image, given its name or id."""
        return self.sdk().get_image(
            self.find_image_by_name_or_id(image_identifier))

    def known_image(self, image_identifier):
        """Return an image as it was when it was first asked for.

        For what does not change, or need not be the latest.
        """
        return self.first_seen(
            'image', self.find_image_by_name_or_id(image_identifier))

    def create_image(self, values):
        """Make an image that has no data yet; return its id.

        :param values: by the names of requests. The verb of openstacksdk
            would take a name for that of a file of this machine.
        """
        return sdk.image.Image.new(**values).create(self.sdk()).id

    def change_image(self, image_id, values):
        """Change values of an image; those that are None are removed."""
        known = sdk.shown(self.sdk().get_image(image_id))
        present = {**known, **(known.get('properties') or {})}
        changes = [
            {'op': 'remove', 'path': '/' + name} if value is None else
            {'op': 'add', 'path': '/' + name, 'value': value}
            for name, value in sorted(values.items())
            if value is not None or present.get(name) is not None]
        if changes:
            answer = self.sdk().patch(
                '/images/' + image_id, json=changes,
                headers={'Content-Type': _PATCH, 'Accept': ''})
            sdk.exceptions.raise_from_response(answer)


class ImageConstraint(constraints.BaseCustomConstraint):
    """An image, by name or id."""

    expected_exceptions = (client_exception.EntityMatchNotFound,
                           client_exception.EntityUniqueMatchNotFound)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'find_image_by_name_or_id'


#: By the names that templates and schemas use.
CONSTRAINTS = {'glance.image': ImageConstraint}
