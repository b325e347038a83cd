"""Rollback after failed updates, and cancelling."""
import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import param

VALUE = {'o': {'value': attr('a', 'value')}}


def of(**kwargs):
    return templates.thing(**kwargs)


GOOD = hot({'a': of(value='x'), 'b': of(fixed='1', depends_on='a')},
           outputs=VALUE)
BAD = hot({'a': of(value='y'), 'b': of(fixed='2', depends_on='a'),
           'c': of(fail=['CREATE'], depends_on='b')}, outputs=VALUE)


def test_failed_update_without_rollback(driver, api):
    stack = api.created('r', GOOD)
    stack.update(BAD)
    shown = stack.wait('UPDATE_FAILED')
    assert shown['stack_status_reason'] == (
        'Resource CREATE failed: ValueError: resources.c: CREATE of c '
        'went wrong')
    assert stack.states()['c'] == 'CREATE_FAILED'
    assert stack.outputs() == {'o': 'y'}
    stack.updated(hot({'a': of(value='z'), 'c': of()}, outputs=VALUE))
    assert stack.outputs() == {'o': 'z'}
    assert set(stack.states()) == {'a', 'c'}


def test_failed_update_is_rolled_back(driver, api, thing):
    stack = api.created('r', GOOD, disable_rollback=False)
    stack.update(BAD)
    shown = stack.wait('ROLLBACK_COMPLETE')
    assert shown['stack_status_reason'] == (
        'Stack ROLLBACK completed successfully')
    assert stack.outputs() == {'o': 'x'}
    assert set(stack.states()) == {'a', 'b'}
    assert stack.get('template') == GOOD
    assert sorted(value for physical, value in thing.things.items()
                  if physical.startswith('r-')) == ['', 'x']
    stack.updated(hot({'a': of(value='z')}, outputs=VALUE))
    assert stack.outputs() == {'o': 'z'}


def test_rollback_of_parameters(driver, api):
    template = hot({'a': of(value=param('w'), fail=param('f'))},
                   parameters={
                       'w': {'type': 'string'},
                       'f': {'type': 'comma_delimited_list',
                             'default': ''}}, outputs=VALUE)
    stack = api.created('r', template, parameters={'w': 'x'},
                        disable_rollback=False)
    stack.update(template, parameters={'w': 'y', 'f': 'UPDATE'})
    shown = stack.wait('ROLLBACK_COMPLETE')
    assert shown['parameters']['w'] == 'x'
    assert stack.outputs() == {'o': 'x'}


def test_rollback_that_fails(driver, api):
    stack = api.created('r', hot({'a': of(value='x')}),
                        disable_rollback=False)
    stack.update(hot({'a': of(value='y'),
                      'b': of(fail=['CREATE', 'DELETE'],
                              depends_on='a')}))
    shown = stack.wait('ROLLBACK_FAILED')
    assert 'DELETE of b went wrong' in shown['stack_status_reason']


def test_update_can_ask_for_rollback(driver, api):
    stack = api.created('r', GOOD)
    stack.update(BAD, disable_rollback=False)
    stack.wait('ROLLBACK_COMPLETE')
    assert stack.outputs() == {'o': 'x'}


def test_cancel_update(driver, api, gate, conf):
    conf('error_wait_time', 1)
    stack = api.created('c', GOOD)
    stack.update(hot({'a': of(value='y', gate=gate), 'n': of()},
                     outputs=VALUE))
    _until(stack, 'a', 'UPDATE_IN_PROGRESS')
    stack.act('cancel_update')
    if driver == 'convergence':
        # What runs comes to its end first.
        gate.open()
    stack.wait('ROLLBACK_COMPLETE')
    assert stack.outputs() == {'o': 'x'}
    assert set(stack.states()) == {'a', 'b'}


def test_cancel_without_rollback(driver, api, gate, conf):
    conf('error_wait_time', 1)
    stack = api.created('c', GOOD)
    stack.update(hot({'a': of(value='y', gate=gate)}, outputs=VALUE))
    _until(stack, 'a', 'UPDATE_IN_PROGRESS')
    stack.act('cancel_without_rollback')
    stack.wait('UPDATE_FAILED')
    gate.open()
    stack.updated(hot({'a': of(value='z')}, outputs=VALUE))
    assert stack.outputs() == {'o': 'z'}


def test_cancel_of_a_create(driver, api, gate, conf):
    conf('error_wait_time', 1)
    stack = api.create('c', hot({'a': of(gate=gate)}))
    _until(stack, 'a', 'CREATE_IN_PROGRESS')
    assert stack.act('cancel_update', expect=400).error == 'NotSupported'
    stack.act('cancel_without_rollback')
    stack.wait('CREATE_FAILED')


@pytest.mark.parametrize('action',
                         ['cancel_update', 'cancel_without_rollback'])
def test_nothing_to_cancel(driver, api, action):
    stack = api.created('c', GOOD)
    answer = stack.act(action, expect=400)
    assert answer.error == 'NotSupported'
    assert 'CREATE_COMPLETE' in answer.message


def _until(stack, name, state):
    rest.wait_for(lambda: stack.states().get(name) == state,
                  lambda: (name, state, stack.states()))
