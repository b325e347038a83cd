"""Creating stacks: versions of templates, environments, files, failures."""
import pytest

from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import param


def of(depends_on=None, **kwargs):
    return templates.thing(depends_on, **kwargs)


VERSIONS = ['2013-05-23', '2014-10-16', '2015-04-30', '2015-10-15',
            '2016-04-08', '2016-10-14', '2017-02-24', '2017-09-01',
            '2018-03-02', '2018-08-31', '2021-04-16',
            'newton', 'ocata', 'pike', 'queens', 'rocky', 'wallaby']


@pytest.mark.parametrize('version', VERSIONS)
def test_every_version(api, version):
    stack = api.created('v', hot(
        {'a': of(value=param('w'))}, version,
        parameters={'w': {'type': 'string', 'default': 'x'}},
        outputs={'o': {'value': attr('a', 'value')}}))
    assert stack.outputs() == {'o': 'x'}
    assert stack.get('template')['heat_template_version'] == version


@pytest.mark.parametrize('header', [
    {'HeatTemplateFormatVersion': '2012-12-12'},
    {'AWSTemplateFormatVersion': '2010-09-09'}])
def test_cfn_versions(driver, api, header):
    stack = api.created('cfn', {
        **header,
        'Description': 'Of another kind.',
        'Parameters': {'Word': {'Type': 'String', 'Default': 'x'}},
        'Resources': {
            'A': {'Type': 'Test::Thing',
                  'Properties': {'value': {'Ref': 'Word'}}},
            'B': {'Type': 'Test::Thing', 'DependsOn': 'A',
                  'Properties': {'value': {
                      'Fn::Join': ['-', [{'Ref': 'Word'}, {
                          'Fn::GetAtt': ['A', 'value']}]]}}}},
        'Outputs': {'O': {'Value': {'Fn::GetAtt': ['B', 'value']},
                          'Description': 'Both.'}}})
    shown = stack.show()
    assert shown['outputs'] == [{'output_key': 'O', 'output_value': 'x-x',
                                 'description': 'Both.'}]
    assert shown['parameters']['AWS::StackName'] == 'cfn'
    assert shown['parameters']['Word'] == 'x'
    stack.updated({**header, 'Resources': {
        'A': {'Type': 'Test::Thing', 'Properties': {'value': 'y'}}}})
    assert stack.states() == {'A': 'UPDATE_COMPLETE'}


def test_template_as_text(api):
    text = ('heat_template_version: 2018-08-31\n'
            'resources: {a: {type: "Test::Thing"}}\n')
    assert api.created('yaml', text).states() == {'a': 'CREATE_COMPLETE'}
    text = ('{"heat_template_version": "2018-08-31", "resources": '
            '{"a": {"type": "Test::Thing"}}}')
    assert api.created('json', text).states() == {'a': 'CREATE_COMPLETE'}


def test_stack_without_resources(driver, api):
    stack = api.created('empty', hot(
        outputs={'o': {'value': {'get_param': 'OS::stack_name'}}}))
    assert stack.outputs() == {'o': 'empty'}
    assert stack.states() == {}
    assert stack.events() == ['empty CREATE_IN_PROGRESS',
                              'empty CREATE_COMPLETE']


ENVIRONMENT = {
    'parameters': {'w': 'from environment', 's': 'hush'},
    'parameter_defaults': {'d': 'default of environment', 'unused': 1},
    'resource_registry': {'My::Type': 'Test::Thing'},
}
PARAMETERS = {'w': {'type': 'string'},
              'd': {'type': 'string', 'default': 'of template'},
              's': {'type': 'string', 'hidden': True}}


def test_environment(driver, api):
    stack = api.created('env', hot(
        {'a': of(type='My::Type', value=param('w')),
         'b': of(value=param('d'))}, parameters=PARAMETERS,
        outputs={'a': {'value': attr('a', 'value')},
                 'b': {'value': attr('b', 'value')}}),
        environment=ENVIRONMENT, files={'f': 'text'})
    assert stack.outputs() == {'a': 'from environment',
                               'b': 'default of environment'}
    assert stack.resource('a')['resource_type'] == 'My::Type'
    found = stack.get('environment')
    assert found['parameters'] == {'w': 'from environment', 's': '******'}
    assert found['parameter_defaults'] == {
        'd': 'default of environment', 'unused': 1}
    assert found['resource_registry']['My::Type'] == 'Test::Thing'
    assert stack.get('files') == {'f': 'text'}


