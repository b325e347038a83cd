"""The CloudFormation API over plain HTTP: JSON, XML, forms and URLs."""
import json
from xml.etree import ElementTree

import pytest
import requests

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot

PROJECT = 'cfnformats'
TEMPLATE = json.dumps({
    'AWSTemplateFormatVersion': '2010-09-09',
    'Description': 'Says something.',
    'Parameters': {'Word': {'Type': 'String', 'Default': 'hello'}},
    'Resources': {'Speaker': {
        'Type': 'OS::Heat::TestResource',
        'Properties': {'value': {'Ref': 'Word'}},
        'Metadata': {'a': [1, {'b': 2}]}}},
    'Outputs': {'Said': {'Value': {'Fn::GetAtt': ['Speaker', 'output']}}}})
BROKEN = TEMPLATE.replace('"Ref": "Word"', '"Ref": "World"')


class Api:
    """Sends queries, signed by nobody: the project is all that counts."""

    def __init__(self, url):
        self.url = url + '/v1/'

    def ask(self, action, method='GET', **params):
        """Return the answer of an action."""
        query = {'Action': action, 'AWSAccessKeyId': PROJECT, **params}
        query = {name: value for name, value in query.items()
                 if value is not None}
        if method == 'GET':
            return requests.get(self.url, params=query, timeout=120)
        return requests.post(self.url, data=query, timeout=120)

    def result(self, action, method='GET', **params):
        """Return the content of a result that comes as JSON."""
        answer = self.ask(action, method, ContentType='JSON', **params)
        assert answer.status_code == 200, answer.text
        assert answer.headers['Content-Type'].startswith('application/json')
        [(name, response)] = answer.json().items()
        assert name == f'{action}Response'
        [(name, result)] = response.items()
        assert name == f'{action}Result'
        return result

    def status(self, name):
        """Return the status of a stack."""
        [stack] = self.result('DescribeStacks', StackName=name)['Stacks']
        return stack['StackStatus']

    def wait(self, name, status):
        """Wait until a stack is in a state."""
        rest.wait_for(lambda: self.status(name) == status, status)


@pytest.fixture
def api(cfn_url):
    """Return the API; what stacks there are go at the end."""
    one = Api(cfn_url)
    yield one
    for stack in one.result('ListStacks')['StackSummaries']:
        one.result('DeleteStack', StackName=stack['StackId'])
        one.wait(stack['StackId'], 'DELETE_COMPLETE')


@pytest.fixture
def stack_id(api):
    """Return the ARN of a stack called talk."""
    stack_id = api.result('CreateStack', 'POST', StackName='talk',
                          TemplateBody=TEMPLATE)['StackId']
    api.wait('talk', 'CREATE_COMPLETE')
    return stack_id


def shape(element):
    """Return what an element of XML holds, as JSON would have it."""
    if element.tag in ('TemplateBody', 'Metadata', 'ResourceProperties'):
        return json.loads(element.text)
    below = list(element)
    if not below:
        return element.text or ''
    if {one.tag for one in below} == {'member'}:
        return [shape(one) for one in below]
    return {one.tag: shape(one) for one in below}


def as_text(value):
    """Return a value as it looks when XML has made texts of it."""
    if isinstance(value, dict) and value:
        return {name: as_text(one) for name, one in value.items()}
    if isinstance(value, list) and value:
        return [as_text(one) for one in value]
    if isinstance(value, bool):
        return str(value).lower()
    return '' if value in (None, [], {}) else str(value)


