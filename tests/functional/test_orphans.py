"""What was acknowledged and not begun when the engine died."""
import json

import pytest

from heat.common import context
from heat.common import current_engine
from heat.engine.process import recovery
from heat.engine.rpc import definition as service_definition
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
