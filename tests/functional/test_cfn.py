"""The CloudFormation API, used by Amazon's client library."""
import contextlib
import http.client
import json
import urllib.parse

import boto3
from botocore import exceptions as boto_exceptions
import botocore.config
import pytest

from tests.functional import rest
from tests.functional import templates

TEMPLATE = """
AWSTemplateFormatVersion: '2010-09-09'
Description: Says something.
Parameters:
  Word: {Type: String, Default: hello, MaxLength: 10}
  Secret: {Type: String, NoEcho: true, Default: hush}
Resources:
  Speaker:
    Type: OS::Heat::TestResource
    Properties: {value: {Ref: Word}}
    Metadata: {a: [1, {b: 2}]}
Outputs:
  Said: {Value: {'Fn::GetAtt': [Speaker, output]}, Description: What.}
"""
FAILING = TEMPLATE.replace('{value: ', '{fail: true, value: ')
PROJECT = 'cfnproject'


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
        client.delete_stack(StackName=stack['StackId'])
        wait(client, 'stack_delete_complete', stack['StackId'])
    client.close()


def wait(client, waiter, name, attempts=2400):
    client.get_waiter(waiter).wait(
        StackName=name,
        WaiterConfig={'Delay': 0.05, 'MaxAttempts': attempts})


@pytest.fixture
def stack_id(client):
    """Return the ARN of a stack called talk that has been created."""
    stack_id = client.create_stack(
        StackName='talk', TemplateBody=TEMPLATE, TimeoutInMinutes=5,
        Parameters=[{'ParameterKey': 'Word', 'ParameterValue': 'hi'}],
        OnFailure='DO_NOTHING')['StackId']
    wait(client, 'stack_create_complete', stack_id)
    return stack_id


@pytest.fixture
def exporting(client):
    """Return the ARN of a stack that exports 101 values."""
    template = TEMPLATE + ''.join(
        f"  Out{number}: {{Value: '{number}', Export: "
        f"{{Name: 'value-{number:03}'}}}}\n" for number in range(101))
    stack_id = client.create_stack(
        StackName='exporting', TemplateBody=template)['StackId']
    wait(client, 'stack_create_complete', stack_id)
    return stack_id


def test_exports_are_listed_by_a_paginator(client, exporting):
    pages = list(client.get_paginator('list_exports').paginate())
    assert [len(page['Exports']) for page in pages] == [100, 1]
    assert pages[0]['Exports'][7] == {
        'ExportingStackId': exporting, 'Name': 'value-007', 'Value': '7'}


def test_imports_are_listed_by_a_paginator(client, exporting):
    template = TEMPLATE.replace(
        '{Ref: Word}', "{'Fn::ImportValue': value-042}")
    client.create_stack(StackName='importing', TemplateBody=template)
    wait(client, 'stack_create_complete', 'importing')
    pages = client.get_paginator('list_imports').paginate(
        ExportName='value-042')
    assert [page['Imports'] for page in pages] == [['importing']]
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.delete_stack(StackName='exporting')
    assert code_of(raised) == (
        'ValidationError', 'Export value-042 cannot be deleted as it is in '
        'use by importing.')
    client.delete_stack(StackName='importing')
    wait(client, 'stack_delete_complete', 'importing')
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.list_imports(ExportName='value-042')
    assert "Export 'value-042' is not imported by any stack." in (
        code_of(raised)[1])


@pytest.mark.parametrize('token', ['%', 'a', '_w=='])
def test_a_token_of_somebody_else_is_refused(client, token):
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.list_exports(NextToken=token)
    assert code_of(raised)[0] == 'InvalidParameterValue'


def code_of(raised):
    error = raised.value.response['Error']
    return error['Code'], error['Message']


def test_stack_is_described(client, stack_id):
    assert stack_id.startswith(f'arn:openstack:heat::{PROJECT}:stacks/talk/')
    stack, = client.describe_stacks(StackName='talk')['Stacks']
    assert stack['StackId'] == stack_id
    assert stack['StackStatus'] == 'CREATE_COMPLETE'
    assert stack['Description'] == 'Says something.'
    assert stack['TimeoutInMinutes'] == 5
    assert stack['DisableRollback'] is True
    assert 'LastUpdatedTime' not in stack
    assert stack['Outputs'] == [{
        'OutputKey': 'Said', 'OutputValue': 'hi', 'Description': 'What.'}]
    parameters = {each['ParameterKey']: each['ParameterValue']
                  for each in stack['Parameters']}
    assert parameters['Word'] == 'hi'
    assert parameters['Secret'] == '******'


