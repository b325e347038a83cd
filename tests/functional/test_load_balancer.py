"""Load balancers of AWS: nested stacks with HAProxy."""
import json

import pytest
import yaml

from heat.engine.resources.aws.autoscaling import autoscaling_group
from heat.engine.resources.aws.lb import haproxy
from heat.engine.resources.aws.lb import loadbalancer
from tests.functional import rest
from tests.functional import test_scaling as scaling

TYPE = 'AWS::ElasticLoadBalancing::LoadBalancer'
ADDRESSES = {'one': '10.0.0.1', 'two': '10.0.0.2', 'none': None}
#: A template as operators may have one: what serves is not a server here.
OWN = """
HeatTemplateFormatVersion: '2012-12-12'
Parameters:
  KeyName: {Type: String, Default: no key}
  SecurityGroups: {Type: CommaDelimitedList, Default: ''}
Resources:
  LB_instance:
    Type: OS::Heat::TestResource
    Metadata:
      AWS::CloudFormation::Init: {config: {files: {/etc/other: {content: x}}}}
    Properties:
      value: {'Fn::Join': ['/', [{Ref: KeyName},
                                 {'Fn::Join': [',', {Ref: SecurityGroups}]}]]}
Outputs:
  PublicIp: {Value: {'Fn::GetAtt': [LB_instance, output]}}
"""


no_cloud = scaling.no_cloud


class Nova:
    """Tells addresses."""

    def get_server(self, server_id):
        return server_id

    def server_to_ipaddress(self, server):
        return ADDRESSES.get(server, server)


@pytest.fixture
def own(conf, tmp_path, monkeypatch):
    """Have load balancers made of a template of the operator."""
    path = tmp_path / 'own.yaml'
    path.write_text(OWN)
    conf('loadbalancer_template', str(path))
    of_others = loadbalancer.LoadBalancer.client_plugin
    monkeypatch.setattr(
        loadbalancer.LoadBalancer, 'client_plugin',
        lambda self, name=None: Nova() if name == 'nova' else
        of_others(self, name))
    return path


def balanced(instances=('one',), listeners=None, **properties):
    return {
        'HeatTemplateFormatVersion': '2012-12-12',
        'Parameters': {'KeyName': {'Type': 'String', 'Default': 'ours'}},
        'Resources': {'lb': {'Type': TYPE, 'Properties': {
            'AvailabilityZones': ['nova'], 'Instances': list(instances),
            'Listeners': listeners or [{
                'InstancePort': 8080, 'LoadBalancerPort': 80,
                'Protocol': 'HTTP'}], **properties}}},
        'Outputs': {'name': {'Value': {'Ref': 'lb'}},
                    'address': {'Value': {'Fn::GetAtt': [
                        'lb', 'DNSName']}},
                    'zone': {'Value': {'Fn::GetAtt': [
                        'lb', 'CanonicalHostedZoneNameID']}}}}


def files(stack):
    metadata = stack.nested('lb').get(
        'resources/LB_instance/metadata')['metadata']
    return metadata['AWS::CloudFormation::Init']['config']['files']


CHECK = {'HealthyThreshold': 2, 'Interval': 30, 'Target': 'HTTP:8081/up',
         'Timeout': 5, 'UnhealthyThreshold': 4}


def test_load_balancer(driver, api, own):
    stack = api.created('s', balanced(SecurityGroups=['web', 'all'],
                                      HealthCheck=CHECK))
    assert stack.outputs()['name'] == 'lb'
    assert stack.outputs()['address'] == 'ours/web,all'
    assert stack.outputs()['zone'] == ''
    assert files(stack)['/etc/other']['content'] == 'x'
    text = files(stack)[haproxy.CONFIG_FILE]['content']
    assert '10.0.0.1:8080 check inter 30s fall 4 rise 2 port 8081' in text
    server = stack.nested('lb').physical('LB_instance')
    # Another member does not take another server.
    stack.updated(balanced(['one', 'two'], SecurityGroups=['web', 'all'],
                           HealthCheck=CHECK))
    assert '10.0.0.2:8080' in json.dumps(
        stack.nested('lb').get('template'))
    assert stack.nested('lb').physical('LB_instance') == server
    stack.deleted()


