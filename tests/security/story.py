"""A story with secrets of every kind, and where they may turn up."""
import logging

import pytest

from tests.functional import test_software as software
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import param
from tests.functional.templates import thing

#: By the parameter that is hidden; each is told from the others.
SECRETS = {
    'word': 'hidden-w0rd"with quotes\nand lines',
    'items': 'hidden-first,hidden-second',
    'tree': {'user': {'password': 'hidden-leaf'}, 'n': [1, 'hidden-item']},
    'number': 918273645,
}
DEFAULT, INNER_DEFAULT = 'hidden-default', 'hidden-inner-default'
TEXTS = ['hidden-', '918273645']

INNERMOST = """
heat_template_version: 2018-08-31
parameters:
  very: {type: string}
  gets_default: {type: string, default: nothing}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: very}},
      metadata: {m: {get_param: very}, d: {get_param: gets_default}}}
"""
INNER = f"""
heat_template_version: 2018-08-31
parameters:
  given: {{type: string}}
  from_items: {{type: comma_delimited_list, default: []}}
  from_tree: {{type: json, default: {{}}}}
  digits: {{type: string, default: ''}}
  open: {{type: string, default: open}}
  by_default: {{type: string, hidden: true, default: {INNER_DEFAULT}}}
  from_defaults: {{type: string, hidden: true}}
resources:
  deep: {{type: innermost.yaml, properties: {{very: {{list_join: [
      '-', ['x', {{get_param: given}}]]}}}}}}
  t: {{type: Test::Thing, properties: {{value: {{str_replace: {{
      template: 'it is <P>, or <Q>', params: {{
        <P>: {{get_param: by_default}}, <Q>: {{get_param: from_defaults}},
        <R>: {{get_param: digits}}}}}}}}}}}}
"""
FILES = {'inner.yaml': INNER, 'innermost.yaml': INNERMOST}


def template():
    inner = {'given': param('word'), 'from_items': param('items'),
             'from_tree': param('tree'), 'digits': param('number')}
    return hot({
        'plain': thing(value=param('word'), metadata={
            'word': param('word'), 'default': param('default'),
            'url': {'str_replace': {'template': 'http://u:PW@db/', 'params': {
                'PW': param('word')}}}}),
        'counted': thing(value={'str_replace': {
            'template': 'n is <N>', 'params': {'<N>': param('number')}}}),
        'child': {'type': 'inner.yaml', 'properties': inner},
        'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': 2, 'resource_def': {'type': 'inner.yaml',
                                         'properties': inner}}},
        'plain_group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': 1, 'resource_def': {'type': 'Test::Thing', 'properties': {
                'value': param('word')}}}},
        'scaled': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 1, 'max_size': 2, 'resource': {
                'type': 'inner.yaml', 'properties': inner}}},
        'chain': {'type': 'OS::Heat::ResourceChain', 'properties': {
            'resources': ['Test::Thing'], 'resource_properties': {
                'value': param('word')}}},
        'stack': {'type': 'OS::Heat::Stack', 'properties': {
            'template': INNERMOST, 'parameters': {'very': param('word')}}},
        'value': {'type': 'OS::Heat::Value', 'properties': {
            'value': param('tree')}},
        'uses_value': {'type': 'innermost.yaml', 'properties': {
            'very': attr('value', 'value', 'user', 'password')}},
        'random': {'type': 'OS::Heat::RandomString', 'properties': {
            'salt': param('word')}},
        'user': {'type': 'AWS::IAM::User'},
        'key': {'type': 'AWS::IAM::AccessKey', 'properties': {
            'UserName': {'get_resource': 'user'}}},
        'handle': {'type': 'OS::Heat::WaitConditionHandle'},
        'config': software.config(
            config='echo it', inputs=[
                {'name': 'who', 'default': 'world'}]),
        'structured': {'type': 'OS::Heat::StructuredConfig', 'properties': {
            'config': {'password': param('word')}}},
        'server': software.SERVER,
        'deployment': software.deployment(input_values={
            'who': param('word'), 'more': param('tree')}),
    }, parameters={
        'word': {'type': 'string', 'hidden': True},
        'items': {'type': 'comma_delimited_list', 'hidden': 'true'},
        'tree': {'type': 'json', 'hidden': True},
        'number': {'type': 'number', 'hidden': True},
        'default': {'type': 'string', 'hidden': True, 'default': DEFAULT},
        'open': {'type': 'string', 'default': 'open'}})


def stacks_in(stack):
    """Yield a stack and all that is nested in it."""
    yield stack
    for name, found in stack.resources().items():
        if any(link['rel'] == 'nested' for link in found['links']):
            yield from stacks_in(stack.nested(name))


@pytest.fixture
def story(driver, api, conf, caplog):
    """Return a function that makes the stack of the story."""
    conf('enable_stack_abandon', True)
    conf('enable_stack_adopt', True)
    caplog.set_level(logging.DEBUG)

    def run():
        stack = api.create('s', template(), files=FILES, environment={
            'parameters': SECRETS, 'parameter_defaults': {
                'from_defaults': 'hidden-from-defaults',
                'gets_default': 'open-default'}})
        software.offered(stack, deploy_action='CREATE')
        software.signal(stack, result='fine')
        return ended(stack, 'CREATE_COMPLETE')

    yield run
    told = [record.getMessage() for phase in ('setup', 'call')
            for record in caplog.get_records(phase)
            if any(text in record.getMessage() or
                   text in str(record.exc_text) for text in TEXTS)]
    assert told == []


def ended(stack, state):
    stack.wait(state)
    return stack


