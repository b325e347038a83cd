"""OS::Heat::None: a resource that does nothing."""
import uuid

from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class NoneResource(resource.Resource):
    """A placeholder for a resource that is not needed.

    Map a resource type to this type in the resource registry of an
    environment to create nothing for it. It accepts any properties, and
    all of its attributes are null.
    """

    type_name = 'OS::Heat::None'
    support_status = support.SupportStatus(version='5.0.0')
    handlers_are_local = True
    #: Whether names of properties are left unchecked.
    takes_any_properties = True

    properties_schema: dict = {}
    attributes_schema: dict = {}

    def reparse(self, client_resolve=True):
        """Take whatever properties the replaced type has, unread."""
        self.properties = properties.Properties({}, {})
        self.update_policy = properties.Properties({}, {})

    def _needs_update(self, after, before, after_props, before_props,
                      prev_resource, check_init_complete=True):
        return False

    def frozen_definition(self):
        """Return the definition without the properties nobody reads."""
        return self.t.freeze(properties={})

    def validate(self):
        """Find nothing wrong: the rules of the replaced type are unknown."""

    def handle_create(self):
        """Only take an id."""
        self.resource_id_set(str(uuid.uuid4()))

    def handle_delete(self):
        """Do nothing."""

    def get_attribute(self, key, *path):
        """Return None for attributes of any name."""
        return None
