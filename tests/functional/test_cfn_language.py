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


REPLACED = """
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  Fixed: {Type: String}
Resources:
  One:
    Type: Test::Thing
    DeletionPolicy: %s
    UpdateReplacePolicy: %s
    Properties: {fixed: {Ref: Fixed}}
"""


@pytest.mark.parametrize(('deletion', 'replacement', 'left'), [
    ('Delete', 'Retain', 1), ('Delete', 'Delete', 0),
    ('Retain', 'Delete', 1)])
def test_update_replace_policy(api, driver, thing, deletion, replacement,
                               left):
    template = REPLACED % (deletion, replacement)
    before = set(thing.things)
    stack = api.created('s', template, parameters={'Fixed': 'a'})
    first = stack.physical('One')
    stack.updated(template, parameters={'Fixed': 'b'})
    second = stack.physical('One')
    assert first != second
    assert (first in thing.things) is (replacement == 'Retain')
    stack.deleted()
    assert (second in thing.things) is (deletion == 'Retain')
    assert len(set(thing.things) - before) == left


@pytest.mark.parametrize(('policy', 'text'), [
    ('Keep', 'Invalid deletion policy "Keep"'),
    ('Snapshot', '"Snapshot" deletion policy not supported')])
def test_a_wrong_update_replace_policy_is_refused(api, policy, text):
    answer = api.create('s', REPLACED % ('Delete', policy), expect=400,
                        parameters={'Fixed': 'a'})
    assert text in answer.message
    assert 'Resources.One.UpdateReplacePolicy' in answer.message


def test_zones_of_a_region_elsewhere_are_refused(api):
    answer = api.create('s', """
AWSTemplateFormatVersion: '2010-09-09'
Resources:
  One:
    Type: OS::Heat::Value
    Properties: {value: !GetAZs mars-1}
""", expect=400)
    assert 'The zones of the region "mars-1" are not known here' in (
        answer.message)
