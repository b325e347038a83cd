"""Domains of Keystone."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneDomain(keystone.KeystoneResource):
    """A domain of Keystone.

    Users, groups and projects belong to a domain, in which their names
    are unique. By default only administrators may create it.
    """

    type_name = 'OS::Keystone::Domain'
    support_status = support.SupportStatus(version='8.0.0')
    entity = 'domains'
    noun = 'domain'
    # Keystone takes no longer names of them.
    physical_resource_name_limit = 64

    properties_schema = {
        'name': properties.string(
            _('Name of the domain. If omitted, a name is generated.'),
            update_allowed=True),
        'description': properties.string(
            _('Description of the domain.'),
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the domain is enabled. Users of a disabled domain '
              'cannot authenticate.'),
            default=True,
            update_allowed=True),
    }

    def _delete(self):
        # Keystone deletes no domain that users may still log in to.
        self.identity().update_domain(self.resource_id, enabled=False)
        super()._delete()
