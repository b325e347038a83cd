"""Flavors of Octavia."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class Flavor(sdk_resource.SDKResource):
    """A flavor of load balancers of Octavia.

    It offers the settings of a flavor profile to users. By default only
    administrators may create it.
    """

    type_name = 'OS::Octavia::Flavor'
    support_status = support.SupportStatus(version='14.0.0')
    default_client_name = 'octavia'
    noun = 'flavor'
    rename = {'flavor_profile': 'flavor_profile_id'}

    properties_schema = {
        'description': properties.string(
            _('Description of the flavor.'),
            default='',
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the flavor is enabled for new load balancers.'),
            default=True,
            update_allowed=True),
        'flavor_profile': properties.string(
            _('Flavor profile with the settings, by name or ID.'),
            required=True,
            constraints=[constraints.ref('octavia.flavorprofile')]),
        'name': properties.string(
            _('Name of the flavor.'),
            update_allowed=True),
    }

    attributes_schema = {
        'flavor_profile_id': attributes.Schema(
            _('ID of the flavor profile.'),
            type=attributes.Schema.STRING),
    }
