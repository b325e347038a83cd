"""Roles of Keystone."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneRole(keystone.KeystoneResource):
    """A role of Keystone.

    Users and groups are given roles in projects and domains, and services
    ask for roles. By default only administrators may make one.
    """

    type_name = 'OS::Keystone::Role'
    support_status = support.SupportStatus(version='2015.1')
    entity = 'roles'
    noun = 'role'

    properties_schema = {
        'name': properties.string(
            _('The name of the role. If there is none, one is made up.'),
            update_allowed=True),
        'domain': properties.string(
            _('The domain in which the role is known, by name or id. '
              'Without one it is known everywhere.'),
            constraints=[constraints.ref('keystone.domain')],
            support_status=support.SupportStatus(version='16.0.0')),
    }

    rename = {'domain': 'domain_id'}
