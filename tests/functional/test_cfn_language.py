"""Templates in the language of CloudFormation, from request to stack."""
import pytest

TEMPLATE = """
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::LanguageExtensions
Parameters:
  Names: {Type: List<String>, Default: 'a,b'}
  Stage: {Type: String, Default: test}
Rules:
  Few:
    RuleCondition: !Equals [!Ref Stage, test]
    Assertions:
      - Assert: !Not [!Contains [!Ref Names, huge]]
        AssertDescription: Tests have no huge one.
Conditions:
  IsTest: !Equals [!Ref Stage, test]
Resources:
  Fn::ForEach::Things:
    - Name
    - !Ref Names
    - Thing${Name}:
        Type: OS::Heat::TestResource
        Properties:
          value: !Sub '${Name} in ${AWS::StackName}, ${Stage}'
          action_wait_secs: !Ref AWS::NoValue
Outputs:
  Said: {Value: !GetAtt Thinga.output}
  Test: {Value: !If [IsTest, !Sub '${Thinga.output}!', '']}
"""


@pytest.fixture
def stack(driver, api):
    return api.created('s', TEMPLATE)


def names(stack):
    return sorted(stack.resources())


def test_create_and_update_of_loops(stack):
    assert names(stack) == ['Thinga', 'Thingb']
    assert stack.outputs() == {'Said': 'a in s, test',
                               'Test': 'a in s, test!'}
    stack.patched(None, parameters={'Names': 'a,c'})
    assert names(stack) == ['Thinga', 'Thingc']
    shown = stack.get('template')
    assert list(shown['Resources']) == ['Fn::ForEach::Things']


def test_rules_refuse_requests(stack, api):
    answer = stack.patch(None, parameters={'Names': 'a,huge'}, expect=400)
    assert 'Tests have no huge one.' in answer.message
    assert 'Rules.Few.Assertions[0]' in answer.message
    assert names(stack) == ['Thinga', 'Thingb']
    stack.patched(None, parameters={'Names': 'a,huge', 'Stage': 'live'})
    assert names(stack) == ['Thinga', 'Thinghuge']