def test_environment_as_text(api):
    stack = api.created('env', hot(
        {'a': of(value=param('w'))},
        parameters={'w': {'type': 'string'}}),
        environment='parameters:\n  w: text\n')
    assert stack.show()['parameters']['w'] == 'text'


def test_parameters_win_over_the_environment(api):
    stack = api.created('env', hot(
        {'a': of(value=param('w'))},
        parameters={'w': {'type': 'string'}}),
        environment={'parameters': {'w': 'x'}}, parameters={'w': 'y'})
    assert stack.show()['parameters']['w'] == 'y'


def test_environment_files_are_merged(driver, api):
    stack = api.created('env', hot(
        {'a': of(value=param('w'))},
        parameters={'w': {'type': 'string'}, 'd': {
            'type': 'string', 'default': 'x'}}),
        environment_files=['one.yaml', 'two.yaml'],
        files={'one.yaml': 'parameters: {w: one, d: one}\n',
               'two.yaml': 'parameters: {w: two}\n'})
    shown = stack.show()['parameters']
    assert (shown['w'], shown['d']) == ('two', 'one')


def test_functions(driver, api):
    stack = api.created('f', hot(
        {'a': of(value={'str_replace': {
            'template': 'W and F', 'params': {
                'W': param('w'), 'F': {'get_file': 'file'}}}}),
         'off': {**of(), 'condition': 'never'}},
        parameters={'w': {'type': 'string', 'default': 'x'},
                    'l': {'type': 'comma_delimited_list',
                          'default': 'a,b'},
                    'j': {'type': 'json', 'default': {'k': [1, 2]}},
                    'n': {'type': 'number', 'default': 3},
                    't': {'type': 'boolean', 'default': True}},
        conditions={'never': {'not': param('t')},
                    'both': {'and': [{'equals': [param('n'), 3]},
                                     param('t')]}},
        outputs={
            'a': {'value': attr('a', 'value')},
            'path': {'value': attr('a', 'details', 'list', 1)},
            'list': {'value': {'list_join': [',', param('l')]}},
            'json': {'value': {'get_param': ['j', 'k', 1]}},
            'if': {'value': {'if': ['both', 'yes', 'no']}},
            'digest': {'value': {'digest': ['md5', 'x']}},
            'split': {'value': {'str_split': [',', 'p,q', 1]}},
            'repeat': {'value': {'repeat': {
                'for_each': {'%i%': param('l')}, 'template': '<%i%>'}}},
            'merge': {'value': {'map_merge': [{'a': 1}, {'a': 2}]}},
        }), files={'file': 'content'})
    assert stack.outputs() == {
        'a': 'x and content', 'path': 'b', 'list': 'a,b', 'json': 2,
        'if': 'yes', 'digest': '9dd4e461268c8034f5c8564e155c67a6',
        'split': 'q', 'repeat': ['<a>', '<b>'], 'merge': {'a': 2}}
    assert list(stack.states()) == ['a']


def test_failure(driver, api):
    stack = api.create('bad', hot({
        'a': of(), 'b': of('a', fail=['CREATE']), 'c': of('b')}))
    shown = stack.wait('CREATE_FAILED')
    reason = ('Resource CREATE failed: ValueError: resources.b: '
              'CREATE of b went wrong')
    assert shown['stack_status_reason'] == reason
    states = stack.states()
    assert states['b'] == 'CREATE_FAILED'
    assert states['c'] == 'INIT_COMPLETE'
    assert stack.resource('b')['resource_status_reason'] == (
        'ValueError: resources.b: CREATE of b went wrong')
    assert stack.events()[-1] == 'bad CREATE_FAILED'


