"""Stacks in stacks whose templates are at URLs."""
import json

import pytest

from heat.common import urlfetch
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import thing

URL = 'http://templates/inner.json'


@pytest.fixture
def served(monkeypatch):
    """Serve templates; return them by their URLs."""
    known = {}

    def get(url, **_options):
        if url not in known:
            raise urlfetch.URLFetchError('404')
        return json.dumps(known[url])

    monkeypatch.setattr(urlfetch, 'get', get)
    return known


def inner(**properties):
    return {
        'AWSTemplateFormatVersion': '2010-09-09',
        'Parameters': {'Word': {'Type': 'String', 'Default': 'none'}},
        'Resources': {'Thing': {
            'Type': 'OS::Heat::TestResource',
            'Properties': {'value': {'Ref': 'Word'}, **properties}}},
        'Outputs': {'Said': {'Value': {'Ref': 'Word'}}}}


def outer(**properties):
    return hot({
        'child': {'type': 'AWS::CloudFormation::Stack',
                  'properties': {'TemplateURL': URL, **properties}},
        'after': thing(value=attr('child', 'Outputs.Said'))},
        outputs={'said': {'value': attr('child', 'Outputs.Said')},
                 'ref': {'value': {'get_resource': 'child'}}})


def test_stack_of_a_url(driver, api, served):
    served[URL] = inner()
    stack = api.created('s', outer(Parameters={'Word': 'first'}))
    seen = stack.outputs()
    assert seen['said'] == 'first'
    assert seen['ref'].startswith('arn:openstack:heat::')
    stack.updated(outer(Parameters={'Word': 'second'},
                        TimeoutInMinutes=7))
    assert stack.outputs()['said'] == 'second'
    # What is at the URL may be another template by now.
    served[URL] = {**inner(), 'Outputs': {'Said': {'Value': 'third'}}}
    stack.updated(outer())
    assert stack.outputs()['said'] == 'third'
    stack.deleted()


def test_url_that_leads_nowhere(driver, api, served):
    answer = api.create('s', outer(), expect=400)
    assert '"child" could not be fetched: 404' in answer.message
    assert api.stacks() == []


def test_output_that_the_stack_does_not_have(driver, api, served):
    served[URL] = inner()
    tmpl = outer()
    tmpl['outputs'] = {'x': {'value': attr('child', 'said')}}
    answer = api.create('s', tmpl, expect=400)
    assert answer.error == 'StackValidationFailed'
