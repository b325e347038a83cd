"""Policies of stacks: updates that change only what they may."""
import json

import pytest

from tests.functional import templates
from tests.functional.templates import hot
from tests.functional.templates import param


def of(**kwargs):
    return templates.thing(**kwargs)


ALL = {'Effect': 'Allow', 'Action': 'Update:*', 'Principal': '*',
       'Resource': '*'}


def deny(*names, action='Update:*'):
    return {'Statement': [ALL, {
        'Effect': 'Deny', 'Action': action, 'Principal': '*',
        'Resource': [f'LogicalResourceId/{name}' for name in names]}]}


def guard(stack, policy, expect=200):
    return stack.request('PUT', 'policy', {'stack_policy': policy},
                         expect=expect)


def refusal(stack, template, method='PUT', **body):
    """Return the text of the refusal of an update, which begins nothing."""
    before = stack.show(), stack.resources()
    answer = stack.request(method, '', {'template': template, **body},
                           expect=409)
    assert answer.error == 'StackPolicyViolated'
    assert (stack.show(), stack.resources()) == before
    return answer.message


def test_a_policy_is_set_shown_and_removed(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    assert stack.get('policy') == {'stack_policy': None}
    guard(stack, deny('a'))
    assert stack.get('policy') == {'stack_policy': deny('a')}
    assert refusal(stack, hot({'a': of(value='y')})) == (
        'The policy of stack p does not allow Update:Modify of a.')
    guard(stack, None)
    stack.updated(hot({'a': of(value='y')}))
    stack.deleted()


def test_each_action_is_asked_for(driver, api):
    stack = api.created('p', hot({
        'a': of(value='x'), 'b': of(fixed='x'), 'c': of()}))
    guard(stack, {'Statement': []})
    text = refusal(stack, hot({'a': of(value='y'), 'b': of(fixed='y'),
                               'd': of()}))
    for expected in ('Update:Modify of a', 'Update:Replace of b',
                     'Update:Delete of c'):
        assert expected in text
    # What is new, and what stays, is not asked for.
    stack.updated(hot({'a': of(value='x'), 'b': of(fixed='x'), 'c': of(),
                       'd': of()}))
    guard(stack, deny('*', action='Update:Delete'))
    stack.updated(hot({'a': of(value='y'), 'b': of(fixed='y'), 'c': of(),
                       'd': of()}))
    assert 'Update:Delete of d' in refusal(stack, hot({
        'a': of(value='y'), 'b': of(fixed='y'), 'c': of()}))
    assert 'Update:Delete' in refusal(stack, hot({'a': of(value='y')}),
                                      'PATCH')
    # A deletion is for termination protection to prevent.
    stack.deleted()


INNER = json.dumps(hot({'t': of(value=param('word')), 'u': of()},
                       parameters={'word': {'type': 'string'}}))


def tree(word, **more):
    return hot({'n': {'type': 'inner.yaml', 'properties': {'word': word}},
                **more})


def test_the_root_has_the_policy_of_its_tree(driver, api):
    files = {'inner.yaml': INNER}
    stack = api.created('p', tree('x'), files=files)
    nested = stack.nested('n')
    guard(stack, deny('n/t'))
    assert nested.get('policy') == stack.get('policy')
    assert guard(nested, None, expect=400).error == 'NotSupported'
    assert 'Update:Modify of n/t' in refusal(stack, tree('y'), files=files)
    assert 'Update:Modify of n/t' in refusal(
        nested, json.loads(INNER), parameters={'word': 'y'})
    assert 'Update:Delete of n/t' in refusal(stack, hot({}))
    stack.updated(tree('x', a=of()), files=files)
    guard(stack, deny('n/u'))
    stack.updated(tree('y', a=of()), files=files)


def test_a_change_set_shows_what_is_refused(driver, api):
    stack = api.created('p', hot({'a': of(value='x'), 'b': of(value='x')}))
    guard(stack, deny('a'))
    found = stack.request('POST', 'change_sets', {'template': hot({
        'a': of(value='y'), 'b': of(value='y')})}, expect=201).json[
            'change_set']
    assert found['status'] == 'AVAILABLE'
    assert 'policy' in found['status_reason']
    assert {each['path'][0]: each.get('refused')
            for each in found['changes']} == {
                'a': ['Update:Modify'], 'b': None}
    path = f'change_sets/{found["id"]}/execute'
    answer = stack.request('POST', path, expect=409)
    assert answer.error == 'StackPolicyViolated'
    assert stack.state == 'CREATE_COMPLETE'
    # It can be executed when the policy has changed.
    guard(stack, deny('c'))
    stack.request('POST', path, expect=202)
    stack.wait('UPDATE_COMPLETE')


def test_what_nobody_foresaw_is_refused_when_it_happens(driver, api, thing):
    stack = api.created('p', hot({
        'a': of(type='Test::Moody', value='x'),
        'b': of(type='Test::Moody', value='x')}))
    made = stack.physical('a')
    guard(stack, deny('a', action='Update:Replace'))
    stack.update(hot({'a': of(type='Test::Moody', value='y'),
                      'b': of(type='Test::Moody', value='x')}))
    shown = stack.wait('UPDATE_FAILED')
    assert 'Update:Replace of a' in shown['stack_status_reason']
    assert stack.physical('a') == made


def test_a_policy_is_overridden_by_who_may(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    guard(stack, deny('a'))
    found = stack.request('POST', 'change_sets', {'template': hot({
        'a': of(value='z')})}, expect=201).json['change_set']
    stack.request('POST', f'change_sets/{found["id"]}/execute',
                  {'override_stack_policy': True}, expect=202)
    stack.wait('UPDATE_COMPLETE')
    stack.updated(hot({'a': of(value='y')}), override_stack_policy='true')
    assert 'Update:Modify' in refusal(stack, hot({'a': of(value='x')}),
                                      override_stack_policy=False)
    answer = stack.request('PUT', '', {
        'template': hot({}), 'override_stack_policy': 'perhaps'})
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')


def test_nobody_else_overrides_it(api, rules):
    stack = api.created('p', hot({'a': of(value='x')}))
    guard(stack, deny('a'))
    found = stack.request('POST', 'change_sets', {'template': hot({
        'a': of(value='z')})}, expect=201).json['change_set']
    rules(**{'protection:override_policy': '!'})
    body = {'template': hot({'a': of(value='y')}),
            'override_stack_policy': True}
    for method, path in (('PUT', ''), ('PATCH', ''), (
            'POST', f'change_sets/{found["id"]}/execute')):
        answer = stack.request(method, path, body)
        assert (answer.status, answer.error) == (403, 'Forbidden')
    # A change set does not smuggle it in either.
    found = stack.request('POST', 'change_sets', body, expect=201).json[
        'change_set']
    answer = stack.request('POST', f'change_sets/{found["id"]}/execute')
    assert (answer.status, answer.error) == (409, 'StackPolicyViolated')
    assert stack.state == 'CREATE_COMPLETE'


def test_a_retry_obeys_the_policy(driver, api, thing, monkeypatch):
    stack = api.create('p', hot({'a': of(fail=['CREATE'])}))
    stack.wait('CREATE_FAILED')
    guard(stack, {'Statement': []})
    answer = stack.request('POST', 'actions', {'retry': None}, expect=409)
    assert answer.error == 'StackPolicyViolated'
    guard(stack, {'Statement': [ALL]})
    monkeypatch.setattr(thing, 'opened', {thing.EVERY})
    stack.act('retry')
    stack.wait('UPDATE_COMPLETE')


@pytest.mark.parametrize(('body', 'error'), [
    (None, 'HTTPBadRequest'), ({}, 'HTTPBadRequest'),
    ({'stack_policy': []}, 'HTTPBadRequest'),
    ({'stack_policy': '{}'}, 'HTTPBadRequest'),
    ({'stack_policy': None, 'x': 1}, 'HTTPBadRequest'),
    ({'stack_policy': {}}, 'Invalid'),
    ({'stack_policy': {'Statement': [{}]}}, 'Invalid')])
def test_other_bodies_are_refused(api, body, error):
    stack = api.created('p', hot({}))
    answer = stack.request('PUT', 'policy', body)
    assert (answer.status, answer.error) == (400, error)
    assert stack.get('policy') == {'stack_policy': None}
    stack.deleted()
