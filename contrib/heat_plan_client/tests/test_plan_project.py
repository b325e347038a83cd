"""A template of what exists in a project."""
import argparse
import io
import types

import clouds
from osc_lib import exceptions
import pytest
import yaml

from heat_plan_client.osc import take
from heat_plan_client.project import inventory
from heat_plan_client.project import proposal
from heat_plan_client.project import things

#: The whole project, as resources.
RESOURCES = yaml.safe_load("""
db:
  type: OS::Neutron::SecurityGroup
  properties:
    name: db
    description: Data
    rules:
    - direction: egress
      protocol: udp
    - remote_mode: remote_group_id
      remote_group_id: {get_resource: web}
web:
  type: OS::Neutron::SecurityGroup
  properties:
    name: web
    rules:
    - {remote_mode: remote_group_id, remote_group_id: sg-db}
    - {protocol: tcp, remote_mode: remote_group_id}
    - {protocol: tcp, port_range_min: 443, port_range_max: 443}
web_network:
  type: OS::Neutron::Net
  properties: {name: web, tags: [a, b]}
no_gateway:
  type: OS::Neutron::Subnet
  properties:
    name: no gateway
    network: {get_resource: web_network}
    cidr: 10.0.1.0/24
    enable_dhcp: false
    dns_nameservers: [10.0.0.3]
    host_routes: [{destination: 0.0.0.0/0, nexthop: 10.0.1.9}]
    allocation_pools: [{start: 10.0.1.100, end: 10.0.1.199}]
    gateway_ip: ''
web_subnet:
  type: OS::Neutron::Subnet
  properties:
    name: web
    network: {get_resource: web_network}
    cidr: 10.0.0.0/24
edge:
  type: OS::Neutron::Router
  properties:
    name: edge
    external_gateway_info: {network: public}
edge_router_interface:
  type: OS::Neutron::RouterInterface
  properties:
    router: {get_resource: edge}
    subnet: {get_resource: web_subnet}
web_port:
  type: OS::Neutron::Port
  properties:
    network: {get_resource: web_network}
    fixed_ips:
    - {subnet: {get_resource: web_subnet}, ip_address: 10.0.0.5}
    security_groups: [{get_resource: web}]
spare:
  type: OS::Neutron::Port
  properties:
    name: spare
    network: {get_resource: web_network}
    fixed_ips:
    - {subnet: {get_resource: web_subnet}, ip_address: 10.0.0.6}
    allowed_address_pairs: [{ip_address: 10.0.0.9}]
boots_from_a_volume_volume:
  type: OS::Cinder::Volume
  properties: {size: 5, volume_type: ssd, image: image-1}
data:
  type: OS::Cinder::Volume
  properties: {name: data, size: 10, volume_type: ssd, metadata: {a: b}}
free:
  type: OS::Cinder::Volume
  properties: {name: free, size: 1, volume_type: ssd}
shared:
  type: OS::Cinder::Volume
  properties: {name: shared, size: 1, volume_type: ssd}
boots_from_a_volume:
  type: OS::Nova::Server
  properties:
    name: boots from a volume
    flavor: small
    availability_zone: east
    user_data_format: RAW
    block_device_mapping_v2:
    - boot_index: 0
      volume_id: {get_resource: boots_from_a_volume_volume}
      delete_on_termination: true
web_server:
  type: OS::Nova::Server
  properties:
    name: web
    flavor: small
    image: image-1
    key_name: key
    metadata: {role: web}
    user_data_format: RAW
    networks: [{port: {get_resource: web_port}}]
web_volume_attachment:
  type: OS::Cinder::VolumeAttachment
  properties:
    instance_uuid: {get_resource: web_server}
    volume_id: {get_resource: data}
    mountpoint: /dev/vdb
floating_ip_192_0_2_5:
  type: OS::Neutron::FloatingIP
  properties:
    floating_network: public
    port_id: {get_resource: web_port}
floating_ip_192_0_2_6:
  type: OS::Neutron::FloatingIP
  properties:
    floating_network: public
    port_id: {get_attr: [front, vip_port_id]}
front:
  type: OS::Octavia::LoadBalancer
  properties:
    name: front
    vip_subnet: {get_resource: web_subnet}
    vip_address: 10.0.0.20
https:
  type: OS::Octavia::Listener
  properties:
    name: https
    loadbalancer: {get_resource: front}
    protocol: HTTPS
    protocol_port: 443
    default_pool: {get_resource: web_pool}
web_pool:
  type: OS::Octavia::Pool
  properties:
    name: web
    loadbalancer: {get_resource: front}
    protocol: HTTPS
    lb_algorithm: ROUND_ROBIN
    session_persistence: {type: SOURCE_IP}
web_member:
  type: OS::Octavia::PoolMember
  properties:
    pool: {get_resource: web_pool}
    address: 10.0.0.5
    protocol_port: 443
    subnet: {get_resource: web_subnet}
    weight: 2
web_health_monitor:
  type: OS::Octavia::HealthMonitor
  properties:
    pool: {get_resource: web_pool}
    type: PING
    delay: 5
    timeout: 3
    max_retries: 3
""")
LEFT_OUT = {
    'sg-default': 'every project has the default group',
    'n2': 'it belongs to another project',
    'n3': 'it belongs to another project',
    's4': 'its network is not proposed',
    'p-dhcp': 'it is owned by network:dhcp', 'p-vip': 'it is owned by Octavia',
    'ro': 'static routes of routers are not proposed',
    'sick': 'it is ERROR', 'v-bad': 'it is error',
    'srv': 'user data may hold secrets: give it yourself',
    'v-shared': 'its attachments to several servers are not proposed',
    'lb2': 'it is PENDING_UPDATE',
    'sg-web': 'it and "db" refer to each other: this reference is an ID'}


