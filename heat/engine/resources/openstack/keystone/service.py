"""Services of Keystone."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneService(keystone.KeystoneResource):
    """A service in the catalogue of Keystone.

    By default only administrators may make one.
    """

    type_name = 'OS::Keystone::Service'
    support_status = support.SupportStatus(version='5.0.0')
    entity = 'services'
    noun = 'service'

    properties_schema = {
        'name': properties.string(
            _('The name of the service. If there is none, one is made up.'),
            update_allowed=True),
        'description': properties.string(
            _('What the service does.'),
            update_allowed=True),
        'type': properties.string(
            _('The type of the service, by which clients find it in the '
              'catalogue.'),
            required=True,
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the service is in the catalogue.'),
            default=True,
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
    }
