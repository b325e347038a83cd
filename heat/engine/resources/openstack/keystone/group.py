"""Groups of users of Keystone."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone
from heat.engine.resources.openstack.keystone import role_assignments


class KeystoneGroup(role_assignments.KeystoneRoleAssignmentMixin,
                    keystone.KeystoneResource):
    """A group of users of Keystone.

    The members of a group have all roles of the group. By default only
    administrators may create it.
    """

    type_name = 'OS::Keystone::Group'
    support_status = support.SupportStatus(version='2015.1')
    entity = 'groups'
    noun = 'group'
    # Keystone takes no longer names of them.
    physical_resource_name_limit = 64

    properties_schema = {
        'name': properties.string(
            _('Name of the group. If omitted, a name is generated.'),
            update_allowed=True),
        'domain': properties.string(
            _('Domain of the group, by name or ID.'),
            default='default',
            constraints=[constraints.ref('keystone.domain')],
            update_allowed=True),
        'description': properties.string(
            _('Description of the group.'),
            default='',
            update_allowed=True),
    }
    properties_schema.update(
        role_assignments.KeystoneRoleAssignmentMixin.mixin_properties_schema)

    rename = {'domain': 'domain_id'}
    omit = ('roles',)

    def validate(self):
        """Check that each role counts in one place."""
        problem = super().validate()
        self.validate_assignment_properties()
        return problem

    def _create(self):
        created = super()._create()
        self.create_assignment(group_id=self.resource_id)
        return created

    def _update(self, prop_diff):
        super()._update(prop_diff)
        self.update_assignment(prop_diff, group_id=self.resource_id)
