"""What was acknowledged and not begun when the engine died."""
import json
import logging

import pytest

from heat.common import context
from heat.common import current_engine
from heat.engine.process import recovery
from heat.engine.rpc import definition as service_definition
from heat.objects import stack_lock as lock_objects
from heat.objects import transaction
from heat.rpc import api as rpc_api
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot

PAIR = hot({'a': templates.thing(value='x'),
            'b': templates.thing(depends_on='a')})


@pytest.fixture
def look(service):
    """Return a function that looks for abandoned work, twice."""
    looker = recovery.Recovery(current_engine.get().context,
                               current_engine.get())

    def look_twice():
        looker.run_once()
        looker.run_once()

    return look_twice


def stored(api, name, template=None, **args):
    """Return a stack whose engine got no further than to store it."""
    asking = context.RequestContext(project_id=api.project)
    stack = service_definition.new_stack(
        asking, name,
        service_definition.of_request(asking, template, None, None), args)
    stack.store()
    return rest.Stack(api, name, stack.id)


def test_creation(driver, api, look):
    stack = stored(api, 's', PAIR)
    assert stack.state == 'CREATE_IN_PROGRESS'
    look()
    stack.wait('CREATE_COMPLETE')
    assert set(stack.states()) == {'a', 'b'}


def test_adoption(driver, api, conf, look, thing):
    conf('enable_stack_abandon', True)
    conf('enable_stack_adopt', True)
    old = api.created('old', PAIR)
    made = {name: old.physical(name) for name in ('a', 'b')}
    data = old.request('DELETE', 'abandon', expect=200).json
    old.wait_deleted()
    thing.log[api.project].clear()
    stack = stored(api, 's', **{
        rpc_api.PARAM_ADOPT_STACK_DATA: json.dumps(data)})
    assert stack.state == 'ADOPT_IN_PROGRESS'
    look()
    stack.wait('ADOPT_COMPLETE')
    assert {name: stack.physical(name) for name in made} == made
    assert thing.log[api.project] == []
    stack.deleted()


def test_stored_stack_can_be_deleted(driver, api, look):
    stack = stored(api, 's', PAIR)
    stack.deleted()
    look()
    assert stack.state == 'DELETE_COMPLETE'


# -- beginnings whose commit the database did not answer ----------------------

def is_beginning(function, *_args):
    """Return whether a transaction writes the first state of an operation."""
    return function.__qualname__ == 'transition.<locals>.write_all'


def unavailable(monkeypatch, owner, name, concerns, has_effect):
    """Let calls end as if the database was away.

    :param concerns: whether it is so, of the arguments after the context
    :param has_effect: whether the first has its effect; others end well then
    """
    real, asked = getattr(owner, name), []

    def call(ctxt, *args, **kwargs):
        if not concerns(*args) or (asked and has_effect):
            return real(ctxt, *args, **kwargs)
        asked.append(1)
        if has_effect:
            real(ctxt, *args, **kwargs)
        raise transaction.Unavailable

    monkeypatch.setattr(owner, name, call)


@pytest.fixture
def legacy(conf, monkeypatch):
    """Have new stacks driven by the legacy driver, and let requests fail."""
    conf('convergence_engine', False)
    # Other tests have no error in the log.
    monkeypatch.setattr(logging.getLogger('heat.api.middleware.fault'),
                        'disabled', True)


@pytest.mark.usefixtures('legacy')
def test_update_that_was_stored_without_an_answer(api, monkeypatch):
    stack = api.created('s', PAIR)
    unavailable(monkeypatch, transaction, 'run', is_beginning, True)
    stack.update(hot({'a': templates.thing(value='y')}), expect=503)
    stack.wait('UPDATE_COMPLETE')
    assert set(stack.states()) == {'a'}
    # The lock is free again.
    stack.updated(PAIR)


@pytest.mark.usefixtures('legacy')
def test_update_that_was_not_stored(api, monkeypatch):
    stack = api.created('s', PAIR)
    with monkeypatch.context() as patch:
        unavailable(patch, transaction, 'run', is_beginning, False)
        stack.update(hot(), expect=503)
    rest.wait_for(lambda: not locks(), 'the end of the lock')
    assert stack.state == 'CREATE_COMPLETE'
    assert set(stack.states()) == {'a', 'b'}
    stack.updated(PAIR)


@pytest.mark.usefixtures('legacy')
@pytest.mark.parametrize(('owner', 'name', 'concerns'), [
    (transaction, 'run', is_beginning),
    (lock_objects.StackLock, 'create', lambda *_args: True)],
    ids=['state', 'lock'])
def test_creation_that_began_without_an_answer(
        api, look, monkeypatch, owner, name, concerns):
    unavailable(monkeypatch, owner, name, concerns, True)
    api.create('s', PAIR, expect=503)
    [found] = api.get('stacks')['stacks']
    stack = rest.Stack(api, 's', found['id'])
    look()
    stack.wait('CREATE_COMPLETE')
    assert set(stack.states()) == {'a', 'b'}
    started = [event for event in stack.get('events')['events']
               if event['resource_name'] == 's' and
               event['resource_status_reason'] == 'Stack CREATE started']
    assert len(started) == 1
    assert not locks()


def test_lock_of_a_dead_engine_on_a_stack_at_rest(driver, api, look):
    stack = api.created('s', PAIR)
    lock_objects.StackLock.create(context.get_admin_context(), stack.id,
                                  'an engine that is gone')
    look()
    assert not locks()
    assert stack.state == 'CREATE_COMPLETE'


def locks():
    """Return the ids of the stacks that this engine has locked."""
    return list(lock_objects.StackLock.get_all(context.get_admin_context()))
