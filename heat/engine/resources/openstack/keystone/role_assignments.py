"""Roles that users and groups have in projects and domains."""
import json
from typing import Any

from heat.common import cloud_error
from heat.common import exception
from heat.common.i18n import _
from heat.engine import comparable
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.keystone import keystone

_FORBIDDEN = 403
#: The key of the resource data that holds the roles of an unfinished update.
_UNFINISHED = 'unfinished_roles'


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
            _('Roles to assign.'),
            schema=properties.map(
                schema={
                    DOMAIN: properties.string(
                        _('Domain to which the role assignment applies, by '
                          'name or ID. Cannot be combined with a project.'),
                        constraints=[constraints.CustomConstraint('keystone.domain')]),
                    PROJECT: properties.string(
                        _('Project to which the role assignment applies, by '
                          'name or ID. Cannot be combined with a domain.'),
                        constraints=[constraints.CustomConstraint('keystone.project')]),
                    ROLE: properties.string(
                        _('Role to assign, by name or ID. Write name{domain} '
                          'to specify the domain of a name.'),
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
                    'The role %s requires a project or a domain to which it '
                    'applies') % given[self.ROLE])

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
    state_before: Any

    # A replacement would share roles with the resource it replaces, and the
    # deletion of that one takes them.
    always_replace_on_check_failed = False

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
            given = self._places([*self._of(self.t),
                                  *self._of(self.frozen_definition())])
            if given & self._present(whose):
                self.resource_id_set(whose[self.WHO + '_id'])
        except Exception as error:
            # Who may not look, or has named nobody, has given nothing.
            if not (self.client_plugin().is_not_found(error) or
                    cloud_error.status_of(error) == _FORBIDDEN):
                raise

    def needs_replace_failed(self):
        """Update a failed resource in place."""
        return False

    def _needs_update(self, *args, **kwargs):
        """Return whether something differs, or roles may be missing."""
        return super()._needs_update(*args, **kwargs) or (
            self.status == self.FAILED)

    def _create(self):
        whose = self._whose(self.properties[self.WHO])
        self.create_assignment(**whose)
        self.resource_id_set(whose[self.WHO + '_id'])

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Give the roles that are new, then take those that are gone.

        What an update that failed had given or taken is not known, so the
        next one gives all roles. So does one that is to change the roles
        although they are those of the template: somebody has taken some. The
        row holds which roles may be given
        until the update has ended.
        """
        after = json_snippet.properties(self.properties_schema, self.context)
        whose = self._whose(after[self.WHO])[self.WHO + '_id']
        wanted = self._assigned(whose, after[self.ROLES])
        action, status = self.state_before or self.state
        unsure = status != self.COMPLETE
        before = self._recorded()
        unsure |= self.ROLES in prop_diff and wanted == before
        self.data_set(_UNFINISHED, json.dumps(sorted(before | wanted)))
        self._change_all('assign', wanted if unsure else wanted - before)
        self._change_all('unassign', before - wanted)
        if self.WHO in prop_diff or (status != self.COMPLETE and
                                     action != self.UPDATE):
            # Rows of OpenStack Heat without an id stay as they are.
            self.resource_id_set(whose)
        self.data_delete(_UNFINISHED)

    def check_update_complete(self, unsent):
        """Return True: the service has answered."""
        return True

    def _delete(self):
        self._change_all('unassign', self._recorded())

    def _recorded(self):
        """Return the roles that may be given, as _assigned() does."""
        found = self._assigned(self._former_holder(),
                               self.properties[self.ROLES])
        found |= {tuple(each) for each in json.loads(
            self.data().get(_UNFINISHED) or '[]')}
        if self.state_before == (self.UPDATE, self.FAILED) and (
                self.replaced_by is None and not self.stack.backup):
            # OpenStack Heat records the roles that an update gives only in
            # the template.
            found |= self._assigned(self._former_holder(), self._of(self.t))
        return found

    def _former_holder(self):
        """Return the id of who has the roles, None if there is no such."""
        with self.client_plugin().ignore_not_found:
            return self._holder()[self.WHO + '_id']
        return None

    def _assigned(self, holder, roles):
        """Return {(holder, role, 'project' or 'domain', where)}, as ids."""
        if holder is None:
            return set()
        return {(holder, *place) for place in self._places(roles)}

    def _change_all(self, verb, assigned):
        """Give or take roles of several holders."""
        for holder in sorted({each[0] for each in assigned}):
            places = {tuple(place) for whose, *place in assigned
                      if whose == holder}
            self._change(verb, 'to' if verb == 'assign' else 'from', places,
                         *((holder, None) if self.WHO == 'user'
                           else (None, holder)))

    def _of(self, definition):
        """Return the roles that a definition of ours names."""
        return definition.properties(
            self.properties_schema, self.context)[self.ROLES] or ()

    def drift_state(self, resource_properties, resource_data):
        """Return those of our roles that are still given."""
        given = resource_properties[self.ROLES] or []
        present = self._present(self._holder())
        kept = [each for each in given if self._places([each]) <= present]
        return {} if len(kept) == len(given) else {
            self.ROLES: comparable.Differs(kept)}

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
    """The roles of an existing user of Keystone in projects and domains.

    By default only administrators may assign roles.
    """

    type_name = 'OS::Keystone::UserRoleAssignment'
    support_status = support.SupportStatus(version='5.0.0')

    WHO = 'user'

    properties_schema = {
        'user': properties.string(
            _('User to whom the roles are assigned, by name or ID. Write '
              'name{domain} to specify the domain of a name.'),
            required=True,
            constraints=[constraints.CustomConstraint('keystone.user')],
            update_allowed=True),
    }
    properties_schema.update(
        KeystoneRoleAssignmentMixin.mixin_properties_schema)


class KeystoneGroupRoleAssignment(_RoleAssignment):
    """The roles of an existing group of Keystone in projects and domains.

    By default only administrators may assign roles.
    """

    type_name = 'OS::Keystone::GroupRoleAssignment'
    support_status = support.SupportStatus(version='5.0.0')

    WHO = 'group'

    properties_schema = {
        'group': properties.string(
            _('Group to which the roles are assigned, by name or ID. Write '
              'name{domain} to specify the domain of a name.'),
            required=True,
            constraints=[constraints.CustomConstraint('keystone.group')],
            update_allowed=True),
    }
    properties_schema.update(
        KeystoneRoleAssignmentMixin.mixin_properties_schema)
