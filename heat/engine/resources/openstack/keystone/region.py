"""Regions of Keystone."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneRegion(keystone.KeystoneResource):
    """A region in the service catalog of Keystone.

    Each endpoint can belong to a region. By default only administrators
    may create it.
    """

    type_name = 'OS::Keystone::Region'
    support_status = support.SupportStatus(version='6.0.0')
    entity = 'regions'
    noun = 'region'

    properties_schema = {
        'id': properties.string(
            _('ID of the region, which is also its name. If omitted, Keystone '
              'generates one.')),
        'parent_region': properties.string(
            _('Parent region, by ID.'),
            constraints=[constraints.ref('keystone.region')],
            update_allowed=True),
        'description': properties.string(
            _('Description of the region.'),
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the region is enabled.'),
            default=True,
            update_allowed=True),
    }

    name_property = None
    rename = {'parent_region': 'parent_region_id'}
    # openstacksdk has no word for it, and would leave it out.
    omit = ('enabled',)

    def _create(self):
        created = super()._create()
        if not self.properties['enabled']:
            self.client_plugin().enable_region(self.resource_id, False)
        return created

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if 'enabled' in prop_diff:
            self.client_plugin().enable_region(
                self.resource_id, prop_diff['enabled'] is not False)
