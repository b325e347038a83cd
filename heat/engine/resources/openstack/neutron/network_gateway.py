"""Gateways between networks inside and outside of Neutron."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class NetworkGateway(neutron.ExtensionResource):
    """A gateway between networks of Neutron and external networks.

    It connects the networks on layer 2.
    """

    type_name = 'OS::Neutron::NetworkGateway'
    support_status = support.SupportStatus(version='2014.1')
    required_service_extension = 'network-gateway'
    entity = 'network_gateway'

    PROPERTIES = (
        NAME, CONNECTIONS, DEVICES,
    ) = (
        'name', 'connections', 'devices',
    )
    ATTRIBUTES = (
        DEFAULT_ATTR,
    ) = (
        'default',
    )

    properties_schema = {
        NAME: fragments.name(),
        CONNECTIONS: properties.list(
            _('Connections of the gateway to internal networks.'), default={},
            schema=properties.map(
                _('Connections of the gateway to internal networks.'),
                schema={
                    'network': properties.string(
                        _('Internal network, by name or ID.'),
                        required=True,
                        constraints=[constraints.ref('neutron.network')],
                        support_status=support.SupportStatus(version='2014.2')),
                    'network_id': properties.string(
                        _('Deprecated name of "network".'),
                        constraints=[
                            constraints.CustomConstraint('neutron.network')],
                        support_status=neutron.hidden('5.0.0', '2014.2')),
                    'segmentation_id': properties.integer(
                        _('Segmentation ID on the external side of the '
                          'gateway.'),
                        constraints=[constraints.Range(min=0, max=4094)]),
                    'segmentation_type': properties.string(
                        _('Segmentation type of the external network.'),
                        default='flat',
                        constraints=[constraints.AllowedValues(['flat',
                            'vlan'])]),
                }),
            update_allowed=True),
        DEVICES: properties.list(
            _('Devices of the gateway.'), required=True,
            schema=properties.map(
                _('Devices of the gateway.'),
                schema={
                    'id': properties.string(
                        _('ID of the device.'), required=True),
                    'interface_name': properties.string(
                        _('External interface of the device.'),
                        required=True),
                }),
            constraints=[constraints.Length(min=1)], update_allowed=True),
    }

    attributes_schema = {
        DEFAULT_ATTR: fragments.text(_('Whether the gateway is the default '
                                       'gateway.')),
    }

    omit = (*neutron.NeutronResource.omit, CONNECTIONS)
    made_in_steps = True

    def translation_rules(self, properties):
        """Return rules for the old name of a property and for ids."""
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.REPLACE,
                    [self.CONNECTIONS, 'network'], value_name='network_id')]

    def validate(self):
        """Check that a VLAN id is there where, and only where, it counts.
        """
        problem = super().validate()
        for each in self.properties[self.CONNECTIONS] or ():
            vlan = each['segmentation_type'] == 'vlan'
            if vlan and each['segmentation_id'] is None:
                raise exception.StackValidationFailed(message=_(
                    'A connection of type vlan requires a segmentation_id.'))
            if not vlan and each['segmentation_id']:
                raise exception.StackValidationFailed(message=_(
                    'A connection of type flat has no segmentation_id.'))
        return problem

    def _create(self):
        created = super()._create()
        self._connect([], self.properties[self.CONNECTIONS])
        return created

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if self.CONNECTIONS in prop_diff:
            self._connect(self.properties[self.CONNECTIONS],
                          prop_diff[self.CONNECTIONS])

    def _connect(self, before, after):
        """Let these networks, and none of those before, be connected."""
        before, after = ([neutron.renamed(each, network='network_id')
                          for each in some or ()] for some in (before, after))
        gateway = self._verb('get')(self.resource_id)
        for each in before:
            if each not in after:
                with self.client_plugin().ignore_not_found:
                    gateway.disconnect(self.sdk(), each)
        for each in after:
            if each not in before:
                gateway.connect(self.sdk(), each)

    def _delete(self):
        self._connect(self.properties[self.CONNECTIONS], [])
        super()._delete()
