"""Events: their rows, their number, and who else is told."""
import json
import pathlib

import pytest

from heat.common import exception
from heat.common import outage
from heat.engine import environment
from heat.engine import lifecycle_plugin
from heat.objects import transaction
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot

STATES = json.loads((pathlib.Path(__file__).parents[1] / 'facts' /
                     'states.json').read_text())


class Sink:
    """Keeps what it is told."""

    told: list = []

    def __init__(self, target, ttl=None):
        self.target = target

    def consume(self, context, event):
        self.told.append((self.target, context.project_id, event))


class BrokenSink(Sink):
    def consume(self, context, event):
        raise ValueError('full')


@pytest.fixture
def sinks(service):
    """Have two kinds of sinks, and return what the good one is told."""
    classes = environment.global_env().event_sink_classes
    before = dict(classes)
    classes.update({'test-sink': Sink, 'broken-sink': BrokenSink})
    Sink.told.clear()
    yield Sink.told
    classes.clear()
    classes.update(before)


def of(api, sinks):
    """Return what is told of this test, not of the end of another one."""
    return [each for each in list(sinks) if each[1] == api.project]


def told(api, sinks):
    return [(event['payload']['resource_name'],
             event['payload']['resource_action'],
             event['payload']['resource_status'])
            for _target, _project, event in of(api, sinks)]


def sending_to(kind):
    return {'event_sinks': [{'type': kind, 'target': 'q', 'ttl': 60}]}


def test_sinks_are_told_of_what_is_committed(driver, api, sinks):
    stack = api.created('s', hot({'a': templates.thing(value='x')}),
                        environment=sending_to('test-sink'))
    expected = {('s', 'CREATE', 'IN_PROGRESS'), ('s', 'CREATE', 'COMPLETE'),
                ('a', 'CREATE', 'IN_PROGRESS'), ('a', 'CREATE', 'COMPLETE')}
    rest.wait_for(lambda: set(told(api, sinks)) == expected,
                  lambda: told(api, sinks))
    facts = STATES['event_sinks']
    for target, project, event in of(api, sinks):
        assert (target, project) == ('q', api.project)
        assert set(event) == set(facts['envelope'])
        assert set(event['payload']) == set(facts['payload'])
        assert event['type'] == facts['type']
        assert event['version'] == facts['version']
        assert event['payload']['stack_id'] == stack.id
    ids = {each['id'] for each in stack.get('events')['events']}
    assert {event['id'] for _t, _p, event in of(api, sinks)} == ids
    payloads = [event['payload'] for _t, _p, event in of(api, sinks)]
    of_stack = [each for each in payloads if each['resource_name'] == 's']
    assert {each['physical_resource_id'] for each in of_stack} == {stack.id}
    assert {each['resource_type'] for each in of_stack} == {
        'OS::Heat::Stack'}
    [last] = [each for each in payloads if each['resource_name'] == 'a' and
              each['resource_status'] == 'COMPLETE']
    assert last['resource_properties']['value'] == 'x'


def test_broken_sink_disturbs_nobody(driver, api, sinks):
    stack = api.created('s', hot({'a': templates.thing()}),
                        environment=sending_to('broken-sink'))
    stack.deleted()
    assert of(api, sinks) == []


def test_sink_of_nested_stacks(driver, api, sinks):
    api.created(
        's', hot({'n': {'type': 'inner.yaml'}}),
        files={'inner.yaml': json.dumps(hot({'t': templates.thing()}))},
        environment=sending_to('test-sink'))
    rest.wait_for(lambda: ('t', 'CREATE', 'COMPLETE') in told(api, sinks),
                  lambda: told(api, sinks))


def test_sink_without_a_plugin_is_refused(driver, api, monkeypatch):
    monkeypatch.delitem(environment.global_env().event_sink_classes,
                        'zaqar-queue')
    stack = api.created('s', hot())
    for method, path in (('POST', 'stacks'), ('POST', 'stacks/preview'),
                         ('PUT', stack.path), ('PATCH', stack.path)):
        answer = api.request(method, path, {
            'stack_name': 'x', 'template': hot(),
            'environment': sending_to('zaqar-queue')})
        assert (answer.status, answer.error) == (
            400, 'StackValidationFailed'), (method, path)
        assert 'event_sinks[0].type' in answer.message
        assert 'zaqar-queue' in answer.message
    assert api.stacks() == ['s']


