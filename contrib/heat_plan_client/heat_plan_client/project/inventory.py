"""Read what exists in a project, over openstacksdk.

Each kind of object is listed once. Objects of the system, objects of other
projects and objects in error are left out, with the reason.
"""
from collections.abc import Callable, Iterable
import dataclasses
from typing import Any

from keystoneauth1 import exceptions as keystone_exceptions
from openstack import exceptions as sdk_exceptions

from heat_plan_client.project import things

#: Owners of ports that belong to routers, and to what the system runs.
ROUTER_OWNERS = frozenset([
    'network:router_interface', 'network:router_interface_distributed',
    'network:ha_router_replicated_interface'])
_SYSTEM_OWNERS = ('network:', 'octavia', 'manila:', 'baremetal:none')
_ERRORS = (sdk_exceptions.SDKException,
           keystone_exceptions.ClientException)
#: States in which something can be taken over.
_SERVERS = frozenset(['ACTIVE', 'SHUTOFF', 'PAUSED', 'SUSPENDED', 'SHELVED',
                      'SHELVED_OFFLOADED', 'RESCUE', 'VERIFY_RESIZE'])
_VOLUMES = frozenset(['available', 'in-use', 'reserved'])
_PROVISIONED = 'ACTIVE'


@dataclasses.dataclass(slots=True)
class Inventory:
    """What exists in a project.

    :ivar project: the ID of the project
    :ivar found: the objects that a template can describe
    :ivar left_out: the objects that the template omits
    :ivar networks: the names of networks by ID, where they are unique
    :ivar default_groups: the IDs of the default security groups
    """

    project: str
    found: list[things.Thing] = dataclasses.field(default_factory=list)
    left_out: list[things.LeftOut] = dataclasses.field(default_factory=list)
    networks: dict[str, str] = dataclasses.field(default_factory=dict)
    default_groups: set[str] = dataclasses.field(default_factory=set)

    def add(self, kind: str, facts: Any, thing_id: str | None = None,
            parent: tuple[str, str] | None = None, **more: Any) -> None:
        """Add an object that a template can describe."""
        self.found.append(things.Thing(
            kind, thing_id or facts.id, getattr(facts, 'name', None) or '',
            facts, parent, more))

    def leave(self, what: str, facts: Any, reason: str) -> None:
        """Add an object that the template omits."""
        self.left_out.append(things.LeftOut(
            what, facts.id, getattr(facts, 'name', None) or '', reason))

    def of(self, kind: str) -> list[things.Thing]:
        """Return the objects of a kind."""
        return [each for each in self.found if each.kind == kind]

    def owns(self, facts: Any) -> bool:
        """Return whether an object belongs to the project."""
        owner = getattr(facts, 'project_id', None)
        return not owner or bool(owner == self.project)


def read(connection: Any) -> Inventory:
    """Return the inventory of the project of a connection.

    A service that does not answer is left out as a whole.

    :param connection: the connection of openstacksdk
    """
    inventory = Inventory(connection.current_project_id)
    for service, fill in (('network', _network), ('compute', _compute),
                          ('block-storage', _block_storage),
                          ('load-balancer', _load_balancer)):
        _of_service(connection, inventory, service, fill)
    return inventory


def _of_service(connection: Any, inventory: Inventory, service: str,
                fill: Callable[[Any, Inventory], None]) -> None:
    try:
        if not connection.has_service(service):
            raise sdk_exceptions.NotFoundException(
                'the cloud has no such service')
        fill(getattr(connection, service.replace('-', '_')), inventory)
    except _ERRORS as error:
        inventory.left_out.append(things.LeftOut(
            f'service {service}', '', '', str(error)))


# -- networks -----------------------------------------------------------------

def _network(client: Any, inventory: Inventory) -> None:
    _security_groups(client, inventory)
    _networks(client, inventory)
    for subnet in client.subnets():
        parent = (things.NETWORK, subnet.network_id)
        if not inventory.owns(subnet):
            continue
        if any(each.key == parent for each in inventory.found):
            inventory.add(things.SUBNET, subnet, parent=parent)
        else:
            inventory.leave(things.SUBNET, subnet,
                            'its network is not proposed')
    for router in client.routers(project_id=inventory.project):
        if inventory.owns(router):
            inventory.add(things.ROUTER, router)
            if getattr(router, 'routes', None):
                inventory.leave('routes', router,
                                'static routes of routers are not proposed')
    _ports(client, inventory)
    for floating in client.ips(project_id=inventory.project):
        if inventory.owns(floating):
            inventory.add(
                things.FLOATING_IP, floating,
                parent=(things.PORT, floating.port_id)
                if floating.port_id else None)


def _security_groups(client: Any, inventory: Inventory) -> None:
    for group in client.security_groups(project_id=inventory.project):
        if group.name == 'default':
            inventory.default_groups.add(group.id)
            if inventory.owns(group):
                inventory.leave(things.SECURITY_GROUP, group,
                                'every project has the default group')
        elif inventory.owns(group):
            inventory.add(things.SECURITY_GROUP, group)


def _networks(client: Any, inventory: Inventory) -> None:
    names: dict[str, list[str]] = {}
    for network in client.networks():
        names.setdefault(network.name or '', []).append(network.id)
        if not inventory.owns(network):
            inventory.leave(things.NETWORK, network,
                            'it belongs to another project')
        elif network.is_router_external:
            inventory.leave(things.NETWORK, network, 'it is external')
        else:
            inventory.add(things.NETWORK, network)
    inventory.networks = {ids[0]: name for name, ids in names.items()
                          if name and len(ids) == 1}


