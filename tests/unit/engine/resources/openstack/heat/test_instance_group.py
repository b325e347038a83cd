"""What groups of servers do beside their servers."""
import types

import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine import grouputils
from heat.engine import nested_stack
from heat.engine import properties
from heat.engine import resource
from heat.engine.resources.aws.autoscaling import autoscaling_group
from heat.engine.resources.aws.autoscaling import launch_config
from heat.engine.resources.openstack.heat import instance_group
from heat.objects import resource as resource_objects
from tests.fakes import stacks

GROUP = """
resources:
  lc:
    type: AWS::AutoScaling::LaunchConfiguration
    properties: {ImageId: image, InstanceType: small, UserData: one}
  lb: {type: AWS::ElasticLoadBalancing::LoadBalancer}
  g:
    type: OS::Heat::InstanceGroup
    properties:
      AvailabilityZones: [nova]
      LaunchConfigurationName: {get_resource: lc}
      LoadBalancerNames: [{get_resource: lb}]
      Size: 2
"""
ROLLING = GROUP.replace('UserData: one', 'UserData: two') + """\
    update_policy: {RollingUpdate: {MaxBatchSize: 1}}
"""
EXAMPLE = """
resources:
  g:
    type: AWS::AutoScaling::AutoScalingGroup
    properties:
      AvailabilityZones: [nova]
      InstanceId: example
      MinSize: 1
      MaxSize: 2
      VPCZoneIdentifier: [net]
"""


class Balancer(resource.Resource):
    """A load balancer that remembers whom it was told of."""

    properties_schema = {'Instances': properties.Schema(
        properties.Schema.LIST, 'Members.', update_allowed=True)}
    told = []

    def handle_create(self):
        self.resource_id_set(self.name)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        self.told.append(prop_diff['Instances'])


class Instance(stacks.Thing):
    """A server of which only some properties matter."""

    properties_schema = {
        name: properties.Schema(kind, 'One of them.', update_allowed=True)
        for name, kind in (('ImageId', 'String'), ('InstanceType', 'String'),
                           ('KeyName', 'String'), ('UserData', 'String'),
                           ('SecurityGroups', 'List'), ('Tags', 'List'),
                           ('SubnetId', 'String'))}
    check_create_complete = check_update_complete = None

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        self._note('update')

    def handle_delete(self):
        self._note('delete')


class Anything:
    """A constraint that every value meets."""

    def validate(self, value, context):
        return True


class Nova:
    """A client plugin that knows one server."""

    def get_server(self, server_id):
        assert server_id == 'example'
        return types.SimpleNamespace(
            image={'id': 'image-1'}, flavor={'id': 'flavor-1'},
            key_name=None, security_groups=[{'name': 'web'}])


@pytest.fixture(params=['legacy', 'convergence'])
def engine(request, monkeypatch):
    made = stacks.Engine(
        monkeypatch, convergence=request.param == 'convergence')
    env = environment.global_env()
    for module in (instance_group, autoscaling_group, launch_config):
        for name, cls in module.resource_mapping().items():
            env.register_class(name, cls)
    env.register_class('AWS::ElasticLoadBalancing::LoadBalancer', Balancer)
    env.register_class('AWS::EC2::Instance', Instance)
    for name in ('glance.image', 'nova.flavor', 'nova.server'):
        env.register_constraint(name, Anything)
    monkeypatch.setattr(Balancer, 'told', [])
    for cls in (launch_config.LaunchConfiguration,
                autoscaling_group.AutoScalingGroup):
        monkeypatch.setattr(cls, 'client_plugin', lambda self, name=None: (
            Nova() if name == 'nova' else None))
    return made


def members(engine, stack):
    group = engine.reload(stack)['g']
    child = nested_stack.load(engine.context, group.resource_id)
    return {name: child.resources[name].FnGetRefId() for name in child}


def values(engine, stack):
    group = engine.reload(stack)['g']
    child = nested_stack.load(engine.context, group.resource_id)
    definitions = child.t.resource_definitions(None)
    return [defn.render_hot()['properties'] for defn in
            definitions.values()]


def test_load_balancers_learn_of_members(engine):
    stack = engine.create(GROUP)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    ids = set(members(engine, stack).values())
    assert [set(told) for told in Balancer.told] == [ids]
    stack = engine.update(stack, GROUP.replace('Size: 2', 'Size: 1'))
    left = set(members(engine, stack).values())
    assert len(left) == 1
    assert left < ids
    assert set(Balancer.told[-1]) == left


def test_members_that_are_changed_are_out_of_service(engine):
    stack = engine.create(GROUP)
    ids = set(members(engine, stack).values())
    Balancer.told.clear()
    stack = engine.update(stack, ROLLING)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    # Each of the two was taken out in its turn; in the end both serve.
    # (The template, which names none, is followed before that.)
    told = [frozenset(each) for each in Balancer.told if each is not None]
    assert {frozenset([each]) for each in ids} <= set(told)
    assert told[-1] == ids
    assert [each['UserData'] for each in values(engine, stack)] == [
        'two', 'two']


def test_only_load_balancers_balance(engine):
    with pytest.raises(exception.StackValidationFailed,
                       match='not a load balancer'):
        engine.stack(GROUP.replace('[{get_resource: lb}]',
                                   '[{get_resource: lc}]'))


def test_members_like_an_example(engine):
    stack = engine.create(EXAMPLE)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [member] = values(engine, stack)
    assert member['ImageId'] == 'image-1'
    assert member['InstanceType'] == 'flavor-1'
    assert member['SecurityGroups'] == ['web']
    assert member['SubnetId'] == 'net'
    assert 'KeyName' not in member


def test_one_subnet_at_most(engine):
    with pytest.raises(exception.NotSupported):
        engine.stack(EXAMPLE.replace('[net]', '[net, other]'))


def test_launch_configuration_like_an_example(engine):
    text = GROUP.replace('ImageId: image, InstanceType: small',
                         'InstanceId: example, InstanceType: large')
    stack = engine.create(text)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    member = values(engine, stack)[0]
    # What is given counts more than the example.
    assert member['InstanceType'] == 'large'
    assert member['ImageId'] == 'image-1'
    assert 'InstanceId' not in member


def test_launch_configuration_needs_image_and_flavor(engine):
    with pytest.raises(exception.StackValidationFailed, match='ImageId'):
        engine.stack(GROUP.replace('ImageId: image, ', ''))


def test_member_that_is_made_anew_stays_a_member(engine):
    stack = engine.create(GROUP)
    whole = engine.reload(stack)
    group = whole['g']
    child = nested_stack.load(engine.context, group.resource_id)
    names = set(grouputils.get_member_names(group))
    for member in child.resources.values():
        resource_objects.Resource.update_by_id(
            engine.context, member.id, {
                'action': 'DELETE', 'status': 'IN_PROGRESS'})
    whole = engine.reload(stack)
    group = whole['g']
    # A legacy stack has members in its template that are on their way out.
    assert {name for name, _definition in
            grouputils.get_member_definitions(group)} == (
        names if engine.convergence else set())
    assert grouputils.get_size(group) == (2 if engine.convergence else 0)
