"""Elastic addresses of EC2, which are floating IPs here."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import found_by_name
from heat.engine.resources import replacing
from heat.engine.resources.aws.ec2 import internet_gateway
from heat.engine.resources.aws.ec2 import vpc
from heat.engine.resources.aws.ec2 import way_out
from heat.engine.resources.openstack.neutron import order


class ElasticIp(found_by_name.FoundByName, resource.Resource):
    """An elastic IP address.

    It is implemented as a floating IP of Neutron.
    """

    type_name = 'AWS::EC2::EIP'
    support_status = support.SupportStatus()
    default_client_name = 'nova'

    PROPERTIES = (
        DOMAIN, INSTANCE_ID,
    ) = (
        'Domain', 'InstanceId',
    )

    ATTRIBUTES = (
        ALLOCATION_ID,
    ) = (
        'AllocationId',
    )

    properties_schema = {
        DOMAIN: properties.string(
            _('Domain of the address. All domains behave alike.'),
            constraints=[constraints.AllowedValues(['vpc'])],
            support_status=support.SupportStatus(
                status=support.DEPRECATED, version='9.0.0',
                message=_('This property has no effect.'))),
        INSTANCE_ID: properties.string(
            _('ID of the server with which the address is associated.'),
            update_allowed=True,
            constraints=[constraints.CustomConstraint('nova.server')]),
    }

    attributes_schema = {
        ALLOCATION_ID: attributes.Schema(
            _('ID of the floating IP.'),
            type=attributes.Schema.STRING),
    }

    def add_dependencies(self, deps):
        """Wait for the way out of the network that the address leads to."""
        super().add_dependencies(deps)
        if order.given(self, self.INSTANCE_ID) is not None:
            way_out.after(self, deps)

    def _network(self):
        return self.client_plugin('neutron')

    def _find_by_name(self):
        """Return the floating IP that has our description, or None."""
        return next(iter(self._network().sdk().ips(
            description=self.physical_resource_name())), None)

    def handle_create(self):
        """Take a floating IP of the external network."""
        client = self._network().sdk()
        network_id = (internet_gateway.InternetGateway
                      .get_external_network_id(client))
        made = self._made(client.create_ip, floating_network_id=network_id,
                          description=self.physical_resource_name())
        self.resource_id_set(made.id)
        self.data_set('address', made.floating_ip_address)
        self._lead_to(self.properties[self.INSTANCE_ID])

    def _lead_to(self, server_id):
        if server_id:
            self.client_plugin().associate_floatingip(server_id,
                                                      self.resource_id)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Lead to another server, or to none."""
        if self.INSTANCE_ID in prop_diff:
            if prop_diff[self.INSTANCE_ID]:
                self._lead_to(prop_diff[self.INSTANCE_ID])
            else:
                self.client_plugin().dissociate_floatingip(self.resource_id)

    def prepare_for_replace(self):
        """Lead nowhere: one address at a time leads to a server."""
        if self.resource_id is not None and self.properties[self.INSTANCE_ID]:
            self._lead_nowhere(self.resource_id)

    def _lead_nowhere(self, floating_ip_id):
        with self._network().ignore_not_found:
            self.client_plugin().dissociate_floatingip(floating_ip_id)

    def restore_prev_rsrc(self, convergence=False):
        """Lead to the server again that the replacement was to lead to."""
        previous, (replacement, _data) = replacing.replaced_and_replacement(
            self, convergence)
        server_id = previous and previous.properties[self.INSTANCE_ID]
        if server_id:
            if replacement is not None:
                self._lead_nowhere(replacement)
            self.client_plugin().associate_floatingip(server_id,
                                                      previous.resource_id)

    def handle_check(self):
        """Look whether the floating IP is there."""
        self._network().sdk().get_ip(self.resource_id)

    def handle_delete(self):
        """Give the floating IP back; it may be gone."""
        if self.resource_id is not None:
            self._network().sdk().delete_ip(self.resource_id,
                                               ignore_missing=True)

    def get_reference_id(self):
        """Return the address once there is one."""
        return self.data().get('address') or str(self.name)

    def _resolve_attribute(self, name):
        if name == self.ALLOCATION_ID and self.resource_id is not None:
            return str(self.resource_id)
        return None


