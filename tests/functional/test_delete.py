"""Deleting stacks, whatever they are doing."""
import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot


def of(**kwargs):
    return templates.thing(**kwargs)


def test_deleted_stack_is_gone(driver, api, thing):
    stack = api.created('d', hot({'a': of(), 'b': of(depends_on='a')}))
    made = [stack.physical('a'), stack.physical('b')]
    stack.deleted()
    assert not set(made) & set(thing.things)
    answer = stack.request('DELETE')
    assert (answer.status, answer.error) == (404, 'EntityNotFound')
    answer = api.request('GET', 'stacks/d')
    assert (answer.status, answer.error) == (404, 'EntityNotFound')
    # By its id it is still there to be looked at.
    assert stack.events()[-1] == 'd DELETE_COMPLETE'
    assert stack.states() == {}
    assert stack.get('template')['resources'].keys() == {'a', 'b'}
    # The name is free.
    api.created('d', hot())


def test_delete_during_create(driver, api, gate, thing, conf):
    conf('error_wait_time', 1)
    stack = api.create('d', hot({'a': of(gate=gate),
                                 'b': of(depends_on='a')}))
    rest.wait_for(lambda: ('CREATE', 'a') in thing.log.get(api.project, ()),
                  'the first resource')
    # The request is answered a moment before the creation is stopped, so
    # the gate stays closed.
    stack.deleted()
    assert ('CREATE', 'b') not in thing.log[api.project]
    assert ('DELETE', 'a') in thing.log[api.project]


def test_delete_during_update(driver, api, gate, thing, conf):
    conf('error_wait_time', 1)
    stack = api.created('d', hot({'a': of(), 'b': of(depends_on='a')}))
    made = [stack.physical('a'), stack.physical('b')]
    stack.update(hot({'a': of(value='y', gate=gate),
                      'c': of(depends_on='a')}))
    _until(stack, 'a', 'UPDATE_IN_PROGRESS')
    stack.delete()
    gate.open()
    stack.wait_deleted()
    assert not set(made) & set(thing.things)


def test_delete_during_replacement(driver, api, gate, thing, conf):
    conf('error_wait_time', 1)
    stack = api.created('d', hot({'a': of(fixed='x')}))
    before = stack.physical('a')
    stack.update(hot({'a': of(fixed='y', gate=gate)}))
    rest.wait_for(lambda: thing.log[api.project].count(('CREATE', 'a')) == 2,
                  'the replacement')
    stack.delete()
    gate.open()
    stack.wait_deleted()
    assert before not in thing.things
    assert thing.log[api.project].count(('DELETE', 'a')) == 2


def test_delete_during_delete(driver, api, gate, thing):
    stack = api.created('d', hot({'a': of(gate=gate, gated=['DELETE'])}))
    stack.delete()
    _until(stack, 'a', 'DELETE_IN_PROGRESS')
    stack.delete()
    gate.open()
    stack.wait('DELETE_COMPLETE')


def test_update_of_what_is_being_deleted(driver, api, gate):
    stack = api.created('d', hot({'a': of(gate=gate, gated=['DELETE'])}))
    stack.delete()
    answer = stack.update(hot(), expect=400)
    assert answer.error == 'NotSupported'
    gate.open()
    stack.wait('DELETE_COMPLETE')


def test_delete_that_fails(driver, api, thing):
    stack = api.created('d', hot({'a': of(fail=['DELETE']),
                                  'b': of(depends_on='a')}))
    stack.delete()
    shown = stack.wait('DELETE_FAILED')
    assert shown['stack_status_reason'] == (
        'Resource DELETE failed: ValueError: resources.a: DELETE of a '
        'went wrong')
    assert stack.states() == {'a': 'DELETE_FAILED'}
    assert api.stacks() == ['d']
    # Another attempt may succeed.
    thing.opened.add(thing.EVERY)
    stack.deleted()


def test_delete_of_failed_stack(driver, api, thing):
    stack = api.create('d', hot({'a': of(), 'b': of(
        fail=['CREATE'], depends_on='a'), 'c': of(depends_on='b')}))
    stack.wait('CREATE_FAILED')
    stack.deleted()
    assert ('DELETE', 'c') not in thing.log[api.project]


@pytest.mark.parametrize('policy', ['Retain', 'retain'])
def test_retain(driver, api, thing, policy):
    stack = api.created('d', hot({
        'kept': of(deletion_policy=policy),
        'gone': of(deletion_policy='Delete')}))
    kept, gone = stack.physical('kept'), stack.physical('gone')
    stack.deleted()
    assert kept in thing.things
    assert gone not in thing.things


def test_retain_when_removed_or_replaced(driver, api, thing):
    stack = api.created('d', hot({
        'a': of(deletion_policy='Retain'),
        'b': of(fixed='x', deletion_policy='Retain')}))
    made = [stack.physical('a'), stack.physical('b')]
    stack.updated(hot({'b': of(fixed='y', deletion_policy='Retain')}))
    assert set(made) <= set(thing.things)
    assert stack.physical('b') not in made
    assert set(stack.states()) == {'b'}


def test_policy_that_the_type_does_not_have(api):
    answer = api.create('d', hot({'a': {
        'type': 'Test::Deaf', 'deletion_policy': 'Snapshot'}}), expect=400)
    assert answer.error == 'StackValidationFailed'
    assert 'resources.a.deletion_policy' in answer.message


def test_delete_before_anything_was_made(driver, api):
    stack = api.create('d', hot({f'r{n}': of() for n in range(20)}))
    stack.deleted()


def _until(stack, name, state):
    rest.wait_for(lambda: stack.states().get(name) == state,
                  lambda: (name, state, stack.states()))
