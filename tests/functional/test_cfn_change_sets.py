"""Change sets of the CloudFormation API, used by Amazon's client library."""
import json
import time

import boto3
from botocore import exceptions as boto_exceptions
import botocore.config
import pytest

from tests.functional import rest

PROJECT = 'cfnchanges'


def template(**things):
    """Return the text of a template of the language of AWS."""
    return json.dumps({
        'AWSTemplateFormatVersion': '2010-09-09',
        'Parameters': {'Word': {'Type': 'String', 'Default': 'hello'},
                       'Secret': {'Type': 'String', 'NoEcho': True,
                                  'Default': 'hush'}},
        'Resources': {name: {'Type': 'Test::Thing', 'Properties': properties}
                      for name, properties in things.items()}})


@pytest.fixture
def client(cfn_url):
    """Return a client of a project of its own; its stacks go at the end."""
    client = boto3.client(
        'cloudformation', endpoint_url=cfn_url + '/v1/', region_name='here',
        aws_access_key_id=PROJECT, aws_secret_access_key='secret',
        config=botocore.config.Config(retries={'total_max_attempts': 1},
                                      proxies={}))
    yield client
    for stack in client.list_stacks()['StackSummaries']:
        client.update_termination_protection(
            StackName=stack['StackId'], EnableTerminationProtection=False)
        client.delete_stack(StackName=stack['StackId'])
        wait(client, 'stack_delete_complete', StackName=stack['StackId'])
    client.close()


def wait(client, waiter, **arguments):
    client.get_waiter(waiter).wait(
        **arguments, WaiterConfig={'Delay': 0.05, 'MaxAttempts': 2400})


def refusal(call, **arguments):
    """Return code and text of the error of a call."""
    with pytest.raises(boto_exceptions.ClientError) as raised:
        call(**arguments)
    error = raised.value.response['Error']
    return error['Code'], error['Message']


def deploy(client, name, text, **parameters):
    """Do what `aws cloudformation deploy` does; return the change set.

    None means that there was nothing to change.
    """
    try:
        [stack] = client.describe_stacks(StackName=name)['Stacks']
        kind = 'CREATE' if (
            stack['StackStatus'] == 'REVIEW_IN_PROGRESS') else 'UPDATE'
    except boto_exceptions.ClientError as error:
        if f'Stack with id {name} does not exist' not in str(error):
            raise
        kind = 'CREATE'
    made = client.create_change_set(
        ChangeSetName=f'awscli-cloudformation-package-deploy{time.time_ns()}',
        StackName=name, TemplateBody=text, ChangeSetType=kind,
        Capabilities=['CAPABILITY_IAM'], Description='Created by a test',
        Parameters=[{'ParameterKey': key, 'ParameterValue': value}
                    for key, value in parameters.items()])
    try:
        wait(client, 'change_set_create_complete', ChangeSetName=made['Id'],
             StackName=name)
    except boto_exceptions.WaiterError as error:
        answer = error.last_response
        assert answer['Status'] == 'FAILED'
        assert ("The submitted information didn't contain changes." in
                answer['StatusReason'])
        return None
    client.execute_change_set(ChangeSetName=made['Id'], StackName=name,
                              DisableRollback=False)
    wait(client, f'stack_{kind.lower()}_complete', StackName=name)
    return client.describe_change_set(ChangeSetName=made['Id'])


def actions(found):
    return {each['ResourceChange']['LogicalResourceId']: (
        each['ResourceChange']['Action'],
        each['ResourceChange'].get('Replacement'))
        for each in found['Changes']}


def test_a_stack_is_deployed_and_deployed_again(driver, client):
    name = f'deployed-{driver}'
    first = template(a={'value': {'Ref': 'Word'}}, b={'fixed': 'x'})
    found = deploy(client, name, first, Word='hi')
    assert actions(found) == {'a': ('Add', None), 'b': ('Add', None)}
    assert found['ExecutionStatus'] == 'EXECUTE_COMPLETE'
    assert found['StackId'] == client.describe_stacks(
        StackName=name)['Stacks'][0]['StackId']
    assert deploy(client, name, first, Word='hi') is None
    found = deploy(client, name, template(
        a={'value': {'Ref': 'Word'}}, b={'fixed': 'y'}, c={}), Word='bye')
    assert actions(found) == {
        'a': ('Modify', 'False'), 'b': ('Modify', 'True'),
        'c': ('Add', None)}
    assert deploy(client, name, template(c={}), Word='bye').keys() >= {
        'ChangeSetId', 'ChangeSetName', 'CreationTime', 'Description'}


