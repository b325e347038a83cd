"""Profiles of availability zones of Octavia."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class AvailabilityZoneProfile(sdk_resource.SDKResource):
    """An availability zone profile of Octavia.

    It contains the settings with which a provider creates load
    balancers in an availability zone. By default only administrators
    may create it.
    """

    type_name = 'OS::Octavia::AvailabilityZoneProfile'
    support_status = support.SupportStatus(version='24.0.0')
    default_client_name = 'octavia'
    noun = 'availability_zone_profile'

    properties_schema = {
        'availability_zone_data': properties.string(
            _('Settings of the profile, as a JSON object.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.CustomConstraint('json_string')]),
        'name': properties.string(
            _('Name of the profile.'),
            update_allowed=True),
        'provider_name': properties.string(
            _('Provider to which the settings apply.'),
            update_allowed=True),
    }
