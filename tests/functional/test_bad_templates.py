"""What is wrong with a template or its values is said, and not stored."""
import sqlite3

import pytest

from tests.functional.templates import hot
from tests.functional.templates import param
from tests.functional.templates import thing

TABLES = ('stack', 'raw_template', 'raw_template_files', 'resource',
          'resource_properties_data', 'event', 'user_creds', 'stack_tag',
          'sync_point', 'stack_lock')


@pytest.fixture
def refused(api, service):
    """Return a function that has a stack refused, with nothing stored."""
    path = service.database.removeprefix('sqlite:///')

    def counts():
        connection = sqlite3.connect(path)
        try:
            return {table: connection.execute(
                f'SELECT COUNT(*) FROM {table}').fetchone()
                for table in TABLES}
        finally:
            connection.close()

    def refuse(template, error, *texts, status=400, **kwargs):
        before = counts()
        for path_, body in (
                ('stacks', {'stack_name': 's', 'template': template}),
                ('stacks/preview', {'stack_name': 's',
                                    'template': template})):
            answer = api.request('POST', path_, {**body, **kwargs})
            assert answer.status == status, answer
            assert answer.error == error, answer.message
            assert answer.json['error']['traceback'] is None
            assert answer.json['code'] == status
            for text in texts:
                assert text in answer.message
        assert counts() == before
        return answer.message

    return refuse


# -- form -------------------------------------------------------------------

@pytest.mark.parametrize(('text', 'place'), [
    ('heat_template_version: 2018-08-31\nresources: {a: [b}\n', 'line 2'),
    ('heat_template_version: 2018-08-31\nresources:\n\ta: b\n', 'line 3'),
    ('a: b\nc: "d\n', 'line'),
    ('{"heat_template_version": "2018-08-31",\n "resources" {}}', 'line 2')])
def test_malformed_text(refused, text, place):
    message = refused(text, 'HTTPBadRequest', place)
    assert 'column' in message


@pytest.mark.parametrize('text', ['', 'just words', '- a\n- b\n', '42'])
def test_text_that_is_no_map(refused, text):
    refused(text, 'HTTPBadRequest')


@pytest.mark.parametrize('template', [
    {}, {'resources': {}}, {'heat_template_version': '2011-01-01'},
    {'heat_template_version': None}, {'heat_template_version': ['x']},
    {'AWSTemplateFormatVersion': '2018-08-31'}])
def test_versions(refused, template):
    refused(template, 'InvalidTemplateVersion')


def test_two_versions(refused):
    refused({'heat_template_version': '2018-08-31',
             'HeatTemplateFormatVersion': '2012-12-12'},
            'InvalidTemplateVersion')


def test_unknown_section(refused):
    refused(hot(resource={}), 'InvalidTemplateSection', 'resource')
    refused(hot(version='2013-05-23', conditions={}),
            'InvalidTemplateSection', 'conditions')


# -- resources --------------------------------------------------------------

@pytest.mark.parametrize(('resource', 'texts'), [
    (thing(type='Test::Thin'), ['Test::Thin', 'a']),
    ({'type': None}, ['resources.a']),
    ({}, ['resources.a']),
    ({'type': 'Test::Thing', 'colour': 'red'}, ['resources.a', 'colour']),
    ({'type': 'Test::Thing', 'properties': []},
     ['resources.a.properties']),
    ({'type': 'Test::Thing', 'metadata': []}, ['resources.a.metadata']),
    ({'type': 'Test::Thing', 'deletion_policy': 'Burn'},
     ['resources.a', 'Burn']),
    (thing(valeu='x'), ['resources.a.properties', 'valeu']),
    (thing(flaky='x'), ['resources.a.properties.flaky']),
    (thing(flaky=10), ['resources.a.properties.flaky', '10']),
    (thing(fail=['EAT']), ['resources.a.properties.fail', 'EAT']),
    (thing(fail={'a': 'b'}), ['resources.a.properties.fail']),
    (thing(value={'a': {'b': 'c'}}), ['resources.a.properties.value']),
    (thing(value={'get_atr': ['a', 'b']}), ['resources.a']),
    (thing(value={'get_file': 'missing'}), ['missing']),
    (thing(value={'str_replace': {'template': 'x'}}),
     ['resources.a.properties.value']),
    (thing(value={'list_join': 'x'}), ['resources.a.properties.value']),
])
def test_wrong_resources(refused, resource, texts):
    refused(hot({'a': resource}), 'StackValidationFailed', *texts)


def test_sections_that_are_no_maps(refused):
    for section in ('resources', 'parameters', 'outputs', 'conditions'):
        answer = refused(hot(**{section: ['x']}), 'StackValidationFailed')
        assert section in answer


