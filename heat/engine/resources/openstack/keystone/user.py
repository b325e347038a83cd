"""Users of Keystone."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone
from heat.engine.resources.openstack.keystone import role_assignments


class KeystoneUser(role_assignments.KeystoneRoleAssignmentMixin,
                   keystone.KeystoneResource):
    """A user of Keystone.

    By default only administrators may create it.
    """

    type_name = 'OS::Keystone::User'
    support_status = support.SupportStatus(version='2015.1')
    entity = 'users'
    #: What Keystone does not show of a user.
    drift_ignored = ('groups', 'password', 'roles')
    noun = 'user'

    properties_schema = {
        'name': properties.string(
            _('Name of the user. If omitted, a name is generated.'),
            update_allowed=True),
        'domain': properties.string(
            _('Domain of the user, by name or ID.'),
            default='default',
            constraints=[constraints.ref('keystone.domain')],
            update_allowed=True),
        'description': properties.string(
            _('Description of the user.'),
            default='',
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the user is enabled. A disabled user cannot '
              'authenticate.'),
            default=True,
            update_allowed=True),
        'email': properties.string(
            _('E-mail address of the user.'),
            update_allowed=True),
        'password': properties.string(
            _('Password of the user.'),
            update_allowed=True),
        'default_project': properties.string(
            _('Default project of the user, by name or ID.'),
            constraints=[constraints.ref('keystone.project')],
            update_allowed=True),
        'groups': properties.list(
            _('Groups of which the user is a member, by name or ID.'),
            schema=properties.string(
                constraints=[constraints.ref('keystone.group')]),
            update_allowed=True),
    }

    attributes_schema = {
        'default_project_id': attributes.Schema(
            _('ID of the default project of the user.'),
            support_status=support.SupportStatus(version='9.0.0'),
            type=attributes.Schema.STRING),
        'domain_id': attributes.Schema(
            _('ID of the domain of the user.'),
            support_status=support.SupportStatus(version='9.0.0'),
            type=attributes.Schema.STRING),
        'enabled': attributes.Schema(
            _('Whether the user is enabled. A disabled user cannot '
              'authenticate.'),
            support_status=support.SupportStatus(version='9.0.0'),
            type=attributes.Schema.BOOLEAN),
        'name': attributes.Schema(
            _('Name of the user.'),
            support_status=support.SupportStatus(version='9.0.0'),
            type=attributes.Schema.STRING),
        'password_expires_at': attributes.Schema(
            _('Time at which the password expires; null if it does not '
              'expire.'),
            support_status=support.SupportStatus(version='9.0.0'),
            type=attributes.Schema.STRING),
    }
    properties_schema.update(
        role_assignments.KeystoneRoleAssignmentMixin.mixin_properties_schema)

    rename = {'domain': 'domain_id', 'default_project': 'default_project_id'}
    omit = ('groups', 'roles')

    def validate(self):
        """Check that each role counts in one place."""
        problem = super().validate()
        self.validate_assignment_properties()
        return problem

    def _create(self):
        created = super()._create()
        self._join(self.properties['groups'] or [])
        self.create_assignment(user_id=self.resource_id)
        return created

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if 'groups' in prop_diff:
            present = {group.id for group in
                       self.identity().user_groups(self.resource_id)}
            wanted = set(prop_diff['groups'] or [])
            self._leave(sorted(present - wanted))
            self._join(sorted(wanted - present))
        self.update_assignment(prop_diff, user_id=self.resource_id)

    def _join(self, groups):
        for group_id in groups:
            self.identity().add_user_to_group(self.resource_id, group_id)

    def _leave(self, groups):
        for group_id in groups:
            with self.client_plugin().ignore_not_found:
                self.identity().remove_user_from_group(self.resource_id,
                                                       group_id)