def test_stacks_are_listed_by_paginators(client, stack_id):
    pages = client.get_paginator('list_stacks').paginate()
    found, = [each for page in pages for each in page['StackSummaries']]
    assert found['StackName'] == 'talk'
    assert found['StackStatus'] == 'CREATE_COMPLETE'
    for states, names in ((['CREATE_COMPLETE', 'CREATE_FAILED'], ['talk']),
                          (['DELETE_COMPLETE'], [])):
        listed = client.list_stacks(StackStatusFilter=states)
        assert [each['StackName'] for each in
                listed['StackSummaries']] == names
    pages = client.get_paginator('describe_stacks').paginate()
    assert [each['StackId'] for page in pages
            for each in page['Stacks']] == [stack_id]
    pages = client.get_paginator('list_stack_resources').paginate(
        StackName=stack_id)
    assert [each['LogicalResourceId'] for page in pages
            for each in page['StackResourceSummaries']] == ['Speaker']


def test_resources_are_shown(client, stack_id):
    summary, = client.list_stack_resources(
        StackName='talk')['StackResourceSummaries']
    assert summary['LogicalResourceId'] == 'Speaker'
    assert summary['ResourceStatus'] == 'CREATE_COMPLETE'
    detail = client.describe_stack_resource(
        StackName='talk', LogicalResourceId='Speaker')['StackResourceDetail']
    assert detail['Metadata'] == '{"a": [1, {"b": 2}]}'
    assert detail['StackId'] == stack_id
    by_id, = client.describe_stack_resources(
        PhysicalResourceId=detail['PhysicalResourceId'])['StackResources']
    assert by_id['StackName'] == 'talk'
    assert not client.describe_stack_resources(
        StackName='talk', LogicalResourceId='Speaker')[
            'StackResources'][0]['Description']


def test_events_are_shown(client, stack_id):
    pages = client.get_paginator('describe_stack_events').paginate(
        StackName='talk')
    events = [each for page in pages for each in page['StackEvents']]
    assert {each['StackName'] for each in events} == {'talk'}
    ended, = [each for each in events
              if each['LogicalResourceId'] == 'Speaker'
              and each['ResourceStatus'] == 'CREATE_COMPLETE']
    assert ended['EventId']
    assert ended['PhysicalResourceId'].startswith('talk-Speaker-')


def test_template_is_shown(client, stack_id):
    body = client.get_template(StackName='talk')['TemplateBody']
    assert body['Resources']['Speaker']['Type'] == 'OS::Heat::TestResource'


def test_update_changes_a_parameter(client, stack_id):
    client.update_stack(
        StackName='talk', TemplateBody=TEMPLATE,
        Parameters=[{'ParameterKey': 'Word', 'ParameterValue': 'bye'}])
    wait(client, 'stack_update_complete', 'talk')
    stack, = client.describe_stacks(StackName='talk')['Stacks']
    assert stack['Outputs'][0]['OutputValue'] == 'bye'
    assert stack['LastUpdatedTime'] >= stack['CreationTime']


def test_update_keeps_what_it_is_told_to(client, stack_id):
    client.update_stack(
        StackName=stack_id, UsePreviousTemplate=True,
        Parameters=[{'ParameterKey': 'Word', 'UsePreviousValue': True},
                    {'ParameterKey': 'Secret', 'ParameterValue': 'new'}])
    wait(client, 'stack_update_complete', 'talk')
    stack, = client.describe_stacks(StackName='talk')['Stacks']
    assert stack['Outputs'][0]['OutputValue'] == 'hi'


def test_deleted_stack_is_known_by_its_arn(client, stack_id):
    client.delete_stack(StackName='talk')
    wait(client, 'stack_delete_complete', stack_id)
    wait(client, 'stack_delete_complete', 'talk')
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.describe_stacks(StackName='talk')
    assert code_of(raised) == (
        'ValidationError', 'Stack with id talk does not exist')


def test_stack_that_never_was_does_not_exist(client):
    wait(client, 'stack_delete_complete', 'talk')
    with pytest.raises(boto_exceptions.WaiterError):
        wait(client, 'stack_exists', 'talk', attempts=2)


