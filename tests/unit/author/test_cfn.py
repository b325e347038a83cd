"""HOT made of CloudFormation templates."""
import pytest

from heat.author import convert as template_convert
from heat.common import exception
from heat.common import template_format

CFN = """\
AWSTemplateFormatVersion: '2010-09-09'
Description: A server
Parameters:
  Size:
    Type: String
    Default: small
    AllowedValues: [small, large]
    ConstraintDescription: It must be a size.
  Secret: {Type: String, NoEcho: 'true', MinLength: '3', MaxLength: '9'}
  Names: {Type: CommaDelimitedList, Default: 'a,b'}
Mappings:
  Flavors: {small: {name: m1}, large: {name: m2}}
Conditions:
  Large: {'Fn::Equals': [{Ref: Size}, large]}
  Other: {'Fn::Not': [{Condition: Large}]}
Resources:
  volume:
    Type: AWS::EC2::Volume
    DeletionPolicy: Retain
    Condition: Large
    Properties: {Size: 1, AvailabilityZone: nova}
  server:
    Type: AWS::EC2::Instance
    DependsOn: volume
    Properties:
      ImageId: {'Fn::If': [Large, big, {'Fn::Select': [0, {Ref: Names}]}]}
      InstanceType: {'Fn::FindInMap': [Flavors, {Ref: Size}, name]}
      UserData: {'Fn::Base64': {'Fn::Join': ['', [{Ref: volume},
        {'Fn::Replace': [{$a: {Ref: 'AWS::StackName'}}, text $a]}]]}}
Outputs:
  ip: {Value: {'Fn::GetAtt': [server, PublicIp]}, Description: address}
"""

HOT = {
    'heat_template_version': '2021-04-16',
    'description': 'A server',
    'parameters': {
        'Size': {'type': 'string', 'default': 'small', 'constraints': [
            {'allowed_values': ['small', 'large'],
             'description': 'It must be a size.'}]},
        'Secret': {'type': 'string', 'hidden': 'true', 'constraints': [
            {'length': {'min': '3', 'max': '9'}}]},
        'Names': {'type': 'comma_delimited_list', 'default': 'a,b'},
        'Flavors': {'type': 'json', 'default': {
            'small': {'name': 'm1'}, 'large': {'name': 'm2'}}},
    },
    'conditions': {'Large': {'equals': [{'get_param': 'Size'}, 'large']},
                   'Other': {'not': 'Large'}},
    'resources': {
        'volume': {'type': 'AWS::EC2::Volume', 'deletion_policy': 'retain',
                   'condition': 'Large', 'properties': {
                       'Size': 1, 'AvailabilityZone': 'nova'}},
        'server': {
            'type': 'AWS::EC2::Instance', 'depends_on': 'volume',
            'properties': {
                'ImageId': {'if': ['Large', 'big',
                                   {'get_param': ['Names', 0]}]},
                'InstanceType': {'get_param': [
                    'Flavors', {'get_param': 'Size'}, 'name']},
                'UserData': {'list_join': ['', [
                    {'get_resource': 'volume'}, {'str_replace': {
                        'template': 'text $a',
                        'params': {'$a': {'get_param': 'OS::stack_name'}},
                    }}]]}}}},
    'outputs': {'ip': {'value': {'get_attr': ['server', 'PublicIp']},
                       'description': 'address'}},
}


def test_a_cfn_template_becomes_hot():
    assert template_format.simple_parse(
        template_convert.convert(CFN, 'hot')) == HOT


@pytest.mark.parametrize(('call', 'value'), [
    ('!Sub plain', 'plain'),
    ("!Sub '${Size} ${volume} ${server.PublicIp} ${!Size}'", {
        'str_replace': {
            'template': '${Size} ${volume} ${server.PublicIp} ${!Size}',
            'params': {'${Size}': {'get_param': 'Size'},
                       '${volume}': {'get_resource': 'volume'},
                       '${server.PublicIp}': {
                           'get_attr': ['server', 'PublicIp']},
                       '${!Size}': '${Size}'}}}),
    ("!Sub ['${a}', {a: !Ref Size}]", {'str_replace': {
        'template': '${a}', 'params': {'${a}': {'get_param': 'Size'}}}}),
])
def test_texts_with_variables(call, value):
    converted = template_format.simple_parse(template_convert.convert(
        CFN + f'  said: {{Value: {call}}}\n', 'hot'))
    assert converted['outputs']['said'] == {'value': value}


@pytest.mark.parametrize(('old', 'new', 'path'), [
    ('{Ref: volume}', "{'Fn::GetAZs': ''}", 'Fn::GetAZs'),
    ("'AWS::StackName'", "'AWS::Region'", 'Ref'),
    ('Type: CommaDelimitedList', 'Type: AWS::EC2::Image::Id', 'Type'),
    ('DependsOn: volume', 'Depends: volume', 'Depends'),
])
def test_what_has_no_equivalent_is_named(old, new, path):
    with pytest.raises(exception.StackValidationFailed) as caught:
        template_convert.convert(CFN.replace(old, new, 1), 'hot')
    assert caught.value.path[-1] == path


def test_hot_is_not_converted_again():
    with pytest.raises(exception.StackValidationFailed,
                       match='HOT already'):
        template_convert.convert(
            'heat_template_version: rocky\nresources: {}\n', 'hot')
