"""Types of parameters that AWS CloudFormation has."""
import pytest

from heat.common import exception
from heat.engine import constraints
from heat.engine.cfn import parameters


def schema_of(kind, **more):
    return parameters.schema_of('P', {'Type': kind, **more})


@pytest.mark.parametrize(('given', 'kind'), [
    ('String', 'String'), ('Number', 'Number'), ('Json', 'Json'),
    ('List<Number>', 'CommaDelimitedList'),
    ('List<String>', 'CommaDelimitedList'),
    ('List<AWS::EC2::Subnet::Id>', 'CommaDelimitedList'),
    ('AWS::EC2::AvailabilityZone::Name', 'String'),
    ('AWS::EC2::KeyPair::KeyName', 'String'),
])
def test_types(given, kind):
    assert schema_of(given).type == kind


def test_what_a_value_must_name():
    schema = schema_of('AWS::EC2::KeyPair::KeyName', MinLength=1)
    assert [type(each) for each in schema.constraints] == [
        constraints.Length, constraints.CustomConstraint]
    assert schema.constraints[1].name == 'nova.keypair'


@pytest.mark.parametrize('given', [
    'string', 'List', 'List<>', 'List<List<String>>', 'List<Nothing>',
    'AWS::EC2::Nothing', 7, None, ['String']])
def test_other_types_are_refused(given):
    with pytest.raises(exception.InvalidSchemaError):
        schema_of(given)


@pytest.mark.parametrize('given', [
    'AWS::SSM::Parameter::Name', 'AWS::SSM::Parameter::Value<String>'])
def test_the_parameter_store_is_explained(given):
    with pytest.raises(exception.InvalidSchemaError) as caught:
        schema_of(given)
    assert caught.value.path == ['Parameters', 'P', 'Type']
    assert 'Use the type String' in str(caught.value)


def test_the_items_of_a_list_of_numbers():
    schema = schema_of('List<Number>', Default='1,2.5,-3')
    schema.validate()
    schema.validate_constraints(['4'])
    with pytest.raises(exception.StackValidationFailed) as caught:
        schema.validate_constraints(['4', 'four', 'x'])
    assert str(caught.value) == '"four" is not a number'
    assert [str(each) for each in schema.constraints] == [
        'The items must be numbers']
    assert [dict(each) for each in schema.constraints] == [
        {'_numbers': True}]
