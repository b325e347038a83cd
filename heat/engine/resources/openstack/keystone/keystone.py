"""Common base of the resources of the identity service."""
from heat.engine.resources import sdk_resource


class KeystoneResource(sdk_resource.SDKResource):
    """Base of the resources of the identity service."""

    default_client_name = 'keystone'

    def identity(self):
        """Return the identity service as the user of the stack sees it."""
        return self.sdk().client

    _service = identity

    def get_reference_id(self):
        """Return what get_resource gives: the id, the name before."""
        return self.name if self.resource_id is None else self.resource_id
