"""Trunks of Neutron."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class Trunk(neutron.NeutronResource):
    """A trunk of Neutron.

    Through a trunk one network interface of a server carries the
    traffic of several ports: a parent port, and subports that are
    distinguished by segmentation IDs.
    """

    type_name = 'OS::Neutron::Trunk'
    support_status = support.SupportStatus(version='9.0.0')
    required_service_extension = 'trunk'
    entity = 'trunk'

    PROPERTIES = (
        NAME, ADMIN_STATE_UP, DESCRIPTION, PORT, SUB_PORTS,
    ) = (
        'name', 'admin_state_up', 'description', 'port', 'sub_ports',
    )
    ATTRIBUTES = (
        PORT_ID_ATTR,
    ) = (
        'port_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        ADMIN_STATE_UP: properties.boolean(
            _('Whether the resource '
              'is administratively up.'), update_allowed=True),
        DESCRIPTION: fragments.description(),
        PORT: properties.string(
            _('Parent port of the trunk, by name or ID.'), required=True,
            constraints=[constraints.ref('neutron.port')], immutable=True),
        SUB_PORTS: properties.list(
            _('Subports of the trunk.'),
            schema=properties.map(
                _('Subports of the trunk.'),
                schema={
                    'port': properties.string(
                        _('Port, by name or ID.'), required=True,
                        constraints=[constraints.ref('neutron.port')]),
                    'segmentation_id': properties.integer(
                        _('Segmentation ID of the subport, unique in the '
                          'trunk.'),
                        required=True,
                        constraints=[constraints.Range(min=1, max=4094)]),
                    'segmentation_type': properties.string(
                        _('Segmentation type of the subport.'),
                        required=True,
                        constraints=[constraints.AllowedValues(['vlan'])]),
                }),
            update_allowed=True),
    }

    attributes_schema = {
        PORT_ID_ATTR: fragments.text(_('ID of the port.')),
    }

    rename = {PORT: 'port_id'}
    ready = sdk_resource.WaitFor(
        ready=frozenset(['ACTIVE', 'DOWN']),
        pending=frozenset(['BUILD']),
        failed=frozenset(['ERROR', 'DEGRADED']))

    def prepare_create(self, body):
        """Describe the sub-ports as requests do."""
        if body.get(self.SUB_PORTS):
            body[self.SUB_PORTS] = [neutron.renamed(each, port='port_id')
                                    for each in body[self.SUB_PORTS]]
        return super().prepare_create(body)

    def parse_live(self, live):
        """Describe the sub-ports as templates do."""
        found = super().parse_live(live)
        if found.get(self.SUB_PORTS):
            found[self.SUB_PORTS] = [
                {**each, 'port': each.get('port_id')}
                for each in found[self.SUB_PORTS]]
        return found

    def _update(self, prop_diff):
        rest = {name: value for name, value in prop_diff.items()
                if name != self.SUB_PORTS}
        if self.SUB_PORTS in prop_diff:
            self._carry(prop_diff[self.SUB_PORTS] or [])
        super()._update(rest)

    def _carry(self, sub_ports):
        """Let the trunk have these sub-ports and no others."""
        wanted = [neutron.renamed(each, port='port_id')
                  for each in sub_ports]
        keys = ('port_id', 'segmentation_id', 'segmentation_type')
        present = [{key: each.get(key) for key in keys}
                   for each in self._show_resource().get('sub_ports') or ()]
        # A port that changes its id leaves before it comes back.
        leaving = [{'port_id': each['port_id']} for each in present
                   if each not in wanted]
        coming = [each for each in wanted if each not in present]
        if leaving:
            self.sdk().delete_trunk_subports(self.resource_id, leaving)
        if coming:
            self.sdk().add_trunk_subports(self.resource_id, coming)
