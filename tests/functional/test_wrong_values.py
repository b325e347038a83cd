"""Values that only turn out to be wrong when they are needed."""
import json
import logging

import pytest

from tests.fakes import stacks
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import param
from tests.functional.templates import thing

WRONG = {'m': {'map_merge': ['x']}}
REASON = '"map_merge" merges maps, not'
INNER = {'inner.yaml': json.dumps(hot({'i': thing(metadata=WRONG)}))}
TEMPLATES = {
    'metadata': hot({'a': thing(), 'q': thing(metadata=WRONG)}),
    'nested': hot({'a': thing(), 'q': {'type': 'inner.yaml'}}),
    'group': hot({'a': thing(), 'q': {
        'type': 'OS::Heat::ResourceGroup', 'metadata': WRONG,
        'properties': {'count': 1, 'resource_def': thing()}}}),
}
SHOWN = ('', 'resources', 'resources?with_detail=true&nested_depth=5',
         'resources/q', 'resources/q/metadata', 'export', 'events')


@pytest.fixture
def failed(driver, api, conf):
    """Return a function that begins a stack whose creation fails."""
    conf('enable_stack_abandon', True)

    def create(template):
        stack = api.create('s', template, files=INNER)
        assert REASON in stack.wait('CREATE_FAILED')['stack_status_reason']
        return stack
    return create


@pytest.mark.parametrize('name', TEMPLATES)
def test_metadata_that_cannot_be_computed(failed, api, name):
    """The creation fails; requests that show the stack do not."""
    body = {'template': TEMPLATES[name], 'files': INNER}
    api.post('stacks/preview', {'stack_name': 's', **body})
    good = api.created('good', hot({'a': thing(), 'q': thing()}))
    stack = failed(TEMPLATES[name])
    for path in SHOWN:
        stack.get(path)
    assert stack.get('resources/q/metadata')['metadata'] == {}
    for each in (stack, good):
        each.request('PUT', 'preview?show_nested=true', body, expect=200)
        each.request('POST', 'change_sets', body, expect=201)
    stack.request('PUT', 'preview', {'template': hot()}, expect=200)
    stack.request('POST', 'snapshots', {}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')


@pytest.mark.parametrize('wrong', [
    thing(metadata=WRONG),
    thing(metadata={'m': {'map_merge': [attr('a', 'value')]}}),
    thing(value={'map_merge': [attr('a', 'value')]})],
    ids=['metadata', 'attribute in metadata', 'property'])
def test_stack_is_repaired_by_an_update(failed, wrong):
    """The update treats values that were never computed as absent."""
    stack = failed(hot({'a': thing(value='x'), 'q': wrong}))
    stack.updated(hot({'a': thing(value='x'), 'q': thing()}))
    assert stack.resource('q')['resource_status'].endswith('_COMPLETE')


#: A definition whose properties are a text instead of a map.
NO_MAP = {**thing(), 'properties': attr('a', 'value')}


def test_stack_with_properties_that_are_no_map(driver, api):
    """It is repaired by an update, and it can be deleted."""
    wrong = hot({'a': thing(value='x'), 'q': NO_MAP})
    right = hot({'a': thing(value='x'), 'q': thing()})
    reason = 'Properties of q must be a map'
    stack = api.create('s', wrong)
    assert reason in stack.wait('CREATE_FAILED')['stack_status_reason']
    for path in SHOWN[:-2]:
        stack.get(path)
    stack.update(wrong)
    assert reason in stack.wait('UPDATE_FAILED')['stack_status_reason']
    stack.updated(right)
    stack.update(wrong)
    assert reason in stack.wait('UPDATE_FAILED')['stack_status_reason']
    stack.updated(right)
    stack.deleted()


@pytest.mark.parametrize('begin', ['create', 'update'])
def test_failed_stack_with_properties_that_are_no_map(driver, api, begin):
    wrong = hot({'a': thing(value='x'), 'q': NO_MAP})
    if begin == 'create':
        stack = api.create('s', wrong)
        stack.wait('CREATE_FAILED')
    else:
        stack = api.created('s', hot({'a': thing(value='x'), 'q': thing()}))
        stack.update(wrong)
        stack.wait('UPDATE_FAILED')
    stack.deleted()


@pytest.mark.parametrize(('section', 'value', 'text'), [
    ('update_policy', param('word'), 'must be a map'),
    ('update_policy', {'contains': ['x', 5]}, 'must be a list or text'),
    ('properties', param('word'), 'must be a map'),
    ('properties', {'list_join': [',', 5]}, '"list_join" joins lists')])
def test_function_for_a_whole_section(api, section, value, text):
    """The error names the resource in the template."""
    parameters = {'word': {'type': 'string', 'default': 'x'}}
    body = {'stack_name': 's', 'template': hot(
        {'q': {**thing(), section: value}}, parameters=parameters)}
    stack = api.created('good', hot({'q': thing()}))
    for path in ('stacks', 'stacks/preview', 'change_sets',
                 f'{stack.path}/change_sets'):
        answer = api.request('POST', path, body)
        assert answer.status == 400, answer
        assert answer.error == 'StackValidationFailed'
        assert 'resources.q' in answer.message
        assert text in answer.message
    api.request('POST', 'validate', body, show_nested='true', expect=400)


def test_nested_template_that_depends_on_wrong_values(api):
    """The answer omits the nested template."""
    api.post('validate?show_nested=true', {'template': hot({'q': {
        'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 1, 'max_size': 1,
            'resource': {**thing(), 'metadata': 'x'}}}})})


@pytest.mark.parametrize('value', [
    {'get_attr': [param('word'), 'x']}, {'get_resource': param('word')}],
    ids=['get_attr', 'get_resource'])
def test_hidden_value_that_names_a_resource_is_not_logged(api, caplog, value):
    caplog.set_level(logging.DEBUG)
    parameters = {'word': {'type': 'string', 'hidden': True}}
    for template in (
            hot({'a': thing(value=value)}, parameters=parameters),
            hot({'a': thing()}, parameters=parameters,
                outputs={'o': {'value': value}})):
        api.request('POST', 'stacks/preview', {
            'stack_name': 's', 'template': template,
            'parameters': {'word': 'hidden-w0rd'}})
    assert 'hidden-w0rd' not in caplog.text


def test_deletion_uses_the_properties_that_are_known(monkeypatch):
    """One property without a value does not hide the others."""
    engine = stacks.Engine(monkeypatch, convergence=False)
    stack = engine.create("""
resources:
  a: {type: Test::Thing}
  q:
    type: Test::Thing
    properties:
      fixed: known
      value: {map_merge: [{get_attr: [a, output]}]}
""")
    assert stack.state == ('CREATE', 'FAILED')
    seen = []
    monkeypatch.setattr(
        type(stack['q']), 'handle_delete',
        lambda res: seen.append((res.name, res.properties['fixed'])))
    engine.delete(stack)
    assert ('q', 'known') in seen
