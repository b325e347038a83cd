"""Roles that users and groups have in projects and domains."""
from typing import Any

from heat.common import cloud_error
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.keystone import keystone

_FORBIDDEN = 403


class KeystoneRoleAssignmentMixin:
    """For resources that have a property roles: gives and takes them."""

    properties: Any
    client_plugin: Any
    identity: Any

    PROPERTIES: Any
    PROPERTIES = ROLES = 'roles'
    _ROLES_MAPPING_PROPERTIES = (ROLE, DOMAIN, PROJECT) = (
        'role', 'domain', 'project')

    mixin_properties_schema = {
        ROLES: properties.list(
            _('The roles that are given.'),
            schema=properties.map(
                schema={
                    DOMAIN: properties.string(
                        _('The domain in which the role counts, by name or '
                          'id. It excludes a project.'),
                        constraints=[constraints.CustomConstraint('keystone.domain')]),
                    PROJECT: properties.string(
                        _('The project in which the role counts, by name '
                          'or id. It excludes a domain.'),
                        constraints=[constraints.CustomConstraint('keystone.project')]),
                    ROLE: properties.string(
                        _('The role, by name or id. A name in a domain of '
                          'its own is written as name{domain}.'),
                        required=True,
                        constraints=[constraints.CustomConstraint('keystone.role')]),
                }),
            update_allowed=True),
    }

    def validate_assignment_properties(self):
        """Check that each role counts in a project or in a domain."""
        for given in self.properties[self.ROLES] or []:
            if given.get(self.PROJECT) and given.get(self.DOMAIN):
                raise exception.ResourcePropertyConflict(
                    self.PROJECT, self.DOMAIN)
            if not given.get(self.PROJECT) and not given.get(self.DOMAIN):
                raise exception.StackValidationFailed(message=_(
                    'The role %s needs the project or the domain in which '
                    'it counts') % given[self.ROLE])

    def create_assignment(self, user_id=None, group_id=None):
        """Give all roles to a user or to a group."""
        self._change('assign', 'to', self._places(
            self.properties[self.ROLES]), user_id, group_id)

    def update_assignment(self, prop_diff, user_id=None, group_id=None):
        """Take the roles that are gone and give those that are new."""
        if self.ROLES not in prop_diff:
            return
        before = self._places(self.properties[self.ROLES])
        after = self._places(prop_diff[self.ROLES])
        self._change('unassign', 'from', before - after, user_id, group_id)
        self._change('assign', 'to', after - before, user_id, group_id)

    def delete_assignment(self, user_id=None, group_id=None):
        """Take all roles."""
        self._change('unassign', 'from', self._places(
            self.properties[self.ROLES]), user_id, group_id)

    def parse_list_assignments(self, user_id=None, group_id=None):
        """Return the roles that somebody has, as the property says them."""
        query = {'user_id': user_id} if user_id else {'group_id': group_id}
        found = []
        for given in self.identity().role_assignments(**query):
            scope = given.scope or {}
            found.append({
                self.ROLE: given.role['id'],
                self.DOMAIN: (scope.get('domain') or {}).get('id'),
                self.PROJECT: (scope.get('project') or {}).get('id')})
        return found

    def _places(self, roles):
        """Return {(role, 'project' or 'domain', where)}, as ids."""
        plugin = self.client_plugin('keystone')
        places = set()
        for given in roles or []:
            role = plugin.get_role_id(given[self.ROLE])
            if given.get(self.PROJECT):
                where = (self.PROJECT,
                         plugin.get_project_id(given[self.PROJECT]))
            else:
                where = (self.DOMAIN,
                         plugin.get_domain_id(given[self.DOMAIN]))
            places.add((role, *where))
        return places

    def _change(self, verb, preposition, places, user_id, group_id):
        whom, whose = ('user', user_id) if user_id else ('group', group_id)
        for role, kind, where in sorted(places):
            change = getattr(self.identity(), '%s_%s_role_%s_%s' % (
                verb, kind, preposition, whom))
            if verb == 'assign':
                change(where, whose, role)
                continue
            with self.client_plugin('keystone').ignore_not_found:
                change(where, whose, role)