@pytest.fixture
def looked_at(monkeypatch):
    """Have somebody look at members of groups while these are resized."""
    group = autoscaling_group.AutoScalingGroup
    is_resized = group._is_resized

    def look_first(self):
        assert list(self.nested().values())
        return is_resized(self)

    monkeypatch.setattr(group, '_is_resized', look_first)


def test_members_of_a_group_that_scales(driver, api, own, no_cloud,
                                        looked_at):
    template = scaling.aws('AWS::AutoScaling::AutoScalingGroup', MinSize=1,
                           MaxSize=3, LoadBalancerNames=[{'Ref': 'lb'}])
    template['Resources'].update(balanced([])['Resources'])
    stack = api.created('s', template, files=scaling.FILES,
                        environment=scaling.ENVIRONMENT)

    def served():
        members = stack.nested('g').resources().values()
        text = json.dumps(stack.nested('lb').get('template'))
        return [each['physical_resource_id'] in text for each in members]

    assert served() == [True]
    scaling.signal(stack)
    rest.wait_for(lambda: served() == [True, True], served)
    scaling.wait_idle(stack)
    stack.deleted()


def test_member_without_an_address(driver, api, own):
    stack = api.create('s', balanced(['none']))
    stack.wait('CREATE_FAILED')
    assert 'none has no address' in stack.get()['stack']['stack_status_reason']


@pytest.mark.parametrize(('check', 'words'), [
    ({'Timeout': 40}, 'Interval must be larger'),
    ({'Target': 'SSL:443'}, 'must have the form HTTP'),
    ({'Target': 'HTTP:80/a b'}, 'must have the form HTTP'),
    ({'Target': 'HTTP:80/\nfoo'}, 'must have the form HTTP')])
def test_bad_checks(driver, api, own, check, words):
    answer = api.create('s', balanced(HealthCheck={**CHECK, **check}),
                        expect=400)
    assert words in answer.message


def test_template_that_is_missing(driver, api, own):
    own.unlink()
    answer = api.create('s', balanced(), expect=400)
    assert 'cannot be read' in answer.message
    assert str(own) not in answer.message


def test_template_without_the_server(driver, api, own):
    own.write_text(json.dumps({
        'HeatTemplateFormatVersion': '2012-12-12', 'Resources': {
            'other': {'Type': 'OS::Heat::TestResource'}}}))
    stack = api.create('s', balanced())
    stack.wait('CREATE_FAILED')
    assert 'LB_instance' in stack.get()['stack']['stack_status_reason']


def test_configuration():
    text = haproxy.configuration(
        [{'InstancePort': 8080, 'LoadBalancerPort': 80, 'Protocol': 'HTTP'},
         {'InstancePort': 5432, 'LoadBalancerPort': 5000,
          'Protocol': 'TCP'}], {**CHECK, 'Target': 'TCP:9000'},
        ['10.0.0.1', '10.0.0.2'])
    assert text.partition('timeout server 50s\n')[2] == """
frontend front80
    bind *:80
    mode http
    default_backend back80

backend back80
    mode http
    balance roundrobin
    option forwardfor
    timeout check 5s
    server server1 10.0.0.1:8080 check inter 30s fall 4 rise 2 port 9000
    server server2 10.0.0.2:8080 check inter 30s fall 4 rise 2 port 9000

frontend front5000
    bind *:5000
    mode tcp
    default_backend back5000

backend back5000
    mode tcp
    balance roundrobin
    timeout check 5s
    server server1 10.0.0.1:5432 check inter 30s fall 4 rise 2 port 9000
    server server2 10.0.0.2:5432 check inter 30s fall 4 rise 2 port 9000
"""


def test_the_template_of_the_service_has_the_file():
    made = haproxy.configured(yaml.safe_load(haproxy.TEMPLATE), 'text')
    assert made['resources'][haproxy.SERVER]['metadata'][
        'AWS::CloudFormation::Init']['config']['files'][
            haproxy.CONFIG_FILE]['content'] == 'text'
