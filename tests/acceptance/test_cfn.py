"""The CloudFormation API with EC2 credentials that Keystone checks."""
import contextlib
import datetime
import json
import re
import time
from urllib import parse

import boto3
from botocore import exceptions as boto_exceptions
import botocore.config
import pytest
import requests

from heat.common import ec2_signature
from tests.acceptance import cloud
from tests.security import identity_service

TEMPLATE = json.dumps({
    'AWSTemplateFormatVersion': '2010-09-09',
    'Parameters': {'Word': {'Type': 'String', 'Default': 'hello'}},
    'Resources': {'Speaker': {'Type': 'OS::Heat::Value',
                              'Properties': {'value': {'Ref': 'Word'}}}},
    'Outputs': {'Said': {'Value': {'Fn::GetAtt': ['Speaker', 'value']}}}})
SLOW = json.dumps({
    'AWSTemplateFormatVersion': '2010-09-09',
    'Resources': {
        'Speaker': {'Type': 'OS::Heat::Value',
                    'Properties': {'value': 'other'}},
        'Slow': {'Type': 'OS::Heat::TestResource',
                 'Properties': {'action_wait_secs': {'create': 30}}}}})
HANDLE = {'heat_template_version': 'wallaby', 'resources': {
    'handle': {'type': 'OS::Heat::WaitConditionHandle',
               'properties': {'signal_transport': 'CFN_SIGNAL'}}}}


@contextlib.contextmanager
def keys_of(tenant, user='member'):
    """Yield an access key and its secret, made for a user."""
    # Not everybody may make keys.
    session = tenant.admin.session
    path = f'/v3/users/{tenant.users[user]}/credentials/OS-EC2'
    there = {'service_type': 'identity', 'interface': 'public'}
    made = session.post(path, endpoint_filter=there, json={
        'tenant_id': tenant.project_id}).json()['credential']
    try:
        yield made['access'], made['secret']
    finally:
        session.delete(f'{path}/{made["access"]}', endpoint_filter=there,
                       raise_exc=False)


@pytest.fixture
def keys(tenant):
    """Return the access key of the member, and its secret."""
    with keys_of(tenant) as pair:
        yield pair


def client_of(deployment, access, secret):
    """Return Amazon's client; it signs by version 4."""
    return boto3.client(
        'cloudformation', endpoint_url=deployment.cfn_url + '/',
        region_name=cloud.region(), aws_access_key_id=access,
        aws_secret_access_key=secret,
        config=botocore.config.Config(retries={'total_max_attempts': 1},
                                      proxies={}))


def wait(client, waiter, name):
    client.get_waiter(waiter).wait(
        StackName=name, WaiterConfig={'Delay': 0.2, 'MaxAttempts': 300})


def refused_creation(client, name, template):
    """Return the error with which the creation of a stack is refused.

    Keystone sometimes confuses the tokens of two requests that are made at the
    same time, and then accepts a trust from a user who may not give any.
    """
    for _attempt in range(3):
        try:
            made = client.create_stack(StackName=name, TemplateBody=template)
        except boto_exceptions.ClientError as error:
            return error
        client.delete_stack(StackName=name)
        wait(client, 'stack_delete_complete', made['StackId'])
    return pytest.fail('Three creations were accepted.')


def signed(url, access, secret, verb='GET', when=None, **params):
    """Return a URL with a signature of version 2."""
    parts = parse.urlsplit(url)
    when = when or datetime.datetime.now(datetime.UTC)
    params.update(
        AWSAccessKeyId=access, SignatureVersion='2',
        SignatureMethod='HmacSHA256',
        Timestamp=when.strftime('%Y-%m-%dT%H:%M:%SZ'))
    params['Signature'] = ec2_signature.sign_v2(secret, {
        'verb': verb, 'host': parts.netloc,
        'path': parse.unquote(parts.path), 'params': params})
    return f'{url}?{parse.urlencode(params)}'


def without_reference(answer):
    """Return the text of an error without the id of its request."""
    text, count = re.subn('<RequestId>[^<]*</RequestId>', '', answer.text)
    assert count == 1, answer.text
    return text


