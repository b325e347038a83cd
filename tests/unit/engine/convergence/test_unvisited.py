"""Updates of nested stacks that are recorded without a visit."""
import datetime

import pytest

from heat.common import exception
from heat.common import metrics
from heat.common import timeutils
from heat.common import urlfetch
from heat.engine import environment
from heat.engine import lifecycle_plugin
from heat.engine import nested_stack
from heat.engine import notification
from heat.engine.convergence import begin as traversal_begin
from heat.engine.convergence import unvisited
from heat.engine.drivers import select as stack_driver
from heat.engine.stacks import redaction
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import warrant
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.fakes import stacks

HOT = 'heat_template_version: 2018-08-31\n'
OUTER = """
parameters:
  word: {type: string, default: hello}
resources:
  m: {type: middle.yaml, properties: {word: {get_param: word}}}
  n: {type: middle.yaml, properties: {word: fixed}}
  t: {type: Test::Thing, depends_on: m}
"""
MIDDLE = HOT + """
parameters:
  word: {type: string}
  size: {type: string, default: small}
resources:
  i: {type: inner.yaml, properties: {word: {get_param: word}}}
  u: {type: Test::Thing, depends_on: i}
outputs:
  said: {value: {get_attr: [i, said]}}
"""
INNER = HOT + """
parameters:
  word: {type: string}
resources:
  v: {type: Test::Thing, properties: {value: {get_param: word}}}
outputs:
  said: {value: {get_param: word}}
"""
FILES = {'middle.yaml': MIDDLE, 'inner.yaml': INNER}
#: The paths of the nested stacks: names of the resources above them.
BELOW = {'m', 'm/i', 'n', 'n/i'}
_S = 'UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE'


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch, convergence=True)


def below(engine, stack, path=''):
    """Return the nested stacks by their paths, at all depths."""
    found = {}
    for row in stack_objects.Stack.get_all_by_owner_id(engine.context,
                                                       stack.id):
        here = f'{path}/{row.parent_resource_name}'.lstrip('/')
        child = nested_stack.load(engine.context, row.id)
        found |= {here: child, **below(engine, child, here)}
    return found


def said(engine, stack, path):
    """Return the output of a nested stack."""
    child = below(engine, stack)[path]
    return child.outputs['said'].get_value()


def holder(engine, child):
    """Return the row of the resource that a stack is in."""
    [row] = resource_objects.Resource.get_all_by_physical_resource_id(
        engine.context, child.id)
    return row


@pytest.fixture
def visited(engine, monkeypatch):
    """Return the paths of stacks whose updates began on their own."""
    seen = []
    prepare = traversal_begin.prepare

    def watched(operation, new_id=None):
        if operation.stack.parent_resource_name and (
                operation.action == 'UPDATE'):
            path = [name for _stack, name in
                    stack_store.path_of(operation.stack) if name]
            seen.append('/'.join(path))
        return prepare(operation, new_id)

    monkeypatch.setattr(traversal_begin, 'prepare', watched)
    return seen


