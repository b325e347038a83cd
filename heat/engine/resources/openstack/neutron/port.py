"""Ports of Neutron."""
import json

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import comparable
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources import replacing
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron
from heat.engine.resources.openstack.neutron import order


class Port(neutron.NeutronResource):
    """A port of Neutron.

    A port connects a network interface of a server or router to a
    network and holds the addresses of that interface.
    """

    type_name = 'OS::Neutron::Port'
    entity = 'port'
    #: Neutron adds to the addresses, and knows nothing of the policy.
    drift_ignored = ('allowed_address_pairs', 'fixed_ips', 'no_fixed_ips',
                     'replacement_policy', 'value_specs')

    PROPERTIES = (
        NAME, ADMIN_STATE_UP, ALLOWED_ADDRESS_PAIRS, VNIC_TYPE,
        DEVICE_ID, DEVICE_OWNER, DNS_NAME, FIXED_IPS, MAC_ADDRESS,
        NETWORK, NETWORK_ID, NO_FIXED_IPS, PORT_SECURITY_ENABLED,
        PROPAGATE_UPLINK_STATUS, QOS_POLICY, REPLACEMENT_POLICY,
        SECURITY_GROUPS, TAGS, VALUE_SPECS,
    ) = (
        'name', 'admin_state_up', 'allowed_address_pairs',
        'binding:vnic_type', 'device_id', 'device_owner', 'dns_name',
        'fixed_ips', 'mac_address', 'network', 'network_id',
        'no_fixed_ips', 'port_security_enabled',
        'propagate_uplink_status', 'qos_policy', 'replacement_policy',
        'security_groups', 'tags', 'value_specs',
    )
    ATTRIBUTES = (
        ADMIN_STATE_UP_ATTR, ALLOWED_ADDRESS_PAIRS_ATTR,
        DEVICE_ID_ATTR, DEVICE_OWNER_ATTR, DNS_ASSIGNMENT_ATTR,
        FIXED_IPS_ATTR, MAC_ADDRESS_ATTR, NAME_ATTR, NETWORK_ATTR,
        NETWORK_ID_ATTR, PORT_SECURITY_ENABLED_ATTR,
        PROPAGATE_UPLINK_STATUS_ATTR, QOS_POLICY_ID_ATTR,
        SECURITY_GROUPS_ATTR, STATUS_ATTR, SUBNETS_ATTR,
        TENANT_ID_ATTR,
    ) = (
        'admin_state_up', 'allowed_address_pairs', 'device_id',
        'device_owner', 'dns_assignment', 'fixed_ips', 'mac_address',
        'name', 'network', 'network_id', 'port_security_enabled',
        'propagate_uplink_status', 'qos_policy_id', 'security_groups',
        'status', 'subnets', 'tenant_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        ADMIN_STATE_UP: fragments.admin_state_up(),
        ALLOWED_ADDRESS_PAIRS: properties.list(
            _('Additional address pairs with which traffic may pass the '
              'port.'),
            schema=properties.map(
                _('Additional address pairs with which traffic may pass the '
                  'port.'),
                schema={
                    'ip_address': properties.string(
                        _('IP address, or a network in CIDR notation.'),
                        required=True,
                        constraints=[
                            constraints.CustomConstraint('ip_or_cidr')]),
                    'mac_address': properties.string(
                        _('MAC address of the pair. Defaults to the MAC '
                          'address of the port.'),
                        constraints=[constraints.CustomConstraint('mac_addr')]),
                }),
            update_allowed=True),
        VNIC_TYPE: properties.string(
            _('vNIC type to which the port is bound.'),
            default='normal',
            constraints=[constraints.AllowedValues(['normal', 'direct',
                'macvtap', 'direct-physical', 'baremetal', 'virtio-forwarder',
                'smart-nic'])],
            update_allowed=True,
            support_status=support.SupportStatus(version='2015.1')),
        DEVICE_ID: properties.string(
            _('ID of the device that uses the port, for example a server or a '
              'router.'),
            default='', update_allowed=True),
        DEVICE_OWNER: properties.string(
            _('Type of the device that uses the port, for example '
              'network:dhcp.'),
            default='', update_allowed=True),
        DNS_NAME: properties.string(
            _('DNS name of the port.'),
            constraints=[constraints.CustomConstraint('dns_name')],
            update_allowed=True,
            support_status=support.SupportStatus(version='7.0.0')),
        FIXED_IPS: properties.list(
            _('Fixed IP addresses of the port. If omitted, Neutron allocates '
              'addresses.'),
            schema=properties.map(
                _('Fixed IP addresses of the port. If omitted, Neutron '
                  'allocates addresses.'),
                schema={
                    'ip_address': properties.string(
                        _('IP address. If omitted, Neutron allocates one from '
                          'the subnet.'),
                        constraints=[constraints.CustomConstraint('ip_addr')]),
                    'subnet': properties.string(
                        _('Subnet of the address, by name or ID.'),
                        constraints=[constraints.ref('neutron.subnet')],
                        support_status=support.SupportStatus(version='2014.2')),
                    'subnet_id': properties.string(
                        _('Deprecated name of "subnet".'),
                        constraints=[
                            constraints.CustomConstraint('neutron.subnet')],
                        support_status=neutron.hidden('5.0.0', '2014.2')),
                }),
            update_allowed=True),
        MAC_ADDRESS: properties.string(
            _('MAC address of the port.'),
            constraints=[constraints.CustomConstraint('mac_addr')]),
        NETWORK: properties.string(
            _('Network of the port, by name or ID.'), required=True,
            constraints=[constraints.ref('neutron.network')],
            support_status=support.SupportStatus(version='2014.2')),
        NETWORK_ID: properties.string(
            _('Deprecated name of "network".'),
            constraints=[constraints.CustomConstraint('neutron.network')],
            support_status=neutron.hidden('5.0.0', '2014.2')),
        NO_FIXED_IPS: properties.boolean(
            _('Whether the port is created without a fixed IP address.'),
            default=False, update_allowed=True,
            support_status=support.SupportStatus(version='16.0.0')),
        PORT_SECURITY_ENABLED: properties.boolean(
            _('Whether port security is enabled: security groups and '
              'protection against address spoofing. Defaults to the setting '
              'of the network.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='5.0.0')),
        PROPAGATE_UPLINK_STATUS: properties.boolean(
            _('Whether the status of the uplink is propagated to the virtual '
              'function of the port.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='15.0.0')),
        QOS_POLICY: properties.string(
            _('QoS policy of the port, by name or ID.'),
            constraints=[constraints.CustomConstraint('neutron.qos_policy')],
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
        REPLACEMENT_POLICY: properties.string(
            _('Whether every update replaces the port. The default, AUTO, '
              'replaces it only when a change requires it.'),
            default='AUTO',
            constraints=[constraints.AllowedValues(['REPLACE_ALWAYS',
                'AUTO'])],
            update_allowed=True,
            support_status=neutron.hidden('9.0.0', '6.0.0', '2014.2')),
        SECURITY_GROUPS: properties.list(
            _('Security groups of the port, by name or ID. Defaults to the '
              'default security group of the project. An empty list disables '
              'security groups.'),
            update_allowed=True),
        TAGS: fragments.tags(),
        VALUE_SPECS: fragments.value_specs(),
    }

    attributes_schema = {
        ADMIN_STATE_UP_ATTR: fragments.admin_state_up_attribute(),
        ALLOWED_ADDRESS_PAIRS_ATTR: attributes.Schema(
            _('Additional address pairs with which traffic may pass the '
              'port.'),
            type=attributes.Schema.LIST),
        DEVICE_ID_ATTR: fragments.text(
            _('ID of the device that uses the port, for example a server or a '
              'router.')),
        DEVICE_OWNER_ATTR: fragments.text(
            _('Type of the device that uses the port, for example '
              'network:dhcp.')),
        DNS_ASSIGNMENT_ATTR: attributes.Schema(
            _('DNS names and addresses assigned to the port.'),
            support_status=support.SupportStatus(version='7.0.0'),
            type=attributes.Schema.MAP),
        FIXED_IPS_ATTR: attributes.Schema(
            _('Fixed IP addresses of the port.'), type=attributes.Schema.LIST),
        MAC_ADDRESS_ATTR: fragments.text(
            _('MAC address of the port.')),
        NAME_ATTR: fragments.name_attribute(),
        NETWORK_ATTR: attributes.Schema(
            _('Attributes of the network of the port as returned by Neutron.'),
            support_status=support.SupportStatus(version='11.0.0'),
            type=attributes.Schema.MAP),
        NETWORK_ID_ATTR: fragments.text(_('ID of the network.')),
        PORT_SECURITY_ENABLED_ATTR: attributes.Schema(
            _('Whether port security is enabled: security groups and '
              'protection against address spoofing. Defaults to the setting '
              'of the network.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.BOOLEAN),
        PROPAGATE_UPLINK_STATUS_ATTR: attributes.Schema(
            _('Whether the status of the uplink is propagated to the virtual '
              'function of the port.'),
            support_status=support.SupportStatus(version='15.0.0'),
            type=attributes.Schema.BOOLEAN),
        QOS_POLICY_ID_ATTR: attributes.Schema(
            _('ID of the QoS policy.'),
            support_status=support.SupportStatus(version='6.0.0'),
            type=attributes.Schema.STRING),
        SECURITY_GROUPS_ATTR: attributes.Schema(
            _('IDs of the security groups of the '
              'port.'), type=attributes.Schema.LIST),
        STATUS_ATTR: fragments.status_attribute(),
        SUBNETS_ATTR: attributes.Schema(
            _('Attributes of each subnet of the port as returned by Neutron.'),
            type=attributes.Schema.LIST),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }

    EXTRA_PROPERTIES = (
        VALUE_SPECS, ADMIN_STATE_UP, MAC_ADDRESS, ALLOWED_ADDRESS_PAIRS,
        VNIC_TYPE, QOS_POLICY, PORT_SECURITY_ENABLED,
        PROPAGATE_UPLINK_STATUS, NO_FIXED_IPS)
    extra_properties_schema = dict(zip(EXTRA_PROPERTIES, map(
        properties_schema.get, EXTRA_PROPERTIES), strict=True))
    FIXED_IP_KEYS = (
        FIXED_IP_SUBNET_ID, FIXED_IP_SUBNET, FIXED_IP_IP_ADDRESS,
    ) = ('subnet_id', 'subnet', 'ip_address')
    ALLOWED_ADDRESS_PAIR_KEYS = (
        ALLOWED_ADDRESS_PAIR_MAC_ADDRESS, ALLOWED_ADDRESS_PAIR_IP_ADDRESS,
    ) = ('mac_address', 'ip_address')

    #: Under which data a port keeps the addresses that it lent to the one
    #: that replaces it.
    _LENT = 'port_fip'

    rename = {NETWORK: 'network_id', QOS_POLICY: 'qos_policy_id'}
    omit = (*neutron.NeutronResource.omit, NETWORK_ID, NO_FIXED_IPS,
            REPLACEMENT_POLICY)
    ready = neutron.BUILT

    def translation_rules(self, properties):
        """Return rules for the old names of properties and for ids."""
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.REPLACE,
                    [self.NETWORK], value_path=[self.NETWORK_ID]),
                translation.TranslationRule(
                    properties, translation.TranslationRule.REPLACE,
                    [self.FIXED_IPS, self.FIXED_IP_SUBNET],
                    value_name=self.FIXED_IP_SUBNET_ID)]

    def add_dependencies(self, deps):
        """Create the subnets of the network before its ports.

        Nobody knows from which of them the port gets its address.
        """
        super().add_dependencies(deps)
        order.after_subnets(self, deps, order.given(
            self, self.NETWORK, self.NETWORK_ID))

    def prepare_create(self, body):
        """Describe addresses and groups as requests do."""
        self._prepare(body)
        if self.properties[self.NO_FIXED_IPS]:
            body[self.FIXED_IPS] = []
        return super().prepare_create(body)

    def prepare_update(self, body, prop_diff):
        """Describe addresses and groups as requests do.

        What is not given any more becomes what a new port would have.
        """
        self._prepare_security(body, prop_diff)
        if self.ALLOWED_ADDRESS_PAIRS in body and (
                body[self.ALLOWED_ADDRESS_PAIRS] is None):
            body[self.ALLOWED_ADDRESS_PAIRS] = []
        if self.FIXED_IPS in body and body[self.FIXED_IPS] is None:
            # The addresses that it has are as good as any.
            del body[self.FIXED_IPS]
        self._prepare(body)
        if prop_diff.get(self.NO_FIXED_IPS):
            body[self.FIXED_IPS] = []
        elif self.NO_FIXED_IPS in prop_diff and self.FIXED_IPS not in body:
            body[self.FIXED_IPS] = self._some_addresses()
        return super().prepare_update(body, prop_diff)

    def _prepare_security(self, body, prop_diff):
        """Say what becomes of security groups that nobody names.

        Neutron gives a new port the default group if it is to be secure,
        but refuses a port with groups that is not.
        """
        secure, groups = (
            prop_diff[name] if name in prop_diff else self.properties[name]
            for name in (self.PORT_SECURITY_ENABLED, self.SECURITY_GROUPS))
        if secure is None and self.PORT_SECURITY_ENABLED in body:
            secure = self.sdk().get_network(
                self.properties[self.NETWORK]).is_port_security_enabled
            body[self.PORT_SECURITY_ENABLED] = secure
        if groups is None and (self.SECURITY_GROUPS in body or
                               self.PORT_SECURITY_ENABLED in body):
            body[self.SECURITY_GROUPS] = (
                [] if secure is False else ['default'])

    def _prepare(self, body):
        if body.get(self.FIXED_IPS) is not None:
            body[self.FIXED_IPS] = [
                neutron.renamed(each, subnet='subnet_id')
                for each in body[self.FIXED_IPS]]
        if body.get(self.ALLOWED_ADDRESS_PAIRS) is not None:
            body[self.ALLOWED_ADDRESS_PAIRS] = [
                neutron.renamed(each)
                for each in body[self.ALLOWED_ADDRESS_PAIRS]]
        if body.get(self.SECURITY_GROUPS) is not None:
            body[self.SECURITY_GROUPS] = (
                self.client_plugin().get_secgroup_uuids(
                    body[self.SECURITY_GROUPS]))

    def _some_addresses(self):
        """Return what asks for an address of each family there is."""
        found: dict[int, dict[str, str]] = {}
        for subnet in self.sdk().subnets(
                network_id=self.properties[self.NETWORK]):
            found.setdefault(subnet.ip_version, {'subnet_id': subnet.id})
        return [found[version] for version in sorted(found)]

    def needs_replace(self, after_props):
        """Replace the port whatever has changed, if the user wants that."""
        return after_props.get(self.REPLACEMENT_POLICY) == 'REPLACE_ALWAYS'

    def prepare_for_replace(self):
        """Give up our addresses: the replacement may want the same."""
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            addresses = self._show_resource().get(self.FIXED_IPS)
            self.data_set(self._LENT, json.dumps(addresses))
            self.sdk().update_port(self.resource_id, fixed_ips=[])

    def restore_prev_rsrc(self, convergence=False):
        """Take back the addresses that the replacement was to have."""
        previous, _new = replacing.replaced_and_replacement(self,
                                                            convergence)
        lent = previous.data().get(self._LENT) if previous else None
        if lent is None:
            return
        if not convergence and self.resource_id is not None:
            with self.client_plugin().ignore_not_found:
                self.sdk().update_port(self.resource_id, fixed_ips=[])
        self.sdk().update_port(previous.resource_id,
                                  fixed_ips=json.loads(lent))
        previous.data_delete(self._LENT)

    def parse_live(self, live):
        """Describe addresses as templates do."""
        found = super().parse_live(live)
        if found.get(self.FIXED_IPS):
            found[self.FIXED_IPS] = [
                {**each, self.FIXED_IP_SUBNET: each.get('subnet_id')}
                for each in found[self.FIXED_IPS]]
        return found

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return what differs from the wish, not what Neutron chose."""
        found = super().parse_live_resource_data(resource_properties,
                                                 resource_data)
        for name in (self.FIXED_IPS, self.ALLOWED_ADDRESS_PAIRS,
                     self.SECURITY_GROUPS, self.MAC_ADDRESS):
            found.pop(name, None)
        return found

    def drift_listing(self):
        """Return the list of the ports of the project."""
        return ports_of_project(self)

    def drift_list_is_proof(self):
        """Return whether the port is one of the project."""
        return super().drift_list_is_proof() and 'project_id' not in (
            self.properties[self.VALUE_SPECS] or {})

    def drift_state(self, resource_properties, resource_data):
        """Return other security groups, too, if the template names some."""
        found = super().drift_state(resource_properties, resource_data)
        given = resource_properties[self.SECURITY_GROUPS]
        live = resource_data.get(self.SECURITY_GROUPS)
        if given and live is not None and set(live) != set(
                self.client_plugin().get_secgroup_uuids(given)):
            found[self.SECURITY_GROUPS] = comparable.Differs(live)
        return found

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        live = self._show_resource()
        if name == self.NETWORK_ATTR:
            return sdk_resource.shown(
                self.sdk().get_network(live['network_id']))
        if name == self.SUBNETS_ATTR:
            return [sdk_resource.shown(self.sdk().get_subnet(
                address['subnet_id']))
                for address in live.get('fixed_ips') or ()]
        return live.get(name)


def ports_of_project(resource):
    """Return the list of the ports of a project, as drift_listing() does.

    Administrators see the ports of all projects otherwise.
    """
    project = resource.context.project_id
    return ('neutron', 'port', project), lambda: sdk_resource.noted(
        resource.client_plugin('neutron'), 'port', resource.sdk(
            'neutron').ports(project_id=project,
                             limit=sdk_resource.LIST_PAGE))
