"""Roles of Keystone."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneRole(keystone.KeystoneResource):
    """A role of Keystone.

    Roles are assigned to users and groups in projects and domains.
    Services grant access based on roles. By default only administrators
    may create it.
    """

    type_name = 'OS::Keystone::Role'
    support_status = support.SupportStatus(version='2015.1')
    entity = 'roles'
    noun = 'role'

    properties_schema = {
        'name': properties.string(
            _('Name of the role. If omitted, a name is generated.'),
            update_allowed=True),
        'domain': properties.string(
            _('Domain of a domain-specific role, by name or ID. If omitted, '
              'the role is global.'),
            constraints=[constraints.ref('keystone.domain')],
            support_status=support.SupportStatus(version='16.0.0')),
    }

    rename = {'domain': 'domain_id'}
