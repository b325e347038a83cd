"""What is hidden does not show in descriptions of stacks."""
import json
import types

from hypothesis import given
from hypothesis import strategies as st
import pytest

from heat.common import exception
from heat.common import secrecy
from heat.engine import template
from heat.engine.stacks import redaction
from tests.fakes import definitions
from tests.fakes import strategies

MASK = '******'
SECRET = 'open sesame'
HIDDEN = definitions.hot(parameters={
    'door': {'type': 'string', 'hidden': True}, 'plain': {'type': 'string'}})


def stack_of(params, parameters=None, resources=None, owner_id=None):
    """Return a stack with values for parameters, "door" a hidden one."""
    data = definitions.hot(
        parameters=parameters or HIDDEN['parameters'],
        resources=resources or {})
    defn = definitions.definition(data, params)
    return types.SimpleNamespace(
        parameters=defn.parameters, t=defn.t, owner_id=owner_id,
        parent_resource_name=None, defn=defn)


@pytest.mark.parametrize(('data', 'names'), [
    (HIDDEN, {'door'}),
    ({'Parameters': {'a': {'NoEcho': 'true'}, 'b': {'NoEcho': False}}},
     {'a'}),
    ({'parameters': {'a': {'hidden': 'yes'}, 'b': None, 'c': 'text'}},
     {'a'}),
    ({'parameters': []}, set()), ({}, set()), (None, set())])
def test_names_that_a_template_hides(data, names):
    assert redaction.hidden_names(data) == names


@pytest.mark.parametrize('text', [
    SECRET, f'the door: {SECRET}!', json.dumps([SECRET]), 'open%20sesame'])
def test_secret_is_struck_out_wherever_it_stands(text):
    secrets = redaction.secrets_of(stack_of({'door': SECRET}))
    for value in (text, [text], {'k': {'l': [text]}}):
        shown = json.dumps(redaction.struck_out(value, secrets))
        assert MASK in shown
        assert 'sesame' not in shown


@pytest.mark.parametrize('secret', [
    'a"b\\c-long', 'line\nbreak', 'üñï-cödé', "it's a 'quote'", 'a/b?c=d e'])
def test_secret_is_found_in_the_ways_it_may_be_written(secret):
    secrets = redaction.secrets_of(stack_of({'door': secret}))
    for written in (secret, json.dumps({'k': secret}), repr([secret]),
                    json.dumps(secret, ensure_ascii=False)):
        assert redaction.struck_out(written, secrets).count(MASK) == 1


def test_parts_of_a_hidden_value_are_secret_too():
    parameters = {
        'list': {'type': 'comma_delimited_list', 'hidden': True},
        'map': {'type': 'json', 'hidden': True}}
    secrets = redaction.secrets_of(stack_of(
        {'list': 'alpha,beta', 'map': {'k': {'l': ['gamma', 4567]}}},
        parameters))
    for part in ('alpha', 'beta', 'gamma', 4567):
        assert redaction.struck_out(f'<{part}>', secrets) == f'<{MASK}>'
    assert redaction.struck_out(4567, secrets) == MASK
    assert redaction.struck_out({'k': 'l'}, secrets) == {'k': 'l'}


def test_short_secrets_are_struck_out_as_a_whole_only():
    secrets = redaction.secrets_of(stack_of({'door': 'ab'}))
    assert redaction.struck_out('ab', secrets) == MASK
    assert redaction.struck_out('about', secrets) == 'about'


def test_keys_of_maps_hide_longer_secrets_only():
    """A key is a name most of the time, which may be a secret by chance."""
    secrets = {'password', 'name'}
    assert redaction.struck_out({'my-password': 1, 'name': 'name'},
                                secrets) == {f'my-{MASK}': 1, 'name': MASK}
    assert redaction.struck_out({7: 'x'}, secrets) == {7: 'x'}


@strategies.SETTINGS
@given(strategies.texts, st.lists(st.text('abc', min_size=4, max_size=6),
                                  max_size=4))
