"""Things of the network service that openstacksdk has no words for."""
import functools

from heat.engine.clients import sdk

#: By the noun that follows a verb: the plural, and the path of requests.
NOUNS = {
    # The first version of the service of firewalls.
    'firewall': ('firewalls', '/fw/firewalls'),
    'firewall_policy': ('firewall_policies', '/fw/firewall_policies'),
    'firewall_rule': ('firewall_rules', '/fw/firewall_rules'),
    # Between networks of Neutron and of hardware.
    'l2_gateway': ('l2_gateways', '/l2-gateways'),
    'l2_gateway_connection': ('l2_gateway_connections',
                              '/l2-gateway-connections'),
    # Between networks inside and outside.
    'network_gateway': ('network_gateways', '/network-gateways'),
}


def _connect(gateway, session, connection):
    """Connect a network to a gateway between networks."""
    _put(gateway, session, 'connect_network', connection)


def _disconnect(gateway, session, connection):
    """Disconnect a network from a gateway between networks."""
    _put(gateway, session, 'disconnect_network', connection)


def _put(gateway, session, action, connection):
    answer = session.put(
        sdk.utils.urljoin(gateway.base_path, gateway.id, action),
        json=connection)
    sdk.exceptions.raise_from_response(answer)


#: What more can be done to them.
_METHODS = {'network_gateway': {'connect': _connect,
                                'disconnect': _disconnect}}


@functools.cache
def resource_class(noun):
    """Return the class of openstacksdk for a noun.

    Its properties are sent as they are.
    """
    plural, path = NOUNS[noun]
    return type(noun, (sdk.resource.Resource,), {
        '__doc__': 'Something of an extension of Neutron.',
        'resource_key': noun,
        'resources_key': plural,
        'base_path': path,
        'allow_create': True,
        'allow_fetch': True,
        'allow_commit': True,
        'allow_delete': True,
        'allow_list': True,
        '_allow_unknown_attrs_in_body': True,
        **_METHODS.get(noun, {}),
    })