def test_what_users_see(engine, visited):
    stack = engine.create(OUTER, files=FILES)
    before = below(engine, stack)
    engine.log.clear()
    stack = engine.update(stack, OUTER, files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert not visited
    assert not engine.log
    assert engine.rows(stack) == {'m': ('UPDATE', 'COMPLETE'),
                                  'n': ('UPDATE', 'COMPLETE'),
                                  't': ('CREATE', 'COMPLETE')}
    for name in 'mn':
        assert engine.events(stack, name)[-2:] == [
            f'{name} {state}' for state in _S]
    after = below(engine, stack)
    assert after.keys() == BELOW
    for path, child in after.items():
        assert child.id == before[path].id
        assert child.state == ('UPDATE', 'COMPLETE')
        assert child.status_reason == 'Stack UPDATE completed successfully'
        assert child.updated_time == holder(engine, child).updated_at
        assert child.updated_time >= child.created_time
        assert child.prev_raw_template_id is None
    assert engine.events(after['m'])[-4:] == [
        f'{after["m"].name} {_S[0]}', f'i {_S[0]}', f'i {_S[1]}',
        f'{after["m"].name} {_S[1]}']
    assert after['m'].outputs['said'].get_value() == 'hello'


def test_as_often_as_you_like(engine, visited):
    stack = engine.create(OUTER, files=FILES)
    for word in ('hello', 'hello', 'bye', 'bye', 'bye'):
        visited.clear()
        before = stack.parameters['word']
        stack = engine.update(stack, OUTER, files=FILES,
                              params={'word': word})
        assert stack.state == ('UPDATE', 'COMPLETE')
        assert sorted(visited) == ([] if word == before else ['m', 'm/i'])
        assert said(engine, stack, 'm/i') == word
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


GROUP = """
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: %d
      resource_def: {type: middle.yaml, properties: {word: 'w%%index%%'}}
"""


def branches(number):
    """Return a template that uses another one so often."""
    return 'resources:\n' + ''.join(
        f'  b{i}: {{type: middle.yaml, properties: {{word: w{i}}}}}\n'
        for i in range(number))


@pytest.mark.parametrize('text_of', [GROUP.__mod__, branches],
                         ids=['group', 'branches'])
def test_statements_do_not_depend_on_the_number_of_stacks(engine, text_of):
    counts = []
    for number in (4, 24):
        text = text_of(number)
        stack = engine.create(text, files=FILES)
        before = transaction.counters()
        assert engine.update(stack, text, files=FILES).state[1] == 'COMPLETE'
        after = transaction.counters()
        counts.append([after[one] - before[one]
                       for one in ('statements', 'commits')])
        assert {child.state for child in below(engine, stack).values()} == {
            ('UPDATE', 'COMPLETE')}
    assert counts[0] == counts[1]


def test_a_stack_that_was_updated_on_its_own_is_restored(engine, visited):
    """All of it happens within one second, the precision of MySQL."""
    stack = engine.create(OUTER, files=FILES)
    stack = engine.update(stack, OUTER, files=FILES)
    child = below(engine, stack)['n/i']
    text = INNER.removeprefix(HOT)
    engine.update(child, text, params={'word': 'other'})
    moment = below(engine, stack)['n/i'].updated_time
    assert moment - child.updated_time >= datetime.timedelta(seconds=1)
    visited.clear()
    stack = engine.update(stack, OUTER, files=FILES)
    assert visited == ['n', 'n/i']
    assert said(engine, stack, 'n/i') == 'fixed'
    visited.clear()
    assert engine.update(stack, OUTER, files=FILES).state[1] == 'COMPLETE'
    assert not visited


def test_an_operation_that_was_about_to_begin_does_not(engine, visited,
                                                     monkeypatch):
    """Otherwise it gets the same time as the update."""
    times = [datetime.datetime(2026, 1, 1, minute=one) for one in range(2)]
    stack = engine.create(OUTER, files=FILES)
    monkeypatch.setattr(timeutils, 'utcnow', lambda: times[0])
    stack = engine.update(stack, OUTER, files=FILES)
    child = below(engine, stack)['n/i']
    monkeypatch.setattr(timeutils, 'utcnow', lambda: times[1])
    stack = engine.update(stack, OUTER, files=FILES)
    assert not visited
    with pytest.raises(exception.ActionInProgress):
        engine.update(child, INNER.removeprefix(HOT), params={'word': 'x'})
    assert said(engine, stack, 'n/i') == 'fixed'


@pytest.mark.parametrize('action', ['check', 'suspend'])
def test_after_another_action_of_its_own_a_stack_is_visited(engine, visited,
                                                            action):
    stack = engine.create(OUTER, files=FILES)
    getattr(below(engine, stack)['n/i'], action)()
    engine.pool.run()
    stack = engine.update(stack, OUTER, files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert visited == ['n', 'n/i']


def test_what_is_sick_is_visited(engine, visited):
    stack = engine.create(OUTER, files=FILES)
    child = below(engine, stack)['n/i']
    child['v'].state_set('CHECK', 'FAILED', 'sick')
    engine.log.clear()
    stack = engine.update(stack, OUTER, files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert visited == ['n', 'n/i']
    assert ('create', 'v') in engine.log
    assert not [each for each in engine.log if each[1] != 'v']


def test_a_stack_that_is_gone_is_missed(engine, visited):
    stack = engine.create(OUTER, files=FILES)
    engine.delete(below(engine, stack)['n/i'])
    visited.clear()
    stack = engine.update(stack, OUTER, files=FILES)
    assert visited[0] == 'n'


def test_a_resource_without_a_row_is_missed(engine, visited):
    stack = engine.create(OUTER, files=FILES)
    child = below(engine, stack)['n/i']
    resource_objects.Resource.delete_many(engine.context, [child['v'].id])
    engine.log.clear()
    stack = engine.update(stack, OUTER, files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert visited == ['n', 'n/i']
    assert engine.log == [('create', 'v')]


def test_a_stack_with_another_timeout_gets_the_right_one(engine, visited):
    stack = engine.create(OUTER, files=FILES, timeout_mins=60)
    child = below(engine, stack)['n/i']
    stack_objects.Stack.update_by_id(engine.context, child.id,
                                     {'timeout': 7})
    engine.update(stack, OUTER, files=FILES)
    assert visited == ['n', 'n/i']
    assert below(engine, stack)['n/i'].timeout_mins == 60


CHANGES = {
    'file': {'files': {**FILES, 'inner.yaml': INNER.replace('v:', 'w:')}},
    'other file': {'files': {**FILES, 'more': 'text'}},
    'timeout': {'timeout_mins': 7},
    'default': {'env': {'parameter_defaults': {'size': 'large'}}},
    'type': {'env': {'resource_registry': {'A': 'B'}}},
    'looking': {'converge': True},
}


@pytest.mark.parametrize('change', CHANGES.values(), ids=CHANGES)
def test_with_another_environment_all_are_visited(engine, visited, change):
    stack = engine.create(OUTER, files=FILES)
    change = {'files': FILES, **change}
    stack = engine.update(stack, OUTER, **change)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert set(visited) == BELOW
    for child in below(engine, stack).values():
        assert child.timeout_mins == stack.timeout_mins
        assert child.t.env.param_defaults == stack.t.env.param_defaults
        assert dict(child.t.files) == change['files']


def test_what_becomes_hidden_is_hidden_in_nested_stacks(engine):
    stack = engine.create(OUTER, files=FILES)
    hidden = OUTER.replace('default: hello', 'default: hello, hidden: true')
    for text, names in ((hidden, {'word'}), (OUTER, set())):
        stack = engine.update(stack, text, files=FILES)
        children = below(engine, stack)
        for path in ('m', 'm/i'):
            assert redaction.hidden_parameters(children[path]) == names
        assert not redaction.hidden_parameters(children['n/i'])


@pytest.mark.parametrize('secret', ['fixed', 'other'])
def test_a_new_secret_may_be_in_nested_stacks(engine, visited, secret):
    stack = engine.create(OUTER, files=FILES)
    text = OUTER.replace('resources:', (
        '  secret: {type: string, hidden: true, default: %s}\n'
        'resources:') % secret)
    stack = engine.update(stack, text, files=FILES)
    assert {'m', 'n'} <= set(visited)
    assert redaction.hidden_parameters(below(engine, stack)['n/i']) == (
        {'word'} if secret == 'fixed' else set())


def test_a_former_event_sink_gets_no_events_of_nested_stacks(engine):
    class Sink:
        def consume(self, context, event):
            pass

    environment.global_env().register_event_sink('sink', Sink)
    stack = engine.create(OUTER, files=FILES,
                          env={'event_sinks': [{'type': 'sink'}]})
    assert below(engine, stack)['n/i'].env.get_event_sinks()
    stack = engine.update(stack, OUTER, files=FILES)
    for child in below(engine, stack).values():
        assert not child.env.get_event_sinks()


@pytest.mark.parametrize(('entries', 'concerned'), [
    ({'n': {'restricted_actions': 'replace'}}, {'m', 'n'}),
    ({'n': {'i': {'hooks': 'pre-create'}}}, {'m', 'n', 'n/i'})])
def test_where_single_resources_have_entries_all_are_visited(
        engine, visited, entries, concerned):
    env = {'resource_registry': {'resources': entries}}
    stack = engine.create(OUTER, files=FILES)
    stack = engine.update(stack, OUTER, files=FILES, env=env)
    visited.clear()
    assert engine.update(stack, OUTER, files=FILES,
                         env=env).state == ('UPDATE', 'COMPLETE')
    assert set(visited) == concerned


def test_who_is_told_of_each_step_is_told_of_all(engine, visited,
                                                 monkeypatch):
    stack = engine.create(OUTER, files=FILES)
    for owner, name in ((notification, 'is_sent'),
                        (lifecycle_plugin, 'plugins')):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, lambda: [lifecycle_plugin])
            assert unvisited.find(stack, stack, {})[1] == {}
    assert unvisited.find(stack, stack, {})[1].keys() == {'m', 'n'}
    monkeypatch.setattr(environment.Environment, 'get_event_sinks',
                        lambda self: [print])
    assert unvisited.find(stack, stack, {})[1] == {}


@pytest.mark.parametrize('inner', [
    # Attributes of remote resources may change at any time.
    INNER.replace('{get_param: word}}\n', '{get_attr: [v, output]}}\n'),
    INNER.replace('{value: {get_param: word}}}',
                  '{value: {resource_facade: deletion_policy}}}')])
def test_what_may_read_otherwise_is_visited(engine, visited, inner):
    assert inner != INNER
    files = {**FILES, 'inner.yaml': inner}
    stack = engine.create(OUTER, files=files)
    assert stack.state[1] == 'COMPLETE', stack.status_reason
    assert engine.update(stack, OUTER, files=files).state[1] == 'COMPLETE'
    assert set(visited) == BELOW


def test_attributes_of_resources_inside_are_asked_for_anew(engine, visited):
    text = OUTER + """
outputs:
  deep: {value: {get_attr: [n, resource.u, output]}}
"""
    stack = engine.create(text, files=FILES)
    assert engine.update(stack, text, files=FILES).state[1] == 'COMPLETE'
    assert visited == ['n']


def test_a_choice_depends_on_parameters(engine, visited):
    """Stacks of one template have different resources."""
    middle = MIDDLE.replace('resources:', """
conditions:
  is_long: {equals: [{get_param: word}, hello]}
resources:
  w: {type: Test::Thing, condition: is_long}
""")
    files = {**FILES, 'middle.yaml': middle}
    stack = engine.create(OUTER, files=files)
    assert {'w' in child for child in below(engine, stack).values()} == {
        True, False}
    assert engine.update(stack, OUTER, files=files).state[1] == 'COMPLETE'
    assert not visited


def test_a_type_depends_on_where_a_stack_is(engine, visited):
    """Inside a template that replaces a type, the type is the original."""
    text = """
resources:
  a: {type: Test::Thing}
  b: {type: facade.yaml}
"""
    facade = HOT + """
resources:
  t: {type: Test::Thing}
outputs:
  output: {value: fixed}
"""
    env = {'resource_registry': {'Test::Thing': 'facade.yaml'}}
    files = {'facade.yaml': facade}
    stack = engine.create(text, files=files, env=env)
    assert stack.state[1] == 'COMPLETE', stack.status_reason
    assert below(engine, stack).keys() == {'a', 'b', 'b/t'}
    assert engine.update(stack, text, files=files,
                         env=env).state == ('UPDATE', 'COMPLETE')
    assert not visited
    for child in below(engine, stack).values():
        assert child.state == ('UPDATE', 'COMPLETE')


def test_what_is_at_a_url_may_have_changed(engine, visited, monkeypatch):
    monkeypatch.setattr(urlfetch, 'get', lambda *args, **kwargs: INNER)
    text = OUTER.replace('middle.yaml', 'http://example.com/inner.yaml')
    stack = engine.create(text)
    assert engine.update(stack, text).state[1] == 'COMPLETE'
    assert set(visited) == {'m', 'n'}


@pytest.mark.parametrize(('limit', 'number'), [
    ('MOST', 3), ('MOST_RESOURCES', 8)])
def test_more_than_can_be_recorded_at_once(engine, visited, monkeypatch,
                                           limit, number):
    monkeypatch.setattr(unvisited, limit, number)
    stack = engine.create(OUTER, files=FILES)
    assert engine.update(stack, OUTER, files=FILES).state[1] == 'COMPLETE'
    # The stacks inside each of these are within the limit.
    assert sorted(visited) == ['m', 'n']


def test_a_stack_that_changes_before_the_update_begins(engine, visited):
    stack = engine.create(OUTER, files=FILES)
    wanted = stack_store.wanted_stack(stack, engine.template(
        OUTER, files=FILES))
    beginning = stack_driver.of(stack).beginning_of_update(stack, wanted)
    child = below(engine, stack)['n/i']
    engine.update(child, INNER.removeprefix(HOT), params={'word': 'x'})
    visited.clear()
    transaction.run(engine.context, beginning.write)
    beginning.proceed()
    engine.pool.run()
    assert engine.reload(stack).state == ('UPDATE', 'COMPLETE')
    assert visited == ['n', 'n/i']
    assert said(engine, stack, 'n/i') == 'fixed'


@pytest.mark.parametrize(('parts', 'concerned'), [
    ({}, set()), ({'skipped': frozenset(['n/i/v'])}, BELOW - {'m/i'}),
    ({'reverts': frozenset()}, BELOW)])
def test_change_sets(engine, visited, parts, concerned):
    """Change sets may skip resources, or revert drift."""
    stack = engine.create(OUTER, files=FILES)
    wanted = stack_store.wanted_stack(stack, engine.template(
        OUTER, files=FILES))
    wanted.warrant = warrant.Warrant('one', is_open=True, **parts)
    stack.update(wanted)
    engine.pool.run()
    assert engine.reload(stack).state == ('UPDATE', 'COMPLETE')
    assert set(visited) == concerned


def test_figures_count_them(engine):
    def ended():
        return metrics.STACK_ACTIONS.labels('UPDATE', 'COMPLETE')._value.get()

    stack = engine.create(OUTER, files=FILES)
    before = ended()
    engine.update(stack, OUTER, files=FILES)
    assert ended() - before == 1 + len(BELOW)