@pytest.fixture
def stack(client):
    client.create_stack(StackName='changed', TemplateBody=template(
        a={'value': {'Ref': 'Word'}}, b={'fixed': 'x'}))
    wait(client, 'stack_create_complete', StackName='changed')
    return client.describe_stacks(StackName='changed')['Stacks'][0]['StackId']


def plan(client, text, name='one', **arguments):
    return client.create_change_set(
        ChangeSetName=name, StackName='changed', TemplateBody=text,
        **arguments)['Id']


def test_changes_say_why(client, stack):
    made = plan(client, template(a={'value': {'Ref': 'Word'}},
                                 b={'fixed': 'y'}),
                Parameters=[{'ParameterKey': 'Word',
                             'ParameterValue': 'bye'}])
    found = client.describe_change_set(ChangeSetName='one',
                                       StackName='changed')
    assert (found['ChangeSetId'], found['StackId']) == (made, stack)
    assert (found['Status'], found['ExecutionStatus']) == (
        'CREATE_COMPLETE', 'AVAILABLE')
    changes = {each['ResourceChange']['LogicalResourceId']:
               each['ResourceChange'] for each in found['Changes']}
    assert changes['a']['Details'] == [{
        'Target': {'Attribute': 'Properties', 'Name': 'value',
                   'RequiresRecreation': 'Never'},
        'ChangeSource': 'ParameterReference', 'CausingEntity': 'Word',
        'Evaluation': 'Static'}]
    assert changes['a']['Scope'] == ['Properties']
    assert changes['b']['Details'] == [{
        'Target': {'Attribute': 'Properties', 'Name': 'fixed',
                   'RequiresRecreation': 'Always'},
        'ChangeSource': 'DirectModification', 'Evaluation': 'Static'}]
    assert changes['b']['ResourceType'] == 'Test::Thing'
    assert changes['b']['PhysicalResourceId']
    shown = client.describe_change_set(
        ChangeSetName=made, IncludePropertyValues=True)
    target = shown['Changes'][0]['ResourceChange']['Details'][0]['Target']
    assert (target['BeforeValue'], target['AfterValue']) == ('hello', 'bye')


def test_hidden_values_stay_hidden(client, stack):
    made = plan(client, template(a={'value': {'Ref': 'Secret'}}),
                Parameters=[{'ParameterKey': 'Secret',
                             'ParameterValue': 'classified'}])
    shown = client.describe_change_set(
        ChangeSetName=made, IncludePropertyValues=True)
    assert 'classified' not in str(shown)
    assert '******' in str(shown)


def test_what_a_change_set_keeps(client, stack):
    made = client.create_change_set(
        ChangeSetName='kept', StackName=stack, UsePreviousTemplate=True,
        Parameters=[{'ParameterKey': 'Word', 'ParameterValue': 'new'},
                    {'ParameterKey': 'Secret', 'UsePreviousValue': True}])
    assert made['StackId'] == stack
    found = client.describe_change_set(ChangeSetName=made['Id'])
    assert actions(found) == {'a': ('Modify', 'False')}


def test_paginators_list_and_describe(client, stack):
    ids = [plan(client, template(a={}), name) for name in ('one', 'two')]
    for name in 'changed', stack:
        pages = client.get_paginator('list_change_sets').paginate(
            StackName=name)
        listed = [each for page in pages for each in page['Summaries']]
        assert sorted(each['ChangeSetId'] for each in listed) == sorted(ids)
        assert {each['StackId'] for each in listed} == {stack}
    pages = client.get_paginator('describe_change_set').paginate(
        ChangeSetName=ids[0])
    assert {change['ResourceChange']['LogicalResourceId']
            for page in pages for change in page['Changes']} == {'a', 'b'}
    client.delete_change_set(ChangeSetName='one', StackName='changed')
    # As with AWS, it may be gone.
    client.delete_change_set(ChangeSetName=ids[0])
    client.delete_change_set(ChangeSetName=ids[1])
    assert client.list_change_sets(StackName=stack)['Summaries'] == []


def test_a_name_is_free_when_its_change_set_is_executed(client, stack):
    plan(client, template(a={'value': 'x'}))
    assert refusal(client.create_change_set, ChangeSetName='one',
                   StackName='changed', TemplateBody=template(a={})) == (
        'AlreadyExists', 'ChangeSet one already exists.')
    client.execute_change_set(ChangeSetName='one', StackName='changed')
    wait(client, 'stack_update_complete', StackName='changed')
    assert refusal(client.execute_change_set, ChangeSetName='one',
                   StackName='changed')[0] == 'InvalidChangeSetStatus'
    made = plan(client, template(a={'value': 'y'}))
    assert client.describe_change_set(
        ChangeSetName='one', StackName='changed')['ChangeSetId'] == made