def test_resource_has_the_documented_names(client, stack_id):
    detail = client.describe_stack_resource(
        StackName=stack_id, LogicalResourceId='Speaker')[
            'StackResourceDetail']
    assert detail.pop('LastUpdatedTimestamp').tzinfo is not None
    assert detail.pop('PhysicalResourceId').startswith('talk-Speaker-')
    assert detail.pop('ResourceStatusReason')
    assert detail == {
        'StackName': 'talk', 'StackId': stack_id,
        'LogicalResourceId': 'Speaker',
        'ResourceType': 'OS::Heat::TestResource',
        'ResourceStatus': 'CREATE_COMPLETE', 'Description': '',
        'Metadata': '{"a": [1, {"b": 2}]}'}


def check_summary(found):
    assert found['Version'] == '2010-09-09'
    assert found['Description'] == 'Says something.'
    assert found['ResourceTypes'] == ['OS::Heat::TestResource']
    word, = [each for each in found['Parameters']
             if each['ParameterKey'] == 'Word']
    assert word == {'ParameterKey': 'Word', 'DefaultValue': 'hello',
                    'ParameterType': 'String', 'NoEcho': False,
                    'Description': ''}


def test_template_is_summarized(client, stack_id):
    check_summary(client.get_template_summary(TemplateBody=TEMPLATE))
    check_summary(client.get_template_summary(StackName='talk'))


@pytest.mark.parametrize('arguments', [
    {}, {'StackName': 'talk', 'TemplateBody': TEMPLATE}])
def test_one_template_is_summarized(client, stack_id, arguments):
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.get_template_summary(**arguments)
    assert code_of(raised)[0] == 'InvalidParameterCombination'


@pytest.mark.parametrize('handle', [
    'AWS::CloudFormation::WaitConditionHandle',
    'OS::Heat::WaitConditionHandle'])
@pytest.mark.parametrize(('status', 'ended'), [
    ('SUCCESS', 'CREATE_COMPLETE'), ('FAILURE', 'CREATE_FAILED')])
def test_resource_is_signalled(client, handle, status, ended):
    client.create_stack(StackName='signalled', TemplateBody=json.dumps({
        'AWSTemplateFormatVersion': '2010-09-09',
        'Resources': {
            'Handle': {'Type': handle},
            'Wait': {'Type': 'AWS::CloudFormation::WaitCondition',
                     'Properties': {'Handle': {'Ref': 'Handle'},
                                    'Timeout': 60}}}}))
    rest.wait_for(lambda: any(
        each['LogicalResourceId'] == 'Handle'
        and each['ResourceStatus'] == 'CREATE_COMPLETE'
        for each in client.list_stack_resources(
            StackName='signalled')['StackResourceSummaries']), 'a handle')
    client.signal_resource(
        StackName='signalled', LogicalResourceId='Handle', UniqueId='one',
        Status=status)
    wait_status(client, 'signalled', ended)


def test_idle_stack_has_no_update_to_cancel(client, stack_id):
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.cancel_update_stack(StackName='talk')
    assert code_of(raised)[0] == 'InvalidParameterValue'


def test_template_is_validated(client):
    found = client.validate_template(TemplateBody=TEMPLATE)
    assert found['Description'] == 'Says something.'
    parameters = {each['ParameterKey']: each for each in found['Parameters']}
    assert parameters['Word']['DefaultValue'] == 'hello'
    assert parameters['Word']['NoEcho'] is False
    assert parameters['Secret']['NoEcho'] is True
    assert client.estimate_template_cost(TemplateBody=TEMPLATE)['Url']


LISTS = """\
heat_template_version: 2018-08-31
parameters:
  words: {type: comma_delimited_list, default: [b, c]}
  sizes: {type: json, default: {a 1: [1, {b: null}]}}
outputs:
  words: {value: {get_param: words}}
  sizes: {value: {get_param: sizes}}
  count: {value: 3}
  is_big: {value: true}
"""


def test_lists_and_maps_are_texts(client):
    """Clients ignore elements inside of these."""
    found = client.validate_template(TemplateBody=LISTS)
    assert {each['ParameterKey']: each['DefaultValue']
            for each in found['Parameters']} == {
        'words': 'b,c', 'sizes': '{"a 1": [1, {"b": null}]}'}
    stack_id = client.create_stack(
        StackName='lists', TemplateBody=LISTS)['StackId']
    wait(client, 'stack_create_complete', stack_id)
    stack, = client.describe_stacks(StackName='lists')['Stacks']
    assert {each['OutputKey']: each['OutputValue']
            for each in stack['Outputs']} == {
        'words': '["b", "c"]', 'sizes': '{"a 1": [1, {"b": null}]}',
        'count': '3', 'is_big': 'true'}