def _ports(client: Any, inventory: Inventory) -> None:
    routers = {each.id for each in inventory.of(things.ROUTER)}
    gateways = {each.id: each.facts.gateway_ip
                for each in inventory.of(things.SUBNET)}
    for port in client.ports(project_id=inventory.project):
        owner = port.device_owner or ''
        if not inventory.owns(port):
            continue
        if owner in ROUTER_OWNERS and port.device_id in routers:
            _interfaces(inventory, port, gateways)
        elif owner.lower().startswith(_SYSTEM_OWNERS):
            inventory.leave(things.PORT, port, f'it is owned by {owner}')
        else:
            inventory.add(
                things.PORT, port,
                parent=(things.SERVER, port.device_id)
                if owner.startswith('compute:') else None)


def _interfaces(inventory: Inventory, port: Any, gateways: dict[str, str]
                ) -> None:
    """Add the interfaces of a router that a port represents.

    A router that has the gateway address of a subnet is attached to the
    subnet, otherwise to the port.
    """
    router, parent = port.device_id, (things.ROUTER, port.device_id)
    if any(gateways.get(each['subnet_id'], each['ip_address']) !=
           each['ip_address'] for each in port.fixed_ips):
        inventory.add(things.PORT, port, parent=parent)
        inventory.add(things.INTERFACE, port, f'{router}:port_id={port.id}',
                      parent, port=port.id)
        return
    for each in port.fixed_ips:
        inventory.add(
            things.INTERFACE, port,
            f'{router}:subnet_id={each["subnet_id"]}', parent,
            subnet=each['subnet_id'])


# -- servers and volumes ------------------------------------------------------

def _compute(client: Any, inventory: Inventory) -> None:
    for server in client.servers(details=True):
        if not inventory.owns(server):
            continue
        if server.status not in _SERVERS:
            inventory.leave(things.SERVER, server, f'it is {server.status}')
            continue
        inventory.add(things.SERVER, server)
        if getattr(server, 'user_data', None):
            inventory.leave('user_data', server,
                            'user data may hold secrets: give it yourself')


def _block_storage(client: Any, inventory: Inventory) -> None:
    servers = {each.id: each for each in inventory.of(things.SERVER)}
    for volume in client.volumes(details=True):
        if not inventory.owns(volume):
            continue
        if volume.status not in _VOLUMES:
            inventory.leave(things.VOLUME, volume, f'it is {volume.status}')
            continue
        attached = [each for each in volume.attachments or ()
                    if each.get('server_id') in servers]
        inventory.add(things.VOLUME, volume,
                      parent=(things.SERVER, attached[0]['server_id'])
                      if len(attached) == 1 else None)
        if len(attached) > 1:
            inventory.leave(things.ATTACHMENT, volume,
                            'its attachments to several servers are not '
                            'proposed')
            continue
        for each in attached:
            server = servers[each['server_id']]
            if is_root(server.facts, each):
                server.more['root'] = volume.id
            else:
                inventory.add(
                    things.ATTACHMENT, volume, volume.id,
                    (things.SERVER, server.id), server=server.id,
                    device=each.get('device'))


def is_root(server: Any, attachment: dict[str, Any]) -> bool:
    """Return whether a server boots from a volume that is attached to it."""
    if server.image and server.image.id:
        return False
    root = getattr(server, 'root_device_name', None) or '/dev/vda'
    return attachment.get('device') in (root, None)


# -- load balancers -----------------------------------------------------------

def _load_balancer(client: Any, inventory: Inventory) -> None:
    balancers = set()
    for balancer in client.load_balancers(project_id=inventory.project):
        if balancer.provisioning_status != _PROVISIONED:
            inventory.leave(things.LOAD_BALANCER, balancer,
                            f'it is {balancer.provisioning_status}')
            continue
        balancers.add(balancer.id)
        inventory.add(things.LOAD_BALANCER, balancer)
    pools = list(_below(client.pools(project_id=inventory.project),
                        balancers, 'loadbalancers'))
    for listener, balancer_id in _below(
            client.listeners(project_id=inventory.project), balancers,
            'load_balancers'):
        inventory.add(things.LISTENER, listener,
                      parent=(things.LOAD_BALANCER, balancer_id),
                      load_balancer=balancer_id)
    for pool, balancer_id in pools:
        parent = (things.POOL, pool.id)
        inventory.add(things.POOL, pool,
                      parent=(things.LOAD_BALANCER, balancer_id),
                      load_balancer=balancer_id)
        for member in client.members(pool.id):
            inventory.add(things.MEMBER, member, parent=parent, pool=pool.id)
    known = {pool.id for pool, _balancer in pools}
    for monitor in client.health_monitors(project_id=inventory.project):
        for each in monitor.pools or ():
            if each['id'] in known:
                inventory.add(things.MONITOR, monitor,
                              parent=(things.POOL, each['id']),
                              pool=each['id'])


def _below(found: Iterable[Any], balancers: set[str], attribute: str
           ) -> Iterable[tuple[Any, str]]:
    """Yield (object, ID of its load balancer) for known load balancers."""
    for each in found:
        for balancer in getattr(each, attribute) or ():
            if balancer['id'] in balancers:
                yield each, balancer['id']
