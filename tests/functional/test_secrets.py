"""What a hidden parameter holds is told nowhere, whoever asks for what."""
import logging

import pytest

from tests.functional import templates
from tests.functional.templates import hot
from tests.functional.templates import param

SECRET = 'nobody-may-see-this'
INNER = """
heat_template_version: 2018-08-31
parameters:
  given: {type: string}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: given}}}
"""
TEMPLATE = hot(
    {'plain': templates.thing(value=param('secret'),
                              metadata={'m': param('secret')}),
     'text': templates.thing(value={'str_replace': {
         'template': 'it is <P>', 'params': {'P': param('secret')}}}),
     'child': {'type': 'inner.yaml',
               'properties': {'given': param('secret')}}},
    parameters={'secret': {'type': 'string', 'hidden': True}})
REQUEST = {'template': TEMPLATE, 'files': {'inner.yaml': INNER}}


@pytest.fixture
def stack(driver, api, caplog):
    """Return a stack that was given a secret."""
    caplog.set_level(logging.DEBUG)
    stack = api.created('s', TEMPLATE, files=REQUEST['files'],
                        parameters={'secret': SECRET})
    yield stack
    told = [record.getMessage() for record in caplog.get_records('call')
            if SECRET in record.getMessage()]
    assert told == []


@pytest.mark.parametrize('path', [
    '', 'environment', 'template', 'files', 'outputs', 'snapshots',
    'events', 'resources?nested_depth=2'])
def test_what_is_shown(stack, path):
    answer = stack.request('GET', path, expect=200)
    assert SECRET not in answer.text


def test_lists(stack, api):
    for path in 'stacks', 'stacks/detail':
        assert SECRET not in api.request('GET', path, expect=200).text


def _events(stack, api):
    for one in (stack, stack.nested('child')):
        for listed in one.get('events')['events']:
            [link] = [each['href'] for each in listed['links']
                      if each['rel'] == 'self']
            yield api.request('GET', link.partition('localhost')[2],
                              expect=200)


def test_events(stack, api):
    seen = list(_events(stack, api))
    assert len(seen) >= 8
    for answer in seen:
        assert SECRET not in answer.text


def test_events_from_before_a_secret_was_changed(stack, api):
    stack.updated(TEMPLATE, files=REQUEST['files'],
                  parameters={'secret': 'something-else'})
    for answer in _events(stack, api):
        assert SECRET not in answer.text
        assert 'something-else' not in answer.text


@pytest.mark.parametrize('path', ['preview', 'preview?show_nested=true'])
def test_preview_of_an_update_by_somebody_else(stack, path):
    """Who changes part of a stack need not know what it was given."""
    for body in ({}, {'files': {'inner.yaml': INNER.replace('t:', 'u:', 1)}},
                 {**REQUEST, 'template': hot(
                     {'plain': templates.thing(value=param('secret'),
                                               fixed='x'),
                      'new': templates.thing(value=param('secret'))},
                     parameters=TEMPLATE['parameters'])}):
        answer = stack.request('PATCH', path, body, expect=200)
        assert SECRET not in answer.text


def test_preview_of_a_creation(api):
    answer = api.request('POST', 'stacks/preview', {
        **REQUEST, 'stack_name': 's', 'parameters': {'secret': SECRET}},
        expect=200)
    assert SECRET not in answer.text


def test_events_of_a_stack_that_is_gone(driver, api):
    stack = api.created('s', TEMPLATE, files=REQUEST['files'],
                        parameters={'secret': SECRET})
    path = stack.path
    [created] = [each['id'] for each in stack.get('events')['events']
                 if each['resource_name'] == 'plain' and
                 each['resource_status'] == 'CREATE_COMPLETE']
    stack.deleted()
    answer = api.request('GET', f'{path}/resources/plain/events/{created}')
    assert answer.status == 200
    assert SECRET not in answer.text


def test_validation(api):
    answer = api.request('POST', 'validate?show_nested=true', {
        **REQUEST, 'environment': {'parameters': {'secret': SECRET}}},
        expect=200)
    assert SECRET not in answer.text


def test_errors(driver, api):
    """The constraint that is broken is told, the value is not."""
    schema = {'type': 'string', 'hidden': True, 'constraints': [
        {'length': {'max': 3}}]}
    answer = api.create('s', hot(parameters={'secret': schema}),
                        parameters={'secret': SECRET}, expect=400)
    assert SECRET not in answer.text
    answer = api.create('s', hot(
        {'r': {'type': 'OS::Heat::RandomString',
               'properties': {'length': param('secret')}}},
        parameters=TEMPLATE['parameters']),
        parameters={'secret': SECRET}, expect=400)
    assert SECRET not in answer.text