@pytest.mark.parametrize(('call', 'arguments', 'code', 'text'), [
    ('create_stack', {'StackName': 'x'}, 'MissingParameter', 'TemplateBody'),
    ('create_stack', {'StackName': 'x', 'TemplateBody': 'a: ['},
     'InvalidParameterValue', 'line 2'),
    ('create_stack', {'StackName': 'x', 'TemplateBody': TEMPLATE.replace(
        'Ref: Word', 'Ref: World')}, 'InvalidParameterValue', 'line 10'),
    ('create_stack', {'StackName': '1', 'TemplateBody': TEMPLATE},
     'InvalidParameterValue', 'name'),
    ('create_stack', {'StackName': 'x', 'TemplateBody': TEMPLATE,
                      'DisableRollback': True, 'OnFailure': 'DELETE'},
     'InvalidParameterCombination', 'OnFailure'),
    ('update_stack', {'StackName': 'none', 'TemplateBody': TEMPLATE},
     'ValidationError', 'none'),
    ('delete_stack', {'StackName': 'none'}, 'ValidationError', 'none'),
    ('describe_stack_events', {'StackName': 'none'}, 'ValidationError',
     'none'),
    ('signal_resource', {
        'StackName': 'none', 'LogicalResourceId': 'a', 'UniqueId': 'b',
        'Status': 'SUCCESS'}, 'ValidationError', 'none'),
    ('get_template', {'StackName': 'arn:openstack:heat::other:stacks/a/b'},
     'AccessDenied', 'project'),
    ('get_template', {'StackName': 'arn:x'}, 'InvalidParameterValue', 'ARN'),
    ('describe_stack_resources', {}, 'MissingParameter', 'StackName'),
    ('describe_stack_resources', {
        'StackName': 'x', 'PhysicalResourceId': 'y'},
     'InvalidParameterCombination', 'together'),
    ('list_stack_sets', {}, 'InvalidAction', 'ListStackSets'),
])
def test_what_is_wrong_is_said(client, call, arguments, code, text):
    with pytest.raises(boto_exceptions.ClientError) as raised:
        getattr(client, call)(**arguments)
    assert code_of(raised)[0] == code
    assert text in code_of(raised)[1]
    assert raised.value.response['Error']['Type'] == 'Sender'


def test_second_stack_of_a_name_is_refused(client, stack_id):
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.create_stack(StackName='talk', TemplateBody=TEMPLATE)
    assert code_of(raised)[0] == 'AlreadyExists'


def status_of(client, name):
    return client.describe_stacks(StackName=name)['Stacks'][0]['StackStatus']


def wait_status(client, name, wanted):
    rest.wait_for(lambda: status_of(client, name) == wanted,
                  lambda: (wanted, status_of(client, name)))


def test_failed_stack_can_be_rolled_back(client):
    client.create_stack(StackName='bad', TemplateBody=FAILING,
                        OnFailure='ROLLBACK')
    wait(client, 'stack_exists', 'bad')
    wait_status(client, 'bad', 'ROLLBACK_COMPLETE')


def test_waiter_sees_a_creation_fail(client):
    client.create_stack(StackName='bad', TemplateBody=FAILING,
                        OnFailure='DO_NOTHING')
    with pytest.raises(boto_exceptions.WaiterError) as raised:
        wait(client, 'stack_create_complete', 'bad')
    assert raised.value.last_response['Stacks'][0]['StackStatus'] == (
        'CREATE_FAILED')


def create_thing(client, name, **changes):
    """Create a stack of one thing, and return its ARN."""
    stack_id = client.create_stack(
        StackName=name, TemplateBody=json.dumps(templates.hot(
            {'a': templates.thing(**changes)})),
        OnFailure='DO_NOTHING')['StackId']
    wait(client, 'stack_create_complete', stack_id)
    return stack_id


def update_thing(client, name, **changes):
    """Begin to update a stack of one thing."""
    client.update_stack(
        StackName=name, TemplateBody=json.dumps(templates.hot(
            {'a': templates.thing(**changes)})))


