"""Availability zones of Octavia."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class AvailabilityZone(sdk_resource.SDKResource):
    """An availability zone of load balancers of Octavia.

    It offers the settings of an availability zone profile to users. Its
    name is its ID. By default only administrators may create it.
    """

    type_name = 'OS::Octavia::AvailabilityZone'
    support_status = support.SupportStatus(version='24.0.0')
    default_client_name = 'octavia'
    noun = 'availability_zone'
    rename = {'availability_zone_profile': 'availability_zone_profile_id'}

    properties_schema = {
        'availability_zone_profile': properties.string(
            _('Availability zone profile with the settings, by name or ID.'),
            required=True,
            constraints=[constraints.ref('octavia.availabilityzoneprofile')]),
        'description': properties.string(
            _('Description of the availability zone.'),
            default='',
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the availability zone is enabled for new load '
              'balancers.'),
            default=True,
            update_allowed=True),
        'name': properties.string(
            _('Name of the availability zone. A change of the name replaces '
              'the zone.'),
            update_allowed=True),
    }

    attributes_schema = {
        'availability_zone_profile_id': attributes.Schema(
            _('ID of the availability zone profile.'),
            type=attributes.Schema.STRING),
    }

    def _created_id(self, created):
        return created.name

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """Replace a zone that gets another name: none can be renamed."""
        return self.name_property in changed_properties_set
