"""What can be asked without a stack; software configs and deployments."""
import json

import pytest

from tests.functional import rest
from tests.functional import service as service_module
from tests.functional.templates import hot
from tests.functional.templates import thing

FACTS = service_module.ROOT / 'tests' / 'facts'
TYPES = ['OS::Heat::Delay', 'OS::Heat::None', 'OS::Heat::RandomString',
         'OS::Heat::ResourceGroup', 'OS::Heat::Stack',
         'OS::Heat::TestResource', 'OS::Heat::Value']


def test_resource_types(api):
    found = api.get('resource_types')['resource_types']
    assert set(TYPES) | {'Test::Thing'} <= set(found)
    assert found == sorted(found)
    assert api.get('resource_types', name='OS::Heat::R')[
        'resource_types'] == [name for name in found
                              if name.startswith('OS::Heat::R')]
    assert api.get('resource_types', name='[') == {'resource_types': []}
    [described] = api.get('resource_types', name='Test::Thing',
                          with_description='true')['resource_types']
    assert described['resource_type'] == 'Test::Thing'
    assert described['description'].startswith('Something that is there')
    assert api.get('resource_types', support_status='DEPRECATED')[
        'resource_types'] == []
    answer = api.request('GET', 'resource_types', support_status='x')
    assert (answer.status, answer.error) == (400, 'Invalid')


@pytest.mark.parametrize('name', TYPES)
def test_schema_is_that_of_the_facts(api, name):
    facts = json.loads((FACTS / 'resource_types.json').read_text())[
        'types'][name]
    shown = api.get(f'resource_types/{name}')
    assert shown['resource_type'] == name
    assert shown['properties'].keys() == facts['properties'].keys()
    assert shown['attributes'].keys() == facts['attributes'].keys()
    assert shown['support_status']['status'] == 'SUPPORTED'


def test_unknown_type(api):
    for path in ('resource_types/Nobody', 'resource_types/Nobody/template'):
        answer = api.request('GET', path)
        assert (answer.status, answer.error) == (404, 'EntityNotFound')


@pytest.mark.parametrize(('kind', 'key'), [
    (None, 'HeatTemplateFormatVersion'), ('cfn', 'HeatTemplateFormatVersion'),
    ('hot', 'heat_template_version')])
@pytest.mark.parametrize('name', [*TYPES, 'Test::Thing'])
def test_template_of_a_type(api, name, kind, key):
    template = api.get(f'resource_types/{name}/template',
                       **({'template_type': kind} if kind else {}))
    assert key in template
    # It is one: what the type needs are parameters without default.
    answer = api.request('POST', 'validate', {'template': template})
    assert answer.status == 200, answer.message


def test_wrong_template_type(api):
    answer = api.request('GET', 'resource_types/Test::Thing/template',
                         template_type='x')
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')


def test_template_versions(api):
    facts = json.loads((FACTS / 'hot_versions.json').read_text())
    found = api.get('template_versions')['template_versions']
    versions = {each['version']: each for each in found}
    assert len(versions) == len(facts['versions']) == 13
    assert versions['heat_template_version.2018-08-31']['aliases'] == [
        'heat_template_version.rocky']
    assert versions['AWSTemplateFormatVersion.2010-09-09']['type'] == 'cfn'
    for version in versions:
        path = f'template_versions/{version}/functions'
        names = [each['functions'] for each in
                 api.get(path)['template_functions']]
        assert names == sorted(names)
        assert names
        more = api.get(path, with_condition_func='true')
        assert len(more['template_functions']) >= len(names)
    answer = api.request('GET', 'template_versions/x.y/functions')
    assert (answer.status, answer.error) == (404, 'NotFound')


def test_descriptions_of_functions(api):
    """Clients match the text of one of them."""
    for version in ('heat_template_version.2013-05-23',
                    'heat_template_version.2021-04-16'):
        found = {each['functions']: each['description'] for each in api.get(
            f'template_versions/{version}/functions')['template_functions']}
        assert found['get_file'] == 'A function for including a file inline.'
        assert all(text.strip() for text in found.values())


