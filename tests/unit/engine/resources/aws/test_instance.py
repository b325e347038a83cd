"""Servers of EC2 are servers of Nova."""
import base64

from keystoneauth1 import exceptions as ks_exceptions
from openstack import exceptions as sdk_exceptions
import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine import resource
from heat.engine.resources import scheduler_hints
from heat.engine.resources.aws.ec2 import instance
from heat.engine.rpc import formats

BASE = {'ImageId': 'cirros', 'InstanceType': 'small'}


@pytest.fixture
def engine(world):
    environment.global_env().register_class(
        'AWS::EC2::Instance', instance.Instance)
    return world.engine


def template(metadata=None, **properties):
    """Return a template with a server."""
    given = {key: value for key, value in {**BASE, **properties}.items()
             if value is not None}
    return 'resources:\n  server: %r\noutputs:\n%s' % (
        {'type': 'AWS::EC2::Instance', 'properties': given,
         **({'metadata': metadata} if metadata else {})},
        '\n'.join('  %s: {value: {get_attr: [server, %s]}}' % (name, name)
                  for name in ('PublicIp', 'PrivateIp', 'PublicDnsName')))


def created(engine, **properties):
    stack = engine.create(template(**properties))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    return stack


def test_server(engine, world):
    world.port()
    stack = created(
        engine, KeyName=None, AvailabilityZone='nova', UserData='#!/bin/sh',
        SecurityGroups=['web'], Tags=[{'Key': 'a', 'Value': 'b'}],
        NovaSchedulerHints=[{'Key': 'h', 'Value': '1'},
                            {'Key': 'h', 'Value': '2'},
                            {'Key': 'i', 'Value': '3'}])
    body = world.compute.body('create')
    assert body['imageRef'] == 'cirros-id'
    assert body['metadata'] == {'a': 'b'}
    assert body['availability_zone'] == 'nova'
    assert body['security_groups'] == [{'name': 'web-id'}]
    assert body['OS-SCH-HNT:scheduler_hints'] == {'h': ['1', '2'], 'i': '3'}
    assert b'#!/bin/sh' in base64.b64decode(body['user_data'])
    assert len(body['name']) <= 53
    # No networks are named, which newer versions do not understand.
    assert world.compute.versions == ['2.36']
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    engine.delete(stack)
    assert not world.compute.of('server')


def test_server_in_a_subnet(engine, world):
    stack = created(engine, SubnetId='net-subnet', SecurityGroupIds=['web'])
    [port] = world.network.of('port')
    assert (port['network_id'], port['security_groups']) == (
        'net', ['web-id'])
    assert world.attached(stack) == [port['id']]
    values = engine.values(stack)
    shown = formats.format_resource_attributes(stack['server'])
    assert shown.keys() == {'AvailabilityZone', 'PrivateDnsName',
                            'PrivateIp', 'PublicDnsName', 'PublicIp'}
    assert values.items() <= shown.items()
    address = port['fixed_ips'][0]['ip_address']
    assert values == {'PublicIp': address, 'PrivateIp': address,
                      'PublicDnsName': address}
    engine.delete(stack)
    assert not world.network.of('port')


def test_ports_in_the_order_of_devices(engine, world):
    one, two = world.port(), world.port()
    stack = created(engine, NetworkInterfaces=[
        {'NetworkInterfaceId': one, 'DeviceIndex': '1'},
        {'NetworkInterfaceId': two, 'DeviceIndex': '0'}])
    assert world.attached(stack) == [two, one]
    engine.delete(stack)
    assert len(world.network.of('port')) == 2, 'they are not ours'


def test_other_networks(engine, world):
    one = world.port()
    stack = created(engine, SubnetId='net-subnet')
    before = stack['server'].resource_id
    stack = engine.update(stack, template(NetworkInterfaces=[one]))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == before
    assert world.attached(stack) == [one]
    assert [port['id'] for port in world.network.of('port')] == [one]
    stack = engine.update(stack, template(SubnetId='other-subnet'))
    [attached] = world.attached(stack)
    assert world.network.things['port', attached]['network_id'] == 'other'
    engine.delete(stack)
    assert [port['id'] for port in world.network.of('port')] == [one]


def test_other_flavor_and_tags(engine, world):
    stack = created(engine, SubnetId='net-subnet',
                    Tags=[{'Key': 'a', 'Value': 'b'}])
    before = stack['server'].resource_id
    stack = engine.update(stack, template(
        SubnetId='net-subnet', InstanceType='large',
        Tags=[{'Key': 'c', 'Value': 'd'}], metadata={'k': 'v'}))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == before
    live = world.live(stack)
    assert live['flavor']['original_name'] == 'large'
    assert live['metadata'] == {'c': 'd'}
    assert stack['server'].metadata_get() == {'k': 'v'}


