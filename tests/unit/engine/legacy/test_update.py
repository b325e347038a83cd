"""Updates, rollbacks, snapshots under the legacy driver."""
import pytest
import sqlalchemy as sa

from heat.common import exception
from heat.db import session
from heat.engine import environment
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.objects import raw_template
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from tests.fakes import database_faults
from tests.fakes import stacks

CHAIN = """
resources:
  a: {type: Test::Thing, properties: {value: one, fixed: x}}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]}}}
  c: {type: Test::Thing, depends_on: b}
outputs:
  out: {value: {get_attr: [b, output]}}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def row(engine, stack, name):
    return resource_objects.Resource.get_by_name_and_stack(
        engine.context, name, stack.id)


def template_count(engine):
    count = 0
    for template_id in range(1, 40):
        count += raw_template.RawTemplate.get_by_id(
            engine.context, template_id) is not None
    return count


def test_update_in_place_follows_values(engine):
    stack = engine.create(CHAIN)
    before = row(engine, stack, 'a')
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, CHAIN.replace('one', 'two'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert stack.status_reason == 'Stack UPDATE completed successfully'
    assert seen == [('update', 'a'), ('update', 'b')]
    after = row(engine, stack, 'a')
    assert after.id == before.id
    assert engine.values(stack) == {'out': 'two'}
    assert engine.rows(stack) == {'a': ('UPDATE', 'COMPLETE'),
                                  'b': ('UPDATE', 'COMPLETE'),
                                  'c': ('CREATE', 'COMPLETE')}
    assert stack.updated_time is not None


def test_update_that_was_refused_is_begun_later(engine):
    """As nested stacks are, which are told to stop first."""
    stack = engine.create(CHAIN)
    wanted = stack_store.wanted_stack(stack, engine.template(
        CHAIN.replace('one', 'two'), files={'a': 'file'}))
    lock_objects.StackLock.create(engine.context, stack.id, 'engine-2')
    count = template_count(engine)
    with pytest.raises(exception.ActionInProgress):
        stack.update(wanted)
    assert template_count(engine) == count
    # The row that is free now is another one's.
    engine.create('resources: {}', name='other')
    lock_objects.StackLock.release(engine.context, stack.id, 'engine-2')
    stack.update(wanted)
    engine.pool.run()
    template_store.forget_all()
    stack = engine.reload(stack)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert engine.values(stack) == {'out': 'two'}
    assert stack.t.files['a'] == 'file'


def test_update_without_changes_touches_nothing(engine):
    stack = engine.create(CHAIN)
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, CHAIN)
    assert seen == []
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert engine.events(stack)[-2:] == ['st UPDATE_IN_PROGRESS',
                                         'st UPDATE_COMPLETE']


def test_update_adds_and_removes(engine):
    stack = engine.create(CHAIN)
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, """
resources:
  a: {type: Test::Thing, properties: {value: one, fixed: x}}
  d: {type: Test::Thing, depends_on: a}
""")
    assert [step for step in seen if step[0] == 'delete'] == [
        ('delete', 'c'), ('delete', 'b')]
    assert ('create', 'd') in seen
    assert engine.rows(stack) == {'a': ('CREATE', 'COMPLETE'),
                                  'd': ('CREATE', 'COMPLETE')}
    assert set(stack) == {'a', 'd'}


def test_replacement_waits_for_dependents(engine):
    stack = engine.create(CHAIN)
    before = row(engine, stack, 'a')
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, CHAIN.replace('fixed: x', 'fixed: y')
                              .replace('one', 'two'))
    assert seen == [('prepare_for_replace', 'a'), ('create', 'a'),
                    ('update', 'b'), ('delete', 'a')]
    after = row(engine, stack, 'a')
    assert after.id != before.id
    assert after.physical_resource_id != before.physical_resource_id
    assert engine.values(stack) == {'out': 'two'}
    assert resource_objects.Resource.get_obj(engine.context,
                                             before.id) is None
    # The backup stack is gone again.
    assert stack_objects.Stack.get_all_by_owner_id(engine.context,
                                                   stack.id) == []


def test_what_a_failed_replacement_was_to_replace_waits_for_dependents(
        engine):
    stack = engine.create(CHAIN)
    before = row(engine, stack, 'a')
    stack = engine.update(stack, CHAIN.replace('fixed: x',
                                               'fixed: y, fail: true'))
    assert stack.state == ('UPDATE', 'FAILED')
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, CHAIN.replace('fixed: x', 'fixed: z')
                              .replace('one', 'two'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert seen[-3:] == [('create', 'a'), ('update', 'b'), ('delete', 'a')]
    assert ('delete', 'a') not in seen[:-3]
    assert resource_objects.Resource.get_obj(engine.context,
                                             before.id) is None


def test_replaced_resource_obeys_its_deletion_policy(engine):
    text = ('resources: {a: {type: Test::Thing, deletion_policy: Retain, '
            'properties: {fixed: x}}}')
    stack = engine.create(text)
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, text.replace('fixed: x', 'fixed: y'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert ('delete', 'a') not in seen


def test_failed_update_remembers_how_far_it_came(engine):
    stack = engine.create(CHAIN)
    stack = engine.update(stack, """
