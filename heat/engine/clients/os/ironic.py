"""The client of the bare metal service, as plugins of resources see it."""
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'ironic'
#: The newest microversion that resources need.
IRONIC_API_VERSION = '1.115'


class IronicClientPlugin(sdk_plugin.MicroversionedPlugin):
    """Finds things of Ironic by name or id."""

    client_name = CLIENT_NAME
    proxy = 'baremetal'
    service_types = [BAREMETAL] = ['baremetal']

    def get_node(self, value):
        """Return the id of a node, given that or its name."""
        return self.find('node', value)

    def get_portgroup(self, value):
        """Return the id of a port group, given that or its name."""
        return self.find('port_group', value)


class NodeConstraint(sdk_plugin.SDKConstraint):
    """A node of bare metal, by name or id."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_node'


class PortGroupConstraint(sdk_plugin.SDKConstraint):
    """A group of ports of a node, by name or id."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_portgroup'


#: By the names that templates and schemas use.
CONSTRAINTS = {'ironic.node': NodeConstraint,
               'ironic.portgroup': PortGroupConstraint}
