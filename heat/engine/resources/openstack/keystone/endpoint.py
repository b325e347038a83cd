"""Endpoints of Keystone."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneEndpoint(keystone.KeystoneResource):
    """An endpoint in the service catalog of Keystone.

    By default only administrators may create it.
    """

    type_name = 'OS::Keystone::Endpoint'
    support_status = support.SupportStatus(version='5.0.0')
    entity = 'endpoints'
    noun = 'endpoint'

    properties_schema = {
        'name': properties.string(
            _('Name of the endpoint. If omitted, a name is generated.'),
            update_allowed=True),
        'region': properties.string(
            _('Region of the endpoint, by ID.'),
            constraints=[constraints.ref('keystone.region')],
            update_allowed=True),
        'service': properties.string(
            _('Service to which the endpoint belongs, by name or ID.'),
            required=True,
            constraints=[constraints.ref('keystone.service')],
            update_allowed=True),
        'interface': properties.string(
            _('Interface type of the endpoint.'),
            required=True,
            constraints=[constraints.AllowedValues([
                             'public', 'internal', 'admin'])],
            update_allowed=True),
        'url': properties.string(
            _('URL of the endpoint.'),
            required=True,
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the endpoint is enabled and appears in the service '
              'catalog.'),
            default=True,
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
    }

    rename = {'region': 'region_id', 'service': 'service_id'}
