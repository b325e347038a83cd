"""What cannot be asked of a stack in some state changes nothing.

A table says for each state and each request whether it is refused, with
which code and type of error.
"""
import json
import sqlite3
import time

import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot

TABLES = ('stack', 'resource', 'resource_data', 'event', 'snapshot',
          'sync_point', 'stack_lock', 'stack_tag', 'raw_template')

NOT_SUPPORTED = 400, 'NotSupported'
BUSY = 409, 'ActionInProgress'


@pytest.fixture
def rows(service):
    """Return a function that gives all there is in the database."""
    path = service.database.removeprefix('sqlite:///')

    def dump():
        connection = sqlite3.connect(path)
        try:
            return {table: sorted(map(repr, connection.execute(
                f'SELECT * FROM {table}'))) for table in TABLES}
        finally:
            connection.close()

    return dump


# -- states -----------------------------------------------------------------

def definition(gate=None, value='', **more):
    return hot({'a': templates.thing(gate=gate, value=value, **more),
                'd': {'type': 'Test::Deaf', 'depends_on': 'a'}})


def made(api, gate, gated=(), fail=(), **kwargs):
    """Return a stack with a snapshot."""
    stack = api.created('s', definition(
        str(gate), gated=list(gated), fail=list(fail)), **kwargs)
    stack.request('POST', 'snapshots', {'name': 'own'}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')
    return stack


def creating(api, gate):
    return api.create('s', definition(str(gate)))


def create_failed(api, gate):
    stack = api.create('s', definition(fail=['CREATE']))
    stack.wait('CREATE_FAILED')
    return stack


def adopting(api, gate):
    data = {'template': definition(str(gate), gated=['ADOPT']),
            'resources': {name: {'resource_id': name} for name in 'ad'}}
    found = api.request('POST', 'stacks', {
        'stack_name': 's', 'adopt_stack_data': json.dumps(data)}, expect=201)
    return rest.Stack(api, 's', found.json['stack']['id'])


def updating(api, gate):
    stack = made(api, gate)
    stack.update(definition(str(gate), 'new', gated=['UPDATE']))
    return stack


def updated(api, gate):
    stack = made(api, gate)
    stack.updated(definition(value='new'))
    return stack


def update_failed(api, gate):
    stack = made(api, gate)
    stack.update(definition(value='new', fail=['UPDATE']))
    stack.wait('UPDATE_FAILED')
    return stack


def rolling_back(api, gate):
    stack = made(api, gate)
    template = definition()
    template['resources']['n'] = templates.thing(
        gate=str(gate), gated=['DELETE'], fail=['CREATE'])
    stack.update(template, disable_rollback=False)
    return stack


def rolled_back(api, gate):
    stack = made(api, gate)
    stack.update(definition(value='new', gated=[], fixed='other',
                            fail=['CREATE']), disable_rollback=False)
    stack.wait('ROLLBACK_COMPLETE')
    return stack


def rollback_failed(api, gate):
    stack = made(api, gate)
    template = definition()
    template['resources']['n'] = templates.thing(fail=['CREATE', 'DELETE'])
    stack.update(template, disable_rollback=False)
    stack.wait('ROLLBACK_FAILED')
    return stack


def adopted(api, gate, state='ADOPT_COMPLETE', names='ad'):
    data = {'template': definition(),
            'resources': {name: {'resource_id': name} for name in names}}
    found = api.request('POST', 'stacks', {
        'stack_name': 's', 'adopt_stack_data': json.dumps(data)}, expect=201)
    stack = rest.Stack(api, 's', found.json['stack']['id'])
    stack.wait(state)
    return stack


def adopt_failed(api, gate):
    # Nobody says what the other resource is.
    return adopted(api, gate, 'ADOPT_FAILED', 'a')


def acting(action, state):
    def build(api, gate):
        gated = [action.upper()] if state == 'IN_PROGRESS' else []
        fail = [action.upper()] if state == 'FAILED' else []
        stack = made(api, gate, gated, fail)
        if action == 'resume':
            stack.act('suspend')
            stack.wait('SUSPEND_COMPLETE')
        if action == 'delete':
            stack.delete()
        else:
            stack.act(action)
        return stack
    return build


def snapshotting(api, gate):
    stack = api.created('s', definition(str(gate), gated=['SNAPSHOT']))
    stack.request('POST', 'snapshots', {'name': 'own'}, expect=200)
    return stack


def restoring(api, gate):
    stack = made(api, gate, ['UPDATE'])
    stack.updated(definition(value='new', gated=[]))
    snapshot = stack.get('snapshots')['snapshots'][0]['id']
    stack.request('POST', f'snapshots/{snapshot}/restore', expect=202)
    return stack


def restored(api, gate, fail=(), state='RESTORE_COMPLETE'):
    stack = made(api, gate, fail=fail)
    stack.updated(definition(value='new'))
    snapshot = stack.get('snapshots')['snapshots'][0]['id']
    stack.request('POST', f'snapshots/{snapshot}/restore', expect=202)
    stack.wait(state)
    return stack


def restore_failed(api, gate):
    return restored(api, gate, ['UPDATE'], 'RESTORE_FAILED')


def snapshot_failed(api, gate):
    stack = api.created('s', definition(fail=['SNAPSHOT']))
    stack.request('POST', 'snapshots', {'name': 'own'}, expect=200)
    stack.wait('SNAPSHOT_FAILED')
    return stack


STATES = {
    'ADOPT_COMPLETE': adopted,
    'ADOPT_FAILED': adopt_failed,
    'ROLLBACK_FAILED': rollback_failed,
    'RESTORE_COMPLETE': restored,
    'RESTORE_FAILED': restore_failed,
    'SNAPSHOT_FAILED': snapshot_failed,
    'CREATE_IN_PROGRESS': creating,
    'CREATE_COMPLETE': lambda api, gate: api.created('s', definition()),
    'CREATE_FAILED': create_failed,
    'ADOPT_IN_PROGRESS': adopting,
    'UPDATE_IN_PROGRESS': updating,
    'UPDATE_COMPLETE': updated,
    'UPDATE_FAILED': update_failed,
    'ROLLBACK_IN_PROGRESS': rolling_back,
    'ROLLBACK_COMPLETE': rolled_back,
    'SUSPEND_IN_PROGRESS': acting('suspend', 'IN_PROGRESS'),
    'SUSPEND_COMPLETE': acting('suspend', 'COMPLETE'),
    'SUSPEND_FAILED': acting('suspend', 'FAILED'),
    'RESUME_IN_PROGRESS': acting('resume', 'IN_PROGRESS'),
    'RESUME_COMPLETE': acting('resume', 'COMPLETE'),
    'RESUME_FAILED': acting('resume', 'FAILED'),
    'CHECK_IN_PROGRESS': acting('check', 'IN_PROGRESS'),
    'CHECK_COMPLETE': acting('check', 'COMPLETE'),
    'CHECK_FAILED': acting('check', 'FAILED'),
    'SNAPSHOT_IN_PROGRESS': snapshotting,
    'SNAPSHOT_COMPLETE': made,
    'RESTORE_IN_PROGRESS': restoring,
    'DELETE_IN_PROGRESS': acting('delete', 'IN_PROGRESS'),
    'DELETE_FAILED': acting('delete', 'FAILED'),
}
WITHOUT_SNAPSHOT = frozenset([
    'CREATE_IN_PROGRESS', 'CREATE_COMPLETE', 'CREATE_FAILED',
    'ADOPT_IN_PROGRESS', 'ADOPT_COMPLETE', 'ADOPT_FAILED'])


# -- requests ---------------------------------------------------------------

def expected(state, driver):
    """Yield (request, code, type) of all that is refused in a state."""
    action, _underscore, status = state.partition('_')
    busy = status == 'IN_PROGRESS'
    locked = busy and driver == 'legacy'
    for request in ('update', 'patch', 'preview', 'preview patch'):
        if action in ('SUSPEND', 'DELETE'):
            yield request, *NOT_SUPPORTED
        elif locked and 'preview' not in request:
            yield request, *BUSY
    for request in ('suspend', 'resume', 'check', 'snapshot'):
        if busy:
            yield request, *BUSY
        elif action == 'DELETE' and request != 'check':
            yield request, *NOT_SUPPORTED
        elif request == 'resume' and action not in ('SUSPEND', 'RESUME'):
            yield request, *NOT_SUPPORTED
    if state not in WITHOUT_SNAPSHOT and (action, driver) != (
            'DELETE', 'legacy'):
        if action == 'DELETE':
            yield 'restore', *NOT_SUPPORTED
        elif state in ('SNAPSHOT_FAILED', 'SNAPSHOT_IN_PROGRESS'):
            yield 'restore', *NOT_SUPPORTED
        elif locked:
            yield 'restore', *BUSY
    if state == 'SNAPSHOT_IN_PROGRESS':
        yield 'delete own', *NOT_SUPPORTED
    if state != 'UPDATE_IN_PROGRESS':
        yield 'cancel_update', *NOT_SUPPORTED
        if state != 'CREATE_IN_PROGRESS':
            yield 'cancel_without_rollback', *NOT_SUPPORTED
    if locked:
        yield 'abandon', *BUSY
    if locked or (busy and action != 'ROLLBACK'):
        yield 'mark', *BUSY
    if action in ('SUSPEND', 'DELETE'):
        yield 'signal', *NOT_SUPPORTED
    elif state not in ('RESUME_FAILED', 'RESUME_IN_PROGRESS'):
        yield 'signal to the deaf', 400, 'ResourceActionNotSupported'
    yield 'signal to nobody', 404, 'ResourceNotFound'
    yield 'unset hook', 400, 'InvalidBreakPointHook'
    yield 'unset unknown hook', 400, 'InvalidBreakPointHook'
    for verb in ('show', 'delete', 'restore'):
        yield f'{verb} foreign', 404, 'SnapshotNotFound'
        yield f'{verb} unknown', 404, 'SnapshotNotFound'
    yield 'create again', 409, 'StackExists'


class Requests:
    """Sends requests by their name in the table."""

    def __init__(self, stack, foreign):
        self.stack = stack
        self.foreign = foreign

    def send(self, name):
        """Return the answer."""
        stack = self.stack
        verb, _space, rest_of_name = name.partition(' ')
        body = {'template': definition(value='another')}
        if verb in ('update', 'patch'):
            return stack.request('PUT' if verb == 'update' else 'PATCH', '',
                                 body)
        if verb == 'preview':
            return stack.request('PATCH' if rest_of_name else 'PUT',
                                 'preview', body)
        if rest_of_name in ('foreign', 'unknown', 'own') or name == 'restore':
            return self.about_snapshot(verb, rest_of_name)
        if verb in ('signal', 'unset'):
            return self.signal(name)
        if verb == 'snapshot':
            return stack.request('POST', 'snapshots', {})
        if verb == 'abandon':
            return stack.request('DELETE', 'abandon')
        if verb == 'mark':
            return stack.request('PATCH', 'resources/a',
                                 {'mark_unhealthy': True})
        if verb == 'create':
            return stack.client.request('POST', 'stacks', {
                'stack_name': stack.name, **body})
        return stack.request('POST', 'actions', {name: None})

    def about_snapshot(self, verb, which):
        """Ask for a snapshot: our own, one of another stack, or none."""
        snapshot = {'foreign': self.foreign, 'unknown': 'unknown'}.get(which)
        if snapshot is None:
            snapshot = self.stack.get('snapshots')['snapshots'][0]['id']
        method, path = {'show': ('GET', ''), 'delete': ('DELETE', ''),
                        'restore': ('POST', '/restore')}[verb]
        return self.stack.request(method, f'snapshots/{snapshot}{path}')

    def signal(self, name):
        """Send a signal."""
        resource = {'signal to the deaf': 'd', 'signal to nobody': 'x'}.get(
            name, 'a')
        details = {'unset hook': {'unset_hook': 'pre-update'},
                   'unset unknown hook': {'unset_hook': 'pre-lunch'}}.get(
            name, {'how': 'loud'})
        return self.stack.request('POST', f'resources/{resource}/signal',
                                  details)


def at_rest(rows):
    """Return the rows once nothing changes them any more."""
    seen = [None] * 3

    def unchanged():
        seen.append(rows())
        time.sleep(0.1)
        return seen[-1] == seen[-2] == seen[-3] == seen[-4]

    rest.wait_for(unchanged, lambda: seen[-4:])
    return seen[-1]


@pytest.mark.parametrize('state', sorted(STATES))
def test_refused(driver, api, gate, conf, rows, state):
    conf('enable_stack_abandon', True)
    conf('enable_stack_adopt', True)
    other = api.created('other', hot())
    foreign = other.request('POST', 'snapshots', {}, expect=200).json['id']
    other.wait('SNAPSHOT_COMPLETE')
    stack = STATES[state](api, gate)
    rest.wait_for(lambda: stack.state == state,
                  lambda: (state, stack.show(), stack.resources()))
    if state.endswith('IN_PROGRESS'):
        waiting = 'n' if state == 'ROLLBACK_IN_PROGRESS' else 'a'
        rest.wait_for(lambda: stack.states().get(waiting, '').endswith(
            'IN_PROGRESS'), lambda: stack.resources())
    requests = Requests(stack, foreign)
    before = at_rest(rows)
    for name, code, error in expected(state, driver):
        answer = requests.send(name)
        assert (answer.status, answer.error) == (code, error), (
            name, answer.text)
        assert rows() == before, name
    gate.open()
    if state == 'DELETE_IN_PROGRESS':
        stack.wait_deleted()


@pytest.mark.parametrize(('method', 'path', 'body'), [
    ('PUT', '', {'template': hot()}), ('PATCH', '', {}), ('DELETE', '', None),
    ('POST', 'actions', {'check': None}), ('POST', 'snapshots', {}),
    ('PUT', 'preview', {'template': hot()}), ('DELETE', 'abandon', None),
    ('GET', 'export', None)])
def test_what_is_gone_takes_nothing(driver, api, conf, rows, method, path,
                                    body):
    conf('enable_stack_abandon', True)
    stack = api.created('s', definition())
    stack.deleted()
    before = at_rest(rows)
    answer = stack.request(method, path, body)
    assert (answer.status, answer.error) == (404, 'EntityNotFound')
    assert rows() == before


def test_check_repairs_a_failed_deletion(driver, api):
    stack = api.created('s', definition(fail=['DELETE']))
    stack.delete()
    stack.wait('DELETE_FAILED')
    stack.act('check')
    stack.wait('CHECK_COMPLETE')
    stack.updated(definition(value='new'))
    assert set(stack.states()) == {'a', 'd'}
    stack.deleted()