class _RoleAssignment(sdk_resource.Unshown, KeystoneRoleAssignmentMixin,
                      keystone.KeystoneResource):
    """Roles that somebody who exists already is given."""

    #: The property that says who.
    WHO: str

    def validate(self):
        """Check that each role counts in one place."""
        problem = super().validate()
        self.validate_assignment_properties()
        return problem

    def _whose(self, who):
        """Return the arguments that say to a request who it is about."""
        plugin = self.client_plugin()
        found = getattr(plugin, 'get_%s_id' % self.WHO)(who)
        return {self.WHO + '_id': found}

    def _holder(self):
        """Return the arguments that say who has the roles.

        Rows that OpenStack Heat has written may have no id.
        """
        if self.resource_id is None:
            return self._whose(self.properties[self.WHO])
        return {self.WHO + '_id': self.resource_id}

    def find_created(self):
        """Look whether roles were given although there is no id."""
        if self.resource_id is not None:
            return
        try:
            whose = self._holder()
            given = self._places(self.properties[self.ROLES])
            if given & self._present(whose):
                self.resource_id_set(whose[self.WHO + '_id'])
        except Exception as error:
            # Who may not look, or has named nobody, has given nothing.
            if not (self.client_plugin().is_not_found(error) or
                    cloud_error.status_of(error) == _FORBIDDEN):
                raise

    def _create(self):
        whose = self._whose(self.properties[self.WHO])
        self.create_assignment(**whose)
        self.resource_id_set(whose[self.WHO + '_id'])

    def _update(self, prop_diff):
        whose = self._holder()
        if self.WHO not in prop_diff:
            self.update_assignment(prop_diff, **whose)
            return
        self.delete_assignment(**whose)
        whose = self._whose(prop_diff[self.WHO])
        self._change('assign', 'to', self._places(
            prop_diff.get(self.ROLES, self.properties[self.ROLES])),
            whose.get('user_id'), whose.get('group_id'))
        self.resource_id_set(whose[self.WHO + '_id'])

    def _delete(self):
        self.delete_assignment(**self._holder())

    def _show_resource(self):
        return {self.ROLES: self.parse_list_assignments(**self._holder())}

    def handle_check(self):
        """Look whether the roles are still given."""
        missing = self._places(
            self.properties[self.ROLES]) - self._present(self._holder())
        if missing:
            raise exception.Error(_('Roles were taken: %s') % ', '.join(
                sorted(role for role, _kind, _where in missing)))

    def _present(self, whose):
        """Return the roles that somebody has, as _places() does."""
        return {(each[self.ROLE],
                 self.PROJECT if each[self.PROJECT] else self.DOMAIN,
                 each[self.PROJECT] or each[self.DOMAIN])
                for each in self.parse_list_assignments(**whose)}


class KeystoneUserRoleAssignment(_RoleAssignment):
    """Roles of a user of Keystone in projects and domains.

    The user exists already. By default only administrators may give roles.
    """

    type_name = 'OS::Keystone::UserRoleAssignment'
    support_status = support.SupportStatus(version='5.0.0')

    WHO = 'user'

    properties_schema = {
        'user': properties.string(
            _('The user who is given the roles, by name or id. A name in a '
              'domain of its own is written as name{domain}.'),
            required=True,
            constraints=[constraints.CustomConstraint('keystone.user')],
            update_allowed=True),
    }
    properties_schema.update(
        KeystoneRoleAssignmentMixin.mixin_properties_schema)


class KeystoneGroupRoleAssignment(_RoleAssignment):
    """Roles of a group of Keystone in projects and domains.

    The group exists already. By default only administrators may give roles.
    """

    type_name = 'OS::Keystone::GroupRoleAssignment'
    support_status = support.SupportStatus(version='5.0.0')

    WHO = 'group'

    properties_schema = {
        'group': properties.string(
            _('The group that is given the roles, by name or id. A name in '
              'a domain of its own is written as name{domain}.'),
            required=True,
            constraints=[constraints.CustomConstraint('keystone.group')],
            update_allowed=True),
    }
    properties_schema.update(
        KeystoneRoleAssignmentMixin.mixin_properties_schema)
