"""A project as openstacksdk shows it: a connection without a cloud."""
import types

from openstack import exceptions
from openstack.block_storage.v3 import volume
from openstack.compute.v2 import server
from openstack.load_balancer.v2 import health_monitor
from openstack.load_balancer.v2 import listener
from openstack.load_balancer.v2 import load_balancer
from openstack.load_balancer.v2 import member
from openstack.load_balancer.v2 import pool
from openstack.network.v2 import floating_ip
from openstack.network.v2 import network
from openstack.network.v2 import port
from openstack.network.v2 import router
from openstack.network.v2 import security_group
from openstack.network.v2 import subnet

MINE, OTHER = 'p' * 32, 'o' * 32


class Proxy:
    """Answers a list of things for each name of a list."""

    def __init__(self, **lists):
        self._lists = lists
        self.asked = []

    def __getattr__(self, name):
        if name not in self._lists:
            raise AttributeError(name)

        def answer(*arguments, **query):
            self.asked.append(name)
            found = self._lists[name]
            return iter(found(*arguments) if callable(found) else found)

        return answer


class Connection:
    """A connection to services; those that it lacks are not there."""

    def __init__(self, **services):
        self.current_project_id = MINE
        self.services = services

    def has_service(self, name):
        """Return whether there is a service."""
        return name.replace('-', '_') in self.services

    def __getattr__(self, name):
        try:
            return self.services[name]
        except KeyError:
            raise AttributeError(name) from None


class Broken:
    """A service that does not answer."""

    def __getattr__(self, name):
        raise exceptions.SDKException('it is asleep')


def rule(direction='ingress', ethertype='IPv4', **more):
    return {'id': 'r', 'direction': direction, 'ethertype': ethertype,
            'protocol': None, 'port_range_min': None, 'port_range_max': None,
            'remote_ip_prefix': None, 'remote_group_id': None, **more}


OUT = [rule('egress'), rule('egress', 'IPv6')]


def of(cls, id, name='', **values):
    return cls(**{'id': id, 'name': name, 'project_id': MINE, **values})


def networks():
    """Return the network service of a project."""
    return Proxy(
        security_groups=[
            of(security_group.SecurityGroup, 'sg-default', 'default',
               security_group_rules=OUT),
            of(security_group.SecurityGroup, 'sg-web', 'web',
               security_group_rules=[*OUT, rule(
                   protocol='tcp', port_range_min=443, port_range_max=443),
                   rule(protocol='tcp', remote_group_id='sg-web'),
                   rule(remote_group_id='sg-db')]),
            of(security_group.SecurityGroup, 'sg-db', 'db',
               description='Data', security_group_rules=[
                   rule('egress', protocol='udp'),
                   rule(remote_group_id='sg-web')])],
        networks=[
            of(network.Network, 'n1', 'web', is_admin_state_up=True,
               is_shared=False, is_router_external=False,
               is_port_security_enabled=True, tags=['b', 'a']),
            of(network.Network, 'n2', 'public', project_id=OTHER,
               is_shared=False, is_router_external=True),
            of(network.Network, 'n3', 'common', project_id=OTHER,
               is_shared=True, is_router_external=False)],
        subnets=[
            of(subnet.Subnet, 's1', 'web', network_id='n1', ip_version=4,
               cidr='10.0.0.0/24', gateway_ip='10.0.0.1',
               is_dhcp_enabled=True, dns_nameservers=[], host_routes=[],
               allocation_pools=[{'start': '10.0.0.2',
                                  'end': '10.0.0.254'}]),
            of(subnet.Subnet, 's2', 'no gateway', network_id='n1',
               ip_version=4, cidr='10.0.1.0/24', gateway_ip=None,
               is_dhcp_enabled=False, dns_nameservers=['10.0.0.3'],
               host_routes=[{'destination': '0.0.0.0/0',
                             'nexthop': '10.0.1.9'}],
               allocation_pools=[{'start': '10.0.1.100',
                                  'end': '10.0.1.199'}]),
            of(subnet.Subnet, 's3', 'theirs', network_id='n3',
               project_id=OTHER, ip_version=4, cidr='10.9.0.0/24'),
            of(subnet.Subnet, 's4', 'guest', network_id='n3', ip_version=4,
               cidr='10.8.0.0/24')],
        routers=[of(router.Router, 'ro', 'edge', is_admin_state_up=True,
                    external_gateway_info={
                        'network_id': 'n2', 'enable_snat': True,
                        'external_fixed_ips': [{'ip_address': '192.0.2.9'}]},
                    routes=[{'destination': '10.7.0.0/16',
                             'nexthop': '10.0.0.7'}])],
        ports=[
            a_port('p-router', 'ro', 'network:router_interface', '10.0.0.1'),
            a_port('p-dhcp', 'dhcp1', 'network:dhcp', '10.0.0.2'),
            a_port('p-vip', 'lb-lb', 'Octavia', '10.0.0.20'),
            a_port('p-server', 'srv', 'compute:nova', '10.0.0.5',
                   security_group_ids=['sg-web']),
            a_port('p-free', '', '', '10.0.0.6', name='spare',
                   security_group_ids=['sg-default'],
                   allowed_address_pairs=[{
                       'ip_address': '10.0.0.9',
                       'mac_address': 'fa:16:3e:00:00:01'}])],
        ips=[of(floating_ip.FloatingIP, 'f1', floating_network_id='n2',
                floating_ip_address='192.0.2.5', port_id='p-server',
                fixed_ip_address='10.0.0.5'),
             of(floating_ip.FloatingIP, 'f2', floating_network_id='n2',
                floating_ip_address='192.0.2.6', port_id='p-vip',
                fixed_ip_address='10.0.0.20')])


