"""Flavors of Nova."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class NovaFlavor(sdk_resource.SDKResource):
    """A flavor of Nova: the size of servers.

    By default only administrators may create it.
    """

    type_name = 'OS::Nova::Flavor'
    support_status = support.SupportStatus(version='2014.2')
    default_client_name = 'nova'
    entity = 'flavors'
    noun = 'flavor'

    TENANTS, EXTRA_SPECS, IS_PUBLIC = 'tenants', 'extra_specs', 'is_public'

    properties_schema = {
        'name': properties.string(
            _('Name of the flavor. If omitted, a name is generated.'),
            support_status=support.SupportStatus(version='7.0.0')),
        'flavorid': properties.string(
            _('ID of the flavor. If omitted, Nova generates one.'),
            support_status=support.SupportStatus(version='7.0.0')),
        'ram': properties.integer(
            _('Memory size in megabytes.'),
            required=True),
        'vcpus': properties.integer(
            _('Number of virtual CPUs.'),
            required=True),
        'disk': properties.integer(
            _('Size of the root disk in gigabytes; 0 for the size of the '
              'image.'),
            default=0),
        'swap': properties.integer(
            _('Size of the swap space in megabytes.'),
            default=0),
        'ephemeral': properties.integer(
            _('Size of the ephemeral disk in gigabytes. The disk is deleted '
              'with the server.'),
            default=0),
        'rxtx_factor': properties.number(
            _('Receive/transmit factor by which the network bandwidth is '
              'scaled.'),
            default=1.0),
        'extra_specs': properties.map(
            _('Extra specs: requirements on the hosts, and settings of the '
              'servers.'),
            update_allowed=True),
        'is_public': properties.boolean(
            _('Whether the flavor is available to all projects.'),
            default=True,
            support_status=support.SupportStatus(version='6.0.0')),
        'tenants': properties.list(
            _('Projects with access to a flavor that is not public, by name '
              'or ID.'),
            default=[],
            schema=properties.string(
                constraints=[constraints.ref('keystone.project')]),
            update_allowed=True,
            support_status=support.SupportStatus(version='8.0.0')),
    }

    attributes_schema = {
        'extra_specs': attributes.Schema(
            _('Extra specs of the flavor.'),
            support_status=support.SupportStatus(version='7.0.0'),
            type=attributes.Schema.MAP),
        'is_public': attributes.Schema(
            _('Whether the flavor is available to all projects.'),
            support_status=support.SupportStatus(version='6.0.0'),
            type=attributes.Schema.BOOLEAN),
    }

    rename = {'flavorid': 'id', IS_PUBLIC: 'os-flavor-access:is_public',
              'ephemeral': 'OS-FLV-EXT-DATA:ephemeral'}
    omit = (TENANTS, EXTRA_SPECS)

    def _create(self):
        created = super()._create()
        if self.properties[self.EXTRA_SPECS]:
            self.sdk().create_flavor_extra_specs(
                self.resource_id, self.properties[self.EXTRA_SPECS])
        if not self.properties[self.IS_PUBLIC]:
            for project_id in self.properties[self.TENANTS] or []:
                self.sdk().flavor_add_tenant_access(self.resource_id,
                                                       project_id)
        return created

    def _update(self, prop_diff):
        if self.EXTRA_SPECS in prop_diff:
            self._change_specs(self.properties[self.EXTRA_SPECS] or {},
                               prop_diff[self.EXTRA_SPECS] or {})
        if self.TENANTS in prop_diff and not self.properties[self.IS_PUBLIC]:
            self._change_access(set(prop_diff[self.TENANTS] or []))

    def _change_specs(self, before, after):
        for key in sorted(set(before) - set(after)):
            with self.client_plugin().ignore_not_found:
                self.sdk().delete_flavor_extra_specs_property(
                    self.resource_id, key)
        if after:
            self.sdk().create_flavor_extra_specs(self.resource_id, after)

    def _change_access(self, wanted):
        client, flavor_id = self.sdk(), self.resource_id
        present = {each['tenant_id'] for each in
                   client.get_flavor_access(flavor_id)}
        for project_id in sorted(present - wanted):
            with self.client_plugin().ignore_not_found:
                client.flavor_remove_tenant_access(flavor_id, project_id)
        for project_id in sorted(wanted - present):
            client.flavor_add_tenant_access(flavor_id, project_id)

    def _resolve_attribute(self, name):
        if name == self.EXTRA_SPECS and self.resource_id is not None:
            return self.sdk().fetch_flavor_extra_specs(
                self.resource_id).extra_specs
        return super()._resolve_attribute(name)
