"""The client of all services at once, as plugins of resources see it."""

from heat.common import exception
from heat.engine.clients import os as os_client
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'openstack'


class OpenStackSDKPlugin(os_client.ExtensionMixin,
                         sdk_plugin.SDKClientPlugin):
    """Hands out a connection, and finds some things of the network service.

    The options of the network service apply: what has no client of its own
    is of that service.
    """

    client_name = 'neutron'
    service_types = [NETWORK] = ['network']

    def _create(self, version=None):
        return self.sdk()

    def _connect(self, version=None):
        return self._connection()

    def _finder(self, entity):
        return getattr(self.sdk().network, 'find_' + entity)

    def find_network_port(self, value):
        """Return the id of a port, given that or its name."""
        return self.find('port', value)

    def find_network_ip(self, value):
        """Return the id of a floating IP, given that or its address."""
        return self.find('ip', value)

    def find_network_segment(self, value):
        """Return the id of a segment, given that or its name."""
        return self.find('segment', value)

    def _list_extensions(self):
        return {extension.alias
                for extension in self.sdk().network.extensions()}


class SegmentConstraint(sdk_plugin.SDKConstraint):
    """A segment of a network."""

    expected = (exception.HeatException,)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'find_network_segment'


#: By the names that templates and schemas use.
CONSTRAINTS = {'neutron.segment': SegmentConstraint}
