"""Services of Keystone."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneService(keystone.KeystoneResource):
    """A service in the service catalog of Keystone.

    By default only administrators may create it.
    """

    type_name = 'OS::Keystone::Service'
    support_status = support.SupportStatus(version='5.0.0')
    entity = 'services'
    noun = 'service'

    properties_schema = {
        'name': properties.string(
            _('Name of the service. If omitted, a name is generated.'),
            update_allowed=True),
        'description': properties.string(
            _('Description of the service.'),
            update_allowed=True),
        'type': properties.string(
            _('Type of the service, by which clients find it in the service '
              'catalog.'),
            required=True,
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the service is enabled and appears in the service '
              'catalog.'),
            default=True,
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
    }
