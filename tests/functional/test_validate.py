"""POST /validate: what a template asks for, without making anything."""
import json

import pytest

from heat.engine import environment as environment_module
from heat.engine.lifecycle import validation as resource_validation
from tests.functional.templates import hot
from tests.functional.templates import param
from tests.functional.templates import thing

HEAD = 'heat_template_version: 2021-04-16\n'
INNER = HEAD + """description: Inside.
parameters:
  size: {type: number, default: 2, label: Size, description: How large.,
         constraints: [{range: {min: 1, max: 9}}]}
  word: {type: string}
  secret: {type: string, hidden: true, default: xyzzy}
parameter_groups:
  - {label: All, parameters: [size, word]}
resources:
  inmost: {type: inmost.yaml, properties: {word: {get_param: word}}}
"""
INMOST = HEAD + """parameters: {word: {type: string}}
resources: {v: {type: OS::Heat::Value, properties: {value: 1}}}
"""
FILES = {'inner.yaml': INNER, 'inmost.yaml': INMOST}


def validated(api, template, show_nested='true', **body):
    return api.post('validate', {'template': template, **body},
                    show_nested=show_nested)


def test_nested_to_any_depth(api):
    found = validated(api, hot(
        {'n': {'type': 'inner.yaml', 'properties': {'word': param('p')}}},
        parameters={'p': {'type': 'string'}}), files=FILES)
    nested = found['NestedParameters']['n']
    assert set(nested) == {'Type', 'Description', 'Parameters',
                           'ParameterGroups', 'NestedParameters'}
    assert nested['ParameterGroups'] == [
        {'label': 'All', 'parameters': ['size', 'word']}]
    assert nested['Parameters']['size'] == {
        'Type': 'Number', 'Label': 'Size', 'Description': 'How large.',
        'NoEcho': 'false', 'Default': 2, 'MinValue': 1, 'MaxValue': 9}
    inmost = nested['NestedParameters']['inmost']
    assert inmost['Type'] == 'inmost.yaml'
    assert inmost['Description'] == 'No description'
    assert set(inmost['Parameters']) == {'word'}
    assert 'NestedParameters' not in inmost
    # The text of the template is the caller's own.
    assert nested['Parameters']['secret']['Default'] == 'xyzzy'
    assert nested['Parameters']['secret']['NoEcho'] == 'true'


def test_defaults_of_hidden_parameters_are_returned(api):
    defaults = {'string': 'xyzzy', 'number': 3, 'json': {'a': 1},
                'comma_delimited_list': 'a,b', 'boolean': True}
    found = validated(api, hot(parameters={
        kind: {'type': kind, 'hidden': True, 'default': default}
        for kind, default in defaults.items()}))['Parameters']
    assert {kind: each['Default']
            for kind, each in found.items()} == defaults
    assert {each['NoEcho'] for each in found.values()} == {'true'}


def test_value_of_a_nested_template_may_come_from_defaults(driver, api):
    """The environment of a stack gives it, not that of the validation."""
    template = hot({'n': {'type': 'inmost.yaml'}})
    found = validated(api, template, files=FILES)
    assert set(found['NestedParameters']['n']['Parameters']) == {'word'}
    stack = api.created('s', template, files=FILES, environment={
        'parameter_defaults': {'word': 'x'}})
    assert stack.nested('n').show()['parameters']['word'] == 'x'
    answer = api.create('t', template, files=FILES, expect=400)
    assert 'Property word not assigned' in answer.message


