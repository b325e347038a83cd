"""Outputs and conditions that refer to nothing do not refuse a stack.

Heat creates such stacks; an output that has no value shows the reason.
"""
import json

import pytest

from tests.functional.templates import hot

NOT_PROVIDED = ('The Parameter (%s) was not provided. It is not defined in '
                'the template.')
NOT_THERE = 'The resource "nothing" does not exist in this template.'
OUTPUTS = {
    'parameter': {'value': {'get_param': 'p'}},
    'resource': {'value': {'get_resource': 'nothing'}},
    'attribute': {'value': {'get_attr': ['nothing', 'value']}},
    'inside': {'value': {'list_join': [',', [{'get_attr': ['v', 'value']},
                                             {'get_param': 'q'}]]}},
    'key': {'value': {'get_attr': ['v', 'value']}, 'valeu': 3},
    'description': {'value': 1, 'descripton': 'x'},
}
ERRORS = {
    'parameter': 'UserParameterMissing: ' + NOT_PROVIDED % 'p',
    'resource': 'InvalidTemplateReference: ' + NOT_THERE,
    'attribute': 'InvalidTemplateReference: ' + NOT_THERE,
    'inside': 'UserParameterMissing: ' + NOT_PROVIDED % 'q',
}
DANGLING = {
    **hot({'v': {'type': 'OS::Heat::Value', 'properties': {'value': 'x'}}},
          version='2018-08-31'),
    'conditions': {'unused': {'equals': [{'get_param': 'p'}, 1]}},
    'outputs': OUTPUTS,
}
FILES = {'inner.yaml': json.dumps(DANGLING)}


def outputs_of(stack):
    """Return the values and the errors of the outputs."""
    shown = stack.show()['outputs']
    for each in shown:
        alone = stack.get(f'outputs/{each["output_key"]}')['output']
        assert alone == each
    return ({each['output_key']: each['output_value'] for each in shown
             if 'output_error' not in each},
            {each['output_key']: each['output_error'] for each in shown
             if 'output_error' in each})


def test_stack_is_made_changed_and_deleted(driver, api):
    api.post('validate', {'template': DANGLING})
    api.post('stacks/preview', {'template': DANGLING, 'stack_name': 's'})
    stack = api.created('s', DANGLING)
    assert outputs_of(stack) == ({'key': 'x', 'description': 1}, ERRORS)
    stack.updated({**DANGLING, 'outputs': {**OUTPUTS, 'new': {'value': 2}}})
    assert outputs_of(stack) == (
        {'key': 'x', 'description': 1, 'new': 2}, ERRORS)
    stack.request('PATCH', '', {'parameters': {}}, expect=202)
    stack.wait('UPDATE_COMPLETE')
    stack.deleted()


def test_parents_show_what_is_missing_inside(driver, api):
    template = {
        **hot({'n': {'type': 'inner.yaml'},
               'g': {'type': 'OS::Heat::ResourceGroup', 'properties': {
                   'count': 2, 'resource_def': {'type': 'inner.yaml'}}}}),
        'outputs': {name: {'value': {'get_attr': path}} for name, path in {
            'n1': ['n', 'parameter'], 'n2': ['n', 'key'],
            'g1': ['g', 'parameter'], 'g2': ['g', 'key']}.items()}}
    stack = api.created('s', template, files=FILES)
    values, errors = outputs_of(stack)
    assert values == {'n2': 'x', 'g2': ['x', 'x']}
    assert set(errors) == {'n1', 'g1'}
    for text in errors.values():
        assert NOT_PROVIDED % 'p' in text
    assert outputs_of(stack.nested('n'))[1] == ERRORS


@pytest.mark.parametrize('use', [
    {'outputs': {'o': {'value': 1, 'condition': 'c'}}},
    {'outputs': {'o': {'value': {'if': ['c', 1, 2]}}}},
    {'conditions': {'c': {'equals': [{'get_param': 'p'}, 1]},
                    'd': {'not': 'c'}}},
    {'resources': {'r': {'type': 'OS::Heat::None', 'condition': 'c'}}},
])
def test_condition_in_use_is_refused(api, use):
    template = {**hot({}, version='2018-08-31'),
                'conditions': {'c': {'equals': [{'get_param': 'p'}, 1]}},
                **use}
    answer = api.create('s', template, expect=400)
    assert NOT_PROVIDED % 'p' in answer.message


@pytest.mark.parametrize(('version', 'value'), [
    ('2018-08-31', {'list_join': [',', [{'get_param': 'p'}, 'x']]}),
    ('2013-05-23', {'get_param': 'p'}),
])
def test_property_that_needs_a_parameter_is_refused(api, version, value):
    template = hot(
        {'a': {'type': 'OS::Heat::Value', 'properties': {'value': value}}},
        version=version)
    stack = api.created('other', hot({}))
    new = {'stack_name': 's', 'template': template}
    for answer in (
            api.request('POST', 'stacks', new),
            api.request('POST', 'stacks/preview', new),
            stack.update(template, expect=400),
            stack.patch(template, expect=400),
            stack.request('PUT', 'preview', {'template': template})):
        assert answer.status == 400
        assert answer.message.startswith(
            'Property error: : resources.a.properties.value: : The Parameter '
            '(p) was not provided.')