def refusal(error):
    return (error.response['Error']['Code'],
            error.response['ResponseMetadata']['HTTPStatusCode'])


# -- version 4 --------------------------------------------------------------

def test_a_stack_by_the_client_of_amazon(deployment, stacks, tenant, keys):
    client, name = client_of(deployment, *keys), f'{tenant.tag}-boto'
    stack_id = client.create_stack(
        StackName=name, TemplateBody=TEMPLATE,
        Parameters=[{'ParameterKey': 'Word', 'ParameterValue': 'hi'}])[
            'StackId']
    assert f'::{tenant.project_id}:stacks/{name}/' in stack_id
    wait(client, 'stack_exists', name)
    wait(client, 'stack_create_complete', stack_id)
    [stack] = client.describe_stacks(StackName=name)['Stacks']
    assert stack['Outputs'][0]['OutputValue'] == 'hi'
    path = f'/stacks/{name}/{stack_id.rpartition("/")[2]}'
    # It is the stack of the user whose key it was.
    assert stacks.show(path)['stack_owner'] == f'{tenant.tag}-member'
    names = [one['StackName'] for page in
             client.get_paginator('list_stacks').paginate()
             for one in page['StackSummaries']]
    assert names == [name]
    for paginator, key in (('describe_stacks', 'Stacks'),
                           ('describe_stack_events', 'StackEvents'),
                           ('list_stack_resources',
                            'StackResourceSummaries')):
        pages = list(client.get_paginator(paginator).paginate(
            StackName=name))
        assert [one for page in pages for one in page[key]], paginator
    assert client.get_template(StackName=name)['TemplateBody'][
        'Resources'].keys() == {'Speaker'}
    assert client.validate_template(TemplateBody=TEMPLATE)['Parameters'][0][
        'ParameterKey'] == 'Word'
    assert client.estimate_template_cost(TemplateBody=TEMPLATE)['Url']
    detail = client.describe_stack_resource(
        StackName=name, LogicalResourceId='Speaker')['StackResourceDetail']
    assert detail['ResourceStatus'] == 'CREATE_COMPLETE'
    [resource] = client.describe_stack_resources(StackName=name)[
        'StackResources']
    assert resource['LogicalResourceId'] == 'Speaker'
    client.update_stack(
        StackName=name, UsePreviousTemplate=True,
        Parameters=[{'ParameterKey': 'Word', 'ParameterValue': 'bye'}])
    wait(client, 'stack_update_complete', name)
    client.update_stack(StackName=name, TemplateBody=SLOW)
    stacks.wait_resource(path, 'Slow', 'CREATE_IN_PROGRESS')
    client.cancel_update_stack(StackName=name)
    stacks.wait(path, 'ROLLBACK_COMPLETE')
    [stack] = client.describe_stacks(StackName=name)['Stacks']
    assert stack['Outputs'][0]['OutputValue'] == 'bye'
    client.delete_stack(StackName=name)
    wait(client, 'stack_delete_complete', stack_id)


def test_who_cannot_give_a_trust_makes_nothing_that_needs_one(
        deployment, tenant, keys):
    """Keystone lets nobody give a trust who came with an EC2 key."""
    client = client_of(deployment, *keys)
    error = refused_creation(client, f'{tenant.tag}-later',
                             json.dumps(HANDLE))
    assert refusal(error) == ('InvalidParameterValue', 400)
    assert 'EC2' in str(error)
    assert client.list_stacks()['StackSummaries'] == []


def test_a_wrong_secret_is_refused(deployment, keys):
    client = client_of(deployment, keys[0], keys[1] + 'x')
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.list_stacks()
    code, status = refusal(raised.value)
    assert status == 403
    assert code in ('SignatureDoesNotMatch', 'AccessDenied')


def test_an_unknown_key_is_refused(deployment):
    client = client_of(deployment, 'f' * 32, 'e' * 32)
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.list_stacks()
    assert refusal(raised.value) == ('InvalidClientTokenId', 403)


def test_a_key_is_good_until_it_is_deleted(deployment, tenant):
    with keys_of(tenant) as pair:
        client = client_of(deployment, *pair)
        assert client.list_stacks()['StackSummaries'] == []
    with pytest.raises(boto_exceptions.ClientError) as raised:
        client.list_stacks()
    assert refusal(raised.value) == ('InvalidClientTokenId', 403)