@pytest.mark.parametrize('size', [0, 2, 900])
def test_nested_of_groups(api, size):
    member = {'type': 'inner.yaml', 'properties': {'word': 'x'}}
    found = validated(api, hot({
        'g': {'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': size, 'resource_def': member}},
        's': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': size, 'max_size': size, 'resource': member}}}),
        files=FILES)
    for name, kind in (('g', 'ResourceGroup'), ('s', 'AutoScalingGroup')):
        group = found['NestedParameters'][name]
        assert group['Type'] == f'OS::Heat::{kind}'
        # All members have the same.
        [one] = group['NestedParameters'].values()
        assert one['Type'] == 'inner.yaml'


def test_nothing_inside_needs_values(api):
    inner = HEAD + """parameters: {word: {type: string}}
conditions: {on: {equals: [{get_param: word}, x]}}
resources:
  deep: {type: inmost.yaml, condition: on, properties: {word: y}}
"""
    found = validated(api, hot(
        {'n': {'type': 'inner.yaml', 'properties': {'word': param('p')}},
         'g': {'type': 'OS::Heat::ResourceGroup', 'properties': {
             'count': param('q'), 'resource_def': {'type': 'inmost.yaml'}}}},
        parameters={'p': {'type': 'string'}, 'q': {'type': 'number'}}),
        files={**FILES, 'inner.yaml': inner})
    assert set(found['NestedParameters']['n']['NestedParameters']) == {
        'deep'}


@pytest.mark.parametrize('wanted', ['yes', 'no'])
def test_switched_off_resources_are_left_out(api, wanted):
    found = validated(api, hot(
        {'n': {'type': 'inmost.yaml', 'condition': 'on',
               'properties': {'word': 'x'}}},
        parameters={'p': {'type': 'string', 'default': 'yes'}},
        conditions={'on': {'equals': [param('p'), 'yes']}}),
        files=FILES, parameters={'p': wanted})
    assert ('NestedParameters' in found) is (wanted == 'yes')


def test_conditions_need_no_values(api):
    """What cannot be known holds: its parameters may be asked for."""
    found = validated(api, hot(
        {'n': {'type': 'inmost.yaml', 'condition': 'on',
               'properties': {'word': 'x'}},
         'm': thing(depends_on='n')},
        parameters={'p': {'type': 'string'}},
        conditions={'on': {'equals': [param('p'), 'yes']}},
        outputs={'o': {'value': 1, 'condition': 'on'}}), files=FILES)
    assert set(found['Parameters']) == {'p'}
    assert set(found['NestedParameters']) == {'n'}


def test_environment_is_merged(api, monkeypatch):
    monkeypatch.setitem(environment_module.global_env().event_sink_classes,
                        'zaqar-queue', dict)
    one = ('parameters: {words: a}\n'
           'parameter_merge_strategies: {words: merge}\n'
           'parameter_defaults: {other: 1}\n'
           'event_sinks: [{type: zaqar-queue, target: q, ttl: 60}]\n')
    two = ('parameters: {words: b}\n'
           'resource_registry: {"My::Type": inmost.yaml}\n')
    found = validated(
        api, hot({'n': {'type': 'My::Type', 'properties': {'word': 'x'}}},
                 parameters={'words': {'type': 'comma_delimited_list'}}),
        environment_files=['one', 'two'],
        files={'one': one, 'two': two, **FILES})
    environment = found['Environment']
    assert environment['parameters'] == {'words': ['a', 'b']}
    assert environment['parameter_defaults'] == {'other': 1}
    assert environment['resource_registry']['My::Type'] == 'inmost.yaml'
    assert environment['event_sinks'] == [
        {'type': 'zaqar-queue', 'target': 'q', 'ttl': 60}]
    assert found['NestedParameters']['n']['Type'] == 'My::Type'


def test_hidden_values_are_masked(api):
    found = validated(api, hot(parameters={
        'h': {'type': 'string', 'hidden': True}}), environment={
            'parameters': {'h': 'xyzzy'}, 'parameter_defaults': {'h': 'zzy'}})
    assert found['Environment']['parameters'] == {'h': '******'}
    assert 'zzy' not in json.dumps(found)
    assert 'Value' not in found['Parameters']['h']


@pytest.fixture
def no_service(monkeypatch):
    """Have every resource type want for its service."""
    monkeypatch.setattr(
        resource_validation, 'is_service_available',
        lambda resource_class, context: (False, 'there is none'))


def test_errors_are_ignored_by_code(api, no_service):
    body = {'template': hot({'v': {'type': 'OS::Heat::Value',
                                   'properties': {'value': 1}}})}
    answer = api.request('POST', 'validate', body, expect=400)
    assert 'HEAT-E99001' in answer.message
    api.post('validate', body, ignore_errors='99001')
    answer = api.request('POST', 'validate', body, ignore_errors='99002',
                         expect=400)
    assert answer.error == 'Invalid'
    assert '99002' in answer.message


def test_missing_properties_are_told(api):
    answer = api.request('POST', 'validate', {'template': hot(
        {'g': {'type': 'OS::Heat::ResourceGroup',
               'properties': {'cuont': 1}}})}, expect=400)
    assert 'Did you mean "count"?' in answer.message
    assert 'resource_def not assigned' in answer.message
