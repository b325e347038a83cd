"""Figures of the engine move with what stacks go through."""
import threading

import prometheus_client
import pytest

from heat.common import metrics
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot


def value(name, **labels):
    """Return a figure, brought up to date."""
    metrics.refresh()
    return prometheus_client.REGISTRY.get_sample_value(name, labels) or 0


def actions(action, result, kind='Thing'):
    return value('heat_resource_actions_total', type=kind, action=action,
                 result=result)


def seconds(action, kind='Thing'):
    return value('heat_resource_action_duration_seconds_count', type=kind,
                 action=action)


def test_what_an_action_comes_to_is_counted(driver, api):
    complete, failed = (actions('CREATE', 'COMPLETE'),
                        actions('CREATE', 'FAILED'))
    timed = seconds('CREATE')
    stack = api.create('s', hot({
        'good': templates.thing(),
        'bad': templates.thing(depends_on='good', fail=['CREATE'])}))
    stack.wait('CREATE_FAILED')
    # What has ended is counted when it can be seen already.
    rest.wait_for(lambda: seconds('CREATE') == timed + 2, lambda: (
        seconds('CREATE'), timed))
    assert actions('CREATE', 'COMPLETE') == complete + 1
    assert actions('CREATE', 'FAILED') == failed + 1


def test_what_is_cancelled_is_counted(driver, api, conf, gate):
    conf('error_wait_time', 0)

    def count():
        return actions('CREATE', 'CANCELLED')

    before, timed = count(), seconds('CREATE')
    stack = api.create('s', hot({'a': templates.thing(gate=gate)}))
    rest.wait_for(lambda: stack.states() == {'a': 'CREATE_IN_PROGRESS'},
                  stack.states)
    stack.deleted()
    rest.wait_for(lambda: seconds('CREATE') == timed + 1, lambda: (
        seconds('CREATE'), timed))
    assert count() == before + 1


def test_what_may_not_be_done_counts_as_failed(driver, api):
    stack = api.created('s', hot({'a': templates.thing(stone='x')}))
    before = actions('UPDATE', 'FAILED')
    stack.update(hot({'a': templates.thing(stone='y')}))
    stack.wait('UPDATE_FAILED')
    rest.wait_for(lambda: actions('UPDATE', 'FAILED') == before + 1,
                  lambda: actions('UPDATE', 'FAILED'))


@pytest.fixture
def few_at_a_time(conf):
    conf('convergence_engine', True)
    conf('convergence_max_inflight_per_stack', 2)


@pytest.fixture
def go_on(thing, monkeypatch):
    """Keep what is created in the middle of a call until this is set."""
    told = threading.Event()
    create = thing.Thing.handle_create

    def handle_create(self):
        assert told.wait(rest.PATIENCE)
        return create(self)

    monkeypatch.setattr(thing.Thing, 'handle_create', handle_create)
    yield told
    told.set()


def test_what_waits_for_its_turn_is_shown(few_at_a_time, api, go_on):
    def depth():
        return (value('heat_engine_nodes_in_flight'),
                value('heat_engine_nodes_queued'))

    # Stacks of other tests may just have come to their ends.
    rest.wait_for(lambda: depth() == (0, 0), depth)
    stack = api.create('s', hot({f'r{number}': templates.thing()
                                 for number in range(5)}))
    rest.wait_for(lambda: depth() == (2, 3), depth)
    rest.wait_for(
        lambda: sum(value('heat_engine_tasks', state=state)
                    for state in ('ready', 'waiting')) >= 2, 'two tasks')
    go_on.set()
    stack.wait('CREATE_COMPLETE')
    rest.wait_for(lambda: depth() == (0, 0), depth)
