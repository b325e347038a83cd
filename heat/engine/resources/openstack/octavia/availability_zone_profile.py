"""Profiles of availability zones of Octavia."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class AvailabilityZoneProfile(sdk_resource.SDKResource):
    """A profile of availability zones of Octavia.

    A profile has the settings that a provider makes load balancers of a
    zone with. By default only administrators may make one.
    """

    type_name = 'OS::Octavia::AvailabilityZoneProfile'
    support_status = support.SupportStatus(version='24.0.0')
    default_client_name = 'octavia'
    noun = 'availability_zone_profile'

    properties_schema = {
        'availability_zone_data': properties.string(
            _('The settings, a map as JSON.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.CustomConstraint('json_string')]),
        'name': properties.string(
            _('The name of the profile.'),
            update_allowed=True),
        'provider_name': properties.string(
            _('The provider that knows the settings.'),
            update_allowed=True),
    }