def test_missing_property(refused):
    refused(hot({'a': {'type': 'OS::Heat::ResourceGroup',
                       'properties': {}}}),
            'StackValidationFailed', 'resource_def')


def test_unknown_names(refused):
    refused(hot({'a': thing(value={'get_resource': 'b'})}),
            'InvalidTemplateReference', 'b', 'resources.a')
    refused(hot({'a': thing(depends_on='b')}),
            'InvalidTemplateReference', 'b', 'resources.a')
    refused(hot({'a': thing(value={'get_attr': ['b', 'value']})}),
            'InvalidTemplateReference', 'b', 'resources.a')
    refused(hot({'a': thing(), 'b': thing(value={
        'get_attr': ['a', 'wert']})}), 'StackValidationFailed', 'wert')
    refused(hot({'a': thing()}, outputs={
        'o': {'value': {'get_attr': ['a', 'wert']}}}),
        'StackValidationFailed', 'wert', 'outputs.o')
    refused(hot({'a': thing(value=param('p'))}), 'StackValidationFailed',
            'p', 'resources.a.properties.value')
    refused(hot({'a': {**thing(), 'condition': 'c'}}),
            'StackValidationFailed', 'c')


def test_circles(refused):
    message = refused(hot({
        'a': thing(depends_on='b'), 'b': thing(depends_on='c'),
        'c': thing(value={'get_resource': 'a'}), 'd': thing('a')}),
        'CircularDependencyException')
    assert all(f'"{name}"' in message or name in message
               for name in 'abc')
    refused(hot({'a': thing(depends_on='a')}),
            'CircularDependencyException', 'a')


def test_wrong_outputs(refused):
    refused(hot(outputs={'o': {'worth': 1}}), 'StackValidationFailed', 'o')
    refused(hot(outputs={'o': 'x'}), 'StackValidationFailed', 'o')


# -- parameters -------------------------------------------------------------

@pytest.mark.parametrize(('schema', 'value', 'texts'), [
    ({'type': 'number'}, 'x', ['p', 'x']),
    ({'type': 'boolean'}, 'perhaps', ['p', 'perhaps']),
    ({'type': 'json'}, '{x', ['p']),
    ({'type': 'comma_delimited_list'}, {'a': 1}, ['p']),
    ({'type': 'string', 'constraints': [{'length': {'min': 3}}]}, 'ab',
     ['p', '2']),
    ({'type': 'string', 'constraints': [{'length': {'max': 3}}]}, 'abcd',
     ['p']),
    ({'type': 'number', 'constraints': [{'range': {'min': 1, 'max': 3}}]},
     4, ['p', '4']),
    ({'type': 'number', 'constraints': [
        {'modulo': {'step': 2, 'offset': 1}}]}, 4, ['p', '4']),
    ({'type': 'string', 'constraints': [{'allowed_values': ['a', 'b']}]},
     'c', ['p', 'c']),
    ({'type': 'string', 'constraints': [{'allowed_pattern': '[a-z]+'}]},
     'A', ['p', 'A']),
    ({'type': 'string', 'constraints': [{'custom_constraint': 'ip_addr'}]},
     'x', ['p', 'x']),
    ({'type': 'string', 'constraints': [
        {'length': {'min': 3}, 'description': 'Too short, sorry.'}]}, 'ab',
     ['Too short, sorry.']),
])
def test_wrong_values(refused, schema, value, texts):
    refused(hot({'a': thing()}, parameters={'p': schema}),
            'StackValidationFailed', *texts, parameters={'p': value})


def test_value_of_hidden_parameter_is_not_told(refused):
    message = refused(hot(parameters={'p': {
        'type': 'string', 'hidden': True,
        'constraints': [{'allowed_values': ['a']}]}}),
        'StackValidationFailed', 'p', parameters={'p': 'topsecret'})
    assert 'topsecret' not in message


def test_missing_and_unknown_parameters(refused):
    template = hot({'a': thing(value=param('p'))},
                   parameters={'p': {'type': 'string'}})
    refused(template, 'UserParameterMissing', 'p')
    refused(template, 'UnknownUserParameter', 'q',
            parameters={'p': 'x', 'q': 'x'})


@pytest.mark.parametrize('schema', [
    {'type': 'text'}, {}, {'type': 'string', 'colour': 'red'}, 'x',
    {'type': 'string', 'constraints': [{'size': 3}]},
    {'type': 'string', 'constraints': 'x'},
    {'type': 'number', 'constraints': [{'length': {'min': 1}}]},
    {'type': 'string', 'constraints': [{'range': {'min': 1}}]},
    {'type': 'number', 'constraints': [{'range': {'min': 'x'}}]}])
