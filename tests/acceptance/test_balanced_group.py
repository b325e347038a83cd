"""A group of servers behind a load balancer, as users of AWS have it."""
import json
import urllib.parse

import pytest
import requests

from tests.acceptance import leaks
from tests.acceptance import shared
from tests.acceptance import templates
from tests.acceptance import test_servers as servers

CONFIG = '/etc/haproxy/haproxy.cfg'


def balanced(subnet):
    """Return a template of a group, of a policy and of a load balancer."""
    return {
        'HeatTemplateFormatVersion': '2012-12-12',
        'Parameters': {name: {'Type': 'String', 'Default': value}
                       for name, value in (
                           ('LbImageId', templates.IMAGE),
                           ('LbFlavor', 'm1.nano'),
                           ('LbSubnetId', subnet))},
        'Resources': {
            'balancer': {
                'Type': 'AWS::ElasticLoadBalancing::LoadBalancer',
                'Properties': {
                    'AvailabilityZones': ['nova'],
                    'Listeners': [{'InstancePort': 8080, 'Protocol': 'HTTP',
                                   'LoadBalancerPort': 80}],
                    'HealthCheck': {
                        'HealthyThreshold': 2, 'Interval': 10,
                        'Target': 'HTTP:8080/health', 'Timeout': 5,
                        'UnhealthyThreshold': 3}}},
            'kind': {
                'Type': 'AWS::AutoScaling::LaunchConfiguration',
                'Properties': {'ImageId': templates.IMAGE,
                               'InstanceType': 'm1.nano'}},
            'group': {
                'Type': 'AWS::AutoScaling::AutoScalingGroup',
                'Properties': {
                    'AvailabilityZones': ['nova'], 'MinSize': 1,
                    'MaxSize': 3, 'VPCZoneIdentifier': [subnet],
                    'LaunchConfigurationName': {'Ref': 'kind'},
                    'LoadBalancerNames': [{'Ref': 'balancer'}]}},
            'grow': {
                'Type': 'AWS::AutoScaling::ScalingPolicy',
                'Properties': {
                    'AutoScalingGroupName': {'Ref': 'group'},
                    'AdjustmentType': 'ChangeInCapacity',
                    'ScalingAdjustment': 1}}},
        'Outputs': {
            'address': {'Value': {'Fn::GetAtt': ['balancer', 'DNSName']}},
            'members': {'Value': {'Fn::GetAtt': ['group',
                                                 'InstanceList']}},
            'grow': {'Value': {'Fn::GetAtt': ['grow', 'AlarmUrl']}}}}


def files_in(metadata):
    return {name: file['content'] for name, file in
            metadata['AWS::CloudFormation::Init']['config'][
                'files'].items()}


@pytest.fixture(scope='module')
def leak_check(project):
    """What there is besides the network of the project."""
    shared.thing(project, 'subnet')
    yield leaks.Check(project)
    shared.remove(project)


def test_balanced_group(deployment, stacks, tenant):
    network = tenant.connection('member').network
    subnet = shared.thing(tenant, 'subnet')
    path = stacks.create(f'{tenant.tag}-lb', balanced(subnet))
    [member] = stacks.outputs(path)['members'].split(',')
    inner = '/' + '/'.join(urllib.parse.urlsplit(
        next(link['href'] for link in stacks.resource(
            path, 'balancer')['links'] if link['rel'] == 'nested')
        ).path.split('/')[-3:])
    server = stacks.physical_ids(inner)['LB_instance']
    [port] = network.ports(device_id=server)
    address = port.fixed_ips[0]['ip_address']
    assert stacks.outputs(path)['address'] == address
    # What the server starts with was made before there were members.
    data = json.loads(servers.parts(servers.user_data(tenant, server))[
        'cfn-init-data'])
    assert CONFIG in files_in(data)

    def asked_for():
        """Return what cfn-hup in the server is told, with its own keys."""
        keys = dict(line.split('=', 1) for line in files_in(data)[
            '/etc/cfn/cfn-credentials'].splitlines())
        return files_in(servers.described({
            'metadata_url': deployment.cfn_url + '/',
            'stack_name': inner.split('/')[2], 'path': 'LB_instance',
            'access_key_id': keys['AWSAccessKeyId'],
            'secret_access_key': keys['AWSSecretKey']}))[CONFIG]

    def two_members():
        members = stacks.outputs(path)['members'].split(',')
        # That is a server which has no address yet.
        return len(members) == 2 and '0.0.0.0' not in members and members

    stacks.until(lambda: f'server1 {member}:8080' in asked_for())
    assert 'option httpchk GET /health' in asked_for()
    answer = requests.post(stacks.outputs(path)['grow'], timeout=60)
    assert answer.status_code == 200
    for each in stacks.until(two_members):
        stacks.until(lambda wanted=each: f' {wanted}:8080' in asked_for())
    assert stacks.physical_ids(inner)['LB_instance'] == server
    stacks.delete(path)
