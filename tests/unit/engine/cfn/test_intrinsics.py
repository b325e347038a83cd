"""Functions of AWS CloudFormation that Heat never had."""
import pytest

from heat.common import exception
from heat.engine import function
from heat.engine import stk_defn
from tests.fakes import definitions

SECTIONS = {
    'Mappings': {'Map': {'k': {'v': 'mapped'}}},
    'Parameters': {'P': {'Type': 'String', 'Default': 'text'},
                   'N': {'Type': 'Number', 'Default': 3},
                   'B': {'Type': 'Boolean', 'Default': 'true'},
                   'L': {'Type': 'CommaDelimitedList', 'Default': 'a,b'}},
    'Conditions': {'Yes': {'Fn::Equals': [{'Ref': 'P'}, 'text']},
                   'No': {'Fn::Not': [{'Condition': 'Yes'}]}},
    'Resources': {'R': {'Type': 'T'}, 'S': {'Type': 'T'}},
}


def stack_of():
    return definitions.definition(
        definitions.cfn(**SECTIONS),
        known=[definitions.facts('R', {'a': {'x': 1}, 'Outputs.o': 'out'})])


def parsed(snippet):
    stack = stack_of()
    return stack, stack.t.parse(stack, snippet)


def resolved(snippet):
    stack, call = parsed(snippet)
    function.validate(call)
    assert isinstance(stack, stk_defn.StackDefinition)
    return function.resolve(call)


@pytest.mark.parametrize(('args', 'text'), [
    ('', ''),
    ('nothing', 'nothing'),
    ('${P}-${N}-${B}', 'text-3-true'),
    ('a ${R} b', 'a ref-R b'),
    ('${ P }', 'text'),
    ('${R.Outputs.o}', 'out'),
    ('${!P} and ${P}', '${P} and text'),
    ('$P {P} $${P}', '$P {P} $text'),
    ('${AWS::StackName}', 'stack'),
    ('arn:${AWS::Partition}:x', 'arn:openstack:x'),
    (['${P}${Q}', {'P': 'mine', 'Q': {'Fn::Join': ['', ['a', 'b']]}}],
     'mineab'),
    (['${P}', {}], 'text'),
])
def test_sub(args, text):
    assert resolved({'Fn::Sub': args}) == text


@pytest.mark.parametrize('args', [
    None, 7, {'a': 1}, ['x'], ['x', 'y'], ['x', {}, {}],
    {'Fn::Join': ['', ['a']]}])
def test_sub_takes_a_literal_text(args):
    with pytest.raises(exception.StackValidationFailed) as caught:
        parsed({'a': {'Fn::Sub': args}})
    assert caught.value.path == ['a', 'Fn::Sub']


@pytest.mark.parametrize(('text', 'says'), [
    ('${Nobody}', 'Nobody'), ('${Nobody.a}', 'Nobody'), ('${}', 'nothing')])
def test_sub_names_what_there_is(text, says):
    with pytest.raises(exception.HeatException, match=says):
        resolved({'x': {'Fn::Sub': text}})


def test_sub_does_not_flatten_lists():
    with pytest.raises(TypeError, match='texts, numbers and booleans'):
        resolved({'Fn::Sub': '${L}'})


def test_sub_depends_on_what_it_names():
    _stack, call = parsed({'Fn::Sub': ['${R.a} ${V}', {
        'V': {'Fn::GetAtt': ['S', 'b']}}]})
    assert sorted(each.name for each in function.dependencies(call)) == [
        'R', 'S']
    assert list(function.all_dep_attrs(call)) == [('R', 'a'), ('S', 'b')]
    assert function.render(call) == {'Fn::Sub': ['${R.a} ${V}', {
        'V': {'Fn::GetAtt': ['S', 'b']}}]}


@pytest.mark.parametrize(('args', 'networks'), [
    (['10.0.0.0/16', 3, 8],
     ['10.0.0.0/24', '10.0.1.0/24', '10.0.2.0/24']),
    (['10.0.0.7/30', '2', '1'], ['10.0.0.4/31', '10.0.0.6/31']),
    (['10.0.0.0/24', 1], ['10.0.0.0/24']),
    (['2001:db8::/56', 2, 64], ['2001:db8::/64', '2001:db8:0:1::/64']),
    ([{'Fn::Join': ['', ['10.0.0.0', '/16']]}, {'Ref': 'N'}, 4],
     ['10.0.0.0/28', '10.0.0.16/28', '10.0.0.32/28']),
])
def test_cidr(args, networks):
    assert resolved({'Fn::Cidr': args}) == networks


@pytest.mark.parametrize(('args', 'says'), [
    (['10.0.0.0/24', 2, 8], 'has no room'),
    (['10.0.0.0/16', 257, 4], '1 to 256'),
    (['10.0.0.0/16', 0, 4], '1 to 256'),
    (['10.0.0.0/16', 'many', 4], 'must be an integer'),
    (['10.0.0.0/16', 1, 99], 'has no room'),
    (['10.0.0.0/16', 1, -1], 'has no room'),
    (['10.0.0.0/16', 10 ** 30, 4], '1 to 256'),
    (['somewhere', 1, 4], 'must be a network'),
])
def test_bad_cidr(args, says):
    with pytest.raises(ValueError, match=says):
        resolved({'Fn::Cidr': args})


@pytest.mark.parametrize(('snippet', 'value'), [
    ({'Fn::Length': ['a', {'Ref': 'P'}]}, 2),
    ({'Fn::Length': {'Ref': 'L'}}, 2),
    ({'Fn::Length': {'Fn::Split': [',', 'a,b,c']}}, 3),
    ({'Fn::ToJsonString': {'a': [1, {'Ref': 'P'}, True, None]}},
     '{"a": [1, "text", true, null]}'),
    ({'Fn::FindInMap': ['Map', 'k', 'v', {'DefaultValue': 'x'}]}, 'mapped'),
    ({'Fn::FindInMap': ['Map', 'z', 'v', {'DefaultValue': {'Ref': 'P'}}]},
     'text'),
    ({'Fn::If': ['No', 1, 2]}, 2),
])
def test_other_functions(snippet, value):
    assert resolved(snippet) == value


@pytest.mark.parametrize('snippet', [
    {'Fn::Length': 'abc'}, {'Fn::ToJsonString': 'abc'},
    {'Fn::FindInMap': ['Map', 'z', 'v']}])
def test_wrong_values(snippet):
    with pytest.raises((TypeError, KeyError)):
        resolved(snippet)


@pytest.mark.parametrize(('name', 'value'), [
    ('AWS::NotificationARNs', []), ('AWS::Partition', 'openstack'),
    ('AWS::URLSuffix', 'amazonaws.com')])
def test_pseudo_parameters(name, value):
    assert resolved({'Ref': name}) == value


def test_no_value_leaves_its_place_out():
    assert resolved({'a': {'Ref': 'AWS::NoValue'}, 'b': [
        1, {'Fn::If': ['No', 2, {'Ref': 'AWS::NoValue'}]}]}) == {'b': [1]}


def test_pseudo_parameters_do_not_show_among_the_parameters():
    assert 'AWS::NoValue' not in stack_of().parameters
