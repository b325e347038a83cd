"""Share networks of Manila."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class ManilaShareNetwork(sdk_resource.SDKResource):
    """A share network of Manila.

    It specifies the network and the security services of share servers.
    """

    type_name = 'OS::Manila::ShareNetwork'
    support_status = support.SupportStatus(version='5.0.0')
    default_client_name = 'manila'
    entity = 'share_networks'
    noun = 'share_network'

    NEUTRON_NETWORK, NEUTRON_SUBNET, NOVA_NETWORK, SECURITY_SERVICES = (
        'neutron_network', 'neutron_subnet', 'nova_network',
        'security_services')

    properties_schema = {
        'name': properties.string(
            _('Name of the share network.'),
            update_allowed=True),
        NEUTRON_NETWORK: properties.string(
            _('Neutron network, by name or ID. Defaults to the network of the '
              'subnet.'),
            constraints=[constraints.ref('neutron.network')],
            update_allowed=True),
        NEUTRON_SUBNET: properties.string(
            _('Neutron subnet, by name or ID.'),
            constraints=[constraints.ref('neutron.subnet')],
            update_allowed=True),
        NOVA_NETWORK: properties.string(
            _('Network of nova-network, which has been removed from Nova.'),
            update_allowed=True,
            support_status=support.SupportStatus(
                status=support.HIDDEN, version='21.0.0')),
        'description': properties.string(
            _('Description of the share network.'),
            update_allowed=True),
        SECURITY_SERVICES: properties.list(
            _('Security services of the share network, by name or ID.'),
            default=[],
            schema=properties.string(_('One security service.')),
            update_allowed=True),
    }

    attributes_schema = {
        'segmentation_id': attributes.Schema(
            _('VLAN or tunnel ID of the network.'),
            type=attributes.Schema.STRING),
        'cidr': attributes.Schema(
            _('Address range of the subnet in CIDR notation.'),
            type=attributes.Schema.STRING),
        'ip_version': attributes.Schema(
            _('IP version of the subnet.'),
            type=attributes.Schema.STRING),
        'network_type': attributes.Schema(
            _('Physical mechanism by which the network is implemented.'),
            type=attributes.Schema.STRING),
    }

    rename = {NEUTRON_NETWORK: 'neutron_net_id',
              NEUTRON_SUBNET: 'neutron_subnet_id'}
    omit = (SECURITY_SERVICES, NOVA_NETWORK)

    def validate(self):
        """Refuse a network of Nova."""
        problem = super().validate()
        if self.properties[self.NOVA_NETWORK]:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      self.stack.t.RES_PROPERTIES, self.NOVA_NETWORK],
                message=_('Nova no longer provides networks. Use "%s" instead')
                % self.NEUTRON_NETWORK)
        return problem

    def prepare_create(self, body):
        """Name the network of the subnet, as Manila wants both."""
        return self._with_network(body)

    def prepare_update(self, body, prop_diff):
        """Name the network of the subnet, as Manila wants both."""
        return self._with_network(body)

    def _with_network(self, body):
        subnet = body.get('neutron_subnet_id')
        if subnet and not body.get('neutron_net_id'):
            body['neutron_net_id'] = self.client_plugin(
                'neutron').network_id_from_subnet_id(subnet)
        return body

    def _create(self):
        created = super()._create()
        for service_id in self._service_ids(
                self.properties[self.SECURITY_SERVICES]):
            self.client_plugin().add_security_service(self.resource_id,
                                                      service_id)
        return created

    def _service_ids(self, names):
        find = self.client_plugin().get_security_service
        return sorted({find(name) for name in names or ()})

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if self.SECURITY_SERVICES in prop_diff:
            self._change_services(set(self._service_ids(
                prop_diff[self.SECURITY_SERVICES])))

    def _change_services(self, wanted):
        plugin = self.client_plugin()
        present = plugin.security_services_of(self.resource_id)
        for service_id in sorted(present - wanted):
            with plugin.ignore_not_found:
                plugin.remove_security_service(self.resource_id, service_id)
        for service_id in sorted(wanted - present):
            plugin.add_security_service(self.resource_id, service_id)

    def parse_live(self, live):
        """Return what is shown, with the ids of security services."""
        return {**super().parse_live(live),
                self.SECURITY_SERVICES: sorted(
                    self.client_plugin().security_services_of(
                        self.resource_id))}
