"""Workflows of Mistral, what runs them, and what they manage."""
from openstack.workflow.v2 import _proxy
import pytest

from heat.common import exception
from heat.engine.clients.os import mistral
from heat.engine.resources.openstack.mistral import cron_trigger
from heat.engine.resources.openstack.mistral import external_resource
from heat.engine.resources.openstack.mistral import workflow
from tests.fakes import keystone
from tests.fakes.services import mistral as mistral_service

RUNS, FLOWS = mistral_service.RUNS, mistral_service.FLOWS
WORKFLOW = """
resources:
  it:
    type: OS::Mistral::Workflow
    properties: {type: direct, %s}
outputs:
  ref: {value: {get_resource: it}}
  data: {value: {get_attr: [it, data]}}
  runs: {value: {get_attr: [it, executions]}}
"""
TRIGGER = """
resources:
  it:
    type: OS::Mistral::CronTrigger
    properties: {%s}
outputs:
  next: {value: {get_attr: [it, next_execution_time]}}
  left: {value: {get_attr: [it, remaining_executions]}}
"""
EXTERNAL = """
resources:
  it:
    type: OS::Mistral::ExternalResource
    properties:
      actions:
        CREATE: {workflow: make, params: {env: {a: b}}}
        UPDATE: {workflow: change}
        SUSPEND: {workflow: stop}
        DELETE: {workflow: remove}
      %s
outputs:
  ref: {value: {get_resource: it}}
  output: {value: {get_attr: [it, output]}}
"""
TASK = 'tasks: [{name: t, action: std.noop}]'


@pytest.fixture
def flows():
    return mistral_service.Workflows()


@pytest.fixture
def engine(cloud_engine, flows, monkeypatch):
    keystone.use(monkeypatch)
    cloud_engine.use_rest(flows, mistral.MistralClientPlugin, _proxy.Proxy,
                          cron_trigger, external_resource, workflow)
    yield cloud_engine
    keystone.forget()


# -- workflows --------------------------------------------------------------

