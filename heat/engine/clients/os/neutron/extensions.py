"""Things of the network service that openstacksdk has no words for."""
from openstack import exceptions
from openstack import resource
from openstack import utils


class _Extension(resource.Resource):
    """Something of an extension; its properties are sent as they are."""

    allow_create = True
    allow_fetch = True
    allow_commit = True
    allow_delete = True
    allow_list = True
    _allow_unknown_attrs_in_body = True


class Firewall(_Extension):
    """A firewall of the first version of that service."""

    resource_key = 'firewall'
    resources_key = 'firewalls'
    base_path = '/fw/firewalls'


class FirewallPolicy(_Extension):
    """An ordered set of rules of a firewall."""

    resource_key = 'firewall_policy'
    resources_key = 'firewall_policies'
    base_path = '/fw/firewall_policies'


class FirewallRule(_Extension):
    """A rule of a firewall."""

    resource_key = 'firewall_rule'
    resources_key = 'firewall_rules'
    base_path = '/fw/firewall_rules'


class L2Gateway(_Extension):
    """A gateway between networks of Neutron and of hardware."""

    resource_key = 'l2_gateway'
    resources_key = 'l2_gateways'
    base_path = '/l2-gateways'


class L2GatewayConnection(_Extension):
    """A network that goes through such a gateway."""

    resource_key = 'l2_gateway_connection'
    resources_key = 'l2_gateway_connections'
    base_path = '/l2-gateway-connections'


class NetworkGateway(_Extension):
    """A gateway between networks inside and outside."""

    resource_key = 'network_gateway'
    resources_key = 'network_gateways'
    base_path = '/network-gateways'

    def connect(self, session, connection):
        """Connect a network."""
        self._put(session, 'connect_network', connection)

    def disconnect(self, session, connection):
        """Disconnect a network."""
        self._put(session, 'disconnect_network', connection)

    def _put(self, session, action, connection):
        answer = session.put(utils.urljoin(self.base_path, self.id, action),
                             json=connection)
        exceptions.raise_from_response(answer)


#: By the noun that follows a verb.
RESOURCES = {each.resource_key: each for each in (
    Firewall, FirewallPolicy, FirewallRule, L2Gateway, L2GatewayConnection,
    NetworkGateway)}