@pytest.mark.parametrize(('action', 'params', 'keys'), [
    ('ListStacks', {}, ['StackSummaries']),
    ('DescribeStacks', {'StackName': 'talk'}, ['Stacks']),
    ('DescribeStackEvents', {'StackName': 'talk'}, ['StackEvents']),
    ('DescribeStackResource', {'StackName': 'talk',
                               'LogicalResourceId': 'Speaker'},
     ['StackResourceDetail']),
    ('DescribeStackResources', {'StackName': 'talk'}, ['StackResources']),
    ('ListStackResources', {'StackName': 'talk'},
     ['StackResourceSummaries']),
    ('GetTemplate', {'StackName': 'talk'}, ['TemplateBody']),
    ('EstimateTemplateCost', {'TemplateBody': TEMPLATE}, ['Url']),
    ('ValidateTemplate', {'TemplateBody': TEMPLATE},
     ['Capabilities', 'CapabilitiesReason', 'Description', 'Parameters']),
])
def test_json_says_what_xml_says(api, stack_id, action, params, keys):
    result = api.result(action, **params)
    assert sorted(result) == keys
    assert api.result(action, 'POST', **params) == result
    answer = api.ask(action, **params)
    assert answer.headers['Content-Type'].startswith('application/xml')
    root = ElementTree.fromstring(answer.text)
    assert root.tag == f'{action}Response'
    seen = {one.tag: shape(one) for one in root[0]}
    if action == 'GetTemplate':
        assert seen == result
        return
    for one in [result, *result.values()]:
        # As an element of its own, metadata is JSON in XML, too.
        if isinstance(one, dict) and 'Metadata' in one:
            assert seen['StackResourceDetail'].pop('Metadata') == (
                one.pop('Metadata'))
    assert seen == as_text(result)


def test_values_keep_their_types(api, stack_id):
    [stack] = api.result('DescribeStacks', StackName='talk')['Stacks']
    assert stack['DisableRollback'] is True
    [output] = stack['Outputs']
    assert (output['OutputKey'], output['OutputValue']) == ('Said', 'hello')
    detail = api.result('DescribeStackResource', StackName='talk',
                        LogicalResourceId='Speaker')['StackResourceDetail']
    assert detail['Metadata'] == {'a': [1, {'b': 2}]}
    body = api.result('GetTemplate', StackName='talk')['TemplateBody']
    assert body == json.loads(TEMPLATE)


def test_changes_are_answered_in_json(api, stack_id, conf, gate):
    conf('error_wait_time', 1)
    assert stack_id.startswith(f'arn:openstack:heat::{PROJECT}:stacks/talk/')
    slow = hot({'Speaker': {'type': 'OS::Heat::TestResource'},
                'slow': templates.thing(gate=gate)})
    result = api.result('UpdateStack', 'POST', StackName='talk',
                        TemplateBody=json.dumps(slow))
    assert result == {'StackId': stack_id}
    rest.wait_for(lambda: [each for each in api.result(
        'ListStackResources', StackName='talk')['StackResourceSummaries']
        if each['ResourceStatus'] == 'CREATE_IN_PROGRESS'], 'the update')
    assert api.result('CancelUpdateStack', StackName='talk') == {}
    gate.open()
    api.wait('talk', 'ROLLBACK_COMPLETE')
    assert api.result('DeleteStack', StackName='talk') == {}
    api.wait(stack_id, 'DELETE_COMPLETE')


