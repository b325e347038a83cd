"""Rules: assertions about the parameters of a cfn template."""
import pytest

from heat.common import exception
from heat.engine import template
from heat.engine.language import template_checks
from tests.fakes import definitions

PARAMETERS = {
    'Size': {'Type': 'String', 'Default': 'small'},
    'Place': {'Type': 'String', 'Default': 'test'},
    'Zones': {'Type': 'CommaDelimitedList', 'Default': 'a,b'},
    'Missing': {'Type': 'String'},
    'Net': {'Type': 'AWS::Route53::HostedZone::Id', 'Default': 'n'},
}


def problems(rules, with_values=False):
    tmpl = definitions.cfn(Parameters=PARAMETERS, Rules=rules)
    return template_checks.check(tmpl, with_values=with_values)


def rule(assertion, condition=None, **more):
    data = {'Assertions': [{'Assert': assertion, **more}]}
    if condition is not None:
        data['RuleCondition'] = condition
    return {'Fits': data}


IS_TEST = {'Fn::Equals': [{'Ref': 'Place'}, 'test']}
SMALL = {'Fn::Contains': [['small', 'tiny'], {'Ref': 'Size'}]}
LARGE = {'Fn::Contains': [['large'], {'Ref': 'Size'}]}


@pytest.mark.parametrize('rules', [
    {}, rule(SMALL), rule(SMALL, IS_TEST),
    rule(LARGE, {'Fn::Not': [IS_TEST]}),
    rule({'Fn::And': [SMALL, IS_TEST]}),
    rule({'Fn::Or': [LARGE, IS_TEST]}),
    rule({'Fn::EachMemberIn': [{'Ref': 'Zones'}, ['a', 'b', 'c']]}),
    rule({'Fn::EachMemberEquals': [['x', 'x'], 'x']}),
    rule({'Fn::EachMemberEquals': [
        {'Fn::RefAll': 'AWS::Route53::HostedZone::Id'}, 'n']}),
    rule({'Fn::Equals': [{'Ref': 'Missing'}, 'x']}),
])
def test_met(rules):
    assert problems(rules) == []


@pytest.mark.parametrize('rules', [
    rule(LARGE, IS_TEST, AssertDescription='Tests are small.'),
    rule({'Fn::EachMemberIn': [{'Ref': 'Zones'}, ['a']]},
         AssertDescription='Tests are small.'),
    rule({'Fn::EachMemberEquals': ['x,y', 'x']},
         AssertDescription='Tests are small.'),
])
def test_not_met(rules):
    [found] = problems(rules)
    assert found.path == ('Rules', 'Fits', 'Assertions', 0)
    assert found.message == 'Tests are small.'


def test_not_met_without_a_description():
    [found] = problems(rule(LARGE))
    assert found.message == 'The parameters do not meet this assertion.'


@pytest.mark.parametrize(('rules', 'path', 'says'), [
    ({'Fits': []}, ('Rules', 'Fits'), 'must be a map'),
    ({'Fits': {}}, ('Rules', 'Fits', 'Assertions'), 'must be a list'),
    ({'Fits': {'Assertion': []}}, ('Rules', 'Fits', 'Assertion'),
     'Did you mean "Assertions"'),
    ({'Fits': {'Assertions': ['x']}}, ('Rules', 'Fits', 'Assertions', 0),
     'must be a map'),
    (rule('yes'), ('Rules', 'Fits', 'Assertions', 0, 'Assert'),
     'must be a boolean'),
    (rule({'Fn::Contains': 'x'}),
     ('Rules', 'Fits', 'Assertions', 0, 'Assert', 'Fn::Contains'),
     'must be a list'),
    (rule({'Fn::ValueOf': ['Net', 'x']}),
     ('Rules', 'Fits', 'Assertions', 0, 'Assert', 'Fn::ValueOf'),
     'asks AWS'),
    (rule({'Fn::Equals': [{'Ref': 'Nobody'}, 1]}),
     ('Rules', 'Fits', 'Assertions', 0, 'Assert', 'Fn::Equals'), 'Nobody'),
])
def test_malformed(rules, path, says):
    [found] = problems(rules)
    assert found.path[:len(path)] == path
    assert says in found.message


def test_all_that_is_not_met_is_told():
    found = problems({'a': rule(LARGE)['Fits'], 'b': rule(LARGE)['Fits']})
    assert [each.path[1] for each in found] == ['a', 'b']


def test_other_macros_are_refused():
    tmpl = template.Template(definitions.cfn(Transform=[
        'AWS::LanguageExtensions', 'AWS::Serverless-2016-10-31']))
    with pytest.raises(exception.StackValidationFailed) as caught:
        tmpl.validate()
    assert caught.value.path == ['Transform']
    assert '"AWS::Serverless-2016-10-31" runs at AWS only' in str(
        caught.value)


def test_sections_that_say_nothing_to_the_service():
    template.Template(definitions.cfn(
        Transform='AWS::LanguageExtensions',
        Metadata={'AWS::CloudFormation::Interface': {}})).validate()


@pytest.mark.parametrize(('assertion', 'path', 'text'), [
    ({'Fn::Contains': [['a'], {'Fn::GetAtt': ['r', 'value']}]},
     ('Fn::Contains', 1, 'Fn::GetAtt'),
     'Rules do not have the function "Fn::GetAtt". They have: Fn::And, '),
    ({'Fn::Contain': [['small'], {'Ref': 'Size'}]}, ('Fn::Contain',),
     'Did you mean "Fn::Contains"?'),
    ({'Condition': 'IsTest'}, ('Condition',), 'the function "Condition"'),
])
def test_functions_that_rules_do_not_have(assertion, path, text):
    [found] = problems(rule(assertion))
    assert found.path == ('Rules', 'Fits', 'Assertions', 0, 'Assert', *path)
    assert text in found.message
    assert 'Fn::ValueOf' not in found.message