def test_nothing_that_is_long_enough_is_left(value, secrets):
    shown = redaction.struck_out({'v': [value, *secrets]}, secrets)
    text = json.dumps(shown['v'][1:])
    assert not any(secret in text for secret in secrets)


@strategies.SETTINGS
@given(st.recursive(strategies.scalars, lambda inner: st.one_of(
    st.lists(inner, max_size=3),
    st.dictionaries(strategies.words, inner, max_size=3)), max_leaves=6))
def test_without_secrets_nothing_changes(value):
    assert redaction.struck_out(value, set()) is value
    assert redaction.struck_out(value, {'not in there at all'}) == value


def test_empty_values_hide_nothing():
    for value in ('', None):
        params = {} if value is None else {'door': value}
        assert redaction.secrets_of(stack_of(params)) == set()


def description(**changes):
    return {'template': HIDDEN, 'name': 'web', 'environment': {
        'parameters': {'door': SECRET, 'plain': 'shown'},
        'parameter_defaults': {'door': SECRET}}, **changes}


def test_hidden_parameters_are_masked_in_a_description():
    given_one = description()
    shown = redaction.redacted(given_one)
    assert shown['environment'] == {
        'parameters': {'door': MASK, 'plain': 'shown'},
        'parameter_defaults': {'door': MASK}}
    assert given_one == description()
    assert redaction.redacted(None) is None
    assert redaction.redacted({}) == {}


def test_what_resources_were_given_is_masked_in_a_description():
    shown = redaction.redacted(description(resources={
        'r': {'metadata': {'m': f'<{SECRET}>'}, 'resource_data': {
            'k': SECRET, 'l': 'x'}, 'name': 'r'},
        'odd': None}))
    assert shown['resources'] == {
        'r': {'metadata': {'m': f'<{MASK}>'}, 'name': 'r',
              'resource_data': {'k': MASK, 'l': 'x'}},
        'odd': None}


def test_nested_stacks_hide_what_the_stack_above_hides():
    inner = {'template': {'resources': {'r': {'properties': {
        'p': f'in {SECRET}'}}}}, 'environment': {'parameters': {
            'given': f'{SECRET}/x', 'other': 1}}}
    shown = redaction.redacted(description(resources={'n': inner}))
    nested = shown['resources']['n']
    assert nested['environment']['parameters'] == {
        'given': f'{MASK}/x', 'other': 1}
    assert SECRET not in json.dumps(nested)


def test_hidden_values_of_nested_stacks_are_masked_above():
    shown = redaction.redacted({
        'template': {}, 'environment': {'parameters': {'p': SECRET}},
        'resources': {'n': description()}})
    assert SECRET not in json.dumps(shown)


def test_defaults_for_templates_in_files_are_masked():
    text = json.dumps(HIDDEN)
    environment = {'parameter_defaults': {'door': 'x', 'plain': 'y'}}
    for files, shown in (({'inner.yaml': text}, MASK),
                         ({'inner.yaml': '{'}, 'x'),
                         ({'script.sh': text}, 'x'), (None, 'x')):
        masked = redaction.masked_environment(environment, set(), set(),
                                              files, nested=False)
        assert masked['parameter_defaults'] == {'door': shown, 'plain': 'y'}


RESOURCES = {
    'direct': {'properties': {'p': {'get_param': 'door'}, 'q': 1}},
    'deep': {'properties': {'p': [{'list_join': ['', [
        'a', {'get_param': ['door', 'x']}]]}]}},
    'cfn': {'Properties': {'P': {'Ref': 'door'}}},
    'text': {'Properties': {'P': {'Fn::Base64': {'Fn::Sub': 'to ${door}'}},
                            'Q': {'Fn::Sub': 'the ${!door} ${plain}'},
                            'R': {'Fn::Sub': ['${a}', {
                                'a': {'Fn::Sub': '${ door }'}}]}}},
    'other': {'properties': {'p': {'get_param': 'plain'}}},
    'odd': 'text', 'bare': {}}


