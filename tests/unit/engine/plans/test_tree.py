"""What an update would do to each resource of a tree, and why."""
import pytest

from heat.engine import stack as stack_module
from heat.engine.plans import tree
from heat.engine.stacks import store as stack_store
from tests.fakes import stacks

BEFORE = """
parameters: {word: {type: string, default: one}}
resources:
  same: {type: Test::Thing}
  changed: {type: Test::Thing, properties: {value: {get_param: word}}}
  follows:
    type: Test::Thing
    properties: {value: {get_attr: [changed, output]}}
  gone: {type: Test::Thing}
  kept: {type: Test::Thing, deletion_policy: Retain}
"""
AFTER = """
parameters: {word: {type: string, default: two}}
resources:
  same: {type: Test::Thing}
  changed: {type: Test::Thing, properties: {value: {get_param: word}}}
  follows:
    type: Test::Thing
    properties: {value: {get_attr: [changed, output]}}
  new: {type: Test::Thing, depends_on: changed}
"""
INNER = """
heat_template_version: 2018-08-31
parameters: {word: {type: string}}
resources:
  t: {type: Test::Thing, properties: {fixed: {get_param: word}}}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def planned(engine, stack, text, files=None, params=None):
    updated = stack_store.wanted_stack(stack, engine.template(
        text, params, files))
    updated.validate()
    plan = tree.Plan()
    for _step in tree.update_steps(plan, stack, updated):
        pass
    return plan


def by_path(plan):
    return {'/'.join(each['path']): each for each in plan.changes}


def actions(plan):
    return {path: each['action'] for path, each in by_path(plan).items()}


def test_each_resource_has_its_action(engine):
    stack = engine.create(BEFORE)
    plan = planned(engine, stack, AFTER)
    assert actions(plan) == {
        'same': tree.KEEP, 'changed': tree.UPDATE, 'follows': tree.UPDATE,
        'new': tree.CREATE, 'gone': tree.DELETE, 'kept': tree.RETAIN}
    assert plan.has_changes()
    assert plan.errors == []


def test_what_follows_a_change_is_known_to_do_so(engine):
    stack = engine.create(BEFORE)
    changes = by_path(planned(engine, stack, AFTER))
    assert 'changed' in str(changes['follows']['causes'])
    assert 'word' in str(changes['changed']['causes'])
    assert changes['same']['causes'] == []


def test_ranks_follow_dependencies(engine):
    stack = engine.create(BEFORE)
    changes = by_path(planned(engine, stack, AFTER))
    assert changes['changed']['rank'] < changes['follows']['rank']
    assert changes['changed']['rank'] < changes['new']['rank']


def test_nothing_is_done(engine):
    stack = engine.create(BEFORE)
    rows, log = engine.rows(stack), list(engine.log)
    planned(engine, stack, AFTER)
    assert (engine.rows(stack), engine.log) == (rows, log)


def test_update_without_changes(engine):
    stack = engine.create(BEFORE)
    plan = planned(engine, stack, BEFORE)
    assert not plan.has_changes()
    assert plan.shown()['counts'][tree.KEEP] == 5


def test_nested_resources_have_their_place(engine):
    text = ('resources: {n: {type: inner.yaml, '
            'properties: {word: WORD}}}')
    files = {'inner.yaml': INNER}
    stack = engine.create(text.replace('WORD', 'one'), files=files)
    plan = planned(engine, stack, text.replace('WORD', 'two'), files)
    assert actions(plan) == {'n': tree.UPDATE, 'n/t': tree.REPLACE}
    assert by_path(plan)['n/t']['replacement'] == tree.ALWAYS
    plan = planned(engine, stack, 'resources: {}')
    assert actions(plan) == {'n': tree.DELETE, 'n/t': tree.DELETE}


def test_creation_creates_all(engine):
    stack = stack_module.Stack(engine.context, 'new', engine.template(BEFORE))
    stack.validate()
    plan = tree.Plan()
    steps = sum(1 for _step in tree.create_steps(plan, stack))
    assert steps == 5
    assert set(actions(plan).values()) == {tree.CREATE}


def test_hidden_values_do_not_show(engine):
    text = BEFORE.replace('default: one}', 'hidden: true}')
    stack = engine.create(text, params={'word': 'open-sesame'})
    plan = planned(engine, stack, text, params={'word': 'open-barley'})
    assert actions(plan)['changed'] == tree.UPDATE
    shown = str(plan.shown())
    assert 'open-' not in shown
    assert plan.masked('it is open-barley') == 'it is ******'


def test_what_is_kept_is_left_out_first(engine, monkeypatch):
    monkeypatch.setattr(tree, 'MOST_CHANGES', 2)
    stack = engine.create(BEFORE)
    shown = planned(engine, stack, AFTER).shown()
    assert len(shown['changes']) == 2
    assert shown['left_out'] == 4
    assert tree.KEEP not in [each['action'] for each in shown['changes']]
    # The counts are of all.
    assert sum(shown['counts'].values()) == 6


REFERRING = """
parameters: {word: {type: string, default: one}}
resources:
  first: {type: Test::Thing}
  reads:
    type: Test::Thing
    properties:
      value:
        list_join: [' ', [{get_attr: [first, output]}, {get_param: word}]]
  after: {type: Test::Thing, depends_on: reads}
  apart: {type: Test::Thing, properties: {value: x}}
"""


def test_what_an_update_would_not_visit_is_not_compared(monkeypatch):
    # Attributes that come from a service may change without an update.
    monkeypatch.setattr(stacks.Thing, 'handlers_are_local', True)
    engine = stacks.Engine(monkeypatch, convergence=True)
    stack = engine.create(REFERRING)
    compared, gather = [], tree.resource_decision.gather

    def noting(resource, *args, **kwargs):
        compared.append(resource.name)
        return gather(resource, *args, **kwargs)

    monkeypatch.setattr(tree.resource_decision, 'gather', noting)
    plan = planned(engine, stack, REFERRING, params={'word': 'two'})
    assert actions(plan) == {'first': tree.KEEP, 'reads': tree.UPDATE,
                             'after': tree.KEEP, 'apart': tree.KEEP}
    assert compared == ['reads', 'after']
    shown = by_path(plan)
    assert shown['first']['physical_resource_id'] == (
        stack['first'].resource_id)
    # Attributes of a resource that was not compared are known.
    (cause,) = shown['reads']['causes']
    output = stack['first'].FnGetAtt('output')
    assert (cause['before'], cause['after']) == (
        f'{output} one', f'{output} two')