def failed(client, waiter, name):
    """Return what a waiter saw that gave up, as it should."""
    with pytest.raises(boto_exceptions.WaiterError) as raised:
        wait(client, waiter, name)
    [stack] = raised.value.last_response['Stacks']
    assert 'terminal failure state' in str(raised.value)
    return stack['StackStatus']


def test_waiters_see_a_stack_come_change_and_go(driver, client):
    name = f'waited-{driver}'
    stack_id = create_thing(client, name)
    for known in (name, stack_id):
        wait(client, 'stack_exists', known)
        update_thing(client, known, value=f'of {known}')
        wait(client, 'stack_update_complete', known)
    client.delete_stack(StackName=name)
    wait(client, 'stack_delete_complete', stack_id)
    assert status_of(client, stack_id) == 'DELETE_COMPLETE'


def test_waiters_see_what_fails(driver, client, thing, monkeypatch):
    name = f'failing-{driver}'
    stack_id = create_thing(client, name)
    update_thing(client, name, fail=['UPDATE'])
    assert failed(client, 'stack_update_complete', name) == 'UPDATE_FAILED'
    assert failed(client, 'stack_rollback_complete', name) == 'UPDATE_FAILED'
    update_thing(client, name, fail=['DELETE'])
    wait(client, 'stack_update_complete', name)
    client.delete_stack(StackName=name)
    assert failed(client, 'stack_delete_complete', stack_id) == (
        'DELETE_FAILED')
    monkeypatch.setattr(thing, 'opened', {thing.EVERY})
    client.delete_stack(StackName=name)
    wait(client, 'stack_delete_complete', stack_id)


def test_update_is_cancelled_and_rolled_back(driver, conf, gate, client):
    conf('error_wait_time', 1)
    template = templates.hot(
        {'a': templates.thing(value=templates.param('word')),
         'b': templates.thing(value=templates.param('word'),
                              gate=templates.param('gate'),
                              depends_on='a')},
        parameters={name: {'type': 'string', 'default': ''}
                    for name in ('word', 'gate')},
        outputs={'said': {'value': templates.attr('a', 'value')}})
    name = f'cancelled-{driver}'
    client.create_stack(StackName=name, TemplateBody=json.dumps(template),
                        Parameters=pairs(word='before'))
    wait(client, 'stack_create_complete', name)
    client.update_stack(StackName=name, UsePreviousTemplate=True,
                        Parameters=pairs(word='after', gate=gate))
    rest.wait_for(lambda: {
        each['LogicalResourceId']: each['ResourceStatus']
        for each in client.list_stack_resources(
            StackName=name)['StackResourceSummaries']} == {
                'a': 'UPDATE_COMPLETE', 'b': 'UPDATE_IN_PROGRESS'},
        'the update')
    client.cancel_update_stack(StackName=name)
    gate.open()
    wait_status(client, name, 'ROLLBACK_COMPLETE')
    [stack] = client.describe_stacks(StackName=name)['Stacks']
    assert stack['Outputs'][0]['OutputValue'] == 'before'


def pairs(**values):
    """Return parameters as the client library wants them."""
    return [{'ParameterKey': key, 'ParameterValue': str(value)}
            for key, value in values.items()]


def send(url, method, body):
    """Return status and text of the answer."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc,
                                            timeout=rest.PATIENCE)
    with contextlib.closing(connection):
        connection.request(method, parts.path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def test_signal_to_what_takes_none_is_refused(cfn_url, client, stack_id):
    path = urllib.parse.quote(stack_id + '/resources/Speaker', '')
    status, text = send(f'{cfn_url}/v1/signal/{path}', 'POST', b'{}')
    assert status == 400
    assert '<Code>InvalidParameterValue</Code>' in text


@pytest.mark.parametrize(('method', 'path', 'status'), [
    ('PUT', 'signal/arn:openstack:heat::p:stacks/a/b/resources/c', 405),
    ('POST', 'signal/arn:openstack:heat::p:stacks/a', 400),
    ('POST', 'signal/arn:openstack:heat::p:stacks/a/b/resources/c', 400),
    ('POST', 'elsewhere', 403),
])
def test_odd_paths_are_refused(cfn_url, method, path, status):
    assert send(f'{cfn_url}/v1/{path}', method, b'{}')[0] == status