def test_other_image_is_another_server(engine, world):
    stack = created(engine, SubnetId='net-subnet')
    before = stack['server'].resource_id
    stack = engine.update(stack, template(SubnetId='net-subnet',
                                          ImageId='fedora'))
    assert stack['server'].resource_id != before
    assert len(world.compute.of('server')) == 1
    assert len(world.network.of('port')) == 1


def test_volumes(engine, world):
    for name in ('one', 'two'):
        world.storage.create_volume(id=name, name=name)
        world.storage.things['volume', name]['status'] = 'in-use'
    stack = created(engine, SubnetId='net-subnet', Volumes=[
        {'VolumeId': 'one', 'Device': '/dev/vdb'},
        {'VolumeId': 'two', 'Device': '/dev/vdc'}])
    assert [each['device'] for each in world.compute.of(
        'volume_attachment')] == ['/dev/vdb', '/dev/vdc']
    engine.delete(stack)


def test_volumes_of_snapshots(engine, world):
    world.storage.create_snapshot(id='s', name='s')
    created(engine, SubnetId='net-subnet', BlockDeviceMappings=[
        {'DeviceName': 'vdb', 'Ebs': {'SnapshotId': 's',
                                      'VolumeSize': '2'}}])
    disks = world.compute.body('create')['block_device_mapping_v2']
    assert [(disk['source_type'], disk['boot_index'], disk['uuid'])
            for disk in disks] == [('image', 0, 'cirros-id'),
                                   ('snapshot', -1, 's')]
    assert (disks[1]['volume_size'], disks[1]['device_name'],
            disks[1]['delete_on_termination']) == (2, 'vdb', True)


def test_server_that_fails(engine, world):
    world.compute.birth = [('BUILD', 'spawning'), ('ERROR', None)]
    stack = engine.create(template(SubnetId='net-subnet'))
    assert stack.state == ('CREATE', 'FAILED')
    engine.delete(stack)
    assert not world.compute.of('server')
    assert not world.network.of('port')


def test_suspend_and_resume(engine, world):
    stack = created(engine, SubnetId='net-subnet')
    for action in ('suspend', 'resume'):
        getattr(stack, action)()
        engine.pool.run()
        stack = engine.reload(stack)
        assert stack.state == (action.upper(), 'COMPLETE')


@pytest.mark.parametrize(('given', 'error'), [
    ({'NetworkInterfaces': ['p'], 'SecurityGroups': ['web']},
     exception.ResourcePropertyConflict),
    ({'BlockDeviceMappings': [{'DeviceName': 'vdb'}]},
     exception.StackValidationFailed),
    ({'BlockDeviceMappings': [{'DeviceName': 'vdb', 'Ebs': {
        'VolumeSize': '1'}}]}, exception.StackValidationFailed)])
def test_server_that_makes_no_sense(engine, given, error):
    with pytest.raises(error):
        engine.create(template(**given))


def test_replacement_takes_over_the_ports(engine, world):
    one = world.port()
    stack = created(engine, NetworkInterfaces=[one])
    before = stack['server'].resource_id
    stack = engine.update(stack, template(NetworkInterfaces=[one],
                                          ImageId='fedora'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id != before
    assert world.attached(stack) == [one]
    assert ('port', one) in world.network.things


def test_ports_come_back_from_a_replacement_that_failed(engine, world):
    one = world.port()
    stack = created(engine, NetworkInterfaces=[{'NetworkInterfaceId': one}])
    before = stack['server'].resource_id

    def refuse(**_request):
        raise sdk_exceptions.BadRequestException('no')
    world.compute.create_server = refuse
    stack = engine.update(stack, template(
        NetworkInterfaces=[{'NetworkInterfaceId': one}], ImageId='fedora'),
        disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == before
    assert world.attached(stack) == [one]


@pytest.mark.parametrize('service', ['compute', 'network'])
def test_what_is_made_though_the_answer_was_lost(engine, world, service):
    requests = getattr(world, service)
    name = {'compute': 'create_server', 'network': 'create_port'}[service]
    make = getattr(requests, name)

    def lose(**request):
        make(**request)
        raise ks_exceptions.ConnectFailure('closed')
    setattr(requests, name, lose)
    stack = engine.create(template(SubnetId='net-subnet'))
    assert stack.state == ('CREATE', 'FAILED')
    assert world.network.of('port')
    engine.delete(stack)
    assert not world.compute.of('server')
    assert not world.network.of('port')


def test_instances_have_the_published_bases_alone():
    assert instance.Instance.__bases__ == (
        resource.Resource, scheduler_hints.SchedulerHintsMixin)