def test_build_info_and_services(api, service):
    assert api.get('build_info') == {'api': {'revision': 'unknown'},
                                     'engine': {'revision': 'unknown'}}
    [shown] = api.get('services')['services']
    assert shown['status'] == 'up'
    assert shown['engine_id'] == service.engine.engine_id
    assert set(shown) == {
        'id', 'engine_id', 'host', 'hostname', 'binary', 'topic',
        'report_interval', 'created_at', 'updated_at', 'deleted_at',
        'status'}


def load_of(api):
    [shown] = api.get('services', with_load='true')['services']
    return shown['load']


def test_services_with_their_load(driver, api, gate):
    stack = api.create('s', hot({'a': thing(gate=gate)}))
    rest.wait_for(lambda: load_of(api)['stacks'] >= 1, 'a stack in hand')
    # The task is ready, and does not wait, while its resource polls the gate.
    rest.wait_for(lambda: load_of(api)['tasks_waiting'] >= 1,
                  'a task that waits')
    gate.open()
    stack.wait('CREATE_COMPLETE')
    rest.wait_for(lambda: load_of(api)['stacks'] == 0, 'nothing to do')
    load = load_of(api)
    done = load.pop('metrics')
    assert load == {
        'tasks_ready': 0, 'tasks_waiting': 0, 'resources_in_flight': 0,
        'resources_queued': 0, 'writes_queued': 0, 'stacks': 0}
    assert done['actions_done'] >= 1
    assert done['actions_per_second'] > 0
    assert done['sql_statements'] > 0


def test_permissions(api):
    found = api.get('permissions')['permissions']
    assert found == sorted(found)
    assert {'stacks:delete', 'actions:check', 'drift:detect'} <= set(found)
    assert 'stacks:global_index' not in found


# -- validate ---------------------------------------------------------------

PARAMETERS = {
    's': {'type': 'string', 'label': 'A text', 'description': 'Of words.',
          'default': 'abc', 'hidden': False, 'tags': ['x'],
          'constraints': [
              {'length': {'min': 1, 'max': 9}, 'description': 'Short.'},
              {'allowed_pattern': '[a-z]+'},
              {'allowed_values': ['abc', 'def']}]},
    'n': {'type': 'number', 'constraints': [
        {'range': {'min': 1, 'max': 7}}, {'modulo': {'step': 2,
                                                     'offset': 1}}]},
    'l': {'type': 'comma_delimited_list', 'default': ['a', 'b']},
    'j': {'type': 'json', 'default': {'a': 1}},
    'b': {'type': 'boolean', 'default': True},
    'h': {'type': 'string', 'hidden': True, 'default': 'secret'},
    'c': {'type': 'string', 'default': '10.0.0.0/8',
          'constraints': [{'custom_constraint': 'net_cidr'}]},
}


def test_validate(api):
    found = api.post('validate', {'template': hot(
        {'a': thing()}, description='Checked.', parameters=PARAMETERS,
        parameter_groups=[{'label': 'All', 'description': 'Of them.',
                           'parameters': ['s', 'n']}]),
        'parameters': {'n': 3}})
    assert found['Description'] == 'Checked.'
    assert found['ParameterGroups'] == [{
        'label': 'All', 'description': 'Of them.',
        'parameters': ['s', 'n']}]
    assert found['Environment']['parameters'] == {'n': 3}
    parameters = found['Parameters']
    assert parameters['s'] == {
        'Type': 'String', 'Label': 'A text', 'Description': 'Of words.',
        'NoEcho': 'false', 'Default': 'abc',
        'MinLength': 1, 'MaxLength': 9, 'AllowedPattern': '[a-z]+',
        'AllowedValues': ['abc', 'def'], 'ConstraintDescription': 'Short.',
        'Tags': ['x']}
    assert parameters['n']['Type'] == 'Number'
    assert (parameters['n']['MinValue'], parameters['n']['MaxValue']) == (
        1, 7)
    assert (parameters['n']['Step'], parameters['n']['Offset']) == (2, 1)
    assert parameters['n']['Value'] == 3
    assert {name: parameters[name]['Type'] for name in 'ljb'} == {
        'l': 'CommaDelimitedList', 'j': 'Json', 'b': 'Boolean'}
    assert parameters['h']['NoEcho'] == 'true'
    # The template is the caller's own text.
    assert found['Parameters']['h']['Default'] == 'secret'
    assert parameters['c']['CustomConstraint'] == 'net_cidr'