def test_a_key_allows_what_its_user_may_do(deployment, stacks, tenant):
    with keys_of(tenant, 'reader') as pair:
        client = client_of(deployment, *pair)
        assert client.list_stacks()['StackSummaries'] == []
        with pytest.raises(boto_exceptions.ClientError) as raised:
            client.create_stack(StackName='no', TemplateBody=TEMPLATE)
        assert refusal(raised.value) == ('AccessDenied', 403)


def test_a_key_is_good_for_its_own_project_only(deployment, stacks, tenant):
    path = stacks.create(f'{tenant.tag}-mine', HANDLE)
    stranger = cloud.Tenant()
    try:
        with keys_of(stranger) as pair:
            client = client_of(deployment, *pair)
            assert client.list_stacks()['StackSummaries'] == []
            arn = f'arn:openstack:heat::{tenant.project_id}:' + path[1:]
            with pytest.raises(boto_exceptions.ClientError) as raised:
                client.describe_stacks(StackName=arn)
            assert refusal(raised.value) == ('AccessDenied', 403)
            # Nor does a signal tell what is there and what is not.
            answers = {
                without_reference(requests.post(signed(
                    f'{deployment.cfn_url}/signal/'
                    f'{parse.quote(arn + suffix, "")}', *pair,
                    verb='POST'), json={}, timeout=60))
                for suffix in ('/resources/handle', '/resources/none',
                               '0/resources/handle')}
            assert len(answers) == 1, answers
            assert '<Type>Sender</Type>' in answers.pop()
    finally:
        stranger.remove()
    stacks.delete(path)


# -- version 2 --------------------------------------------------------------

def test_version_2_in_a_url(deployment, keys):
    url = deployment.cfn_url + '/'
    answer = requests.get(signed(url, *keys, Action='ListStacks',
                                 ContentType='JSON'), timeout=60)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {'ListStacksResponse': {
        'ListStacksResult': {'StackSummaries': []}}}


def test_version_2_in_a_form(deployment, keys):
    url = deployment.cfn_url + '/'
    form = signed(url, *keys, verb='POST', Action='ListStacks',
                  ContentType='JSON').partition('?')[2]
    answer = requests.post(url, data=dict(parse.parse_qsl(form)), timeout=60)
    assert answer.status_code == 200, answer.text
    assert answer.json()['ListStacksResponse']


def test_what_is_signed_may_not_change(deployment, keys):
    url = signed(deployment.cfn_url + '/', *keys, Action='ListStacks')
    changed = url.replace('ListStacks', 'DescribeStacks')
    hour_ago = (datetime.datetime.now(datetime.UTC) -
                datetime.timedelta(hours=1))
    old = signed(deployment.cfn_url + '/', *keys, when=hour_ago,
                 Action='ListStacks')
    wrong = signed(deployment.cfn_url + '/', keys[0], 'wrong',
                   Action='ListStacks')
    refused = [requests.get(each, timeout=60)
               for each in (changed, old, wrong)]
    assert {answer.status_code for answer in refused} == {403}
    # What exactly was wrong is nobody's business.
    assert len({without_reference(answer) for answer in refused}) == 1
    assert requests.get(url, timeout=60).status_code == 200


@pytest.mark.parametrize(('name', 'value'), [
    ('SignatureVersion', '0'), ('SignatureVersion', '3'),
    ('SignatureVersion', ''), ('SignatureMethod', 'x'), ('Timestamp', 'x'),
    ('X-Amz-Algorithm', 'x'), ('X-Amz-Credential', 'x')])
def test_a_malformed_signature_is_refused(deployment, keys, name, value):
    parts = parse.urlsplit(signed(deployment.cfn_url + '/', *keys,
                                  Action='ListStacks'))
    params = {**dict(parse.parse_qsl(parts.query)), name: value}
    answer = requests.get(
        parts._replace(query=parse.urlencode(params)).geturl(), timeout=60)
    assert answer.status_code in (400, 403), answer.text