def test_events_of_a_stack_are_purged(driver, api, conf):
    conf('max_events_per_stack', 10)
    conf('event_purge_batch_size', 4)
    names = [f'r{number}' for number in range(12)]
    stack = api.created('s', hot({
        name: templates.thing() for name in names}))
    other = api.created('other', hot({'a': templates.thing()}))
    most = 10 + 2 * 4
    assert len(stack.events()) <= most
    assert stack.events()[-1] == 's CREATE_COMPLETE'
    stack.updated(hot({name: templates.thing(value='x')
                       for name in names}))
    assert len(stack.events()) <= most
    assert len(other.events()) == 4


def test_events_keep_the_properties_of_their_time(driver, api):
    stack = api.created('s', hot({'a': templates.thing(value='x')}))
    stack.updated(hot({'a': templates.thing(value='y')}))
    shown = {}
    for each in stack.get('resources/a/events')['events']:
        event = stack.get(f'resources/a/events/{each["id"]}')['event']
        shown[event['resource_status']] = event['resource_properties']
    assert shown['CREATE_COMPLETE']['value'] == 'x'
    assert shown['UPDATE_COMPLETE']['value'] == 'y'
    assert all('resource_properties' not in each
               for each in stack.get('events')['events'])


# -- lifecycle plugins ------------------------------------------------------

class Lifecycle(lifecycle_plugin.LifecyclePlugin):
    """Records the calls for the stacks of one project.

    Stacks of earlier tests may still be being deleted.
    """

    calls: list = []
    refused: set = set()
    project = None

    def do_pre_op(self, cnxt, stack, current_stack=None, action=None):
        if cnxt.project_id != self.project:
            return
        self.calls.append(('pre', action, sorted(stack.t['resources']),
                           current_stack and
                           sorted(current_stack.t['resources'])))
        if action in self.refused:
            raise ValueError('not today')

    def do_post_op(self, cnxt, stack, current_stack=None, action=None,
                   is_stack_failure=False):
        if cnxt.project_id == self.project:
            self.calls.append(('post', action, is_stack_failure))


@pytest.fixture
def lifecycle(service, api, monkeypatch):
    """Have a plugin told of actions, and return what it was."""
    env = environment.global_env()
    monkeypatch.setattr(env, 'stack_lifecycle_plugins',
                        [('test', Lifecycle)])
    monkeypatch.setattr(lifecycle_plugin, '_instances', {})
    monkeypatch.setattr(Lifecycle, 'project', api.project)
    Lifecycle.calls.clear()
    Lifecycle.refused.clear()
    yield Lifecycle.calls
    Lifecycle.refused.clear()


def calls(lifecycle, number):
    """Wait until so many calls have come.

    The last one of an action may come when the end can be seen already.
    """
    rest.wait_for(lambda: len(lifecycle) == number, lambda: lifecycle)


def test_plugins_are_told_of_every_action(driver, api, lifecycle):
    stack = api.created('s', hot({'a': templates.thing()}))
    calls(lifecycle, 2)
    stack.updated(hot({'a': templates.thing(), 'b': templates.thing()}))
    calls(lifecycle, 4)
    for number, action in enumerate(('check', 'suspend', 'resume'), 3):
        stack.act(action)
        stack.wait(f'{action.upper()}_COMPLETE')
        calls(lifecycle, 2 * number)
    stack.deleted()
    calls(lifecycle, 12)
    assert [each[:2] for each in lifecycle] == [
        (when, action) for action in (
            'CREATE', 'UPDATE', 'CHECK', 'SUSPEND', 'RESUME', 'DELETE')
        for when in ('pre', 'post')]
    assert not any(each[2] for each in lifecycle if each[0] == 'post')
    assert lifecycle[0] == ('pre', 'CREATE', ['a'], None)
    # Of an update it is told what the stack is to be, and what it is.
    assert lifecycle[2] == ('pre', 'UPDATE', ['a', 'b'], ['a'])