def test_life_of_a_workflow(engine, flows):
    flows.has(FLOWS, name='other')
    stack = engine.create(WORKFLOW % (
        'name: w, description: all, tags: [x], input: {b: 1, a: 2}, '
        'output: {o: <% $.r %>}, task_defaults: {on_error: [fail], '
        'wait_before: 0}, tasks: [{name: one, action: std.echo, '
        'input: {output: hi}, publish: {r: <% task().result %>}, '
        'on_success: [two], with_items: "i in <% $.l %>", '
        'keep_result: false, retry: {count: 2, delay: 1}}, '
        '{name: two, workflow: other, join: "2", target: node}, '
        '{name: three, action: std.noop, join: all}]'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    del flows.things[FLOWS][next(iter(flows.things[FLOWS]))]
    assert flows.defined() == {'w': {
        'type': 'direct', 'description': 'all', 'tags': ['x'],
        'input': ['a', 'b'], 'output': {'o': '<% $.r %>'},
        'task-defaults': {'on-error': ['fail'], 'wait-before': 0},
        'tasks': {
            'one': {'action': 'std.echo', 'input': {'output': 'hi'},
                    'publish': {'r': '<% task().result %>'},
                    'on-success': ['two'],
                    'with-items': 'i in <% $.l %>', 'keep-result': False,
                    'retry': {'count': 2, 'delay': 1}},
            'two': {'workflow': 'other', 'join': 2, 'target': 'node'},
            'three': {'action': 'std.noop', 'join': 'all'}}}}
    assert engine.values(stack) == {
        'ref': 'w', 'data': {'name': 'w', 'input': 'a, b'}, 'runs': []}
    stack = engine.update(stack, WORKFLOW % ('name: w, ' + TASK))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert flows.defined() == {'w': {
        'type': 'direct', 'tasks': {'t': {'action': 'std.noop'}}}}
    assert len(flows.requests('PUT')) == 1
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not flows.things[FLOWS]


def test_workflow_with_a_name_of_ours(engine, flows):
    stack = engine.create(WORKFLOW % TASK)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    name = flows.only(FLOWS)['name']
    assert name.startswith(stack.name + '-it-')
    assert engine.values(stack)['ref'] == name
    stack = engine.update(stack, WORKFLOW % ('name: n, ' + TASK))
    assert flows.only(FLOWS)['name'] == 'n'


def test_policies_have_moved(engine, flows):
    stack = engine.create(WORKFLOW % (
        'tasks: [{name: t, action: std.noop, policies: '
        '{wait_before: 1, retry: {count: 2}}}]'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [defined] = flows.defined().values()
    assert defined['tasks'] == {'t': {
        'action': 'std.noop', 'wait-before': 1, 'retry': {'count': 2}}}


@pytest.mark.parametrize(('given', 'words'), [
    ('tasks: [{name: t}]', r'tasks\[0\].*"action" or "workflow" is'),
    ('tasks: [{name: t, action: a, workflow: w}]', r'tasks\[0\].*not both'),
    ('tasks: [{name: t, action: a, requires: [b]}]',
     r'tasks\[0\].*"requires"'),
    ('tasks: []', 'tasks')])
def test_tasks_that_make_no_sense(engine, flows, given, words):
    flows.has(FLOWS, name='w')
    with pytest.raises(exception.StackValidationFailed, match=words):
        engine.create(WORKFLOW % given)
    assert flows.requests('POST') == []


def test_reverse_workflow_needs_a_task_to_reach(engine, flows):
    given = WORKFLOW.replace('direct', 'reverse') % (
        '%s tasks: [{name: t, action: std.noop, requires: [u]}, '
        '{name: u, action: std.noop}]')
    with pytest.raises(exception.StackValidationFailed,
                       match='params.*task_name'):
        engine.create(given % '')
    stack = engine.create(given % 'params: {task_name: t},')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    stack['it'].signal()
    [(_name, given_input, params)] = flows.runs()
    assert (given_input, params) == ({}, {'task_name': 't'})


def test_signals_run_a_workflow(engine, flows):
    stack = engine.create(WORKFLOW % (
        'name: w, input: {a: 1, b: 2}, params: {env: {c: d}}, ' + TASK))
    for details in (None, {'input': {'a': 3}, 'params': {'notify': []}}):
        stack['it'].signal(details)
    assert flows.runs() == [
        ('w', {'a': 1, 'b': 2}, {'env': {'c': 'd'}}),
        ('w', {'a': 3, 'b': 2}, {'env': {'c': 'd'}, 'notify': []})]
    stack = engine.reload(stack)
    last, first = stack['it'].FnGetAtt('executions')
    assert engine.values(stack)['runs'] == [last, first]
    assert (first['input'], last['input']) == ({'a': 1, 'b': 2},
                                               {'a': 3, 'b': 2})
    assert (last['state'], last['workflow_name']) == ('SUCCESS', 'w')
    # Somebody may have deleted one.
    del flows.things[RUNS][first['id']]
    stack['it'].clear_stored_attributes()
    stack = engine.reload(stack)
    assert stack['it'].FnGetAtt('executions') == [last]
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not flows.things[RUNS]


def test_body_of_a_signal_is_the_input(engine, flows):
    stack = engine.create(WORKFLOW % (
        'name: w, input: {a: 1}, use_request_body_as_input: true, ' + TASK))
    stack['it'].signal({'a': 5})
    assert flows.runs() == [('w', {'a': 5}, {})]


@pytest.mark.parametrize(('details', 'words'), [
    ({'input': {'x': 1}}, 'no input "x"'), ({'input': [1]}, '"input"'),
    ({'params': 'p'}, '"params"'), (['a'], 'not a map')])
def test_signals_that_make_no_sense(engine, flows, details, words):
    stack = engine.create(WORKFLOW % ('input: {a: 1}, ' + TASK))
    with pytest.raises(exception.HeatException, match=words):
        stack['it'].signal(details)
    assert flows.runs() == []


def test_signed_url_of_a_workflow(engine):
    stack = engine.create(WORKFLOW % TASK)
    url = stack['it'].FnGetAtt('alarm_url')
    assert url.startswith('http://cfn.test:8000/v1/signal/')
    assert 'Signature=' in url


def test_failed_workflow_is_replaced_if_it_is_gone(engine, flows):
    stack = engine.create(WORKFLOW % ('name: w, ' + TASK))
    before = flows.only(FLOWS)['id']
    flows.trouble['PUT', FLOWS] = [400]
    changed = WORKFLOW % ('name: w, description: d, ' + TASK)
    stack = engine.update(stack, changed)
    assert stack.state == ('UPDATE', 'FAILED')
    stack = engine.update(stack, changed)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert flows.only(FLOWS)['id'] == before
    flows.trouble['PUT', FLOWS] = [400]
    stack = engine.update(stack, WORKFLOW % ('name: w, ' + TASK))
    flows.things[FLOWS].clear()
    stack = engine.update(stack, WORKFLOW % ('name: w, ' + TASK))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert flows.only(FLOWS)['name'] == 'w'


def test_workflow_whose_creation_is_not_answered(engine, flows):
    answer = flows.answer

    def lose(method, path, *args):
        found = answer(method, path, *args)
        return flows.ok({}, status=500) if method == 'POST' else found

    flows.answer = lose
    stack = engine.create(WORKFLOW % TASK)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == flows.only(FLOWS)['id']


# -- cron triggers ----------------------------------------------------------

def test_life_of_a_cron_trigger(engine, flows):
    its_id = flows.has(FLOWS, name='w')
    stack = engine.create(TRIGGER % (
        'name: t, pattern: "0 * * * *", first_time: 2100-01-01 00:00, '
        'count: 3, workflow: {name: w, input: {a: 1}}'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert flows.bodies('POST', '/cron_triggers') == [{
        'name': 't', 'pattern': '0 * * * *', 'remaining_executions': 3,
        'first_execution_time': '2100-01-01 00:00', 'workflow_id': its_id,
        'workflow_input': '{"a": 1}'}]
    assert engine.values(stack) == {'next': 'tomorrow', 'left': 3}
    before = stack['it'].resource_id
    stack = engine.update(stack, TRIGGER % (
        'pattern: "1 * * * *", workflow: {name: w}'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id != before
    kept = flows.only('/cron_triggers')
    assert kept['pattern'] == '1 * * * *'
    assert kept['name'].startswith(stack.name)
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not flows.things['/cron_triggers']


@pytest.mark.parametrize(('given', 'words'), [
    ('workflow: {name: w}', 'pattern, first_time'),
    ('workflow: {name: other}, pattern: "* * * * *"', 'other'),
    ('workflow: {name: w}, pattern: never', 'pattern')])
def test_cron_triggers_that_make_no_sense(engine, flows, given, words):
    flows.has(FLOWS, name='w')
    with pytest.raises(exception.HeatException, match=words):
        engine.create(TRIGGER % given)


# -- external resources -----------------------------------------------------

@pytest.fixture
def external(flows):
    for name in ('make', 'change', 'stop', 'remove'):
        flows.has(FLOWS, name=name)
    return flows


def test_life_of_an_external_resource(engine, external):
    external.script[RUNS] = ['IDLE', 'RUNNING', 'PAUSED', 'SUCCESS']
    external.outputs.update({
        'make': {'resource_id': 7, 'x': 1}, 'change': {'x': 2}})
    stack = engine.create(EXTERNAL % 'input: {size: 1}')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert external.runs() == [('make', {'size': 1}, {'env': {'a': 'b'}})]
    assert engine.values(stack) == {
        'ref': '7', 'output': {'resource_id': 7, 'x': 1}}
    stack = engine.update(stack, EXTERNAL % 'input: {size: 2}')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert external.runs()[1:] == [('change', {'size': 2}, {'env': {
        'heat_extresource_data': {'resource_id': 7, 'x': 1}}})]
    assert engine.values(stack) == {'ref': '7', 'output': {'x': 2}}
    assert stack['it'].FnGetAtt('show')['workflow_name'] == 'change'
    for action in ('suspend', 'resume'):
        getattr(stack, action)()
        engine.pool.run()
        stack = engine.reload(stack)
        assert stack.state == (action.upper(), 'COMPLETE')
    # Nothing is to be done for "resume".
    assert [run[0] for run in external.runs()[2:]] == ['stop']
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert [run[:2] for run in external.runs()[3:]] == [
        ('remove', {'size': 2})]
    assert {body['description'] for body in external.bodies('POST', RUNS)
            } == {'Heat managed'}


def test_external_resource_without_an_id(engine, external):
    stack = engine.create(EXTERNAL % '')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id.startswith(stack.name + '-it-')


def test_inputs_that_make_a_replacement(engine, external):
    given = ('input: {size: %s, colour: %s}\n'
             '      replace_on_change_inputs: [colour]')
    stack = engine.create(EXTERNAL % (given % (1, 'red')))
    stack = engine.update(stack, EXTERNAL % (given % (2, 'red')))
    stack = engine.update(stack, EXTERNAL % (given % (2, 'blue')))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert [(name, given_input['colour'])
            for name, given_input, _params in external.runs()] == [
        ('make', 'red'), ('change', 'red'), ('make', 'blue'),
        ('remove', 'red')]


@pytest.mark.parametrize(('more', 'runs'), [
    ('', ['make']), ('always_update: true', ['make', 'change'])])
def test_updates_that_change_nothing(engine, external, more, runs):
    stack = engine.create(EXTERNAL % more)
    stack = engine.update(stack, EXTERNAL % more)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert [run[0] for run in external.runs()] == runs


@pytest.mark.parametrize('state', ['ERROR', 'CANCELLED'])
def test_failed_execution(engine, external, state):
    external.script[RUNS] = ['RUNNING', state]
    stack = engine.create(EXTERNAL % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert state in stack.status_reason
    assert '"make"' in stack.status_reason
    assert [run[0] for run in external.runs()] == ['make']
    external.script.clear()
    # A part of it may be there.
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert [run[0] for run in external.runs()] == ['make', 'remove']


def test_workflow_that_does_not_exist(engine, flows):
    with pytest.raises(exception.StackValidationFailed,
                       match='CREATE.workflow.*make'):
        engine.create(EXTERNAL % '')


def test_environment_of_a_workflow_is_a_map(engine, external):
    with pytest.raises(exception.StackValidationFailed,
                       match='CREATE.params.env'):
        engine.create((EXTERNAL % '').replace('{a: b}', 'text'))