def proposed(connection=None, owned=None, **choice):
    return proposal.propose(inventory.read(connection or clouds.project()),
                            owned or {}, proposal.Choice(**choice))


def test_whole_project():
    found = proposed()
    assert found.resources == RESOURCES
    assert list(found.resources) == list(RESOURCES)
    assert found.imports['edge_router_interface'] == 'ro:subnet_id=s1'
    assert found.imports['web_volume_attachment'] == 'v-data'
    assert set(found.imports) == set(RESOURCES)
    assert {each.id: each.reason for each in found.left_out} == LEFT_OUT


def test_order_is_that_of_names():
    """The same project gives the same text, in whatever order it comes."""
    backwards = clouds.project()
    for proxy in backwards.services.values():
        for name, things_ in proxy._lists.items():
            if isinstance(things_, list):
                proxy._lists[name] = things_[::-1]
    assert proposed(backwards).template() == proposed().template()
    assert proposed(backwards).imports == proposed().imports


def test_texts_are_what_the_client_reads():
    found = proposed()
    text = found.template()
    assert text.startswith('heat_template_version: 2018-08-31\n')
    assert yaml.safe_load(text)['resources'] == found.resources
    assert yaml.safe_load(found.import_list()) == {'imports': [
        {'resource': name, 'id': each}
        for name, each in found.imports.items()]}


def test_what_stacks_have_is_left_out():
    found = proposed(owned={'n1': 'shop'})
    assert 'web_network' not in found.resources
    assert found.resources['web_subnet']['properties']['network'] == 'n1'
    assert ('n1', 'it belongs to stack shop') in [
        (each.id, each.reason) for each in found.left_out]


@pytest.mark.parametrize(('choice', 'ids'), [
    ({'kinds': [things.VOLUME]}, {'v-data', 'v-root', 'v-free', 'v-shared'}),
    ({'prefix': 'fr'}, {'v-free', 'lb', 'li', 'po', 'me', 'mo'}),
    ({'ids': ['srv']}, {'srv', 'v-data', 'p-server', 'f1'}),
    ({'ids': ['n1'], 'kinds': [things.NETWORK, things.SUBNET]},
     {'n1', 's1', 's2'}),
    ({'prefix': 'nobody'}, set())])
