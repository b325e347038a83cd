"""A network of EC2 with a way out, and a server that takes another's place.
"""
from tests.acceptance import templates
from tests.acceptance.templates import attr
from tests.acceptance.templates import hot
from tests.acceptance.templates import ref


def _resource(kind, **properties):
    return {'type': f'AWS::EC2::{kind}', 'properties': properties}


def world(gateway, user_data):
    """Return a template of all that a server needs to be reached."""
    return hot({
        'net': _resource('VPC', CidrBlock='10.7.0.0/16'),
        'subnet': _resource('Subnet', VpcId=ref('net'),
                            CidrBlock='10.7.0.0/24'),
        'table': _resource('RouteTable', VpcId=ref('net')),
        'routed': _resource('SubnetRouteTableAssociation',
                            RouteTableId=ref('table'), SubnetId=ref('subnet')),
        'gateway': _resource('InternetGateway'),
        'other_gateway': _resource('InternetGateway'),
        'attachment': _resource('VPCGatewayAttachment', VpcId=ref('net'),
                                InternetGatewayId=ref(gateway)),
        'card': _resource('NetworkInterface', SubnetId=ref('subnet')),
        'server': _resource(
            'Instance', ImageId=templates.IMAGE, InstanceType='m1.nano',
            UserData=user_data, NetworkInterfaces=[
                {'NetworkInterfaceId': ref('card'), 'DeviceIndex': '0'}]),
        'address': _resource('EIP'),
        'leads': _resource(
            'EIPAssociation', AllocationId=attr('address', 'AllocationId'),
            NetworkInterfaceId=ref('card')),
    })


def test_replacements(stacks, tenant):
    network = tenant.connection('member').network

    def require_reached(ids):
        assert network.get_port(ids['card']).device_id == ids['server']
        assert network.get_ip(ids['address']).port_id == ids['card']
        assert network.get_ip(ids['address']).router_id == ids['table']
        assert network.get_router(ids['table']).external_gateway_info

    path = stacks.create(f'{tenant.tag}-ec2', world('gateway', 'one'))
    before = stacks.physical_ids(path)
    require_reached(before)
    stacks.update(path, world('other_gateway', 'two'))
    after = stacks.physical_ids(path)
    assert {name for name in before if before[name] != after[name]} == {
        'attachment', 'server'}
    require_reached(after)
    # It is the old one again if the new one cannot be.
    stacks.update(path, world('gateway', '#' * 70000), wait=False,
                  disable_rollback=False)
    stacks.wait(path, 'ROLLBACK_COMPLETE')
    assert stacks.physical_ids(path)['server'] == after['server']
    require_reached(stacks.physical_ids(path))
    stacks.delete(path)
