"""What a create or an update would do, told without doing it."""
import json

import pytest

from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot

SECTIONS = ['added', 'deleted', 'replaced', 'unchanged', 'updated']
KEYS = {
    'attributes', 'creation_time', 'description', 'metadata',
    'physical_resource_id', 'required_by', 'resource_action',
    'resource_identity', 'resource_name', 'resource_status',
    'resource_status_reason', 'resource_type', 'stack_identity',
    'stack_name', 'updated_time'}
INNER = hot({'t': templates.thing(value=templates.param('word'))},
            parameters={'word': {'type': 'string'}})
OTHER = hot({'u': templates.thing()},
            parameters={'word': {'type': 'string'}})
FILES = {'inner.yaml': json.dumps(INNER), 'other.yaml': json.dumps(OTHER)}


def of(**kwargs):
    return templates.thing(**kwargs)


def nested(word, file='inner.yaml'):
    return {'type': file, 'properties': {'word': word}}


def preview(stack, template, method='PUT', expect=200, show_nested=None,
            **body):
    query = {} if show_nested is None else {'show_nested': show_nested}
    answer = stack.request(method, 'preview', {'template': template, **body},
                           expect=expect, **query)
    return answer.json['resource_changes'] if expect == 200 else answer


def names(changes):
    assert sorted(changes) == SECTIONS
    return {section: [each['resource_name'] for each in found]
            for section, found in changes.items() if found}


def test_preview_of_a_create(driver, api):
    pair = {'a': of(value='x'), 'b': of(depends_on='a')}
    answer = api.post('stacks/preview', {
        'stack_name': 'p', 'template': hot(pair), 'tags': 'x'})
    shown = answer['stack']
    assert shown['stack_name'] == 'p'
    assert {each['resource_name']: each['properties']['value']
            for each in shown['resources']} == {'a': 'x', 'b': ''}
    assert set(shown['resources'][0]) == KEYS | {'properties'}
    assert api.stacks() == []


def test_preview_of_an_update(driver, api, thing):
    stack = api.created('p', hot({
        'same': of(), 'changed': of(value='x'), 'other': of(fixed='x'),
        'gone': of()}))
    before = stack.show()
    thing.log[api.project].clear()
    goal = hot({'same': of(), 'changed': of(value='y'),
                'other': of(fixed='y'), 'new': of()})
    for method in ('PUT', 'PATCH'):
        changes = preview(stack, goal, method)
        assert names(changes) == {
            'added': ['new'], 'deleted': ['gone'], 'unchanged': ['same'],
            'updated': ['changed'], 'replaced': ['other']}
        for section in SECTIONS:
            assert set(changes[section][0]) == KEYS
    [changed] = changes['updated']
    assert changed['physical_resource_id'] == stack.physical('changed')
    assert changed['attributes']['value'] == 'x'
    [new] = changes['added']
    assert new['physical_resource_id'] == ''
    assert new['resource_status'] == 'COMPLETE'
    assert new['resource_action'] == 'INIT'
    assert thing.log[api.project] == []
    assert stack.show() == before
    assert stack.get('template')['resources'].keys() == {
        'same', 'changed', 'other', 'gone'}


def test_preview_foresees_what_a_change_entails(driver, api):
    template = {'a': of(fixed='x'), 'b': of(value=attr('a', 'value')),
                'failed': of(fail=['CHECK'])}
    stack = api.created('p', hot(template))
    assert names(preview(stack, hot(template))) == {
        'unchanged': ['a', 'b', 'failed']}
    stack.act('check')
    stack.wait('CHECK_FAILED')
    assert names(preview(stack, hot(template))) == {
        'unchanged': ['a', 'b'], 'replaced': ['failed']}
    changed = {**template, 'b': of(value=attr('a', 'value'),
                                   metadata={'m': 1})}
    assert names(preview(stack, hot(changed)))['updated'] == ['b']


def test_preview_of_what_must_not_change(driver, api):
    stack = api.created('p', hot({'a': of(stone='x')}))
    answer = preview(stack, hot({'a': of(stone='y')}), expect=400)
    assert answer.error == 'NotSupported'
    assert 'stone' in answer.message


def test_preview_with_the_options_of_a_patch(driver, api):
    template = hot({'a': of(value=templates.param('p'))}, parameters={
        'p': {'type': 'string', 'default': 'd'}})
    stack = api.created('p', template, parameters={'p': 'x'})
    body = {'parameters': {'p': 'x'}}
    for given, expected in (
            ({}, 'unchanged'), ({'parameters': {'p': 'y'}}, 'updated'),
            ({'clear_parameters': ['p']}, 'updated')):
        changes = stack.request('PATCH', 'preview', given,
                                expect=200).json['resource_changes']
        assert names(changes) == {expected: ['a']}, given
    assert names(preview(stack, template, **body)) == {'unchanged': ['a']}
    assert names(preview(stack, template)) == {'updated': ['a']}


