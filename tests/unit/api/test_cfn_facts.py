"""Actions, policies and errors of the cfn API are those of the facts."""
import json
import pathlib

import oslo_messaging
import pytest
import webob.exc

from heat.api.aws import exception as aws_exception
from heat.api.aws import xml_format
from heat.api.cfn.v1 import routes
from heat.api.cfn.v1 import stacks

FACTS = json.loads((pathlib.Path(__file__).parents[2] / 'facts' /
                    'rest_api.json').read_text())['cfn']


#: Actions of AWS beyond the recorded ones.
ADDED = {
    'ListExports': ('list_exports', 'cloudformation:ListExports'),
    'ListImports': ('list_imports', 'cloudformation:ListImports'),
    'GetTemplateSummary': ('get_template_summary',
                           'cloudformation:ValidateTemplate'),
    'UpdateTerminationProtection': (
        'update_termination_protection',
        'cloudformation:UpdateTerminationProtection'),
    'CreateChangeSet': ('create', 'cloudformation:CreateChangeSet'),
    'DeleteChangeSet': ('delete', 'cloudformation:DeleteChangeSet'),
    'DescribeChangeSet': ('describe', 'cloudformation:DescribeChangeSet'),
    'ExecuteChangeSet': ('execute', 'cloudformation:ExecuteChangeSet'),
    'ListChangeSets': ('list', 'cloudformation:ListChangeSets'),
    'DetectStackDrift': ('detect', 'cloudformation:DetectStackDrift'),
    'DescribeStackDriftDetectionStatus': (
        'describe_detection',
        'cloudformation:DescribeStackDriftDetectionStatus'),
    'DescribeStackResourceDrifts': (
        'describe_resources', 'cloudformation:DescribeStackResourceDrifts'),
    'GetStackPolicy': ('get_stack_policy', 'cloudformation:GetStackPolicy'),
    'SetStackPolicy': ('set_stack_policy', 'cloudformation:SetStackPolicy'),
    'ContinueUpdateRollback': (
        'continue_rollback', 'cloudformation:ContinueUpdateRollback'),
    'SignalResource': ('signal_resource', 'resource:signal'),
}


def test_actions():
    assert {action.name: (action.method, action.policy)
            for action in routes.ACTIONS} == ADDED | {
        name: (facts['controller_method'], facts['policy'])
        for name, facts in FACTS['actions'].items()}


@pytest.mark.parametrize('action', routes.ACTIONS, ids=lambda a: a.name)
def test_each_action_is_served(action):
    dispatcher = routes.Dispatcher(stacks.StackController(None), None)
    assert callable(getattr(getattr(dispatcher, action.controller),
                            action.method))


def test_signal_routes():
    assert {(route.method, '/v1' + route.path.replace(':.+', ''),
             route.action) for route in routes.SIGNALS} == {
        (facts['method'], facts['path'], facts['action'])
        for facts in FACTS['signal_routes']}


@pytest.mark.parametrize(('name', 'facts'), FACTS['error_classes'].items())
def test_error_class(name, facts):
    error = getattr(aws_exception, name)()
    assert (error.title, error.err_type, error.status_int) == (
        facts['Code'], facts['Type'], facts['status'])


@pytest.mark.parametrize(('name', 'facts'),
                         FACTS['engine_error_map'].items())
def test_error_of_the_engine(name, facts):
    error = aws_exception.map_remote_error(
        oslo_messaging.RemoteError(name, 'what is wrong', []))
    assert error.detail == 'what is wrong'
    assert (error.title, error.err_type, error.status_int) == (
        facts['Code'], facts['Type'], facts['status'])


def test_unexpected_errors_tell_nothing():
    error = aws_exception.map_remote_error(KeyError('10.0.0.1'))
    assert (error.title, error.status_int) == ('InternalFailure', 500)
    assert '10.0.0.1' not in str(error.body_of())


def test_oversized_bodies_are_a_limit():
    error = aws_exception.map_remote_error(
        webob.exc.HTTPRequestEntityTooLarge())
    assert error.title == 'RequestLimitExceeded'


@pytest.mark.parametrize(('content', 'text'), [
    ({'A': [1, {'B': True}]},
     '<A><member>1</member><member><B>true</B></member></A>'),
    ({'A': None}, '<A />'),
    ({'Metadata': {'x': [1]}}, '<Metadata>{"x": [1]}</Metadata>'),
    ({'AWS::Region': 'x'}, '<AWS..Region>x</AWS..Region>'),
    ({'1 <': 'a\0\ud800<'}, '<_1__>a\ufffd\ufffd&lt;</_1__>'),
])
def test_xml(content, text):
    assert xml_format.to_xml({'R': content}).decode().endswith(
        f'<R>{text}</R>')