def test_validate_shows_nested(api):
    inner = ('heat_template_version: 2018-08-31\n'
             'description: Inside.\n'
             'parameters: {p: {type: string, default: x}}\n')
    body = {'template': hot({'n': {'type': 'inner.yaml'}}),
            'files': {'inner.yaml': inner}}
    assert 'NestedParameters' not in api.post('validate', body)
    found = api.post('validate', body, show_nested='true')
    nested = found['NestedParameters']['n']
    assert nested['Type'] == 'inner.yaml'
    assert nested['Description'] == 'Inside.'
    assert nested['Parameters']['p']['Default'] == 'x'


def test_validate_needs_no_values(api):
    api.post('validate', {'template': hot(
        {'a': thing(value={'get_param': 'p'})},
        parameters={'p': {'type': 'string'}})})


def test_ignored_errors(api):
    body = {'template': hot({'a': thing()})}
    api.post('validate', body, ignore_errors='99001')
    answer = api.request('POST', 'validate', body, ignore_errors='1,2')
    assert answer.status == 400


# -- software configs and deployments ---------------------------------------

CONFIG = {
    'name': 'c', 'group': 'script', 'config': '#!/bin/sh',
    'inputs': [{'name': 'i', 'type': 'String', 'default': 'x'}],
    'outputs': [{'name': 'o', 'error_output': True}],
    'options': {'k': 'v'}}


@pytest.fixture
def config(api):
    """Return a stored software config."""
    return api.post('software_configs', CONFIG)['software_config']


def test_software_config(api, config):
    assert set(config) == {'id', 'name', 'group', 'config', 'inputs',
                           'outputs', 'options', 'creation_time'}
    assert config['config'] == '#!/bin/sh'
    assert config['inputs'][0]['name'] == 'i'
    path = f'software_configs/{config["id"]}'
    assert api.get(path) == {'software_config': config}
    [listed] = api.get('software_configs')['software_configs']
    assert listed == {key: config[key] for key in (
        'id', 'name', 'group', 'creation_time')} | {
            'project': api.project}
    api.request('DELETE', path, expect=204)
    for method in ('GET', 'DELETE'):
        answer = api.request(method, path)
        assert (answer.status, answer.error) == (404, 'NotFound')
    assert api.get('software_configs') == {'software_configs': []}


@pytest.mark.parametrize('body', [
    {**CONFIG, 'inputs': 'x'}, {**CONFIG, 'inputs': ['x']},
    {**CONFIG, 'inputs': [{'nom': 'x'}]}, {**CONFIG, 'outputs': {'a': 1}},
    {**CONFIG, 'outputs': [{'name': 'x', 'colour': 'red'}]}])
def test_wrong_software_configs(api, body):
    answer = api.request('POST', 'software_configs', body)
    assert answer.status == 400
    assert api.get('software_configs') == {'software_configs': []}