def test_no_header_leads_to_another_keystone(deployment, stacks, tenant):
    """The password of the domain administrator goes to Keystone alone."""
    attacker = identity_service.Attacker()
    with attacker.served() as url:
        name = f'{tenant.tag}-forged'
        answer = requests.post(
            deployment.cfn_url + '/', timeout=60, data={
                'Action': 'CreateStack', 'StackName': name,
                'TemplateBody': json.dumps(HANDLE)},
            headers={'X-Auth-Token': tenant.session('member').get_token(),
                     'X-Auth-Url': url + '/v3', 'X-Region-Name': 'forged',
                     'X-Roles': 'admin', 'X-Project-Id': 'forged'})
        assert answer.status_code == 200, answer.text
        [path] = [f'/stacks/{name}/{each["id"]}'
                  for each in stacks.get('/stacks')['stacks']
                  if each['stack_name'] == name]
        stacks.wait(path, 'CREATE_COMPLETE')
        stacks.delete(path)
    assert attacker.asked == []


def test_a_token_does_instead_of_a_signature(deployment, tenant):
    answer = requests.get(
        deployment.cfn_url + '/', timeout=60,
        params={'Action': 'ListStacks'},
        headers={'X-Auth-Token': tenant.session('member').get_token()})
    assert answer.status_code == 200, answer.text
    answer = requests.get(
        deployment.cfn_url + '/', timeout=60,
        params={'Action': 'ListStacks'}, headers={'X-Auth-Token': 'none'})
    assert answer.status_code == 401


# -- signed URLs of signals -------------------------------------------------

def test_a_wrong_signal_learns_nothing(deployment, stacks, tenant):
    path = stacks.create(f'{tenant.tag}-urls', HANDLE)
    url = json.loads(stacks.resource(path, 'handle')['attributes'][
        'signal'])['alarm_url']
    assert requests.put(url, json={'id': '1'}, timeout=60).status_code == 200
    parts = parse.urlsplit(url)
    params = dict(parse.parse_qsl(parts.query))
    long_ago = {**params, 'Timestamp': '2020-01-01T00:00:00Z'}
    wrong = [
        url.replace('Signature=', 'Signature=x'),
        parts._replace(path=parts.path.replace('handle', 'none')).geturl(),
        parts._replace(query=parse.urlencode(long_ago)).geturl(),
        parts._replace(path=parts.path.replace('urls', 'none')).geturl()]
    answers = [requests.put(each, json={'id': '2'}, timeout=60)
               for each in wrong]
    assert {answer.status_code for answer in answers} == {403}
    assert len({without_reference(answer) for answer in answers}) == 1
    # Another method has another signature.
    assert requests.post(url, json={}, timeout=60).status_code in (403, 405)
    log = deployment.log_text()
    assert params['Signature'] not in log
    assert parse.quote(params['Signature'], safe='') not in log
    stacks.delete(path)
    assert requests.put(url, json={}, timeout=60).status_code == 403


# -- tokens -----------------------------------------------------------------

def test_an_expired_token_is_refused(stacks, tenant):
    """A token lives no longer than the credential that it was got by."""
    identity = tenant.connection('member').identity
    # Late enough to get a token by it, and to use that.
    expires = (datetime.datetime.now(datetime.UTC) +
               datetime.timedelta(seconds=20))
    credential = identity.create_application_credential(
        tenant.users['member'], f'{tenant.tag}-short',
        expires_at=expires.strftime('%Y-%m-%dT%H:%M:%S'))
    answer = requests.post(
        cloud.auth_url() + '/v3/auth/tokens', timeout=60, json={'auth': {
            'identity': {'methods': ['application_credential'],
                         'application_credential': {
                             'id': credential.id,
                             'secret': credential.secret}}}})
    token = answer.headers['X-Subject-Token']
    ask = {'headers': {'X-Auth-Token': token}, 'timeout': 60}
    assert requests.get(stacks.url + '/stacks', **ask).status_code == 200
    left = expires - datetime.datetime.now(datetime.UTC)
    time.sleep(max(left.total_seconds(), 0) + 1)
    assert requests.get(stacks.url + '/stacks', **ask).status_code == 401
    identity.delete_application_credential(tenant.users['member'],
                                           credential.id)
