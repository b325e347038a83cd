"""Ports of Ironic."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class Port(sdk_resource.SDKResource):
    """A port of a bare metal node of Ironic.

    A port represents a network interface of the node. By default only
    administrators may create it.
    """

    type_name = 'OS::Ironic::Port'
    support_status = support.SupportStatus(version='13.0.0')
    default_client_name = 'ironic'
    entity = 'port'
    name_property = None

    #: The microversions that brought properties.
    _SINCE = {'pxe_enabled': '1.19', 'local_link_connection': '1.19',
              'portgroup': '1.24', 'physical_network': '1.34',
              'is_smartnic': '1.53'}

    properties_schema = {
        'address': properties.string(
            _('Hardware address of the port, usually its MAC address.'),
            required=True,
            update_allowed=True),
        'extra': properties.map(
            _('Arbitrary metadata of the port.'),
            update_allowed=True),
        'is_smartnic': properties.boolean(
            _('Whether the port is a smart NIC.'),
            update_allowed=True),
        'local_link_connection': properties.map(
            _('Switch port to which the port is connected: "switch_id", '
              '"port_id" and optionally "switch_info".'),
            update_allowed=True),
        'node': properties.string(
            _('Node to which the port belongs, by name or ID.'),
            required=True,
            constraints=[constraints.ref('ironic.node')],
            update_allowed=True),
        'physical_network': properties.string(
            _('Physical network to which the port is connected.'),
            update_allowed=True),
        'portgroup': properties.string(
            _('Port group to which the port belongs, by name or ID.'),
            constraints=[constraints.ref('ironic.portgroup')],
            update_allowed=True),
        'pxe_enabled': properties.boolean(
            _('Whether PXE boot is enabled on the port.'),
            update_allowed=True),
    }

    attributes_schema = {
        'address': attributes.Schema(
            _('Hardware address of the port.'),
            type=attributes.Schema.STRING),
        'extra': attributes.Schema(
            _('Arbitrary metadata of the port.'),
            type=attributes.Schema.MAP),
        'internal_info': attributes.Schema(
            _('Internal metadata of the port, maintained by Ironic.'),
            type=attributes.Schema.MAP),
        'is_smartnic': attributes.Schema(
            _('Whether the port is a smart NIC.'),
            type=attributes.Schema.BOOLEAN),
        'local_link_connection': attributes.Schema(
            _('Switch port to which the port is connected.'),
            type=attributes.Schema.MAP),
        'node_uuid': attributes.Schema(
            _('ID of the node.'),
            type=attributes.Schema.STRING),
        'physical_network': attributes.Schema(
            _('Physical network to which the port is connected.'),
            type=attributes.Schema.STRING),
        'portgroup_uuid': attributes.Schema(
            _('ID of the port group.'),
            type=attributes.Schema.STRING),
        'pxe_enabled': attributes.Schema(
            _('Whether PXE boot is enabled on the port.'),
            type=attributes.Schema.BOOLEAN),
    }

    rename = {'node': 'node_uuid', 'portgroup': 'portgroup_uuid'}

    def prepare_create(self, body):
        """Check that Ironic knows of the properties that are given."""
        self._require_known(self._given())
        return body

    def prepare_update(self, body, prop_diff):
        """Check that Ironic knows of the properties that change."""
        self._require_known(prop_diff)
        return body

    def _require_known(self, names):
        plugin = self.client_plugin()
        for name, version in self._SINCE.items():
            if name in names and not plugin.is_version_supported(version):
                raise exception.NotSupported(feature=_(
                    'The property "%(name)s", which takes version '
                    '%(version)s of the API of Ironic,') % {
                        'name': name, 'version': version})
