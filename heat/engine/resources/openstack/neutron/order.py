"""Implicit dependencies among resources of Neutron.

These are dependencies that no template says: a port takes its address from
whatever subnets its network has, and a floating IP needs a router between
its port and its network. Properties are compared as they are written, for
nothing has an id when a stack is made.
"""
import collections.abc

from heat.engine import function

_SUBNET = 'OS::Neutron::Subnet'
_PORT = 'OS::Neutron::Port'
_ROUTER = 'OS::Neutron::Router'
_INTERFACE = 'OS::Neutron::RouterInterface'
_GATEWAY = 'OS::Neutron::RouterGateway'


def given(resource, *names):
    """Return the first of some properties that is given, as written."""
    for name in names:
        value = resource.properties.data.get(name)
        if value is not None:
            return value
    return None


def item(written, name):
    """Return an item of a map as it is written, None if there is none."""
    if isinstance(written, collections.abc.Mapping):
        return written.get(name)
    return None


def same(one, other):
    """Return whether two written values mean the same thing for sure."""
    if one is None or other is None:
        return False
    if one == other:
        return True
    one, other = _constant(one), _constant(other)
    return one is not None and one == other


def _constant(written):
    """Return what a value is that does not depend on any resource."""
    if any(True for _each in function.dependencies(written)):
        return None
    try:
        return function.resolve(written)
    except Exception:  # noqa: BLE001
        # Whatever is wrong with it, validation will say where.
        return None


def _target(written):
    """Return the name of the resource that a value refers to, or None."""
    for dependency in function.dependencies(written):
        return dependency.name
    return None


def _of_type(resource, type_name):
    stack = resource.stack
    return [stack[name] for name in stack.defn.rsrc_names_of_type(type_name)
            if name != resource.name]


def after_subnets(resource, deps, network):
    """Let a resource wait for the subnets of a network."""
    for subnet in _of_type(resource, _SUBNET):
        if same(network, given(subnet, 'network', 'network_id')):
            deps += (resource, subnet)


def after_interfaces(resource, deps, router):
    """Let a resource wait until a router is attached to its subnets."""
    for interface in _of_type(resource, _INTERFACE):
        if same(router, given(interface, 'router', 'router_id')):
            deps += (resource, interface)


def after_gateways(resource, deps, *, network=None, router=None):
    """Let a resource wait for the gateways of a router or to a network."""
    for gateway in _of_type(resource, _GATEWAY):
        if (same(network, given(gateway, 'network', 'network_id')) or
                same(router, given(gateway, 'router_id'))):
            deps += (resource, gateway)
    for other in _of_type(resource, _ROUTER):
        if same(network, item(given(other, 'external_gateway_info'),
                              'network')):
            deps += (resource, other)


def after_all_interfaces(resource, deps):
    """Let a resource wait until all routers are attached."""
    for interface in _of_type(resource, _INTERFACE):
        deps += (resource, interface)


def after_reachable(resource, deps, port):
    """Let a resource wait until routers are attached where a port is."""
    written, names = _subnets_of_port(resource, port)
    _after_attached(resource, deps, written, names)


def after_routed(resource, deps, network, subnet):
    """Let a resource wait until routers are attached to a network.

    :param subnet: the subnet that counts, None for all of the network.
    """
    _after_attached(
        resource, deps, [subnet] if subnet is not None else [],
        set() if subnet is not None else {
            other.name for other in _of_type(resource, _SUBNET)
            if same(network, given(other, 'network', 'network_id'))})


def _after_attached(resource, deps, written, names):
    for interface in _of_type(resource, _INTERFACE):
        attached = given(interface, 'subnet', 'subnet_id')
        if (any(same(attached, subnet) for subnet in written) or
                _target(attached) in names):
            deps += (resource, interface)


def _subnets_of_port(resource, port):
    """Return the subnets a port may be on: as written, and by name."""
    name = _target(port)
    for other in _of_type(resource, _PORT):
        if name is None or other.name != name:
            continue
        addresses = given(other, 'fixed_ips')
        written = [item(address, 'subnet') or item(address, 'subnet_id')
                   for address in (addresses if isinstance(addresses, list)
                                   else ())]
        if any(written):
            return written, set()
        network = given(other, 'network', 'network_id')
        return [], {subnet.name for subnet in _of_type(resource, _SUBNET)
                    if same(network, given(subnet, 'network',
                                           'network_id'))}
    return [], set()
