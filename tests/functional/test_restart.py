"""Ends of the process, wanted and unwanted, and what follows."""
import sqlite3
import subprocess
import sys
import time

import pytest

from tests.functional import process
from tests.functional import rest
from tests.functional import service
from tests.functional.templates import hot


def slow(secs=0, depends_on=None, **properties):
    definition = {'type': 'OS::Heat::TestResource', 'properties': {
        'action_wait_secs': {'create': secs}, **properties}}
    if depends_on:
        definition['depends_on'] = depends_on
    return definition


def chain(length, secs, **properties):
    return hot({f'r{number}': slow(secs, number and f'r{number - 1}',
                                   **properties)
                for number in range(length)})


@pytest.fixture
def heat(request, tmp_path):
    """Return a service that is stopped whatever happens."""
    convergence = getattr(request, 'param', 'convergence') == 'convergence'
    running = process.HeatAll(tmp_path, convergence)
    yield running
    if running.is_running():
        running.kill()


def rows(heat, table):
    """Return how many rows a table has."""
    connection = sqlite3.connect(heat.directory / 'state' / 'heat.sqlite')
    try:
        return connection.execute(
            f'SELECT COUNT(*) FROM {table}').fetchone()[0]
    finally:
        connection.close()


def until(stack, name, state):
    rest.wait_for(lambda: stack.states().get(name) == state,
                  lambda: (name, state, stack.states()))


def test_convergence_stacks_go_on_by_themselves(heat):
    api = heat.start().client()
    updated = api.created('updated', chain(2, 0))
    deleted = api.created('deleted', hot({'a': slow(), 'b': slow(
        depends_on='a', action_wait_secs={'delete': 10})}))
    # All that is begun from here on lasts longer than this part.
    created = api.create('created', chain(3, 4))
    nested = api.create('nested', hot({'n': {'type': 'inner.yaml'}}),
                        files={'inner.yaml': (
                            'heat_template_version: 2018-08-31\n'
                            'resources:\n'
                            '  t:\n'
                            '    type: OS::Heat::TestResource\n'
                            '    properties:\n'
                            '      action_wait_secs: {create: 10}\n')})
    updated.update(hot({
        'r0': slow(action_wait_secs={'update': 10}, value='x'),
        'r1': slow(value='y', depends_on='r0'), 'r2': slow(0, 'r1')}))
    deleted.delete()
    until(created, 'r0', 'CREATE_COMPLETE')
    until(updated, 'r0', 'UPDATE_IN_PROGRESS')
    assert created.state == 'CREATE_IN_PROGRESS'
    assert updated.state == 'UPDATE_IN_PROGRESS'
    assert deleted.state == 'DELETE_IN_PROGRESS'
    heat.kill()
    heat.start()
    created.wait('CREATE_COMPLETE')
    assert set(created.states().values()) == {'CREATE_COMPLETE'}
    updated.wait('UPDATE_COMPLETE')
    assert updated.states() == {'r0': 'UPDATE_COMPLETE',
                                'r1': 'UPDATE_COMPLETE',
                                'r2': 'CREATE_COMPLETE'}
    deleted.wait('DELETE_COMPLETE')
    nested.wait('CREATE_COMPLETE')
    for stack in (created, updated, nested):
        stack.deleted()
    for table in ('resource', 'sync_point', 'stack_lock'):
        rest.wait_for(lambda table=table: not rows(heat, table),
                      f'empty {table}')
    assert heat.terminate() == 0


