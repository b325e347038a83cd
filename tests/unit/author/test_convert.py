"""Templates in another notation or version mean the same."""
import json
import textwrap

import pytest

from heat.author import convert as template_convert
from heat.common import exception
from heat.common import template_format

CFN = {
    'AWSTemplateFormatVersion': '2010-09-09',
    'Parameters': {'Key': {'Type': 'String', 'Default': '0022'}},
    'Resources': {'server': {
        'Type': 'AWS::EC2::Instance',
        'Properties': {'KeyName': {'Ref': 'Key'},
                       'UserData': 'line\nline\n', 'Count': 3,
                       'Flag': True, 'None': None}}},
}

OLD = """\
heat_template_version: 2013-05-23

parameters:
  # who
  name: {type: json}

resources:
  a:
    type: T
    properties:
      p:
        # about p
        CALL
  b:
    type: T
"""


def old(call):
    return OLD.replace('CALL', textwrap.indent(call, ' ' * 8).strip())


def test_json_becomes_yaml_and_json_again():
    text = json.dumps(CFN)
    as_yaml = template_convert.convert(text, 'yaml')
    assert 'UserData: |\n' in as_yaml
    assert "Default: '0022'" in as_yaml
    assert template_format.simple_parse(as_yaml) == CFN
    again = template_convert.convert(as_yaml, 'json')
    assert json.loads(again) == CFN


@pytest.mark.parametrize(('call', 'expected'), [
    ('{Ref: b}', {'get_resource': 'b'}),
    ('{Ref: name}', {'get_param': 'name'}),
    ('{Ref: "OS::stack_name"}', {'get_param': 'OS::stack_name'}),
    ('{"Fn::Join": [",", [a, {Ref: b}]]}',
     {'list_join': [',', ['a', {'get_resource': 'b'}]]}),
    ('{"Fn::Split": [",", "a,b"]}', {'str_split': [',', 'a,b']}),
    ('{"Fn::Replace": [{$x: 1}, "a $x"]}',
     {'str_replace': {'template': 'a $x', 'params': {'$x': 1}}}),
    ('{"Fn::Base64": text}', 'text'),
    ('{"Fn::ResourceFacade": DeletionPolicy}',
     {'resource_facade': 'deletion_policy'}),
    ('{"Fn::Select": [k, {get_param: name}]}', {'get_param': ['name', 'k']}),
    ('{"Fn::Select": [0, {get_param: [name, k]}]}',
     {'get_param': ['name', 'k', 0]}),
    ('{"Fn::Select": [0, {get_attr: [b, x]}]}', {'get_attr': ['b', 'x', 0]}),
    ('{"Fn::Select": [1, {"Fn::Split": [",", "a,b"]}]}',
     {'str_split': [',', 'a,b', 1]}),
    ('{"Fn::Select": [1, [x, {Ref: b}]]}', {'get_resource': 'b'}),
    ('{"Fn::Select": [k, {k: v, l: w}]}', 'v'),
    ('{"Fn::Select": [k, {Ref: name}]}', {'get_param': ['name', 'k']}),
])
def test_what_is_gone_has_an_equivalent(call, expected):
    text = template_convert.convert(old(call), 'wallaby')
    data = template_format.simple_parse(text)
    assert data['heat_template_version'] == 'wallaby'
    assert data['resources']['a']['properties']['p'] == expected
    assert '# who' in text
    assert '# about p' in text


@pytest.mark.parametrize(('call', 'to'), [
    ('{"Fn::MemberListToMap": [n, v, ["a=b"]]}', 'latest'),
    ('{"Fn::GetAZs": ""}', 'latest'),
    ('{"Fn::Split": [",", "a,b"]}', '2014-10-16'),
    ('{"Fn::Select": [9, [x]]}', 'latest'),
    ('{"Fn::Select": [0, {get_file: x}]}', 'latest'),
    ('{Ref: {get_param: name}}', 'latest'),
])
def test_what_has_no_equivalent_is_refused_with_its_path(call, to):
    with pytest.raises(template_convert.CannotConvert,
                       match='no equivalent') as caught:
        template_convert.convert(old(call), to)
    assert list(caught.value.path)[:4] == ['resources', 'a', 'properties',
                                           'p']


def test_a_kept_function_stays():
    text = old('{"Fn::Select": [0, {get_param: name}]}')
    data = template_format.simple_parse(
        template_convert.convert(text, '2014-10-16'))
    assert data['resources']['a']['properties']['p'] == {
        'Fn::Select': [0, {'get_param': 'name'}]}


@pytest.mark.parametrize('version', template_convert.versions())
def test_every_version_leads_to_the_latest(version):
    text = f'heat_template_version: {version}\n'
    data = template_format.simple_parse(
        template_convert.convert(text, 'latest'))
    assert data == {'heat_template_version': '2021-04-16'}


@pytest.mark.parametrize(('text', 'to', 'reason'), [
    ('heat_template_version: rocky\n', '2013-05-23', 'older'),
    ('heat_template_version: rocky\n', 'walaby', 'Did you mean "wallaby"'),
    ('AWSTemplateFormatVersion: 2010-09-09\n', 'rocky', 'newer versions'),
    ('heat_template_version: 2013-05-23\nresource: {}\n', 'rocky',
     'resource'),
])
def test_a_version_that_makes_no_sense_is_refused(text, to, reason):
    with pytest.raises(exception.HeatException, match=reason):
        template_convert.convert(text, to)


def test_a_json_template_is_upgraded_as_json():
    text = json.dumps({'heat_template_version': '2013-05-23', 'resources': {
        'a': {'type': 'T', 'properties': {'p': {'Ref': 'a'}}}}})
    data = json.loads(template_convert.convert(text, 'latest'))
    assert data['resources']['a']['properties'] == {
        'p': {'get_resource': 'a'}}
