import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine import function
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine import template
from tests.fakes import definitions

SECTIONS = {
    'Mappings': {'Map': {'k': {'v': 'mapped', 'l': [1]}}},
    'Parameters': {'P': {'Type': 'String', 'Default': 'k'},
                   'Both': {'Type': 'String', 'Default': 'param'},
                   'B': {'Type': 'Boolean', 'Default': 'true'}},
    'Conditions': {
        'Yes': {'Fn::Equals': [{'Ref': 'P'}, 'k']},
        'No': {'Fn::Not': ['Yes']},
        'Mapped': {'Fn::Equals': [
            {'Fn::FindInMap': ['Map', {'Ref': 'P'}, 'v']}, 'mapped']},
    },
    'Resources': {'R': {'Type': 'T'}, 'Both': {'Type': 'T'},
                  'Off': {'Type': 'T', 'Condition': 'No'}},
}


def stack_of(**kwargs):
    return definitions.definition(definitions.cfn(**SECTIONS), **kwargs)


def resolved(snippet, stack=None):
    stack = stack_of() if stack is None else stack
    call = stack.t.parse(stack, snippet)
    function.validate(call)
    return function.resolve(call)


def refused(snippet):
    stack = stack_of()
    with pytest.raises(exception.StackValidationFailed) as caught:
        stack.t.parse(stack, {'a': snippet})
    assert caught.value.path == ['a', *snippet]


@pytest.mark.parametrize(('snippet', 'value'), [
    ({'Ref': 'P'}, 'k'),
    ({'Ref': 'R'}, 'ref-R'),
    ({'Ref': 'Both'}, 'Both'),
    ({'Ref': 'AWS::StackName'}, 'stack'),
    ({'Fn::FindInMap': ['Map', 'k', 'v']}, 'mapped'),
    ({'Fn::FindInMap': ['Map', {'Ref': 'P'}, 'l']}, [1]),
    ({'Fn::GetAtt': ['R', 'a']}, {'x': 1}),
    ({'Fn::Join': ['-', ['a', None, 'b']]}, 'a--b'),
    ({'Fn::Split': ['-', 'a-b']}, ['a', 'b']),
    ({'Fn::Base64': 'text'}, 'text'),
    ({'Fn::Replace': [{'$a': 'x', '$b': None}, '$a$b!']}, 'x!'),
    ({'Fn::If': ['Yes', 1, {'Fn::Join': 1}]}, 1),
    ({'Fn::If': ['No', 1, 2]}, 2),
    ({'Fn::If': ['Mapped', 1, 2]}, 1),
    ({'Fn::MemberListToMap': ['Name', 'Value', [
        '.member.0.Name=a', '.member.0.Value=1',
        'x.member.7.Value=b=c', 'x.member.7.Name=d',
        '.member.9.Name=lonely', 'nonsense', '.member.1=x']]},
     {'a': '1', 'd': 'b=c'}),
])
def test_functions(snippet, value):
    stack = stack_of(known=[definitions.facts('R', {'a': {'x': 1}})])
    assert resolved(snippet, stack) == value


@pytest.mark.parametrize(('args', 'value'), [
    ([0, ['a', 'b']], 'a'),
    (['1', ['a', 'b']], 'b'),
    ([2, ['a', 'b']], ''),
    (['k', {'k': 1}], 1),
    (['x', {'k': 1}], ''),
    ([0, None], ''),
    ([0, ''], ''),
    (['k', '{"k": [1]}'], [1]),
    ([1, '["a", "b"]'], 'b'),
    ([0, 'null'], ''),
])
def test_select(args, value):
    assert resolved({'Fn::Select': args}) == value


@pytest.mark.parametrize(('args', 'error'), [
    ([0, {'k': 1}], TypeError), (['k', ['a']], TypeError),
    ([None, ['a']], TypeError), ([0, 'text'], ValueError),
    ([0, 5], TypeError), ([0, '5'], TypeError),
])
def test_select_errors(args, error):
    with pytest.raises(error):
        resolved({'Fn::Select': args})


@pytest.mark.parametrize('snippet', [
    {'Fn::Select': [0]}, {'Fn::Select': 'x'}, {'Fn::Select': {'a': 1}},
    {'Fn::FindInMap': ['Map', 'k']}, {'Fn::FindInMap': 'Map'},
    {'Fn::GetAtt': 'R.a'}, {'Fn::GetAtt': ['R']},
    {'Fn::GetAtt': ['R', 'a', 'b']},
    {'Fn::Join': ['-']}, {'Fn::Join': 'ab'}, {'Fn::Join': ['-', [], []]},
    {'Fn::Split': 'a-b'}, {'Fn::Split': ['-']}, {'Fn::Split': [1, 'a']},
    {'Fn::Replace': {'a': 'b'}}, {'Fn::Replace': [{}]},
    {'Fn::Replace': [[], 'x']},
    {'Fn::MemberListToMap': ['a', 'b']}, {'Fn::MemberListToMap': 'abc'},
    {'Fn::MemberListToMap': [1, 'b', []]},
    {'Fn::ResourceFacade': 'metadata'},
    {'Fn::If': ['Yes', 1]}, {'Fn::If': ['Unknown', 1, 2]},
])
def test_wrong_arguments(snippet):
    refused(snippet)


