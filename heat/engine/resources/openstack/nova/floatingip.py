"""Floating IPs as Nova once had them, on the API of Neutron."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import order


def _hidden(successor):
    message = _('Use %s instead.') % successor
    return support.SupportStatus(
        status=support.HIDDEN, version='11.0.0', message=message,
        previous_status=support.SupportStatus(
            status=support.DEPRECATED, version='9.0.0', message=message,
            previous_status=support.SupportStatus(version='2014.1')))


class NovaFloatingIp(sdk_resource.Unshown, sdk_resource.SDKResource):
    """A floating IP.

    The address is allocated from an external network. Nova no longer
    manages floating IPs; the type remains for existing templates.
    """

    type_name = 'OS::Nova::FloatingIP'
    support_status = _hidden('OS::Neutron::FloatingIP')
    noun = 'ip'
    name_property = None

    POOL, IP = 'pool', 'ip'

    properties_schema = {
        POOL: properties.string(
            _('External network from which the floating IP is allocated, by '
              'name or ID. If omitted, any external network is used.')),
    }

    attributes_schema = {
        IP: attributes.Schema(
            _('IP address of the floating IP.'),
            type=attributes.Schema.STRING),
        POOL: attributes.Schema(
            _('ID of the external network.'),
            type=attributes.Schema.STRING),
    }

    rename = {POOL: 'floating_network_id', IP: 'floating_ip_address'}

    def sdk(self, name=None, version=None):
        """Return the client of Neutron unless another one is named."""
        return super().sdk(name or 'neutron', version)

    def client_plugin(self, name=None):
        """Return the plugin of Neutron unless another one is named."""
        return super().client_plugin(name or 'neutron')

    def prepare_create(self, body):
        """Name the network, and describe the floating IP as ours.

        It is found by that if the answer to the request is lost.
        """
        return {'floating_network_id': self._network_id(),
                'description': self.physical_resource_name()}

    def _network_id(self):
        pool = self.properties[self.POOL]
        if pool:
            return self.client_plugin().find_resourceid_by_name_or_id(
                'network', pool)
        for network in self.sdk().networks(is_router_external=True):
            return network.id
        raise exception.Error(_('No external network is available from which '
                                'to allocate an address.'))

    def _find_by_name(self):
        """Return the floating IP that has our description, or None."""
        return next(iter(self.sdk().ips(
            description=self.physical_resource_name())), None)


class NovaFloatingIpAssociation(resource.Resource):
    """The association of a floating IP with a server.

    The floating IP is associated with the first port of the server.
    """

    type_name = 'OS::Nova::FloatingIPAssociation'
    support_status = _hidden('OS::Neutron::FloatingIPAssociation')
    default_client_name = 'nova'

    SERVER, FLOATING_IP = 'server_id', 'floating_ip'

    properties_schema = {
        SERVER: properties.string(
            _('ID of the server with which the floating IP is associated.'),
            required=True,
            constraints=[constraints.CustomConstraint('nova.server')],
            update_allowed=True),
        FLOATING_IP: properties.string(
            _('ID of the floating IP.'),
            required=True,
            update_allowed=True),
    }

    def add_dependencies(self, deps):
        """Create the interfaces of all routers before us.

        Neutron associates a floating IP only with a port that a router
        reaches.
        """
        super().add_dependencies(deps)
        order.after_all_interfaces(self, deps)

    def get_reference_id(self):
        """Return the name of the resource, with that of the stack."""
        return self.physical_resource_name_or_FnGetRefId()

    def handle_create(self):
        """Let the floating IP lead to the server."""
        self._associate(self.properties)

    def _associate(self, values):
        self.client_plugin().associate_floatingip(
            values[self.SERVER], values[self.FLOATING_IP])
        self.resource_id_set(values[self.FLOATING_IP])

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Let the old floating IP lead nowhere, and the new one there."""
        if prop_diff:
            self._dissociate()
            self._associate({
                name: prop_diff.get(name) or self.properties[name]
                for name in (self.SERVER, self.FLOATING_IP)})

    def _dissociate(self):
        with self.client_plugin('neutron').ignore_not_found:
            self.client_plugin().dissociate_floatingip(self.resource_id)

    def handle_check(self):
        """Check that the floating IP leads to a port."""
        found = self.sdk('neutron').get_ip(self.resource_id)
        if not found.port_id:
            raise exception.Error(_('The floating IP is not associated.'))

    def handle_delete(self):
        """Let the floating IP lead nowhere; it may be gone."""
        if self.resource_id is not None:
            self._dissociate()
