"""The answer of the validate call."""
import pytest

from heat.common import exception
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import validate

VERSION = {'heat_template_version': '2018-08-31'}


def described(engine, template, params=None, files=None, **options):
    definition = service_definition.of_request(
        engine.context, {**VERSION, **template}, params or {}, files or {},
        None, None)
    return validate.describe(engine.context, definition, **{
        'show_nested': False, 'ignorable_errors': frozenset(), **options})


def test_parameters_need_no_values(engine):
    shown = described(engine, {
        'description': 'D', 'parameters': {
            'a': {'type': 'string', 'default': 'x', 'description': 'A'},
            'b': {'type': 'number'}},
        'resources': {'r': {'type': 'Test::Thing', 'properties': {
            'value': {'get_param': 'a'}, 'polls': {'get_param': 'b'}}}}})
    assert shown['Description'] == 'D'
    assert shown['Parameters']['a']['Default'] == 'x'
    assert shown['Parameters']['b']['Type'] == 'Number'
    assert 'Default' not in shown['Parameters']['b']
    assert 'ParameterGroups' not in shown
    assert 'NestedParameters' not in shown


@pytest.mark.parametrize(('resources', 'path'), [
    ({'r': {'type': 'No::Such'}}, ['resources', 'r', 'type']),
    ({'r': {'type': 'Test::Thing', 'properties': {'odd': 1}}},
     ['resources', 'r', 'properties', 'odd'])])
def test_what_is_wrong_is_described(engine, resources, path):
    shown = described(engine, {'resources': resources})
    assert shown['ErrorPath'] == path
    assert '.'.join(path) in shown['Error']
    assert set(shown) == {'Error', 'ErrorPath', 'ErrorArguments'}


def test_hidden_values_do_not_show(engine):
    shown = described(engine, {'parameters': {
        'p': {'type': 'string', 'hidden': True, 'default': 'in-template'},
        'q': {'type': 'string', 'default': 'x'}}},
        {'parameters': {'p': 'open sesame', 'q': 'say open sesame'}})
    assert 'sesame' not in str(shown)
    # The caller has sent the template.
    assert shown['Parameters']['p']['Default'] == 'in-template'
    assert shown['Parameters']['p']['NoEcho'] == 'true'


def test_groups_of_parameters(engine):
    groups = [{'label': 'L', 'parameters': ['a']}]
    shown = described(engine, {'parameters': {'a': {'type': 'string'}},
                               'parameter_groups': groups})
    assert shown['ParameterGroups'] == groups


INNER = """
heat_template_version: 2018-08-31
parameters: {p: {type: string, default: q}}
resources: {t: {type: Test::Thing}}
"""


def test_parameters_of_nested_templates(engine):
    shown = described(engine, {'resources': {
        'n': {'type': 'inner.yaml'}, 't': {'type': 'Test::Thing'}}},
        files={'inner.yaml': INNER}, show_nested=True)
    nested = shown['NestedParameters']
    assert set(nested) == {'n'}
    assert nested['n']['Type'] == 'inner.yaml'
    assert nested['n']['Parameters']['p']['Default'] == 'q'
    assert 'Environment' not in nested['n']


def test_codes_to_ignore_must_be_known(engine):
    with pytest.raises(exception.Invalid, match='7'):
        described(engine, {}, ignorable_errors=frozenset(['7']))
    assert 'Parameters' in described(
        engine, {}, ignorable_errors=frozenset(['99001']))