@pytest.mark.parametrize('told', [True, False])
def test_scaling_is_seen_to_its_end(heat, told):
    api = heat.start().client()
    stack = api.created('s', hot({
        'g': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 1, 'max_size': 5, 'resource': slow(3)}},
        'p': {'type': 'OS::Heat::ScalingPolicy', 'properties': {
            'auto_scaling_group_id': {'get_resource': 'g'},
            'adjustment_type': 'change_in_capacity',
            'scaling_adjustment': 1, 'cooldown': 600}}}))

    def metadata():
        return stack.get('resources/g/metadata')['metadata']

    stack.request('POST', 'resources/p/signal', expect=200)
    rest.wait_for(lambda: metadata().get('scaling'), metadata)
    if told:
        # The group knows what it is to become.
        rest.wait_for(lambda: len(stack.nested('g').states()) == 2, metadata)
    heat.kill()
    heat.start()
    rest.wait_for(lambda: not metadata()['scaling_in_progress'], metadata)
    assert [*metadata()['cooldown_end'].values()] == [
        'change_in_capacity : 1']
    assert len(stack.nested('g').states()) == 2
    stack.deleted()
    assert heat.terminate() == 0


@pytest.mark.parametrize('heat', ['legacy'], indirect=True)
def test_legacy_stacks_are_failed(heat):
    api = heat.start().client()
    created = api.create('created', chain(2, -1))
    updated = api.created('updated', chain(2, 0))
    updated.update(hot({'r0': slow(wait_secs=-1, value='x')}))
    until(created, 'r0', 'CREATE_IN_PROGRESS')
    until(updated, 'r0', 'UPDATE_IN_PROGRESS')
    heat.kill()
    assert rows(heat, 'stack_lock') == 2
    heat.start()
    shown = created.wait('CREATE_FAILED')
    assert shown['stack_status_reason']
    assert created.states()['r0'] == 'CREATE_FAILED'
    shown = updated.wait('UPDATE_FAILED')
    assert shown['stack_status_reason']
    assert rows(heat, 'stack_lock') == 0
    updated.updated(hot({'r0': slow(value='y')}))
    for stack in (created, updated):
        stack.deleted()
    assert heat.terminate() == 0


@pytest.mark.parametrize('heat', ['legacy'], indirect=True)
def test_delete_of_a_busy_legacy_stack_is_not_forgotten(heat):
    api = heat.start().client()
    waiting = api.create('waiting', chain(2, -1))
    until(waiting, 'r0', 'CREATE_IN_PROGRESS')
    deleted = api.created('deleted', hot({'a': slow(
        action_wait_secs={'delete': -1})}))
    deleted.delete()
    until(deleted, 'a', 'DELETE_IN_PROGRESS')
    waiting.delete()
    assert waiting.state == 'DELETE_IN_PROGRESS'
    answer = waiting.update(chain(2, 0), expect=400)
    assert answer.error == 'NotSupported'
    heat.kill()
    heat.start()
    waiting.wait_deleted()
    until(deleted, 'a', 'DELETE_IN_PROGRESS')
    assert deleted.state == 'DELETE_IN_PROGRESS'
    assert heat.terminate() == 0


@pytest.mark.parametrize('heat', ['convergence', 'legacy'], indirect=True)
def test_sigterm(heat):
    api = heat.start().client()
    stack = api.create('s', chain(2, 2))
    until(stack, 'r0', 'CREATE_IN_PROGRESS')
    begin = time.monotonic()
    assert heat.terminate() == 0
    assert time.monotonic() - begin < 10
    assert 'Traceback' not in heat.log.read_text()
    heat.start()
    rest.wait_for(lambda: stack.state in ('CREATE_COMPLETE',
                                          'CREATE_FAILED'),
                  lambda: stack.show())
    stack.deleted()
    assert heat.terminate() == 0


def test_commands_use_the_key_that_the_service_made(heat):
    api = heat.start().client()
    stack = api.created('a', hot(
        {'a': slow()}, parameters={'word': {
            'type': 'string', 'hidden': True, 'default': 'x'}}),
        parameters={'word': 'secret'})
    for command in ('heat-manage', 'update_params', 'encrypt'), (
            'heat-status', 'upgrade', 'check'):
        ended = subprocess.run(
            [sys.executable, service.ROOT / 'bin' / command[0],
             '--state-path', heat.directory / 'state', *command[1:]],
            capture_output=True, text=True)
        assert 'does not decrypt' not in ended.stdout
        assert ended.returncode == 0, ended
    assert stack.show()['parameters']['word'] == '******'
    assert heat.terminate() == 0
