"""Every action of a stack ends when its time is up, as failed."""
import json

import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot

LONG = 3600
#: Seconds in which what is begun gets where it waits, and a rollback to its
#: end, on a machine that is slow.
SHORT = 4


def definition(gate, action='', value=''):
    return hot({'a': templates.thing(gate=str(gate), value=value,
                                     gated=[action] if action else []),
                'b': templates.thing(depends_on='a')})


def create(api, gate, soon):
    soon()
    return api.create('s', definition(gate, 'CREATE'))


def adopt(api, gate, soon):
    soon()
    data = {'template': definition(gate, 'ADOPT'),
            'resources': {name: {'resource_id': name} for name in 'ab'}}
    found = api.request('POST', 'stacks', {
        'stack_name': 's', 'adopt_stack_data': json.dumps(data)}, expect=201)
    return rest.Stack(api, 's', found.json['stack']['id'])


def update(api, gate, soon):
    stack = api.created('s', definition(gate))
    soon()
    stack.update(definition(gate, 'UPDATE', value='new'))
    return stack


def snapshot(api, gate, soon):
    stack = api.created('s', definition(gate, 'SNAPSHOT'))
    soon()
    stack.request('POST', 'snapshots', {'name': 'x'}, expect=200)
    return stack


def restore(api, gate, soon):
    stack = api.created('s', definition(gate, 'UPDATE'))
    stack.request('POST', 'snapshots', {'name': 'x'}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')
    stack.updated(definition(gate, value='new'))
    [found] = stack.get('snapshots')['snapshots']
    soon()
    stack.request('POST', f'snapshots/{found["id"]}/restore', expect=202)
    return stack


def acting(action):
    def act(api, gate, soon):
        stack = api.created('s', definition(gate, action.upper()))
        if action == 'resume':
            stack.act('suspend')
            stack.wait('SUSPEND_COMPLETE')
        soon()
        stack.act(action)
        return stack
    return act


def delete(api, gate, soon):
    # What depends on the resource goes first.
    stack = api.created('s', definition(gate, 'DELETE'))
    soon()
    stack.delete()
    return stack


ACTIONS = {
    'CREATE': create, 'ADOPT': adopt, 'UPDATE': update,
    'SNAPSHOT': snapshot, 'RESTORE': restore, 'CHECK': acting('check'),
    'SUSPEND': acting('suspend'), 'RESUME': acting('resume'),
    'DELETE': delete,
}

#: What a resource does while its stack does something else.
OF_RESOURCE = {'RESTORE': 'UPDATE'}


@pytest.mark.parametrize('action', sorted(ACTIONS))
def test_time_is_up(driver, api, conf, gate, action):
    conf('enable_stack_adopt', True)
    stack = ACTIONS[action](
        api, gate, lambda: conf('stack_action_timeout', SHORT))
    shown = stack.wait(f'{action}_FAILED')
    assert shown['stack_status_reason'] == 'Timed out'
    rest.wait_for(
        lambda: stack.states()['a'] ==
        f'{OF_RESOURCE.get(action, action)}_FAILED', stack.resources)
    # What comes after it never had its turn; what came before it had.
    assert stack.states().get('b') in {
        'CREATE': ('INIT_COMPLETE',), 'ADOPT': ('INIT_COMPLETE',),
        'SUSPEND': ('SUSPEND_COMPLETE',), 'RESUME': ('SUSPEND_COMPLETE',),
        # Nothing about it depends on the other one.
        'CHECK': ('CHECK_COMPLETE', 'CREATE_COMPLETE'),
        'SNAPSHOT': ('SNAPSHOT_COMPLETE', 'CREATE_COMPLETE'),
        'RESTORE': ('SNAPSHOT_COMPLETE', 'UPDATE_COMPLETE'),
        'UPDATE': ('CREATE_COMPLETE', 'UPDATE_COMPLETE'),
        'DELETE': (None, 'DELETE_COMPLETE')}[action], stack.resources()
    if action == 'SNAPSHOT':
        [found] = stack.get('snapshots')['snapshots']
        assert (found['status'], found['status_reason']) == (
            'FAILED', 'Timed out')
    gate.open()
    conf('stack_action_timeout', LONG)
    if action == 'DELETE':
        stack.deleted()
    elif action == 'SUSPEND':
        # What did not get there cannot come back from there.
        stack.act('suspend')
        stack.wait('SUSPEND_COMPLETE')
    else:
        stack.updated(definition(gate, value='after'))
        assert set(stack.states()) == {'a', 'b'}


def test_a_rollback_has_its_own_time(driver, api, conf, gate):
    """It does not fail for what the update has used up."""
    stack = api.created('s', hot({'a': templates.thing()}))
    conf('stack_action_timeout', SHORT)
    stack.update(hot({'a': templates.thing(),
                      'n': templates.thing(gate=str(gate))}),
                 disable_rollback=False)
    shown = stack.wait('ROLLBACK_COMPLETE')
    assert 'Stack ROLLBACK completed' in shown['stack_status_reason']
    assert set(stack.states()) == {'a'}
    assert 's UPDATE_FAILED' in stack.events('s')


def test_create_that_takes_too_long_is_rolled_back(driver, api, conf, gate):
    conf('stack_action_timeout', SHORT)
    stack = api.create('s', definition(gate, 'CREATE'),
                       disable_rollback=False)
    shown = stack.wait('ROLLBACK_COMPLETE')
    assert stack.states() == {}
    assert bool(shown['deletion_time']) == (driver == 'legacy')


def test_rollback_that_takes_too_long_fails(driver, api, conf, gate):
    before = hot({'a': templates.thing()})
    stack = api.created('s', before)
    conf('stack_action_timeout', SHORT)
    stack.update(hot({'a': templates.thing(), 'n': templates.thing(
        gate=str(gate), gated=['DELETE'], fail=['CREATE'])}),
        disable_rollback=False)
    shown = stack.wait('ROLLBACK_FAILED')
    assert shown['stack_status_reason'] == 'Timed out'
    rest.wait_for(lambda: stack.states()['n'] == 'DELETE_FAILED',
                  stack.resources)
    conf('stack_action_timeout', LONG)
    gate.open()
    stack.updated(before)
    assert set(stack.states()) == {'a'}