resources:
  a: {type: Test::Thing, properties: {value: two, fixed: x}}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]},
                                      fail: true}}
  n: {type: Test::Thing, depends_on: b}
""")
    assert stack.state == ('UPDATE', 'FAILED')
    assert stack.status_reason == (
        'Resource UPDATE failed: ValueError: resources.b: Thing failed b')
    section = stack.t.section('resources')
    assert section['a']['properties']['value'] == 'two'
    assert 'fail' not in section['b']['properties']
    # What nothing of the new definition needs has been removed.
    assert set(section) == {'a', 'b', 'n'}
    assert engine.rows(stack) == {'a': ('UPDATE', 'COMPLETE'),
                                  'b': ('UPDATE', 'FAILED')}
    # The next update mends it: what failed is replaced.
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, CHAIN)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert ('create', 'b') in seen
    assert engine.values(stack) == {'out': 'one'}


def test_update_rolls_back_to_the_old_definition(engine):
    stack = engine.create(CHAIN, disable_rollback=False)
    old = row(engine, stack, 'a')
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, """
resources:
  a: {type: Test::Thing, properties: {value: two, fixed: y}}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]},
                                      fail: true}}
""")
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert stack.status_reason == 'Stack ROLLBACK completed successfully'
    assert engine.events(stack, 'st')[-4:] == [
        'st UPDATE_IN_PROGRESS', 'st UPDATE_FAILED',
        'st ROLLBACK_IN_PROGRESS', 'st ROLLBACK_COMPLETE']
    # The replaced resource came back out of the backup.
    assert row(engine, stack, 'a').id == old.id
    assert ('restore_prev_rsrc', 'a') in seen
    assert seen[-1] == ('delete', 'a')
    assert engine.values(stack) == {'out': 'one'}
    assert stack_objects.Stack.get_all_by_owner_id(engine.context,
                                                   stack.id) == []
    assert set(engine.rows(stack)) == {'a', 'b', 'c'}


def test_rollback_restores_what_was_removed(engine):
    stack = engine.create(CHAIN, disable_rollback=False)
    stack = engine.update(stack, """
resources:
  a: {type: Test::Thing, properties: {value: two, fixed: x, fail: true}}
  n: {type: Test::Thing}
""")
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert set(engine.rows(stack)) == {'a', 'b', 'c'}
    assert engine.values(stack) == {'out': 'one'}


def test_stack_never_has_two_rows_of_a_name(engine):
    """Not even between two commits, where an engine may die."""
    stack = engine.create(CHAIN, disable_rollback=False)
    doubled = []

    def look():
        with session.get_engine().connect() as connection:
            doubled.extend(connection.execute(sa.text(
                'SELECT stack_id, name FROM resource '
                'GROUP BY stack_id, name HAVING count(*) > 1')))

    with database_faults.after_commits(look):
        stack = engine.update(stack, CHAIN.replace(
            'fixed: x', 'fixed: y, fail: true'))
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert doubled == []


def test_failed_rollback_is_not_rolled_back(engine):
    stack = engine.create("""
resources:
  a: {type: Test::Thing, properties: {value: one}}
""", disable_rollback=False)
    stack = engine.update(stack, """
resources:
  a: {type: Test::Thing, properties: {value: two}}
  n: {type: Test::Thing, properties: {fail: true, fail_delete: true},
      depends_on: a}
""")
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert engine.rows(stack) == {'a': ('UPDATE', 'COMPLETE')}


def test_condition_that_becomes_false_removes(engine):
    text = """
parameters: {flag: {type: boolean}}
conditions: {wanted: {get_param: flag}}
resources:
  a: {type: Test::Thing}
  b: {type: Test::Thing, condition: wanted}
