"""Endpoints of Keystone."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneEndpoint(keystone.KeystoneResource):
    """An endpoint of a service in the catalogue of Keystone.

    By default only administrators may make one.
    """

    type_name = 'OS::Keystone::Endpoint'
    support_status = support.SupportStatus(version='5.0.0')
    entity = 'endpoints'
    noun = 'endpoint'

    properties_schema = {
        'name': properties.string(
            _('The name of the endpoint. If there is none, one is made up.'),
            update_allowed=True),
        'region': properties.string(
            _('The region in which the endpoint is, by id.'),
            constraints=[constraints.ref('keystone.region')],
            update_allowed=True),
        'service': properties.string(
            _('The service that answers at the endpoint, by name or id.'),
            required=True,
            constraints=[constraints.ref('keystone.service')],
            update_allowed=True),
        'interface': properties.string(
            _('Who is to use the endpoint.'),
            required=True,
            constraints=[constraints.AllowedValues([
                             'public', 'internal', 'admin'])],
            update_allowed=True),
        'url': properties.string(
            _('The URL of the endpoint.'),
            required=True,
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the endpoint is in the catalogue.'),
            default=True,
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
    }

    rename = {'region': 'region_id', 'service': 'service_id'}