@pytest.mark.parametrize(('action', 'params', 'status', 'code'), [
    (None, {}, 400, 'MissingAction'),
    ('ListStackSets', {}, 400, 'InvalidAction'),
    ('CreateStack', {'StackName': 'x'}, 400, 'MissingParameter'),
    ('CreateStack', {'TemplateBody': TEMPLATE}, 400, 'MissingParameter'),
    ('CreateStack', {'StackName': 'x', 'TemplateBody': BROKEN}, 400,
     'InvalidParameterValue'),
    ('CreateStack', {'StackName': 'x', 'TemplateBody': TEMPLATE,
                     'OnFailure': 'DELETE', 'DisableRollback': 'true'},
     400, 'InvalidParameterCombination'),
    ('CreateStack', {'StackName': 'x', 'TemplateBody': TEMPLATE,
                     'OnFailure': 'PERHAPS'}, 400, 'InvalidParameterValue'),
    ('CreateStack', {'StackName': 'x', 'TemplateBody': TEMPLATE,
                     'TimeoutInMinutes': 'soon'}, 400,
     'InvalidParameterValue'),
    ('CreateStack', {'StackName': 'talk', 'TemplateBody': TEMPLATE}, 400,
     'AlreadyExists'),
    ('UpdateStack', {'StackName': 'none', 'TemplateBody': TEMPLATE}, 400,
     'ValidationError'),
    ('UpdateStack', {'StackName': 'talk'}, 400, 'MissingParameter'),
    ('CancelUpdateStack', {'StackName': 'talk'}, 400,
     'InvalidParameterValue'),
    ('DeleteStack', {'StackName': 'none'}, 400, 'ValidationError'),
    ('GetTemplate', {'StackName': 'arn:openstack:heat::other:stacks/a/b'},
     403, 'AccessDenied'),
    ('DescribeStacks', {'StackName': 'none'}, 400, 'ValidationError'),
    ('DescribeStackEvents', {'StackName': 'none'}, 400, 'ValidationError'),
    ('SignalResource', {'StackName': 'talk', 'LogicalResourceId': 'Speaker',
                        'UniqueId': 'a', 'Status': 'PERHAPS'}, 400,
     'InvalidParameterValue'),
    ('DescribeStackResource', {'StackName': 'talk',
                               'LogicalResourceId': 'none'}, 400,
     'InvalidParameterValue'),
    ('DescribeStackResource', {'StackName': 'talk'}, 400,
     'MissingParameter'),
    ('DescribeStackResources', {'StackName': 'talk',
                                'PhysicalResourceId': 'x'}, 400,
     'InvalidParameterCombination'),
    ('ListStackResources', {}, 400, 'MissingParameter'),
    ('EstimateTemplateCost', {}, 400, 'MissingParameter'),
    ('ValidateTemplate', {'TemplateBody': '['}, 400,
     'InvalidParameterValue'),
    ('ValidateTemplate', {'TemplateBody': BROKEN}, 400,
     'InvalidParameterValue'),
])
def test_errors_have_one_form_in_each_format(api, stack_id, action, params,
                                             status, code):
    for method in 'GET', 'POST':
        answer = api.ask(action, method, ContentType='JSON', **params)
        assert answer.headers['Content-Type'].startswith('application/json')
        [(name, error)] = answer.json().items()
        assert (name, list(error)) == ('ErrorResponse',
                                       ['Error', 'RequestId'])
        assert error['RequestId'].startswith('req-')
        error = error['Error']
        assert (answer.status_code, error['Code']) == (status, code), error
        assert sorted(error) == ['Code', 'Message', 'Type']
        assert error['Type'] == 'Sender'
        assert error['Message']
        other = ElementTree.fromstring(api.ask(action, method,
                                               **params).text)
        assert {one.tag: one.text for one in other[0]} == error


def test_a_forbidden_action_is_an_error_in_each_format(api, rules):
    rules(**{'cloudformation:ListStacks': '!'})
    answer = api.ask('ListStacks', ContentType='JSON')
    assert (answer.status_code, answer.json()['ErrorResponse']['Error'][
        'Code']) == (403, 'AccessDenied')
    assert '<Code>AccessDenied</Code>' in api.ask('ListStacks').text
    rules(**{'cloudformation:ListStacks': '@'})


def test_a_form_may_be_as_long_as_any_body(api, conf):
    def ask(length):
        form = f'Action=ListStacks&AWSAccessKeyId={PROJECT}&Padding='
        return requests.post(
            api.url, data=form + 'x' * (length - len(form)), timeout=120,
            headers={'Content-Type': 'application/x-www-form-urlencoded'})

    conf('max_json_body_size', 1000)
    assert ask(1000).status_code == 200
    answer = ask(1001)
    assert answer.status_code == 400
    assert '<Code>RequestLimitExceeded</Code>' in answer.text
    assert 'max_json_body_size' in answer.text


@pytest.mark.parametrize(('body', 'content_type', 'code'), [
    (b'Action=\xff', 'application/x-www-form-urlencoded', 'InvalidAction'),
    (b'--b\r\nContent-Disposition: form-data; name="Action"; filename="f"'
     b'\r\n\r\nListStacks\r\n--b--\r\n', 'multipart/form-data; boundary=b',
     'InvalidParameterValue'),
    (b'--b', 'multipart/form-data', 'MalformedQueryString'),
    (b'Action=ListStacks', 'text/plain', 'MissingAction'),
])
def test_strange_forms(api, body, content_type, code):
    answer = requests.post(
        f'{api.url}?AWSAccessKeyId={PROJECT}', data=body, timeout=120,
        headers={'Content-Type': content_type})
    assert answer.status_code < 500, answer.text
    assert f'<Code>{code}</Code>' in answer.text
