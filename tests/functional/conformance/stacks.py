"""Cases: errors of requests about a stack, its actions and snapshots."""
import json

from heat.common import exception
from heat.rpc import client as rpc_client
from tests.functional.conformance import world as worlds
from tests.functional.templates import hot
from tests.functional.templates import thing


def exported(*ids):
    """Return data whose resources have these physical ids."""
    names = 'abc'[:len(ids)]
    return json.dumps({
        'template': hot({name: thing() for name in names}),
        'resources': {name: {'resource_id': physical}
                      for name, physical in zip(names, ids, strict=True)}})


def adopted(world, *ids):
    """Return a stack of things with these physical ids."""
    world.conf('enable_stack_adopt', True)
    stack = world.api.create('adopted', None, adopt_stack_data=exported(*ids))
    stack.wait('ADOPT_COMPLETE')
    return stack


def _locked(world, send):
    """Yield what a stack of the legacy driver answers while it is busy."""
    world.legacy()
    stack = world.busy()
    yield send(stack)
    world.gate.open()
    stack.wait('CREATE_COMPLETE')


# -- One stack

@worlds.error('stacks.validate_template', 'HTTPBadRequest')
def invalid_template(world):
    for template in ('a: [', hot({'a': {'type': 'Test::Thin'}}), 7):
        yield world.api.request('POST', 'validate', {'template': template})


@worlds.error('stacks.lookup', 'EntityNotFound')
def lookup(world):
    for name in ('unknown', worlds.UNKNOWN, 'unknown/resources'):
        yield world.api.request('GET', f'stacks/{name}')


@worlds.error('stacks.delete', 'EntityNotFound')
def delete(world):
    yield world.api.request('DELETE', f'stacks/unknown/{worlds.UNKNOWN}')
    stack = world.stack()
    stack.deleted()
    yield stack.request('DELETE')


@worlds.error('stacks.delete', 'StopActionFailed|EventSendFailed')
def stop_failed(world):
    stack = world.stack()
    for error in (exception.StopActionFailed(stack_name='s', engine_id='e'),
                  exception.EventSendFailed(stack_name='s',
                                            engine_id='e')):
        with world.monkeypatch.context() as patch:
            patch.setattr(rpc_client.EngineClient, 'delete_stack',
                          _raising(error))
            yield stack.request('DELETE')
        # It is logged as an error, and rightly.
        world.caplog.clear()


def _raising(error):
    def call(*_args, **_kwargs):
        raise error
    return call


@worlds.error('stacks.abandon', 'NotSupported')
def abandon_disabled(world):
    stack = world.stack()
    yield stack.request('DELETE', 'abandon')
    assert stack.state == 'CREATE_COMPLETE'


@worlds.error('stacks.abandon', 'ActionInProgress')
def abandon_locked(world):
    world.conf('enable_stack_abandon', True)
    yield from _locked(world, lambda stack: stack.request(
        'DELETE', 'abandon'))


@worlds.error('stacks.export', 'NotSupported')
def export_disabled(world):
    yield world.stack().request('GET', 'export')


@worlds.error('stacks.show_output', 'NotFound')
def unknown_output(world):
    yield world.stack().request('GET', 'outputs/o')


# -- Actions

@worlds.error('actions.action', 'HTTPBadRequest')
def no_action(world):
    stack = world.stack()
    for body in ({}, {'suspend': None, 'check': None}, {'fly': None}):
        yield stack.request('POST', 'actions', body)


@worlds.error('actions.action', 'NotSupported')
def nothing_to_cancel(world):
    stack = world.stack()
    for name in ('cancel_update', 'cancel_without_rollback'):
        yield stack.request('POST', 'actions', {name: None})


@worlds.error('actions.action', 'ActionInProgress')
def action_locked(world):
    yield from _locked(world, lambda stack: stack.request(
        'POST', 'actions', {'suspend': None}))


# -- Snapshots

@worlds.error('stacks.snapshot', 'ActionInProgress')
def snapshot_of_busy_stack(world):
    stack = world.busy()
    yield stack.request('POST', 'snapshots', {})
    world.gate.open()
    stack.wait('CREATE_COMPLETE')


@worlds.error('stacks.snapshot', 'RequestLimitExceeded')
def too_many_snapshots(world):
    stack = world.stack()
    world.snapshot(stack)
    world.conf('max_snapshots_per_stack', 1)
    yield world.member().request('POST', f'{stack.path}/snapshots', {})


def _unknown_snapshot(method, path=''):
    def case(world):
        yield world.stack().request(
            method, f'snapshots/{worlds.UNKNOWN}{path}')
    return case


for _action, _method, _path in (
        ('show_snapshot', 'GET', ''), ('delete_snapshot', 'DELETE', ''),
        ('restore_snapshot', 'POST', '/restore')):
    worlds.error(f'stacks.{_action}', 'SnapshotNotFound|NotFound')(
        _unknown_snapshot(_method, _path))


def _half_taken(world):
    stack = world.stack(hot({'a': thing(gate=world.gate,
                                        gated=['SNAPSHOT'])}))
    made = stack.request('POST', 'snapshots', {}, expect=200).json['id']
    return stack, made


@worlds.error('stacks.delete_snapshot', 'NotSupported')
def delete_half_taken(world):
    stack, made = _half_taken(world)
    yield stack.request('DELETE', f'snapshots/{made}')
    world.gate.open()
    stack.wait('SNAPSHOT_COMPLETE')


@worlds.error('stacks.restore_snapshot', 'NotSupported')
def restore_failed(world):
    stack = world.stack(hot({'a': thing(fail=['SNAPSHOT'])}))
    made = stack.request('POST', 'snapshots', {}, expect=200).json['id']
    stack.wait('SNAPSHOT_FAILED')
    yield stack.request('POST', f'snapshots/{made}/restore')


@worlds.error('stacks.restore_snapshot', 'ActionInProgress')
def restore_locked(world):
    world.legacy()
    stack = world.stack(hot({'a': thing(gate=world.gate, gated=['CHECK'])}))
    made = world.snapshot(stack)
    stack.act('check')
    yield stack.request('POST', f'snapshots/{made}/restore')
    world.gate.open()
    stack.wait('CHECK_COMPLETE')
