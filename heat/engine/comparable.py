"""The live state of resources, for comparison with their definitions."""
from typing import Any

from heat.engine.lifecycle import attributes as resource_attributes


class Differs:
    """A live value that the resource type itself found to differ.

    :param value: the value to be shown
    """

    def __init__(self, value):
        self.value = value


class Comparable:
    """The part of a resource that reads its live state.

    A plugin overrides get_live_resource_data and parse_live_resource_data.
    The detection of drift uses the other members as well.
    """

    #: Why the resource cannot be compared; None if it can, or if the
    #: methods of the type imply the reason.
    drift_unsupported: str | None = None
    #: Properties that are not compared: the service shows others.
    drift_ignored: tuple[str, ...] = ()
    #: The property that is the physical resource name unless it is given.
    name_property: str | None = None

    def _show_resource(self):
        """Return all that the service knows of us, as a dict."""
        plugin: Any = self
        return resource_attributes.show(plugin)

    def get_live_state(self, resource_properties):
        """Return {property: value} of what really exists."""
        return self.parse_live_resource_data(
            resource_properties, self.get_live_resource_data() or {})

    def get_live_resource_data(self):
        """Return what the service knows of us, or raise EntityNotFound."""
        plugin: Any = self
        return resource_attributes.live_data(plugin)

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return {property: value} from what the service knows."""
        return resource_attributes.live_properties(resource_properties,
                                                   resource_data)

    def drift_listing(self):
        """Return how a list has what really exists; None for no list.

        It is (key, function): the function takes no argument and returns an
        iterator over things, each of which has an id. Resources with the
        same key are in the same list.
        """
        return None

    def drift_thing_id(self):
        """Return the id by which to find this resource in drift_listing()."""
        plugin: Any = self
        return plugin.resource_id

    def drift_list_is_proof(self):
        """Return whether absence from the whole list proves non-existence.

        It does not if a request for one object finds objects that the list
        leaves out.
        """
        return False

    def _is_listed(self):
        """Return whether lists of the user's project include this resource."""
        plugin: Any = self
        return plugin.external_id is None and (
            plugin.context.project_id == plugin.stack.tenant_id)

    def remember_id(self):
        """Take the physical ID, if any, for that of an object that exists.

        References to this resource then cost no request.
        """

    def drift_data_of(self, thing, live):
        """Return what drift_data() gives, of a thing in a list.

        :param thing: one of the list, with our physical id
        :param live: a heat.engine.comparison.live.LiveState, for other lists
        """
        return thing

    def drift_data(self):
        """Return what the service knows of us, or raise EntityNotFound."""
        return self.get_live_resource_data()

    def drift_state(self, resource_properties, resource_data):
        """Return {property: value} of what really exists, to be compared.

        A property that is not in it is not compared. Nor is what the
        template leaves open, whatever its value is. A value may be a
        Differs; any other is compared with that of the property.
        """
        return self.parse_live_resource_data(resource_properties,
                                             resource_data or {})
