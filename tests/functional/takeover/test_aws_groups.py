"""Scaling groups of AWS that Heat has made: servers, and users with keys."""
import pytest

from heat.engine.clients.os.keystone import local_keystoneclient
from tests.fakes import heat_rows
from tests.functional import rest
from tests.functional.takeover import cloud
from tests.functional.takeover import world as world_module

MEMBERS = ('iq3kdu5hz6kc', 'xbv4bnw2qoli')
KINDS = {'aws': True, 'aws-legacy': False}
URL = 'http://cfn.test:8000/v1/signal/arn?Signature=of-heat'


def template(flavor='small'):
    """Return a template with a group, and a policy that makes it larger."""
    return {'AWSTemplateFormatVersion': '2010-09-09', 'Resources': {
        'config': {
            'Type': 'AWS::AutoScaling::LaunchConfiguration', 'Properties': {
                'ImageId': 'cirros', 'InstanceType': flavor}},
        'group': {
            'Type': 'AWS::AutoScaling::AutoScalingGroup', 'Properties': {
                'AvailabilityZones': ['nova'], 'MinSize': '1',
                'MaxSize': '3', 'Cooldown': '0',
                'LaunchConfigurationName': {'Ref': 'config'}}},
        'policy': {
            'Type': 'AWS::AutoScaling::ScalingPolicy', 'Properties': {
                'AutoScalingGroupName': {'Ref': 'group'}, 'Cooldown': '0',
                'AdjustmentType': 'ChangeInCapacity',
                'ScalingAdjustment': '1'}},
        'user': {'Type': 'AWS::IAM::User'},
        'keys': {'Type': 'AWS::IAM::AccessKey', 'Properties': {
            'UserName': {'Ref': 'user'}}}}}


def write(database, services, name, convergence):
    """Store a stack with a group of two servers."""
    whole = template()['Resources']
    stack = database.stack(name, database.template(template()),
                           convergence=convergence)
    config = stack.resource('config',
                            properties=whole['config']['Properties'])
    child_id = heat_rows.new_id()
    group = stack.resource(
        'group', physical=child_id, requires=(config,), metadata={
            'cooldown_end': {'2026-11-20T16:31:00': 'ExactCapacity : 2'},
            'scaling_in_progress': False}, properties={
                **whole['group']['Properties'],
                'LaunchConfigurationName': config.physical_name})
    policy = stack.resource(
        'policy', physical='user of policy', requires=(group,),
        data={'user_id': 'user of policy'}, secret={
            'access_key': 'a', 'secret_key': 's', 'credential_id': 'c',
            'ec2_signed_url': URL}, properties={
                **whole['policy']['Properties'],
                'AutoScalingGroupName': child_id})
    user = stack.resource('user', physical='user of user', properties={},
                          data={'user_id': 'user of user'}, secret={
                              'access_key': 'key', 'secret_key': 'secret',
                              'credential_id': 'credential'})
    keys = stack.resource(
        'keys', physical='key', requires=(user,), properties={
            'UserName': user.physical_name}, secret={
                'secret_key': 'secret', 'credential_id': 'credential'})
    _members(database, services, group, convergence)
    if convergence:
        stack.graph((group.update, config.update),
                    (policy.update, group.update),
                    (keys.update, user.update))
    return stack


def _members(database, services, group, convergence):
    """Store the child, in the words of Heat."""
    values = {'ImageId': 'cirros', 'InstanceType': 'small', 'Tags': [
        {'Key': 'metering.groupname', 'Value': 'group'},
        {'Key': 'metering.AutoScalingGroupName', 'Value': 'group'}]}
    child = database.stack(group.physical_name, database.template({
        'HeatTemplateFormatVersion': '2012-12-12',
        'Resources': {member: {'Type': 'OS::Heat::ScaledResource',
                               'Properties': values} for member in MEMBERS},
        'Outputs': {'references': {'Value': {
            member: {'Ref': member} for member in MEMBERS}}}}, env={
                'resource_registry': {
                    'OS::Heat::ScaledResource': 'AWS::EC2::Instance',
                    'resources': {}}}),
        stack_id=group.physical, convergence=convergence,
        parent=(group.stack, 'group'))
    rows = []
    for member in MEMBERS:
        server = services.compute.create_server(
            name=member, imageRef='cirros-id', flavorRef='small-id').id
        services.compute.things['server', server].update(
            _states=[], status='ACTIVE', task_state=None)
        rows.append(child.resource(member, physical=server,
                                   properties=values))
    if convergence:
        child.graph(*((row.update, None) for row in rows))
    group.stack.servers = {row.name: row.physical for row in rows}


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service."""
    services, gone = cloud.Cloud(), []
    with pytest.MonkeyPatch.context() as patch:
        services.use(patch)
        patch.setattr(
            local_keystoneclient.LocalKeystoneClient,
            'delete_stack_domain_user',
            lambda self, user_id, project_id: gone.append(user_id))

        def of_cloud(database):
            rows = {name: write(database, services, name, convergence)
                    for name, convergence in KINDS.items()}
            services.forget()
            return rows

        with world_module.serving(
                patch, tmp_path_factory.mktemp('heat'), of_cloud,
                cloud=services, gone=gone) as made:
            yield made


def members(stack):
    return {name: each['physical_resource_id'] for name, each
            in stack.nested('group').resources().items()}


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', KINDS)
def test_group_is_shown_as_before(world, name):
    stack, rows = world.stack(name), world.rows[name]
    assert not world_module.differing(
        stack.show(), world_module.expected_stack(rows))
    for one, row in rows.rows.items():
        assert not world_module.differing(
            stack.resource(one), world_module.expected_resource(row))
    assert members(stack) == rows.servers
    assert stack.resource('policy')['attributes'] == {'AlarmUrl': URL}
    assert stack.resource('keys')['attributes'] == {
        'UserName': rows.rows['user'].physical_name,
        'SecretAccessKey': 'secret'}
    shown = stack.nested('group').resource(MEMBERS[0])['attributes']
    assert set(shown) == {'AvailabilityZone', 'PrivateDnsName', 'PrivateIp',
                          'PublicDnsName', 'PublicIp'}
    assert world.cloud.changes() == []


@pytest.mark.parametrize('name', KINDS)
def test_servers_are_not_touched(world, name):
    stack = world.stack(name)
    stack.updated(template())
    assert members(stack) == world.rows[name].servers
    # New servers come of another launch configuration, present ones stay.
    stack.updated(template('large'))
    assert members(stack) == world.rows[name].servers
    assert world.cloud.changes() == []
    assert stack.resource('policy')['attributes'] == {'AlarmUrl': URL}


@pytest.mark.parametrize('name', KINDS)
def test_group_grows(world, name):
    stack = world.stack(name)
    stack.request('POST', 'resources/policy/signal', expect=200)
    rest.wait_for(lambda: len(members(stack)) == 3, lambda: members(stack))
    rest.wait_for(lambda: not stack.get('resources/group/metadata')[
        'metadata']['scaling_in_progress'], 'the end of scaling')
    assert world.rows[name].servers.items() < members(stack).items()


@pytest.mark.parametrize('name', KINDS)
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()


def test_nothing_is_left(world):
    assert world.left() == {}
    assert world.cloud.left() == []
    assert set(world.gone) == {'user of policy', 'user of user'}
