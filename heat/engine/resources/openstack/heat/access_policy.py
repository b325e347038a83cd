"""OS::Heat::AccessPolicy: what a user of a stack may look at."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import resource


class AccessPolicy(resource.Resource):
    """A list of resources to which a user has access.

    A user with the policy can read the listed resources of the stack
    and no others.
    """

    PROPERTIES = (
        ALLOWED_RESOURCES,
    ) = (
        'AllowedResources',
    )

    properties_schema = {
        ALLOWED_RESOURCES: properties.Schema(
            properties.Schema.LIST,
            _('Names of the resources in this stack whose metadata the user '
              'may read.'),
            required=True),
    }

    def handle_create(self):
        """Only take a name: the policy is in the template."""
        self.resource_id_set(self.physical_resource_name())

    def validate(self):
        """Check the definition, and that the resources exist."""
        super().validate()
        for name in self.properties[self.ALLOWED_RESOURCES] or ():
            if name not in self.stack:
                raise exception.StackValidationFailed(
                    path=[self.stack.t.get_section_name('resources'),
                          self.name, 'properties', self.ALLOWED_RESOURCES],
                    message=_('AccessPolicy resource %s not in stack')
                    % name)

    def access_allowed(self, resource_name):
        """Return whether a user of this policy may ask for a resource."""
        return resource_name in self.properties[self.ALLOWED_RESOURCES]


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::AccessPolicy': AccessPolicy}