def a_port(id, device, owner, address, **values):
    return of(port.Port, id, values.pop('name', ''), network_id='n1',
              device_id=device, device_owner=owner, is_admin_state_up=True,
              is_port_security_enabled=True, mac_address='fa:16:3e:00:00:01',
              fixed_ips=[{'subnet_id': 's1', 'ip_address': address}],
              binding_vnic_type='normal', **values)


def computers():
    """Return the compute service of a project."""
    return Proxy(servers=[
        of(server.Server, 'srv', 'web', status='ACTIVE', key_name='key',
           flavor={'original_name': 'small'}, image={'id': 'image-1'},
           availability_zone='nova', metadata={'role': 'web'},
           has_config_drive='', user_data='c2VjcmV0'),
        of(server.Server, 'boot', 'boots from a volume', status='SHUTOFF',
           flavor={'original_name': 'small'}, image=None, metadata={},
           root_device_name='/dev/vda', availability_zone='east',
           attached_volumes=[{'id': 'v-root',
                              'delete_on_termination': True}]),
        of(server.Server, 'sick', 'sick', status='ERROR')])


def volumes():
    """Return the block storage of a project."""
    def a_volume(id, name, size, attachments=(), status='in-use', **values):
        return of(volume.Volume, id, name, size=size, status=status,
                  attachments=[{'server_id': server_id, 'device': device}
                               for server_id, device in attachments],
                  availability_zone='nova', volume_type='ssd', **values)

    return Proxy(volumes=[
        a_volume('v-data', 'data', 10, [('srv', '/dev/vdb')],
                 metadata={'a': 'b', 'readonly': 'False'}),
        a_volume('v-root', '', 5, [('boot', '/dev/vda')],
                 volume_image_metadata={'image_id': 'image-1'}),
        a_volume('v-free', 'free', 1, status='available'),
        a_volume('v-shared', 'shared', 1, [('srv', '/dev/vdc'),
                                           ('boot', '/dev/vdc')]),
        a_volume('v-bad', 'bad', 1, status='error')])


def balancers():
    """Return the load balancers of a project."""
    below = [{'id': 'lb'}]
    return Proxy(
        load_balancers=[
            of(load_balancer.LoadBalancer, 'lb', 'front',
               provisioning_status='ACTIVE', is_admin_state_up=True,
               vip_subnet_id='s1', vip_address='10.0.0.20',
               vip_port_id='p-vip', provider='amphora', description=''),
            of(load_balancer.LoadBalancer, 'lb2', 'busy',
               provisioning_status='PENDING_UPDATE')],
        listeners=[of(listener.Listener, 'li', 'https', protocol='HTTPS',
                      protocol_port=443, connection_limit=-1,
                      load_balancers=below, is_admin_state_up=True,
                      default_pool_id='po', sni_container_refs=[])],
        pools=[of(pool.Pool, 'po', 'web', protocol='HTTPS',
                  lb_algorithm='ROUND_ROBIN', loadbalancers=below,
                  is_admin_state_up=True, session_persistence={
                      'type': 'SOURCE_IP', 'cookie_name': None})],
        members=lambda _pool: [
            of(member.Member, 'me', '', address='10.0.0.5',
               protocol_port=443, weight=2, subnet_id='s1',
               is_admin_state_up=True)],
        health_monitors=[of(
            health_monitor.HealthMonitor, 'mo', '', type='PING', delay=5,
            timeout=3, max_retries=3, is_admin_state_up=True,
            pools=[{'id': 'po'}])])


def project(**services):
    """Return a connection to a whole project."""
    return Connection(**{
        'network': networks(), 'compute': computers(),
        'block_storage': volumes(), 'load_balancer': balancers(),
        **services})


def manager(connection, stacks=None):
    """Return the clients of a command.

    :param stacks: {name of a stack: physical IDs of its resources}
    """
    stacks = stacks or {}
    return types.SimpleNamespace(
        sdk_connection=connection, orchestration=types.SimpleNamespace(
            stacks=types.SimpleNamespace(list=lambda: [
                types.SimpleNamespace(id=name, stack_name=name)
                for name in stacks]),
            resources=types.SimpleNamespace(
                list=lambda stack, nested_depth: [
                    types.SimpleNamespace(physical_resource_id=each)
                    for each in stacks[stack]])))