def test_preview_of_nested_stacks(driver, api):
    stack = api.created('s', hot({
        'kept': nested('x'), 'changed': nested('x'), 'gone': nested('x'),
        'swapped': nested('x')}), files=FILES)
    goal = hot({
        'kept': nested('x'), 'changed': nested('y'), 'new': nested('x'),
        'swapped': {'type': 'Test::Thing'}})
    outer = {'unchanged': ['kept'], 'updated': ['changed'],
             'added': ['new'], 'deleted': ['gone'],
             'replaced': ['swapped']}
    assert names(preview(stack, goal, files=FILES)) == outer
    assert names(preview(stack, goal, files=FILES,
                         show_nested='false')) == outer
    found = preview(stack, goal, files=FILES, show_nested='true')
    assert {section: sorted(each) for section, each
            in names(found).items()} == {
        'unchanged': ['kept', 't'], 'updated': ['changed', 't'],
        'added': ['new', 't'], 'deleted': ['gone', 't', 't'],
        'replaced': ['swapped']}
    [inside] = [each for each in found['updated']
                if each['resource_name'] == 't']
    assert set(inside) == KEYS | {'parent_resource'}
    assert inside['parent_resource'] == 'changed'
    [around] = [each for each in found['updated']
                if each['resource_name'] == 'changed']
    assert set(around) == KEYS | {'nested_stack_id'}


def test_preview_of_another_file_inside(driver, api):
    stack = api.created('s', hot({'n': nested('x')}), files=FILES)
    found = preview(stack, hot({'n': nested('x')}), show_nested='true',
                    files={**FILES, 'inner.yaml': FILES['other.yaml']})
    assert names(found) == {'updated': ['n'], 'added': ['u'],
                            'deleted': ['t']}
    stack.updated(hot({'n': nested('x')}),
                  files={**FILES, 'inner.yaml': FILES['other.yaml']})
    assert set(stack.nested('n').states()) == {'u'}


def test_preview_of_a_suspended_stack(driver, api):
    stack = api.created('s', hot({'a': of()}))
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    answer = preview(stack, hot({'a': of(value='y')}), expect=400)
    assert answer.error == 'NotSupported'


#: Definitions that are valid until the values of attributes are known.
WRONG = {
    'str_split': of(value={'str_split': [',', attr('a', 'details'), 0]}),
    'list_join': of(value={'list_join': [',', attr('a', 'details')]}),
    'for_each': of(value={'repeat': {
        'template': 'x', 'for_each': {'%x%': attr('a', 'value')}}}),
    'metadata': of(metadata={'m': {'map_merge': [attr('a', 'value')]}}),
    'metadata beside a value': of(
        value='z', metadata={'m': {'map_merge': [attr('a', 'value')]}}),
}


@pytest.mark.parametrize('name', WRONG)
def test_wrong_values_of_attributes(driver, api, name):
    """The preview shows the update that fails, the change set says why."""
    stack = api.created('s', hot({'a': of(value='x'), 'b': of(value='y')}))
    template = hot({'a': of(value='x'), 'b': WRONG[name]})
    assert names(preview(stack, template)) == {
        'unchanged': ['a'], 'updated': ['b']}
    planned = stack.request('POST', 'change_sets', {'template': template},
                            expect=201).json['change_set']
    assert planned['status'] == 'FAILED'
    assert planned['status_reason'].startswith('Resource "b": ')
    stack.update(template)
    reason = stack.wait('UPDATE_FAILED')['stack_status_reason']
    assert planned['status_reason'].removeprefix(
        'Resource "b": ') in reason


def test_group_whose_size_is_wrong(api):
    """The preview omits the members, which are unknown."""
    stack = api.created('s', hot({'a': of(value='x')}))
    template = hot({'a': of(value='x'), 'g': {
        'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': attr('a', 'value'), 'resource_def': of()}}})
    assert names(preview(stack, template, show_nested=True)) == {
        'added': ['g'], 'unchanged': ['a']}


def test_values_that_are_too_large_together(api):
    stack = api.created('s', hot(
        {f't{number}': of(value=templates.param('p'))
         for number in range(900)}, parameters={'p': {'type': 'string'}}),
        parameters={'p': 'x'})
    answer = stack.request('PATCH', 'preview', {
        'parameters': {'p': 'y' * 100000}}, expect=400)
    assert answer.error == 'RequestLimitExceeded'
    assert 'output_size in [request_budget]' in answer.message
