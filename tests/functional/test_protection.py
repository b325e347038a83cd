"""Stacks that may not be deleted, and deletions that leave something."""
import json

import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot


def of(**kwargs):
    return templates.thing(**kwargs)


INNER = json.dumps(hot({'t': of(), 'u': of(depends_on='t')}))
FILES = {'inner.yaml': INNER}
TREE = hot({'n': {'type': 'inner.yaml'}, 'a': of()})


def protection(stack):
    return stack.get('protection')['protection']


def protect(stack, value=True, expect=200):
    return stack.request('PUT', 'protection',
                         {'termination_protection': value}, expect=expect)


def test_a_protected_stack_is_not_deleted(driver, api, thing):
    stack = api.created('p', hot({'a': of()}))
    assert protection(stack) == {
        'termination_protection': False, 'root_stack_id': stack.id,
        'root_stack_name': 'p'}
    shown = stack.show()
    answer = protect(stack)
    assert answer.json['protection']['termination_protection'] is True
    # What clients show of a stack is what it was.
    assert stack.show() == shown
    answer = stack.request('DELETE', expect=409)
    assert answer.error == 'StackProtected'
    assert '{"termination_protection": false}' in answer.message
    assert stack.state == 'CREATE_COMPLETE'
    stack.updated(hot({'b': of()}))
    assert protection(stack)['termination_protection'] is True
    protect(stack, False)
    stack.deleted()
    assert protection(stack)['termination_protection'] is False


def test_a_protected_stack_is_exported_but_not_abandoned(driver, api, conf):
    conf('enable_stack_abandon', True)
    stack = api.created('kept', hot({'a': of()}), termination_protection=True)
    assert stack.request('DELETE', 'abandon', expect=409).error == (
        'StackProtected')
    assert stack.get('export')['name'] == 'kept'
    protect(stack, 'false')
    stack.request('DELETE', 'abandon', expect=200)


def test_nested_stacks_inherit_the_protection(driver, api):
    stack = api.created('p', TREE, files=FILES, termination_protection='True')
    nested = stack.nested('n')
    assert protection(nested) == {
        'termination_protection': True, 'root_stack_id': stack.id,
        'root_stack_name': 'p'}
    answer = nested.request('DELETE', expect=409)
    assert answer.error == 'StackProtected'
    assert 'stack p' in answer.message
    assert protect(nested, False, expect=400).error == 'NotSupported'
    # An update may still remove what is inside.
    stack.updated(hot({'a': of()}))
    assert nested.show()['stack_status'] == 'DELETE_COMPLETE'
    protect(stack, False)
    stack.deleted()


@pytest.mark.parametrize('body', [
    None, {}, [], {'termination_protection': None},
    {'termination_protection': 'perhaps'}, {'termination_protection': 1},
    {'termination_protection': True, 'other': 1}])
def test_other_bodies_are_refused(api, body):
    stack = api.created('p', hot({}))
    answer = stack.request('PUT', 'protection', body)
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    stack.deleted()


def test_what_is_being_deleted_is_not_protected_any_more(driver, api, gate):
    stack = api.created('p', hot({'a': of(gate=gate, gated=['DELETE'])}))
    stack.delete()
    rest.wait_for(lambda: stack.state == 'DELETE_IN_PROGRESS', 'the start')
    assert protect(stack, expect=409).error == 'ActionInProgress'
    answer = stack.request('DELETE', retain='a', expect=409)
    assert answer.error == 'ActionInProgress'
    gate.open()
    stack.wait_deleted()


def test_a_creation_does_not_take_any_value(api):
    answer = api.request('POST', 'stacks', {
        'stack_name': 'p', 'template': hot({}),
        'termination_protection': 'perhaps'})
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    assert api.stacks() == []


# -- retained resources

def test_retained_resources_stay(driver, api, thing):
    stack = api.created('retained', hot({
        'a': of(), 'b': of(depends_on='a'), 'c': of(depends_on='b')}))
    made = {name: stack.physical(name) for name in 'abc'}
    stack.request('DELETE', retain=['a', 'b'], expect=204)
    stack.wait_deleted()
    assert made['a'] in thing.things
    assert made['b'] in thing.things
    assert made['c'] not in thing.things
    assert [entry for entry in thing.log[api.project]
            if entry[0] == 'DELETE'] == [('DELETE', 'c')]


def test_retained_resources_of_nested_stacks_stay(driver, api, thing):
    stack = api.created('retained', {**TREE, 'resources': {
        **TREE['resources'], 'm': {'type': 'inner.yaml'}}}, files=FILES)
    nested, whole = stack.nested('n'), stack.nested('m')
    kept = [nested.physical('t'), whole.physical('t'), whole.physical('u')]
    gone = [nested.physical('u'), stack.physical('a')]
    stack.request('DELETE', retain=['n/t', 'm'], expect=204)
    stack.wait_deleted()
    assert [name in thing.things for name in kept] == [True] * 3
    assert [name in thing.things for name in gone] == [False] * 2
    for each in nested, whole:
        assert each.show()['stack_status'] == 'DELETE_COMPLETE'


def test_what_a_failed_deletion_retained_is_asked_for_again(driver, api,
                                                           thing):
    stack = api.created('retained', hot({'a': of(), 'b': of(
        fail=['DELETE'], depends_on='a')}))
    made = stack.physical('b')
    stack.request('DELETE', retain='a', expect=204)
    stack.wait('DELETE_FAILED')
    stack.request('DELETE', retain='b', expect=204)
    stack.wait_deleted()
    assert made in thing.things
    assert ('DELETE', 'a') in thing.log[api.project]


@pytest.mark.parametrize('path', ['x', 'n/x', 'a/x', 'n/t/x', '', '/', 'n/'])
def test_unknown_resources_are_not_retained(driver, api, path):
    stack = api.created('retained', TREE, files=FILES)
    answer = stack.request('DELETE', retain=path)
    assert (answer.status, answer.error) == (404, 'ResourceNotFound')
    assert stack.state == 'CREATE_COMPLETE'
    stack.deleted()