def test_wrong_schemata(refused, schema):
    refused(hot(parameters={'p': schema}), 'InvalidSchemaError',
            parameters={'p': '1'})


def test_wrong_default(refused):
    refused(hot(parameters={'p': {
        'type': 'string', 'default': 'x',
        'constraints': [{'allowed_values': ['a']}]}}),
        'InvalidSchemaError', 'p')


def test_wrong_parameter_groups(refused):
    refused(hot(parameters={'p': {'type': 'string', 'default': 'x'}},
                parameter_groups=[{'parameters': ['q']}]),
            'StackValidationFailed', 'q')


# -- environment ------------------------------------------------------------

@pytest.mark.parametrize('environment', [
    'parameters: [x', 'words', {'parameter': {}}, {'parameters': []},
    {'resource_registry': []}, '- a'])
def test_wrong_environments(refused, environment):
    refused(hot(), 'HTTPBadRequest', environment=environment)


def test_registry_to_nowhere(refused):
    refused(hot({'a': {'type': 'My::Type'}}), 'StackValidationFailed',
            'nowhere.yaml', environment={
                'resource_registry': {'My::Type': 'nowhere.yaml'}})


# -- too much ---------------------------------------------------------------

def test_too_large_template(refused, conf):
    conf('max_template_size', 1000)
    text = ('heat_template_version: 2018-08-31\n'
            'description: ' + 'x' * 1000 + '\n')
    refused(text, 'RequestLimitExceeded')


def test_too_many_resources(refused, conf):
    conf('max_resources_per_stack', 2)
    refused(hot({name: thing() for name in 'abc'}), 'RequestLimitExceeded')


def test_too_many_stacks(refused, api, conf, rules):
    rules(context_is_admin='role:cloud_admin')
    conf('max_stacks_per_tenant', 1)
    api.created('first', hot())
    refused(hot(), 'RequestLimitExceeded', '1')


def test_too_deep_a_text(refused):
    refused('a: ' + '[' * 5000 + ']' * 5000, 'HTTPBadRequest')


def test_bomb_of_aliases(refused):
    text = 'a: &a [x, x, x, x, x, x, x, x, x]\n'
    for before, name in zip('abcdefgh', 'bcdefghi', strict=True):
        text += f'{name}: &{name} [{", ".join([f"*{before}"] * 9)}]\n'
    message = refused(text, 'HTTPBadRequest')
    assert len(message) < 1000


# -- updates ----------------------------------------------------------------

@pytest.mark.parametrize(('template', 'error'), [
    (hot({'a': thing(type='Test::Thin')}), 'StackValidationFailed'),
    (hot({'a': thing(depends_on='a')}), 'CircularDependencyException'),
    (hot(nothing={}), 'InvalidTemplateSection'),
    (hot(parameters={'p': {'type': 'string'}}), 'UserParameterMissing')])
def test_updates(driver, api, template, error):
    good = hot({'a': thing(value='x')})
    stack = api.created('s', good)
    answer = stack.update(template, expect=400)
    assert answer.error == error
    assert stack.get('template') == good
    assert stack.state == 'CREATE_COMPLETE'


@pytest.mark.parametrize('template', [
    hot({'a': thing(type='Test::Thin')}), hot(nothing={}),
    hot({'a': thing(depends_on='a')}), 'a: [b', {}])
def test_validate(api, template):
    answer = api.request('POST', 'validate', {'template': template})
    assert answer.status == 400
    assert answer.message


def test_validate_says_where(api):
    answer = api.request('POST', 'validate', {
        'template': hot({'a': thing(valeu='x')})})
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    assert 'resources.a.properties' in answer.message
    # And what may have been meant.
    assert 'value' in answer.message




@pytest.mark.parametrize('kind', [
    'OS::Neutron::Net', 'OS::Neutron::Router', 'OS::Neutron::RBACPolicy',
    'OS::Nova::Server', 'OS::Cinder::Volume', 'OS::Swift::Container',
    'AWS::EC2::Instance', 'OS::Keystone::Project'])
def test_types_of_services_that_are_not_there(driver, api, kind):
    template = hot({'a': {'type': kind}})
    for path in 'stacks', 'stacks/preview':
        answer = api.request('POST', path, {'stack_name': 's',
                                            'template': template})
        assert (answer.status, answer.error) == (
            400, 'ResourceTypeUnavailable'), answer.message
        assert kind in answer.message
    stack = api.created('s', hot({}))
    for method, path in (('PUT', ''), ('PATCH', ''), ('PUT', '/preview'),
                         ('PATCH', '/preview')):
        answer = api.request(method, f'stacks/s/{stack.id}{path}',
                             {'template': template})
        assert (answer.status, answer.error) == (
            400, 'ResourceTypeUnavailable'), answer.message