@pytest.mark.parametrize(('snippet', 'error'), [
    ({'Fn::FindInMap': ['Map', 'k', 'x']}, KeyError),
    ({'Fn::FindInMap': ['x', 'k', 'v']}, KeyError),
    ({'Fn::FindInMap': ['Map', 'k', []]}, KeyError),
    ({'Fn::Join': ['-', [1]]}, TypeError),
    ({'Fn::Split': ['-', 1]}, TypeError),
    ({'Fn::Base64': 1}, TypeError),
    ({'Fn::Base64': ['a']}, TypeError),
    ({'Fn::Replace': [{'a': []}, 'a']}, TypeError),
    ({'Fn::MemberListToMap': ['a', 'b', [1]]}, TypeError),
    ({'Fn::MemberListToMap': ['a', 'b', 'c']}, TypeError),
    ({'Ref': 'Unknown'}, exception.StackValidationFailed),
    ({'Ref': ['R']}, exception.InvalidTemplateReference),
])
def test_wrong_values(snippet, error):
    with pytest.raises(error):
        resolved(snippet)


def test_ref_of_a_disabled_resource_is_no_parameter():
    stack = stack_of()
    with pytest.raises(exception.InvalidTemplateReference):
        stack.t.parse(stack, {'Ref': 'Off'}).result()


def test_references_are_dependencies():
    stack = stack_of()
    call = stack.t.parse(stack, [{'Ref': 'R'}, {'Ref': 'P'},
                                 {'Fn::GetAtt': ['Both', 'a']}])
    assert [each.name for each in function.dependencies(call)] == [
        'R', 'Both']


def test_conditions_refer_to_parameters_only():
    stack = stack_of()
    parsed = stack.t.parse_condition(stack, {'Ref': 'B'})
    assert stack.t.conditions(stack).is_enabled(parsed) is True
    with pytest.raises(exception.InvalidTemplateReference):
        stack.t.parse_condition(stack, {'Ref': 'R'}).result()


@pytest.mark.parametrize(('condition', 'value'), [
    ({'Fn::And': ['Yes', {'Fn::Not': ['No']}]}, True),
    ({'Fn::Or': ['No', {'Fn::Not': ['Yes']}]}, False),
    ({'Fn::Not': [{'Fn::Equals': [1, 1]}]}, False)])
def test_combined_conditions(condition, value):
    stack = stack_of()
    parsed = stack.t.parse_condition(stack, condition)
    assert stack.t.conditions(stack).is_enabled(parsed) is value


@pytest.mark.parametrize('condition', [
    {'Fn::Not': 'Yes'}, {'Fn::Not': ['Yes', 'No']}, {'Fn::And': ['Yes']},
    {'Fn::Or': 'Yes'}, {'Fn::Equals': [1]}, {'Fn::Join': ['', []]}])
def test_wrong_conditions(condition):
    stack = stack_of()
    with pytest.raises(exception.StackValidationFailed):
        stack.t.parse_condition(stack, condition)


def test_resource_facade():
    parent = definitions.ParentResource(rsrc_defn.ResourceDefinition(
        'p', 'T', metadata={'m': 1}, deletion_policy='Snapshot',
        update_policy={'u': 2}))
    stack = stack_of(parent=parent)
    for name, value in (('Metadata', {'m': 1}), ('UpdatePolicy', {'u': 2}),
                        ('DeletionPolicy', 'Snapshot')):
        assert resolved({'Fn::ResourceFacade': name}, stack) == value


class Zones(stk_defn.StackDefinition):
    def get_availability_zones(self):
        return ['east', 'west']


def test_availability_zones():
    tmpl = template.Template(definitions.cfn(),
                             env=environment.Environment({}))
    assert tmpl.parse(None, {'Fn::GetAZs': ''}).result() == ['nova']
    stack = Zones(None, tmpl, None)
    assert resolved({'Fn::GetAZs': 'eu-west-1'}, stack) == ['east', 'west']
    call = tmpl.parse(stack, {'Fn::GetAZs': 'mars-1'})
    with pytest.raises(ValueError, match='zones of the region "mars-1"'):
        call.result()


def test_cfn_functions_of_the_first_hot_version():
    stack = definitions.definition(definitions.hot(
        '2013-05-23', parameters={'p': {'type': 'string', 'default': 'x'}},
        resources={'r': {'type': 'T'}}))
    assert resolved([{'Ref': 'p'}, {'Ref': 'r'},
                     {'Fn::Select': [0, ['a']]}], stack) == ['x', 'r', 'a']