def test_part_of_a_project(choice, ids):
    assert set(proposed(**choice).imports.values()) == ids


def test_services_that_do_not_answer():
    connection = clouds.project(compute=clouds.Broken())
    del connection.services['load_balancer']
    found = proposed(connection)
    assert {(each.what, each.reason) for each in found.left_out
            if each.what.startswith('service')} == {
        ('service compute', 'it is asleep'),
        ('service load-balancer', 'the cloud has no such service')}
    assert 'web_network' in found.resources
    assert 'web_server' not in found.resources


def test_each_list_is_read_once():
    connection = clouds.project()
    proposed(connection)
    for proxy in connection.services.values():
        assert sorted(set(proxy.asked)) == sorted(proxy.asked)


def test_router_with_another_address_is_attached_to_a_port():
    connection = clouds.project()
    connection.network._lists['ports'] = [clouds.a_port(
        'p-router', 'ro', 'network:router_interface', '10.0.0.77')]
    found = proposed(connection)
    assert found.resources['edge_router_interface']['properties'] == {
        'router': {'get_resource': 'edge'},
        'port': {'get_resource': 'edge_port'}}
    assert found.imports['edge_router_interface'] == 'ro:port_id=p-router'


def test_group_that_lets_nothing_out():
    connection = clouds.project()
    connection.network._lists['security_groups'] = [clouds.of(
        clouds.security_group.SecurityGroup, 'sg', 'shut',
        security_group_rules=[])]
    [reason] = [each.reason for each in proposed(connection).left_out
                if each.id == 'sg']
    assert 'nothing may leave it' in reason


@pytest.fixture
def command():
    """Return the command with its output and clients."""
    app = types.SimpleNamespace(
        stdout=io.StringIO(), stderr=io.StringIO(),
        client_manager=clouds.manager(clouds.project(), {'s': ['v-free']}))
    return take.ImportResource(app, argparse.Namespace())


def run(command, *arguments):
    return command.take_action(command.get_parser('import').parse_args(
        list(arguments)))


def test_command_prints_template_and_imports(command):
    assert run(command, '--project', '--filter', 'volume') == 0
    template, imports = yaml.safe_load_all(command.app.stdout.getvalue())
    assert set(template['resources']) == {
        each['resource'] for each in imports['imports']} == {
            'boots_from_a_volume_volume', 'data', 'shared'}
    assert ('Left out: volume free v-free: it belongs to stack s\n' in
            command.app.stderr.getvalue())


def test_command_writes_files(command, tmp_path):
    path = tmp_path / 'shop.yaml'
    assert run(command, '--project', '--out', str(path), '--filter',
               'OS::Cinder::Volume', '--id', 'v-data') == 0
    assert list(yaml.safe_load(path.read_text())['resources']) == ['data']
    beside = tmp_path / 'shop.imports.yaml'
    assert (f'plan -t {path} --import-file {beside}' in
            command.app.stdout.getvalue())
    parsed = command.get_parser('import').parse_args(
        ['--import', 'a=b', '--import-file', str(beside)])
    assert parsed.imports == [{'resource': 'a', 'id': 'b'},
                              {'resource': 'data', 'id': 'v-data'}]


@pytest.mark.parametrize(('arguments', 'text'), [
    (['--project', 's'], 'give no stack'),
    (['--project', '--filter', 'OS::Heat::Stack'], 'is no type'),
    (['s', '--filter', 'port'], '--filter needs --project'),
    (['s', '--out', 'f'], '--out needs --project'),
    (['-t', 't', 's', 'a'], 'with the ID of what exists'),
    (['s', '-t', 't'], 'Say what to import')])
def test_options_that_do_not_fit(command, arguments, text):
    with pytest.raises(exceptions.CommandError, match=text):
        run(command, *arguments)
