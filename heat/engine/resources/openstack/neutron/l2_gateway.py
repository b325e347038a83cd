"""Gateways between networks of Neutron and of hardware."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import neutron


class L2Gateway(neutron.ExtensionResource):
    """A layer 2 gateway of Neutron.

    It extends networks to physical machines through the interfaces of
    switches.
    """

    type_name = 'OS::Neutron::L2Gateway'
    support_status = support.SupportStatus(version='12.0.0')
    required_service_extension = 'l2-gateway'
    entity = 'l2_gateway'

    PROPERTIES = (
        NAME, DEVICES,
    ) = (
        'name', 'devices',
    )

    properties_schema = {
        NAME: properties.string(
            _('Name of the resource. It need not be unique.'), required=True,
            update_allowed=True),
        DEVICES: properties.list(
            _('Devices of the gateway.'), required=True,
            schema=properties.map(
                _('Devices of the gateway.'),
                schema={
                    'device_name': properties.string(
                        _('Name of the device.'), required=True),
                    'interfaces': properties.list(
                        _('Interfaces of the device that belong to the '
                          'gateway.'),
                        required=True,
                        schema=properties.map(
                            _('Interfaces of the device that belong to the '
                              'gateway.'),
                            schema={
                                'name': properties.string(
                                    _('Name of the interface.'),
                                    required=True),
                                'segmentation_id': properties.list(
                                    _('VLAN IDs of the interface.')),
                            })),
                }),
            update_allowed=True),
    }

    def prepare_create(self, body):
        """Leave out what the devices do not say."""
        body['devices'] = _devices(body['devices'])
        return super().prepare_create(body)

    def prepare_update(self, body, prop_diff):
        """Leave out what the devices do not say."""
        if body.get('devices'):
            body['devices'] = _devices(body['devices'])
        return super().prepare_update(body, prop_diff)


class L2GatewayConnection(neutron.ExtensionResource):
    """The connection of a network to a layer 2 gateway.

    A network can be connected to several gateways.
    """

    type_name = 'OS::Neutron::L2GatewayConnection'
    support_status = support.SupportStatus(version='12.0.0')
    required_service_extension = 'l2-gateway'
    entity = 'l2_gateway_connection'

    PROPERTIES = (
        L2_GATEWAY_ID, NETWORK_ID, SEGMENTATION_ID,
    ) = (
        'l2_gateway_id', 'network_id', 'segmentation_id',
    )

    properties_schema = {
        L2_GATEWAY_ID: properties.string(
            _('L2 gateway.'), required=True),
        NETWORK_ID: properties.string(
            _('Network to connect, by name or ID.'), required=True,
            constraints=[constraints.ref('neutron.network')]),
        SEGMENTATION_ID: properties.string(
            _('VLAN ID (segmentation ID) on the interfaces of the gateway.')),
    }


def _devices(given):
    """Return devices as requests describe them."""
    return [{**device, 'interfaces': [
        {name: value for name, value in interface.items() if value}
        for interface in device['interfaces']]} for device in given]