class ElasticIpAssociation(resource.Resource):
    """The association of an elastic IP address with a server or port.

    The floating IP is associated with the first port of the server, or
    with the specified port.
    """

    type_name = 'AWS::EC2::EIPAssociation'
    support_status = support.SupportStatus()
    default_client_name = 'nova'

    PROPERTIES = (
        INSTANCE_ID, EIP, ALLOCATION_ID, NETWORK_INTERFACE_ID,
    ) = (
        'InstanceId', 'EIP', 'AllocationId', 'NetworkInterfaceId',
    )

    properties_schema = {
        INSTANCE_ID: properties.string(
            _('ID of the server with which the address is associated.'),
            update_allowed=True,
            constraints=[constraints.CustomConstraint('nova.server')]),
        EIP: properties.string(
            _('Address to associate: a reference to an AWS::EC2::EIP '
              'resource.'),
            update_allowed=True,
            constraints=[constraints.CustomConstraint('ip_addr')]),
        ALLOCATION_ID: properties.string(
            _('ID of the floating IP. Use it instead of the address.'),
            update_allowed=True),
        NETWORK_INTERFACE_ID: properties.string(
            _('ID of the port with which the address is associated. Use it '
              'instead of a server.'),
            update_allowed=True),
    }

    def get_reference_id(self):
        """Return the name of the resource, with that of the stack."""
        return self.physical_resource_name_or_FnGetRefId()

    def validate(self):
        """Check that an address leads to one place."""
        problem = super().validate()
        given = self._given_names()
        for one, other in ((self.INSTANCE_ID, self.NETWORK_INTERFACE_ID),
                           (self.EIP, self.ALLOCATION_ID)):
            if not given & {one, other}:
                raise exception.PropertyUnspecifiedError(one, other)
        if self.EIP in given and self.ALLOCATION_ID in given:
            raise exception.ResourcePropertyConflict(self.EIP,
                                                     self.ALLOCATION_ID)
        if self.EIP in given and self.INSTANCE_ID not in given:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      self.stack.t.RES_PROPERTIES],
                message=_('%(needed)s is required with %(given)s') % {
                    'needed': self.INSTANCE_ID, 'given': self.EIP})
        return problem

    def _given_names(self):
        # What refers to another resource has no value yet.
        return {name for name in self.PROPERTIES
                if self.properties.data.get(name) is not None}

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """Replace what leads another address to another place."""
        changed = changed_properties_set
        return bool(changed & {self.ALLOCATION_ID, self.EIP} and any(
            after_props.get(name) for name in
            changed & {self.INSTANCE_ID, self.NETWORK_INTERFACE_ID}))

    def add_dependencies(self, deps):
        """Wait for the way out of the network that the address leads to."""
        super().add_dependencies(deps)
        way_out.after(self, deps)

    # -- actions ------------------------------------------------------------

    def _network(self):
        return self.client_plugin('neutron').sdk()

    def handle_create(self):
        """Let the address lead somewhere."""
        self.resource_id_set(self.physical_resource_name())
        self._associate(self.properties)

    def _associate(self, props):
        server_id = props[self.INSTANCE_ID]
        if props[self.EIP]:
            self.client_plugin().associate_floatingip_address(
                server_id, props[self.EIP])
            return
        port_id, network_id = self._port(props[self.NETWORK_INTERFACE_ID],
                                         server_id)
        self._have_gateway(props[self.ALLOCATION_ID], network_id)
        self._network().update_ip(props[self.ALLOCATION_ID],
                                  port_id=port_id)

    def _port(self, port_id, server_id):
        """Return (id, network) of the port to lead to."""
        if port_id:
            return port_id, self._network().get_port(port_id).network_id
        ports = sorted(self._network().ports(device_id=server_id),
                       key=lambda each: each.id)
        if not ports:
            raise exception.Error(_('The server %s has no port') % server_id)
        return ports[0].id, ports[0].network_id

    def _have_gateway(self, floating_ip_id, network_id):
        """See to it that the router of a network leads to the outside."""
        client = self._network()
        router = vpc.VPC.router_for_vpc(client, network_id)
        if router is not None and not router.external_gateway_info:
            client.update_router(router.id, external_gateway_info={
                'network_id':
                    client.get_ip(floating_ip_id).floating_network_id})

    def _dissociate(self, props):
        plugin = self.client_plugin()
        if props[self.EIP]:
            with plugin.ignore_not_found:
                plugin.dissociate_floatingip_address(props[self.EIP])
        elif props[self.ALLOCATION_ID]:
            with self.client_plugin('neutron').ignore_not_found:
                self._network().update_ip(props[self.ALLOCATION_ID],
                                          port_id=None)

    def prepare_for_replace(self):
        """Lead nowhere: one address at a time leads to a port."""
        if self.resource_id is not None:
            self._dissociate(self.properties)

    def restore_prev_rsrc(self, convergence=False):
        """Lead to the port again that the replacement was to lead to."""
        previous, _new = replacing.replaced_and_replacement(self,
                                                            convergence)
        if previous is None:
            return
        props = previous.properties
        port_id, _network = self._port(props[self.NETWORK_INTERFACE_ID],
                                       props[self.INSTANCE_ID])
        for other in self._network().ips(port_id=port_id):
            self._network().update_ip(other.id, port_id=None)
        self._associate(props)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Let another address lead there, or this one elsewhere."""
        if prop_diff:
            wanted = json_snippet.properties(self.properties_schema,
                                             self.context)
            if {self.EIP, self.ALLOCATION_ID} & set(prop_diff):
                self._dissociate(self.properties)
            self._associate(wanted)

    def handle_delete(self):
        """Let the address lead nowhere."""
        if self.resource_id is not None:
            self._dissociate(self.properties)