@pytest.mark.parametrize(('name', 'properties'), [
    ('direct', {'p'}), ('deep', {'p'}), ('cfn', {'P'}), ('text', {'P', 'R'}),
    ('other', set()),
    ('odd', set()), ('bare', set()), ('missing', set()), (None, set())])
def test_properties_that_take_something_hidden(name, properties):
    assert redaction.takers(RESOURCES, name, {'door'}) == properties
    assert redaction.takers(RESOURCES, name, set()) == set()
    assert redaction.takers(None, name, {'door'}) == set()


def nested_template(params, **sections):
    return template.Template(
        definitions.hot(parameters={name: {'type': 'string'}
                                    for name in params}, **sections),
        env=definitions.definition(definitions.hot(
            parameters={name: {'type': 'string'} for name in params}),
            params).t.env)


def test_stack_inside_inherits_what_it_was_given():
    above = stack_of({'door': SECRET}, resources={
        'n': {'type': 'T', 'properties': {'key': {'get_param': 'door'}}}})
    found = redaction.inherited_from(above, 'n', nested_template(
        {'key': SECRET, 'made': f'of {SECRET}', 'other': 'x'}))
    assert found.names == {'key', 'made'}
    assert found.texts == {SECRET}


def test_stack_inside_inherits_nothing_it_was_not_given():
    above = stack_of({'door': SECRET}, resources={'n': {'type': 'T'}})
    assert redaction.inherited_from(
        above, 'n', nested_template({'other': 'x'})) == secrecy.Inherited()
    assert redaction.inherited_from(
        stack_of({}, {'plain': {'type': 'string'}}), 'n',
        nested_template({'a': 'x'})) == secrecy.Inherited()


def test_template_of_a_stack_inside_is_shown_without_secrets():
    stack = stack_of({'plain': 'x'}, owner_id='above')
    data = {'resources': {'r': f'has {SECRET}'}}
    assert redaction.is_made_above(stack)
    assert redaction.shown_template(stack, data) is data
    stack.parameters.inherit(secrecy.Inherited(frozenset(['plain']),
                                               frozenset([SECRET])))
    assert redaction.shown_template(stack, data) == {
        'resources': {'r': f'has {MASK}'}}
    assert redaction.hidden_parameters(stack) == {'door', 'plain'}


def test_errors_do_not_tell_secrets():
    error = exception.StackValidationFailed(path=['p'],
                                            message=f'bad {SECRET}')
    error.__cause__ = ValueError(SECRET)
    redaction.hide(error, {SECRET})
    assert str(error).endswith(f'bad {MASK}')
    assert SECRET not in repr(vars(error))
    assert error.__cause__ is None
    other = exception.NotFound('nothing secret')
    other.__cause__ = cause = ValueError()
    redaction.hide(other, {SECRET})
    assert other.__cause__ is cause


def test_masks_are_not_adopted():
    data = {'resources': {
        'a': {'metadata': {'m': [MASK]}, 'resource_data': {
            'k': f'x{MASK}', 'l': 'kept'}},
        'b': {'metadata': {'m': 1}},
        'n': {'resources': {'c': {'metadata': {MASK: 1}}}},
        'odd': None}}
    assert redaction.without_masked_data(data)['resources'] == {
        'a': {'metadata': {}, 'resource_data': {'l': 'kept'}},
        'b': {'metadata': {'m': 1}},
        'n': {'resources': {'c': {'metadata': {}}}},
        'odd': None}
    assert redaction.without_masked_data({'resources': []}) == {
        'resources': []}


def test_masked_values_have_to_be_given_anew():
    environment = {'parameters': {'door': MASK, 'plain': MASK},
                   'parameter_defaults': {'door': 'given'}, 'other': 1}
    assert redaction.without_masks(environment, HIDDEN) == {
        'parameters': {'plain': MASK},
        'parameter_defaults': {'door': 'given'}, 'other': 1}
