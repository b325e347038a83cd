"""Share types of Manila."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class ManilaShareType(sdk_resource.SDKResource):
    """A share type of Manila.

    The type selects the storage back end of shares and its
    capabilities. By default only administrators may create it.
    """

    type_name = 'OS::Manila::ShareType'
    support_status = support.SupportStatus(version='5.0.0')
    default_client_name = 'manila'
    entity = 'share_types'
    noun = 'share_type'

    EXTRA_SPECS = 'extra_specs'
    #: Extra specs that have a property of their own.
    _OWN_SPECS = ('driver_handles_share_servers', 'snapshot_support')

    properties_schema = {
        'name': properties.string(
            _('Name of the share type.'),
            required=True),
        'is_public': properties.boolean(
            _('Whether the share type is available to all projects.'),
            default=True),
        'driver_handles_share_servers': properties.boolean(
            _('Whether the storage driver manages share servers.'),
            required=True),
        EXTRA_SPECS: properties.map(
            _('Extra specs that select the storage back end.'),
            update_allowed=True),
        'snapshot_support': properties.boolean(
            _('Whether shares of the type support snapshots.'),
            default=True,
            support_status=support.SupportStatus(version='6.0.0')),
    }

    rename = {'is_public': 'share_type_access:is_public'}

    def prepare_create(self, body):
        """Put all that chooses the storage into the extra specs."""
        own = {name: body.pop(name) for name in self._OWN_SPECS}
        body[self.EXTRA_SPECS] = {**(body.get(self.EXTRA_SPECS) or {}), **own}
        return body

    def _update(self, prop_diff):
        after = prop_diff.get(self.EXTRA_SPECS) or {}
        before = self.properties[self.EXTRA_SPECS] or {}
        client = self.sdk()
        for key in sorted(set(before) - set(after) - set(self._OWN_SPECS)):
            client.delete_share_type_extra_spec_property(
                self.resource_id, key, ignore_missing=True)
        if after:
            self.client_plugin().set_extra_specs(self.resource_id, after)

    def parse_live(self, live):
        """Return what is shown, without the specs of other properties."""
        found = super().parse_live(live)
        specs = dict(found.get(self.EXTRA_SPECS) or {})
        own = {name: specs.pop(name) for name in self._OWN_SPECS
               if name in specs}
        return {**found, **own, self.EXTRA_SPECS: specs}