def test_a_stale_change_set_is_obsolete(client, stack):
    made = plan(client, template(a={'value': 'x'}))
    client.update_stack(StackName='changed', TemplateBody=template(
        a={'value': 'z'}))
    wait(client, 'stack_update_complete', StackName='changed')
    code, text = refusal(client.execute_change_set, ChangeSetName=made)
    assert code == 'InvalidChangeSetStatus'
    assert 'stack changed has changed' in text
    assert client.describe_change_set(ChangeSetName=made)[
        'ExecutionStatus'] == 'OBSOLETE'


def test_a_creation_that_waits_is_a_change_set_without_stack(client):
    made = client.create_change_set(
        ChangeSetName='first', StackName='later', ChangeSetType='CREATE',
        TemplateBody=template(a={}), OnStackFailure='DO_NOTHING')
    assert 'StackId' not in made
    [listed] = client.list_change_sets(StackName='later')['Summaries']
    assert (listed['ChangeSetId'], listed['StackName']) == (
        made['Id'], 'later')
    assert refusal(client.describe_stacks, StackName='later')[0] == (
        'ValidationError')
    client.delete_change_set(ChangeSetName='first', StackName='later')
    assert refusal(client.list_change_sets, StackName='later') == (
        'ValidationError', 'Stack with id later does not exist')


@pytest.mark.parametrize('driver', ['convergence'], indirect=True)
def test_a_rollback_that_failed_is_continued(driver, client):
    deploy(client, 'stuck', template(a={}))
    assert refusal(client.continue_update_rollback, StackName='stuck')[0] == (
        'InvalidParameterValue')
    made = client.create_change_set(
        ChangeSetName='bad', StackName='stuck',
        TemplateBody=template(a={}, z={'fail': ['CREATE', 'DELETE']}))['Id']
    client.execute_change_set(ChangeSetName=made, DisableRollback=False)

    def status():
        return client.describe_stacks(StackName='stuck')['Stacks'][0][
            'StackStatus']

    rest.wait_for(lambda: status() == 'ROLLBACK_FAILED', status)
    assert refusal(client.continue_update_rollback, StackName='stuck',
                   ResourcesToSkip=['x'])[0] == 'InvalidParameterValue'
    client.continue_update_rollback(StackName='stuck', ResourcesToSkip=['z'])
    rest.wait_for(lambda: status() == 'ROLLBACK_COMPLETE', status)


@pytest.mark.parametrize(('disable', 'ended'), [
    (True, 'UPDATE_FAILED'), (False, 'ROLLBACK_COMPLETE')])
def test_the_execution_says_whether_to_roll_back(driver, client, disable,
                                                 ended):
    name = f'failing-{driver}-{disable}'
    deploy(client, name, template(a={}))
    made = client.create_change_set(
        ChangeSetName='bad', StackName=name,
        TemplateBody=template(a={'fail': ['UPDATE']}))['Id']
    client.execute_change_set(ChangeSetName=made, DisableRollback=disable)
    rest.wait_for(lambda: client.describe_stacks(StackName=name)['Stacks'][0][
        'StackStatus'] == ended, ended)


@pytest.mark.parametrize(('call', 'arguments', 'code', 'text'), [
    ('create_change_set', {'StackName': 'none', 'ChangeSetName': 'a',
                           'TemplateBody': template()},
     'ValidationError', 'Stack with id none does not exist'),
    ('create_change_set', {'StackName': 'x', 'ChangeSetName': 'a',
                           'ChangeSetType': 'IMPORT',
                           'TemplateBody': template()},
     'InvalidParameterValue', 'CREATE, UPDATE'),
    ('create_change_set', {'StackName': 'x', 'ChangeSetName': 'a',
                           'ChangeSetType': 'CREATE'},
     'MissingParameter', 'TemplateBody'),
    ('create_change_set', {'StackName': 'x', 'ChangeSetName': 'a',
                           'ChangeSetType': 'CREATE', 'TemplateBody': '['},
     'InvalidParameterValue', 'line'),
    ('create_change_set', {'StackName': '1', 'ChangeSetName': 'a',
                           'ChangeSetType': 'CREATE',
                           'TemplateBody': template()},
     'InvalidParameterValue', 'name'),
    ('create_change_set', {'StackName': 'x', 'ChangeSetName': 'n' * 256,
                           'ChangeSetType': 'CREATE',
                           'TemplateBody': template()},
     'InvalidParameterValue', '255'),
    ('describe_change_set', {'ChangeSetName': 'a'},
     'MissingParameter', 'StackName'),
    ('describe_change_set', {'ChangeSetName': 'a', 'StackName': 'x'},
     'ChangeSetNotFound', '[a]'),
    ('execute_change_set', {'ChangeSetName': 'a', 'StackName': 'x'},
     'ChangeSetNotFound', '[a]'),
    ('describe_change_set', {'ChangeSetName': 'arn:a'},
     'InvalidParameterValue', 'ARN'),
    ('describe_change_set', {
        'ChangeSetName': 'arn:openstack:heat::other:changeSet/a/b'},
     'AccessDenied', 'project'),
    ('delete_change_set', {
        'ChangeSetName': 'arn:openstack:heat::other:changeSet/a/b'},
     'AccessDenied', 'project'),
    ('describe_change_set', {
        'ChangeSetName': f'arn:openstack:heat::{PROJECT}:changeSet/a/b'},
     'ChangeSetNotFound', 'b'),
    ('update_termination_protection', {
        'StackName': 'x', 'EnableTerminationProtection': True},
     'ValidationError', 'Stack with id x does not exist'),
])
def test_what_is_wrong_is_said(client, call, arguments, code, text):
    found = refusal(getattr(client, call), **arguments)
    assert found[0] == code
    assert text in found[1]


