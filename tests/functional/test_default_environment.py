"""The environment and the templates that are shipped in etc/heat."""
import json

import pytest
import yaml

from heat.engine import environment
from tests.fakes import recorded_types
from tests.fakes import schema
from tests.functional import rest
from tests.functional import service as service_module

ETC = service_module.ROOT / 'etc/heat'
FACTS = json.loads((schema.FACTS / 'resource_types.json').read_text())

ALARM = {'Type': 'AWS::CloudWatch::Alarm', 'Properties': {
    'AlarmDescription': 'Busy', 'MetricName': 'cpu',
    'Namespace': 'AWS/EC2', 'Statistic': 'Average', 'Period': '300',
    'EvaluationPeriods': '2', 'Threshold': '80',
    'ComparisonOperator': 'GreaterThanThreshold',
    'AlarmActions': ['http://scale.test/up'],
    'Dimensions': [{'Name': 'server_group', 'Value': 'g'}]}}
DATABASE = {'Type': 'AWS::RDS::DBInstance', 'Properties': {
    'AllocatedStorage': '10', 'DBInstanceClass': 'm1.small',
    'DBName': 'wordpress', 'Engine': 'MySQL', 'MasterUsername': 'admin',
    'MasterUserPassword': 'geheim-123'}}


def cfn(resources, outputs=()):
    return {'AWSTemplateFormatVersion': '2010-09-09', 'Resources': resources,
            'Outputs': {name: {'Value': value}
                        for name, value in dict(outputs).items()}}


@pytest.fixture(scope='module')
def service():
    """A service that reads what is shipped."""
    with pytest.MonkeyPatch.context() as patch:
        running = service_module.Service(
            patch, environment_dir=str(ETC / 'environment.d'),
            template_dir=str(ETC / 'templates'))
        running.start()
        # There is no cloud that could be asked.
        for name in ('nova.flavor', 'glance.image'):
            environment.global_env().register_constraint(
                name, recorded_types.AnythingGoes)
        for name in ('OS::Nova::Server',
                     'OS::Aodh::GnocchiAggregationByResourcesAlarm'):
            environment.global_env().register_class(
                name, recorded_types.classes()[name])
        yield running
        running.stop()


@pytest.fixture
def api(service):
    return rest.Client(service.application, 'project')


def test_the_shipped_registry_is_the_recorded_one():
    shipped = yaml.safe_load((ETC / 'environment.d/default.yaml')
                             .read_text())['resource_registry']
    assert shipped == {
        **{name: alias['target'] for name, alias in FACTS['aliases'].items()},
        **{name: found['template_name'].rpartition('/')[2]
           for name, found in FACTS['template_types'].items()}}


def test_template_types_have_the_properties_of_aws(api):
    shown = api.get('resource_types/AWS::RDS::DBInstance')
    assert set(DATABASE['Properties']) <= set(shown['properties'])
    assert set(shown['attributes']) >= {'Endpoint.Address', 'Endpoint.Port'}
    shown = api.get('resource_types/AWS::CloudWatch::Alarm')
    assert set(ALARM['Properties']) <= set(shown['properties'])


def test_aliases_lead_to_their_types(service):
    registry = environment.global_env().registry
    for name in ('OS::Quantum::Net', 'OS::Quantum::Subnet'):
        assert registry.get_class(name) is registry.get_class(
            name.replace('Quantum', 'Neutron'))
    alias = 'OS::Ceilometer::GnocchiAggregationByResourcesAlarm'
    assert registry.get_class(alias) is registry.get_class(
        alias.replace('Ceilometer', 'Aodh'))


def previewed(api, template, **body):
    """Return the properties of what a nested stack would make, by name."""
    api.post('validate', {'template': template})
    found = api.post('stacks/preview', {
        'stack_name': 's', 'template': template, **body})['stack']
    return {each['resource_name']: each['properties']
            for inside in found['resources'] for each in inside}


def test_a_stack_with_a_database_is_valid(api):
    made = previewed(api, cfn({'db': DATABASE}, {
        'host': {'Fn::GetAtt': ['db', 'Endpoint.Address']},
        'port': {'Fn::GetAtt': ['db', 'Endpoint.Port']}}))
    assert set(made) == {'handle', 'ready', 'configuration', 'server'}
    server = made['server']
    assert server['flavor'] == 'm1.small'
    assert server['availability_zone'] is None
    disk, = server['block_device_mapping_v2']
    assert (disk['volume_size'], disk['image']) == (10, 'debian-12')


def test_a_user_chooses_the_image_of_databases(api):
    made = previewed(api, cfn({'db': DATABASE}), environment={
        'parameter_defaults': {'DBImage': 'mine'}})
    assert made['server']['block_device_mapping_v2'][0]['image'] == 'mine'


def test_a_stack_with_an_alarm_is_valid(api):
    made = previewed(api, cfn({'alarm': ALARM}))
    alarm = made['alarm']
    assert json.loads(alarm['query']) == {'and': [
        {'=': {'project_id': 'project'}}, {'=': {'server_group': 'g'}}]}
    assert {name: alarm[name] for name in (
        'aggregation_method', 'comparison_operator', 'resource_type',
        'metric', 'threshold', 'granularity', 'evaluation_periods',
        'alarm_actions', 'enabled')} == {
            'aggregation_method': 'mean', 'comparison_operator': 'gt',
            'resource_type': 'instance', 'metric': 'cpu', 'threshold': 80,
            'granularity': 300, 'evaluation_periods': 2,
            'alarm_actions': ['http://scale.test/up'], 'enabled': True}


def test_wrong_properties_are_refused(api):
    wrong = {**DATABASE, 'Properties': {
        **DATABASE['Properties'], 'MasterUserPassword': "it's-quoted"}}
    answer = api.request('POST', 'stacks', {
        'stack_name': 's', 'template': cfn({'db': wrong})}, expect=400)
    assert 'MasterUserPassword' in answer.message
    assert 'quoted' not in answer.message