def test_failed_create_is_rolled_back(driver, api, thing):
    stack = api.create('bad', hot({
        'a': of(), 'b': of(depends_on='a', fail=['CREATE'])}),
        disable_rollback=False)
    shown = stack.wait('ROLLBACK_COMPLETE')
    assert stack.states() == {}
    assert [event for event in stack.events() if event.startswith('bad')
            ] == ['bad CREATE_IN_PROGRESS', 'bad CREATE_FAILED',
                  'bad ROLLBACK_IN_PROGRESS', 'bad ROLLBACK_COMPLETE']
    assert (shown['deletion_time'] is None) == (driver == 'convergence')
    assert ('DELETE', 'a') in thing.log[api.project]


def test_retries(driver, api, thing):
    stack = api.created('r', hot({'a': of(flaky=1)}))
    assert thing.log[api.project] == [
        ('CREATE', 'a'), ('DELETE', 'a'), ('CREATE', 'a')]
    assert stack.events('a') == [
        'a CREATE_IN_PROGRESS', 'a CREATE_FAILED', 'a DELETE_IN_PROGRESS',
        'a DELETE_COMPLETE', 'a CREATE_IN_PROGRESS', 'a CREATE_COMPLETE']


def test_retries_come_to_an_end(driver, api, conf, thing):
    conf('action_retry_limit', 1)
    stack = api.create('r', hot({'a': of(flaky=9)}))
    shown = stack.wait('CREATE_FAILED')
    assert 'not this time' in shown['stack_status_reason']
    assert [what for what, _name in thing.log[api.project]] == [
        'CREATE', 'DELETE', 'CREATE']


def test_order_follows_dependencies(driver, api, thing):
    stack = api.created('o', hot({
        'a': of(depends_on=['b', 'c']), 'b': of(depends_on='d'),
        'c': of(value={'get_resource': 'd'}), 'd': of()}))
    names = [name for _action, name in thing.log[api.project]]
    assert names[0] == 'd'
    assert names[3] == 'a'
    assert stack.resources()['d']['required_by'] == ['b', 'c']
    thing.log[api.project].clear()
    stack.deleted()
    names = [name for _action, name in thing.log[api.project]]
    assert names[0] == 'a'
    assert names[3] == 'd'


def test_many_at_once(driver, api):
    stack = api.created('many', hot({
        f'r{number}': of() for number in range(60)}))
    assert set(stack.states().values()) == {'CREATE_COMPLETE'}
    stack.deleted()


def test_attribute_that_cannot_be_read(driver, api):
    outputs = {'o': {'value': attr('a', 'broken')},
               'fine': {'value': attr('a', 'value')}}
    stack = api.create('b', hot({
        'a': of(type='Test::Broken', value='x'),
        'b': of(value=attr('a', 'broken')),
        'c': of(depends_on='b')}, outputs=outputs))
    shown = stack.wait('CREATE_FAILED')
    text = ('Attribute "broken" of resource "a" is not available: the meter '
            'is out of order')
    assert text in shown['stack_status_reason']
    assert stack.states() == {'a': 'CREATE_COMPLETE', 'b': 'CREATE_FAILED',
                              'c': 'INIT_COMPLETE'}
    shown = stack.resource('a')['attributes']
    assert (shown['broken'], shown['value']) == (None, 'x')
    fine = {'a': of(type='Test::Broken', value='x')}
    stack.updated(hot(fine, outputs=outputs))
    found = {each['output_key']: each for each in stack.show()['outputs']}
    assert text in found['o']['output_error']
    assert found['o']['output_value'] is None
    assert found['fine']['output_value'] == 'x'
    # What exists cannot become something without a value either.
    stack.updated(hot({**fine, 'b': of(value='y')}))
    stack.update(hot({**fine, 'b': of(value=attr('a', 'broken'))}))
    shown = stack.wait('UPDATE_FAILED')
    assert text in shown['stack_status_reason']
    assert stack.states() == {'a': 'CREATE_COMPLETE', 'b': 'UPDATE_FAILED'}
    stack.deleted()