def test_deployment(api, config):
    body = {'config_id': config['id'], 'server_id': 's1',
            'action': 'CREATE', 'status': 'IN_PROGRESS',
            'status_reason': 'begun', 'input_values': {'i': 'y'}}
    made = api.post('software_deployments', body)['software_deployment']
    path = f'software_deployments/{made["id"]}'
    assert api.get(path) == {'software_deployment': made}
    assert made['config_id'] == config['id']
    assert made['input_values'] == {'i': 'y'}
    assert [each['id'] for each in api.get(
        'software_deployments', server_id='s1')[
            'software_deployments']] == [made['id']]
    assert api.get('software_deployments', server_id='s2') == {
        'software_deployments': []}
    [metadata] = api.get('software_deployments/metadata/s1')['metadata']
    assert metadata['config'] == '#!/bin/sh'
    changed = api.request('PUT', path, {
        'status': 'COMPLETE', 'output_values': {'o': 'z'}},
        expect=200).json['software_deployment']
    assert (changed['status'], changed['output_values']) == (
        'COMPLETE', {'o': 'z'})
    answer = api.request('DELETE', f'software_configs/{config["id"]}')
    assert (answer.status, answer.error) == (409, 'SoftwareConfigInUse')
    api.request('DELETE', path, expect=204)
    for method, sent in (('GET', None), ('DELETE', None), ('PUT', {})):
        answer = api.request(method, path, sent)
        assert (answer.status, answer.error) == (404, 'NotFound')
    api.request('DELETE', f'software_configs/{config["id"]}', expect=204)


def test_projects_keep_to_themselves(api, config, rules, service):
    rules(context_is_admin='role:cloud_admin')
    deployment = api.post('software_deployments', {
        'config_id': config['id'], 'server_id': 's'})['software_deployment']
    other = type(api)(service.application, 'other')
    for path in (f'software_deployments/{deployment["id"]}',
                 f'software_configs/{config["id"]}'):
        for method in ('GET', 'DELETE'):
            answer = other.request(method, path)
            assert (answer.status, answer.error) == (404, 'NotFound')
        api.get(path)
    assert other.get('software_configs') == {'software_configs': []}


def test_deployment_of_unknown_config(api):
    answer = api.request('POST', 'software_deployments', {
        'config_id': 'x', 'server_id': 's'})
    assert (answer.status, answer.error) == (404, 'NotFound')


@pytest.mark.parametrize('changes', [
    {'server_id': None}, {'stack_user_project_id': 'x' * 65},
    {'input_values': 'x'}, {'action': 1}])
def test_wrong_deployments(api, config, changes):
    answer = api.request('POST', 'software_deployments', {
        'config_id': config['id'], 'server_id': 's', **changes})
    assert answer.status == 400
    assert api.get('software_deployments') == {'software_deployments': []}


@pytest.mark.parametrize(('option', 'kind'), [
    ('max_software_configs_per_tenant', 'software_configs'),
    ('max_software_deployments_per_tenant', 'software_deployments')])
def test_limits(api, config, conf, rules, option, kind):
    rules(context_is_admin='role:cloud_admin')
    conf(option, 0 if kind == 'software_deployments' else 1)
    body = {**CONFIG, 'config_id': config['id'], 'server_id': 's'}
    answer = api.request('POST', kind, body)
    assert (answer.status, answer.error) == (400, 'RequestLimitExceeded')


def test_template_of_a_type_whose_service_is_not_there(api):
    """It may be meant for another place."""
    answer = api.request('GET', 'resource_types/AWS::S3::Bucket')
    assert (answer.status, answer.error) == (400, 'ResourceTypeUnavailable')
    found = api.get('resource_types/AWS::S3::Bucket/template')
    assert [each['Type'] for each in found['Resources'].values()] == [
        'AWS::S3::Bucket']


def test_types_whose_service_is_missing_can_be_listed(api, conf):
    name = 'AWS::S3::Bucket'
    assert api.get('resource_types', name=name)['resource_types'] == []
    conf('list_unavailable_types', True)
    assert api.get('resource_types', name=name)['resource_types'] == [name]
    [described] = api.get('resource_types', name=name,
                          with_description='true')['resource_types']
    assert described['description'].startswith('Needs the service swift. ')
    shown = api.get(f'resource_types/{name}')
    assert shown['support_status']['message'].startswith(
        'Needs the service swift.')
    assert shown['properties']
    [usable] = api.get('resource_types', name='Test::Thing',
                       with_description='true')['resource_types']
    assert usable['description'].startswith('Something that is there')
