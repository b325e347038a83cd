"""The client of the image service, as plugins of resources see it."""
from heat.common import exception
from heat.engine import constraints
from heat.engine.clients import client_exception
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'glance'


class GlanceClientPlugin(sdk_plugin.SDKClientPlugin):
    """Finds images by name or id."""

    client_name = CLIENT_NAME
    proxy = 'image'
    exceptions_module = [sdk_plugin.SDKClientPlugin.exceptions_module,
                         client_exception]
    service_types = [IMAGE] = ['image']
    supported_versions = [V2] = ['2']
    default_version = V2

    def is_not_found(self, ex):
        """Tell whether an error means that there is no such image."""
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
        return self.client().get_image(
            self.find_image_by_name_or_id(image_identifier))


class ImageConstraint(constraints.BaseCustomConstraint):
    """An image, by name or id."""

    expected_exceptions = (client_exception.EntityMatchNotFound,
                           client_exception.EntityUniqueMatchNotFound)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'find_image_by_name_or_id'


#: By the names that templates and schemas use.
CONSTRAINTS = {'glance.image': ImageConstraint}
