"""What may begin while, or after, anything else happens to a stack."""
import json
import threading

import pytest

from heat.engine.lifecycle import record as resource_record
from tests.functional import rest
from tests.functional import templates
from tests.functional.test_illegal import STATES
from tests.functional.test_illegal import definition

BUSY = sorted(state for state in STATES if state.endswith('IN_PROGRESS'))
#: Nobody may change these, whoever works on them.
CLOSED = ('SUSPEND', 'DELETE')


@pytest.fixture
def reach(api, gate, conf):
    """Return a function that has a stack get into a state."""
    conf('enable_stack_abandon', True)
    conf('enable_stack_adopt', True)
    conf('error_wait_time', 1)

    def get(state):
        stack = STATES[state](api, gate)
        rest.wait_for(lambda: stack.state == state, stack.show)
        if state.endswith('IN_PROGRESS'):
            rest.wait_for(lambda: any(
                each.endswith('IN_PROGRESS')
                for each in stack.states().values()), stack.resources)
        return stack

    return get


@pytest.mark.parametrize('state', sorted(STATES))
def test_delete(driver, api, gate, thing, reach, state):
    thing.things.clear()
    stack = reach(state)
    if state in ('DELETE_FAILED', 'ROLLBACK_FAILED'):
        # What could not be deleted now can.
        thing.opened.add(thing.EVERY)
    stack.delete()
    gate.open()
    stack.wait_deleted()
    assert not [each for each in thing.things if each.startswith('s-')]


@pytest.mark.parametrize('state', [
    state for state in BUSY if state.partition('_')[0] not in CLOSED])
def test_update(api, gate, reach, state):
    stack = reach(state)
    stack.update(definition(value='last'))
    gate.open()
    stack.wait('UPDATE_COMPLETE')
    assert stack.resource('a')['attributes']['value'] == 'last'
    assert set(stack.states()) == {'a', 'd'}


@pytest.mark.parametrize('state', [
    state for state in BUSY if state != 'DELETE_IN_PROGRESS'])
def test_abandon(api, gate, thing, reach, state):
    """What is there stays, and whoever has the data can have it again."""
    stack = reach(state)
    before = dict(thing.things)
    data = stack.request('DELETE', 'abandon', expect=200).json
    gate.open()
    stack.wait_deleted()
    # What was on its way out when its owner was asked to let go of it goes.
    if state != 'ROLLBACK_IN_PROGRESS':
        # An update that was under way may still change a value.
        assert before.keys() <= thing.things.keys()
    # A resource that was not made yet is nothing to adopt.
    state = 'ADOPT_COMPLETE' if all(
        data['resources'][name]['resource_id']
        for name in data['template']['resources']) else 'ADOPT_FAILED'
    found = api.post('stacks', {
        'stack_name': 't', 'adopt_stack_data': json.dumps(data)},
        expect=201)['stack']
    rest.Stack(api, 't', found['id']).wait(state)


@pytest.fixture
def anew(api, thing, conf, monkeypatch):
    """Return a stack with something that was deleted to be made again.

    And a function that lets it be made.
    """
    conf('error_wait_time', 1)
    waiting, opened = threading.Event(), threading.Event()
    start = resource_record.Recorder.start

    def waits(recorder, action):
        if action == 'CREATE' and thing.log.get(api.project, [])[-1:] == [
                ('DELETE', 'a')]:
            waiting.set()
            while not opened.is_set():
                yield
        yield from start(recorder, action)

    monkeypatch.setattr(resource_record.Recorder, 'start', waits)
    stack = api.create('s', templates.hot({'a': templates.thing(flaky=1)}))
    assert waiting.wait(30)
    yield stack, opened.set
    opened.set()


def test_delete_of_what_is_made_again(anew, thing):
    stack, go_on = anew
    before = set(thing.things)
    stack.delete()
    go_on()
    stack.wait_deleted()
    assert set(thing.things) == before


def test_update_of_what_is_made_again(anew, thing):
    stack, go_on = anew
    before = set(thing.things)
    stack.update(templates.hot({'a': templates.thing(value='2')}))
    go_on()
    stack.wait('UPDATE_COMPLETE')
    assert set(thing.things) - before == {stack.physical('a')}
    assert thing.things[stack.physical('a')] == '2'