"""
    stack = engine.create(text, params={'flag': True})
    assert set(stack) == {'a', 'b'}
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, text, params={'flag': False})
    assert seen == [('delete', 'b')]
    assert set(engine.rows(stack)) == {'a'}


def test_update_times_out(engine):
    stack = engine.create(CHAIN)
    stack = engine.update(stack, CHAIN.replace(
        'fixed: x', 'fixed: x, polls: 1000'), timeout_mins=1)
    assert stack.state == ('UPDATE', 'FAILED')
    assert stack.status_reason == 'Timed out'


def test_cancel_update_rolls_back_even_when_disabled(engine):
    stack = engine.create(CHAIN)
    engine.begin_update(stack, CHAIN.replace(
        'value: one', 'value: two, polls: 5000'))
    for _step in range(6):
        engine.pool.step()
    engine.reload(stack).cancel(with_rollback=True)
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert engine.values(stack) == {'out': 'one'}


def test_cancel_without_rollback_fails_the_update(engine):
    stack = engine.create(CHAIN)
    engine.begin_update(stack, CHAIN.replace(
        'value: one', 'value: two, polls: 5000'))
    for _step in range(6):
        engine.pool.step()
    engine.reload(stack).cancel(with_rollback=False)
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('UPDATE', 'FAILED')


def test_update_takes_tags_and_timeout(engine):
    stack = engine.create(CHAIN, tags=['red'])
    assert stack.tags == ['red']
    stack = engine.update(stack, CHAIN, tags=['blue', 'green'],
                          timeout_mins=7)
    assert stack.tags == ['blue', 'green']
    assert stack.timeout_mins == 7


def test_update_without_tags_clears_them(engine):
    stack = engine.create(CHAIN, tags=['red'])
    assert engine.update(stack, CHAIN).tags == ['red']
    assert engine.update(engine.reload(stack), CHAIN, tags=None).tags == []


def test_template_rows_do_not_pile_up(engine):
    stack = engine.create(CHAIN)
    for word in ('two', 'three', 'four', 'five'):
        stack = engine.update(stack, CHAIN.replace('one', word))
    # The present template and the one before it.
    assert template_count(engine) == 2
    failing = CHAIN.replace('fixed: x', 'fixed: x, fail: true')
    stack = engine.update(stack, failing)
    assert stack.state == ('UPDATE', 'FAILED')
    assert template_count(engine) == 2


def test_rollback_leaves_one_template(engine):
    stack = engine.create(CHAIN, disable_rollback=False)
    stack = engine.update(stack, CHAIN.replace(
        'value: {get_attr: [a, output]}', 'fail: true'))
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    backups = 1
    assert template_count(engine) == 1 + backups


def test_template_of_another_language_can_follow(engine):
    stack = engine.create(CHAIN)
    wanted = stack_store.wanted_stack(stack, type(engine).template(
        engine, 'resources: {}').__class__(
            {'heat_template_version': '2013-05-23', 'resources': {
                'a': {'type': 'Test::Thing',
                      'properties': {'value': 'one', 'fixed': 'x'}}}}))
    stack.update(wanted)
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert set(engine.rows(stack)) == {'a'}


def test_interrupted_update_leaves_a_usable_stack(engine):
    stack = engine.create(CHAIN)
    engine.begin_update(stack, """
resources:
  a: {type: Test::Thing, properties: {value: two, fixed: x}}
  n: {type: Test::Thing, properties: {polls: 1000}}
""")
    for _step in range(4):
        engine.pool.step()
    # What a later engine finds, the present one having gone.
    found = engine.reload(stack)
    assert found.state == ('UPDATE', 'IN_PROGRESS')
    assert set(found) == {'a', 'b', 'c', 'n'}
    engine.groups.stop(stack.id)
    engine.pool.run()
    assert engine.reload(stack).state == ('UPDATE', 'FAILED')


# -- snapshots --------------------------------------------------------------


def test_environment_is_stored_with_the_template(engine):
    stack = engine.create('resources: {a: {type: My::Thing}}', env={
        'resource_registry': {'My::Thing': 'Test::Thing'}})
    assert isinstance(stack.env, environment.Environment)
    assert stack.state == ('CREATE', 'COMPLETE')
    resource_store.state_set(stack['a'], 'CHECK', 'FAILED', 'marked')
    assert engine.rows(stack) == {'a': ('CHECK', 'FAILED')}


# -- environments -----------------------------------------------------------

OTHER = """heat_template_version: 2018-08-31
resources:
  inner: {type: Test::Unchecked, properties: {value: inner}}
outputs:
  output: {value: none}
"""


def mapped(*types):
    """Return an environment that makes types of a template."""
    return {'env': {'resource_registry': dict.fromkeys(types, 'other.yaml')},
            'files': {'other.yaml': OTHER}}


def test_a_mapping_that_was_removed_is_gone(engine):
    """A resource that is there in both templates, and a new one."""
    both = """
resources:
  a: {type: Test::Thing}
"""
    stack = engine.create(both, **mapped('Test::Thing'))
    assert stack['a'].has_nested()
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, both + '  b: {type: Test::Thing}\n')
    assert stack.state == ('UPDATE', 'COMPLETE')
    # The nested stack is gone, the things that the type now means are there.
    assert sorted(seen) == [('create', 'a'), ('create', 'b'),
                            ('delete', 'inner')]
    assert not any(stack[name].has_nested() for name in 'ab')


def test_what_an_interrupted_update_left_keeps_its_mapping(engine):
    """The old resource is still a nested stack and can be deleted."""
    old = """
resources:
  old: {type: Test::Thing}
"""
    stack = engine.create(old, **mapped('Test::Thing'))
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(stack, """
resources:
  bad: {type: Test::Unchecked, properties: {fail: true}}
  new: {type: Test::Thing}
  old: {type: Test::Thing, depends_on: bad}
""")
    assert stack.state == ('UPDATE', 'FAILED')
    assert stack['old'].has_nested()
    assert ('create', 'new') in seen
    with stacks.sequence_of(engine) as seen:
        stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'COMPLETE')
    assert ('delete', 'inner') in seen
    assert ('delete', 'new') in seen
