"""New names of resources, wherever a template mentions them."""
import pytest

from heat.engine.language import renaming

RENAMING = renaming.Renaming({'a': 'b'}, {'x': 'id-of-x'})


@pytest.mark.parametrize(('value', 'expected'), [
    ({'get_resource': 'a'}, {'get_resource': 'b'}),
    ({'get_resource': 'c'}, {'get_resource': 'c'}),
    ({'get_resource': 'x'}, 'id-of-x'),
    ({'Ref': 'a'}, {'Ref': 'b'}),
    ({'Ref': 'x'}, 'id-of-x'),
    ({'get_attr': ['a', 'ip', {'get_param': 'a'}]},
     {'get_attr': ['b', 'ip', {'get_param': 'a'}]}),
    ({'get_attr': ['x', 'ip']}, ''),
    ({'Fn::GetAtt': 'a.ip'}, {'Fn::GetAtt': 'b.ip'}),
    ({'Fn::GetAtt': 'x.ip'}, ''),
    ({'get_attr': []}, {'get_attr': []}),
    ({'get_attr': [{'get_param': 'a'}]}, {'get_attr': [{'get_param': 'a'}]}),
    ({'get_param': 'a'}, {'get_param': 'a'}),
    ({'Fn::Sub': '${a} ${a.ip} ${!a} ${c} ${x} ${x.ip}|'},
     {'Fn::Sub': '${b} ${b.ip} ${!a} ${c} id-of-x |'}),
    ({'Fn::Sub': '${ a } ${ a.ip } ${ !a } ${ x }|'},
     {'Fn::Sub': '${b} ${b.ip} ${ !a } id-of-x|'}),
    ({'Fn::Sub': ['${a} ${c}', {'a': {'Ref': 'a'}}]},
     {'Fn::Sub': ['${a} ${c}', {'a': {'Ref': 'b'}}]}),
    ({'Fn::Sub': {'Ref': 'a'}}, {'Fn::Sub': {'Ref': 'b'}}),
    ([{'k': {'get_resource': 'a'}, 'a': 'a'}],
     [{'k': {'get_resource': 'b'}, 'a': 'a'}]),
])
def test_values(value, expected):
    assert RENAMING.of_value(value) == expected


@pytest.mark.parametrize(('depends', 'expected'), [
    ('a', 'b'), ('c', 'c'), ('x', []), (['a', 'x', 'c'], ['b', 'c']),
    (7, 7)])
@pytest.mark.parametrize('key', ['depends_on', 'DependsOn'])
def test_dependencies(key, depends, expected):
    assert RENAMING.of_resources({'u': {'type': 'T', key: depends}}) == {
        'u': {'type': 'T', key: expected}}


def test_resources_are_renamed_and_left_out():
    before = {'a': {'type': 'A'}, 'x': {'type': 'X'}, 'u': {
        'type': 'U', 'properties': {'of': {'get_resource': 'a'}}}, 'w': None}
    assert RENAMING.of_resources(before) == {
        'b': {'type': 'A'}, 'u': {
            'type': 'U', 'properties': {'of': {'get_resource': 'b'}}},
        'w': None}
    assert before['u']['properties'] == {'of': {'get_resource': 'a'}}


@pytest.mark.parametrize(('part', 'names_it'), [
    ({'type': 'T', 'properties': {'p': [{'get_resource': 'a'}]}}, True),
    ({'type': 'T', 'depends_on': 'a'}, True),
    ({'type': 'T', 'depends_on': ['b', 'a']}, True),
    ({'Type': 'T', 'DependsOn': 'a'}, True),
    ({'value': {'get_attr': ['a', 'ip']}}, True),
    ({'Value': {'Fn::Sub': 'x-${a.ip}'}}, True),
    ({'Value': {'Fn::Sub': 'x-${ a }'}}, True),
    ({'Value': {'Fn::Sub': ['${a}', {'a': 'bound'}]}}, False),
    ({'type': 'T', 'depends_on': ['b'], 'properties': {
        'a': 'a', 'p': {'get_param': 'a'}}}, False),
    (None, False)])
def test_whether_a_part_names_a_resource(part, names_it):
    assert renaming.refers(part, 'a') is names_it