def test_plugin_that_objects(driver, api, lifecycle, thing):
    stack = api.created('s', hot({'a': templates.thing()}))
    Lifecycle.refused.add('UPDATE')
    stack.update(hot({'a': templates.thing(value='x')}))
    shown = stack.wait('UPDATE_FAILED')
    assert shown['stack_status_reason'] == 'not today'
    assert thing.log[api.project] == [('CREATE', 'a')]
    Lifecycle.refused.clear()
    stack.updated(hot({'a': templates.thing(value='x')}))


def test_plugins_are_told_once_of_what_is_tried_again(
        conf, api, lifecycle, monkeypatch):
    """The database may take the beginning of a rollback only later."""
    conf('convergence_engine', True)
    run = transaction.run
    refused = []

    def run_later(context, write, **kwargs):
        operation = getattr(getattr(write, '__self__', None), 'operation',
                            None)
        if operation and operation.action == 'ROLLBACK' and not refused:
            refused.append(operation)
            raise outage.Unavailable()
        return run(context, write, **kwargs)

    monkeypatch.setattr(transaction, 'run', run_later)
    stack = api.create('s', hot({'a': templates.thing(fail=['CREATE'])}),
                       disable_rollback=False)
    stack.wait('ROLLBACK_COMPLETE')
    assert refused
    calls(lifecycle, 4)
    assert sorted(each[:2] for each in lifecycle) == [
        ('post', 'CREATE'), ('post', 'ROLLBACK'),
        ('pre', 'CREATE'), ('pre', 'ROLLBACK')]


def test_plugins_are_told_again_of_another_attempt(conf, api, lifecycle,
                                                   monkeypatch):
    """An update that is refused may be asked for once more."""
    conf('convergence_engine', True)
    stack = api.created('s', hot({'a': templates.thing()}))
    calls(lifecycle, 2)
    run = transaction.run
    refused = []

    def refuse(context, write, **kwargs):
        operation = getattr(getattr(write, '__self__', None), 'operation',
                            None)
        if operation and operation.action == 'UPDATE' and not refused:
            refused.append(operation)
            raise exception.StackValidationFailed(message='not now')
        return run(context, write, **kwargs)

    monkeypatch.setattr(transaction, 'run', refuse)
    wanted = hot({'a': templates.thing(value='x')})
    assert 'not now' in stack.update(wanted, expect=400).message
    stack.updated(wanted)
    calls(lifecycle, 5)
    assert [each[:2] for each in lifecycle[2:]] == [
        ('pre', 'UPDATE'), ('pre', 'UPDATE'), ('post', 'UPDATE')]


def test_plugins_and_rollbacks(driver, api, lifecycle):
    stack = api.create('new', hot({'a': templates.thing(fail=['CREATE'])}),
                       disable_rollback=False)
    if driver == 'convergence':
        stack.wait('ROLLBACK_COMPLETE')
    calls(lifecycle, 4)
    told_of = [(each[0], each[1], each[2]) if each[0] == 'post' else each[:2]
               for each in lifecycle]
    assert sorted(told_of) == [
        ('post', 'CREATE', True), ('post', 'ROLLBACK', False),
        ('pre', 'CREATE'), ('pre', 'ROLLBACK')]
    lifecycle.clear()
    stack = api.created('s', hot({'a': templates.thing()}))
    calls(lifecycle, 2)
    lifecycle.clear()
    stack.update(hot({'a': templates.thing(),
                      'b': templates.thing(fail=['CREATE'])}),
                 disable_rollback=False)
    stack.wait('ROLLBACK_COMPLETE')
    calls(lifecycle, 4)
    assert sorted(each[:2] for each in lifecycle) == [
        ('post', 'ROLLBACK'), ('post', 'UPDATE'),
        ('pre', 'ROLLBACK'), ('pre', 'UPDATE')]