def test_an_existing_stack_is_not_created(client, stack):
    assert refusal(client.create_change_set, ChangeSetName='a',
                   StackName='changed', ChangeSetType='CREATE',
                   TemplateBody=template())[0] == 'AlreadyExists'


# -- protection

def test_a_protected_stack_is_shown_and_kept(driver, client):
    name = f'kept-{driver}'
    stack_id = client.create_stack(
        StackName=name, TemplateBody=template(a={}),
        EnableTerminationProtection=True)['StackId']
    wait(client, 'stack_create_complete', StackName=name)
    for arguments in {'StackName': name}, {'StackName': stack_id}, {}:
        [shown] = client.describe_stacks(**arguments)['Stacks']
        assert shown['EnableTerminationProtection'] is True
    code, text = refusal(client.delete_stack, StackName=name)
    assert code == 'ValidationError'
    assert 'UpdateTerminationProtection' in text
    assert client.update_termination_protection(
        StackName=name, EnableTerminationProtection=False)['StackId'] == (
        stack_id)
    assert not client.describe_stacks()['Stacks'][0][
        'EnableTerminationProtection']
    client.delete_stack(StackName=name)
    wait(client, 'stack_delete_complete', StackName=stack_id)
    assert client.describe_stacks(StackName=stack_id)['Stacks'][0][
        'StackStatus'] == 'DELETE_COMPLETE'


def test_a_stack_policy_limits_updates(driver, client):
    name = f'limited-{driver}'
    deploy(client, name, template(a={'value': 'x'}))
    assert 'StackPolicyBody' not in client.get_stack_policy(StackName=name)
    policy = {'Statement': [
        {'Effect': 'Allow', 'Action': 'Update:*', 'Principal': '*',
         'Resource': '*'},
        {'Effect': 'Deny', 'Action': 'Update:Modify', 'Principal': '*',
         'Resource': 'LogicalResourceId/a'}]}
    client.set_stack_policy(StackName=name,
                            StackPolicyBody=json.dumps(policy))
    assert json.loads(client.get_stack_policy(StackName=name)[
        'StackPolicyBody']) == policy
    code, text = refusal(client.update_stack, StackName=name,
                         TemplateBody=template(a={'value': 'y'}))
    assert code == 'ValidationError'
    assert 'Update:Modify of a' in text
    for body, said in (('{', 'JSON'), ('null', 'policy'), ('{}', 'Statement'),
                       ('[]', 'Statement')):
        code, text = refusal(client.set_stack_policy, StackName=name,
                             StackPolicyBody=body)
        assert code == 'InvalidParameterValue'
        assert said in text
    assert refusal(client.set_stack_policy, StackName=name)[0] == (
        'MissingParameter')


def test_a_deletion_retains_resources(driver, client, thing):
    name = f'retained-{driver}'
    client.create_stack(StackName=name, TemplateBody=template(a={}, b={}))
    wait(client, 'stack_create_complete', StackName=name)
    made = {each['LogicalResourceId']: each['PhysicalResourceId']
            for each in client.list_stack_resources(StackName=name)[
                'StackResourceSummaries']}
    assert refusal(client.delete_stack, StackName=name,
                   RetainResources=['c'])[0] == 'InvalidParameterValue'
    client.delete_stack(StackName=name, RetainResources=['a'])
    wait(client, 'stack_delete_complete', StackName=name)
    assert made['a'] in thing.things
    assert made['b'] not in thing.things
