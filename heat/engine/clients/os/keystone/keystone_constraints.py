"""Custom constraints: does Keystone know what a property names?"""
from heat.common import exception
from heat.engine.clients.os import keystone
from heat.engine.language import custom_constraint


class KeystoneBaseConstraint(custom_constraint.BaseCustomConstraint):
    """A constraint that a finder of the client plugin decides about."""

    resource_client_name = keystone.CLIENT_NAME


class KeystoneUserConstraint(KeystoneBaseConstraint):
    """The name or id of a user."""

    resource_getter_name = 'get_user_id'


class KeystoneRoleConstraint(KeystoneBaseConstraint):
    """The name or id of a role."""

    resource_getter_name = 'get_role_id'


class KeystoneDomainConstraint(KeystoneBaseConstraint):
    """The name or id of a domain."""

    resource_getter_name = 'get_domain_id'


class KeystoneProjectConstraint(KeystoneBaseConstraint):
    """The name or id of a project."""

    resource_getter_name = 'get_project_id'


class KeystoneGroupConstraint(KeystoneBaseConstraint):
    """The name or id of a group."""

    resource_getter_name = 'get_group_id'


class KeystoneServiceConstraint(KeystoneBaseConstraint):
    """The name or id of a service."""

    expected_exceptions = (exception.EntityNotFound,
                           exception.KeystoneServiceNameConflict)
    resource_getter_name = 'get_service_id'


class KeystoneRegionConstraint(KeystoneBaseConstraint):
    """The id of a region."""

    resource_getter_name = 'get_region_id'


#: By the names that properties have them by.
CONSTRAINTS = {
    'keystone.domain': KeystoneDomainConstraint,
    'keystone.group': KeystoneGroupConstraint,
    'keystone.project': KeystoneProjectConstraint,
    'keystone.region': KeystoneRegionConstraint,
    'keystone.role': KeystoneRoleConstraint,
    'keystone.service': KeystoneServiceConstraint,
    'keystone.user': KeystoneUserConstraint,
}
