"""Things of EC2 that are things of the network service here."""
from typing import Any

from heat.engine import resource
from heat.engine.resources import found_by_name


class NetworkThing(found_by_name.FoundByName, resource.Resource):
    """A resource that is one noun of Neutron, named after the resource."""

    default_client_name: Any = 'neutron'

    #: What follows the verbs of the client.
    noun: str

    def _find_by_name(self):
        """Return the thing that has the name of the resource, or None."""
        return getattr(self.sdk(), 'find_' + self.noun)(
            self.physical_resource_name(), ignore_missing=True)

    def handle_check(self):
        """Look whether the thing is there."""
        getattr(self.sdk(), 'get_' + self.noun)(self.resource_id)

    def handle_delete(self):
        """Delete the thing; it may be gone."""
        if self.resource_id is not None:
            getattr(self.sdk(), 'delete_' + self.noun)(
                self.resource_id, ignore_missing=True)
