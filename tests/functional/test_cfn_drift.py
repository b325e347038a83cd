"""Drift in the CloudFormation API, used by Amazon's client library."""
import json

import boto3
import botocore.config
import pytest

from tests.functional import rest
from tests.functional import test_cfn_change_sets as changes

PROJECT = 'cfndrift'


def template(**things):
    return json.dumps({
        'AWSTemplateFormatVersion': '2010-09-09',
        'Resources': {name: {'Type': 'Test::Rich', 'Properties': properties}
                      for name, properties in things.items()}})


@pytest.fixture
def client_of(cfn_url):
    """Return a function that makes a client of a project."""
    made = []

    def make(project):
        made.append(boto3.client(
            'cloudformation', endpoint_url=cfn_url + '/v1/',
            region_name='here', aws_access_key_id=project,
            aws_secret_access_key='secret', config=botocore.config.Config(
                retries={'total_max_attempts': 1}, proxies={})))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def client(client_of):
    """Return a client of a project of its own; its stacks go at the end."""
    client = client_of(PROJECT)
    yield client
    for stack in client.list_stacks()['StackSummaries']:
        client.delete_stack(StackName=stack['StackId'])
        changes.wait(client, 'stack_delete_complete',
                     StackName=stack['StackId'])


@pytest.fixture
def stack(client):
    """Return the ARN of a stack that is there."""
    made = client.create_stack(StackName='d', TemplateBody=template(
        A={'value': 'x'}, B={'value': 'x'}, C={'value': 'x'}))['StackId']
    changes.wait(client, 'stack_create_complete', StackName='d')
    return made


def detect(client):
    detection = client.detect_stack_drift(
        StackName='d')['StackDriftDetectionId']

    def shown():
        found = client.describe_stack_drift_detection_status(
            StackDriftDetectionId=detection)
        return (found['DetectionStatus'] != 'DETECTION_IN_PROGRESS' and
                found)

    return rest.wait_for(shown, 'the end of the detection')


def physical(client, name):
    return client.describe_stack_resource(
        StackName='d', LogicalResourceId=name)['StackResourceDetail'][
            'PhysicalResourceId']


def test_drift_is_detected_and_described(client, stack, thing):
    found = detect(client)
    assert (found['StackDriftStatus'], found['StackId']) == ('IN_SYNC',
                                                             stack)
    assert found['DriftedStackResourceCount'] == 0
    thing.things[physical(client, 'A')] = 'y'
    del thing.things[physical(client, 'B')]
    found = detect(client)
    assert found['DetectionStatus'] == 'DETECTION_COMPLETE'
    assert found['StackDriftStatus'] == 'DRIFTED'
    assert found['DriftedStackResourceCount'] == 2
    drifts = client.describe_stack_resource_drifts(
        StackName='d')['StackResourceDrifts']
    assert [(each['LogicalResourceId'], each['StackResourceDriftStatus'])
            for each in drifts] == [('A', 'MODIFIED'), ('B', 'DELETED'),
                                    ('C', 'IN_SYNC')]
    [difference] = drifts[0]['PropertyDifferences']
    assert difference == {
        'PropertyPath': '/value', 'ExpectedValue': 'x', 'ActualValue': 'y',
        'DifferenceType': 'NOT_EQUAL'}
    assert json.loads(drifts[0]['ActualProperties']) == {'value': 'y'}
    # The fixture's thing may be in others' hands.
    thing.things[physical(client, 'B')] = 'x'


def test_drifts_are_filtered_and_paged(client, stack, thing):
    thing.things[physical(client, 'A')] = 'y'
    detect(client)
    modified = client.describe_stack_resource_drifts(
        StackName='d', StackResourceDriftStatusFilters=['MODIFIED'])
    assert [each['LogicalResourceId'] for each in
            modified['StackResourceDrifts']] == ['A']
    assert 'NextToken' not in modified
    names, more = [], {}
    while True:
        page = client.describe_stack_resource_drifts(
            StackName='d', MaxResults=2, **more)
        names.append([each['LogicalResourceId']
                      for each in page['StackResourceDrifts']])
        if 'NextToken' not in page:
            break
        more = {'NextToken': page['NextToken']}
    assert names == [['A', 'B'], ['C']]


def test_bad_requests(client, stack):
    assert changes.refusal(
        client.describe_stack_resource_drifts, StackName='d')[0] == (
            'ValidationError')
    assert changes.refusal(
        client.describe_stack_drift_detection_status,
        StackDriftDetectionId='unknown')[0] == 'ValidationError'
    assert changes.refusal(
        client.describe_stack_resource_drifts, StackName='d',
        StackResourceDriftStatusFilters=['BAD'])[0] == (
            'InvalidParameterValue')
    assert changes.refusal(client.detect_stack_drift, StackName='none')[
        0] == 'ValidationError'


def test_detection_of_another_project_is_unknown(client, stack, client_of):
    detection = detect(client)['StackDriftDetectionId']
    assert changes.refusal(
        client_of('somebodyelse').describe_stack_drift_detection_status,
        StackDriftDetectionId=detection)[0] == 'ValidationError'
