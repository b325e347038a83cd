import pytest

from heat.engine import constraints
from heat.engine import parameters
from heat.engine import properties
from heat.engine import support

Schema = properties.Schema

SCHEMA = {
    'name': Schema(Schema.STRING, 'The name', default='x', constraints=[
        constraints.Length(1, 9), constraints.AllowedPattern('[a-z]+')]),
    'size': Schema(Schema.INTEGER, constraints=[constraints.Range(1)]),
    'kind': Schema(Schema.STRING, default='a', constraints=[
        constraints.AllowedValues(['a', 'b'])]),
    'ratio': Schema(Schema.NUMBER),
    'on': Schema(Schema.BOOLEAN, default=False),
    'tags': Schema(Schema.LIST, default=['a', 'b']),
    'nets': Schema(Schema.LIST, schema=Schema(Schema.MAP)),
    'meta': Schema(Schema.MAP, default={}),
    'any': Schema(Schema.ANY),
    'later': Schema(Schema.STRING, implemented=False),
    'former': Schema(Schema.STRING, support_status=support.SupportStatus(
        status=support.HIDDEN)),
}


def test_hot_template_of_a_type():
    params, props = properties.Properties \
        .schema_to_parameters_and_properties(SCHEMA, 'hot')
    assert params['name'] == {
        'type': 'string', 'description': 'The name', 'default': 'x',
        'constraints': [{'length': {'min': 1, 'max': 9}},
                        {'allowed_pattern': '[a-z]+'}]}
    assert {name: param['type'] for name, param in params.items()} == {
        'name': 'string', 'size': 'number', 'kind': 'string',
        'ratio': 'number', 'on': 'boolean', 'tags': 'comma_delimited_list',
        'nets': 'comma_delimited_list', 'meta': 'json', 'any': 'string'}
    assert params['tags']['default'] == 'a,b'
    assert params['on']['default'] is False
    assert props == {name: {'get_param': name} for name in params}


def test_cfn_template_of_a_type():
    params, props = properties.Properties \
        .schema_to_parameters_and_properties(SCHEMA)
    assert params['name'] == {
        'Type': 'String', 'Description': 'The name', 'Default': 'x',
        'MinLength': 1, 'MaxLength': 9, 'AllowedPattern': '[a-z]+'}
    assert params['size'] == {'Type': 'Number', 'MinValue': 1}
    assert params['kind']['AllowedValues'] == ['a', 'b']
    assert params['nets'] == {'Type': 'CommaDelimitedList'}
    assert props == {name: {'Ref': name} for name in params}


def test_generated_parameters_are_well_formed():
    params, _props = properties.Properties \
        .schema_to_parameters_and_properties(SCHEMA)
    for name, snippet in params.items():
        schema = parameters.Schema.from_dict(name, snippet)
        parameters.Parameter(name, schema).validate(validate_value=False)


@pytest.mark.parametrize(('param', 'prop'), [
    ('String', Schema.STRING), ('Number', Schema.NUMBER),
    ('CommaDelimitedList', Schema.LIST), ('Json', Schema.MAP),
    ('Boolean', Schema.BOOLEAN)])
def test_property_from_parameter(param, prop):
    schema = parameters.Schema(param, 'What')
    found = properties.Properties.schema_from_params({'p': schema})['p']
    assert (found.type, found.description) == (prop, 'What')
    assert found.required
    assert found.update_allowed
    assert found.allow_conversion
    optional = Schema.from_parameter(parameters.Schema(param, default='1'))
    assert not optional.required
    assert optional.default is None


def test_constraints_come_along_from_parameter():
    schema = parameters.Schema('String', constraints=[
        constraints.Length(max=3)])
    assert dict(Schema.from_parameter(schema))['constraints'] == [
        {'length': {'max': 3}}]
    assert properties.Properties.schema_from_params(None) == {}
