"""The life of stacks under the legacy driver, on a real database."""
import pytest

from heat.common import exception
from heat.db import purge
from heat.engine import stack as stack_module
from heat.engine.drivers import select as stack_driver
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from heat.objects import user_creds as creds_objects
from tests.fakes import stacks

CHAIN = stacks.LONGER_CHAIN
BAD = """
resources:
  ok: {type: Test::Thing, properties: {value: v}}
  bad: {type: Test::Thing, depends_on: ok, properties: {fail: true}}
  after: {type: Test::Thing, depends_on: bad}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def test_create_goes_along_dependencies(engine):
    stack = engine.create(CHAIN, params={'word': 'hi'})
    assert stack.state == ('CREATE', 'COMPLETE')
    assert stack.status_reason == 'Stack CREATE completed successfully'
    assert engine.log == [('create', 'a'), ('create', 'b'), ('create', 'c')]
    assert engine.events(stack) == [
        'st CREATE_IN_PROGRESS',
        'a CREATE_IN_PROGRESS', 'a CREATE_COMPLETE',
        'b CREATE_IN_PROGRESS', 'b CREATE_COMPLETE',
        'c CREATE_IN_PROGRESS', 'c CREATE_COMPLETE',
        'st CREATE_COMPLETE']
    assert engine.values(stack)['out'] == 'hi'
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                stack.id) is None


def test_create_is_durably_begun_when_the_call_returns(engine):
    stack = engine.stack(CHAIN)
    stack.create()
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert (row.action, row.status) == ('CREATE', 'IN_PROGRESS')
    assert row.status_reason == 'Stack CREATE started'
    assert lock_objects.StackLock.get_engine_id(
        engine.context, stack.id) == stacks.ENGINE_ID


def test_failed_create_tells_which_resource(engine):
    stack = engine.create(BAD)
    assert stack.state == ('CREATE', 'FAILED')
    assert stack.status_reason == (
        'Resource CREATE failed: ValueError: resources.bad: '
        'Thing failed bad')
    assert engine.rows(stack) == {'ok': ('CREATE', 'COMPLETE'),
                                  'bad': ('CREATE', 'FAILED'),
                                  'after': ('INIT', 'COMPLETE')}


def test_failed_create_is_rolled_back_when_wished(engine):
    stack = engine.create(BAD, disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert stack.deleted_time is not None
    assert engine.log[-1] == ('delete', 'ok')
    assert engine.events(stack, 'st') == [
        'st CREATE_IN_PROGRESS', 'st CREATE_FAILED',
        'st ROLLBACK_IN_PROGRESS', 'st ROLLBACK_COMPLETE']
    assert engine.rows(stack) == {}


def test_create_times_out(engine):
    stack = engine.create("""
resources:
  slow: {type: Test::Thing, properties: {polls: 1000}}
""", timeout_mins=1)
    assert stack.state == ('CREATE', 'FAILED')
    assert stack.status_reason == 'Timed out'
    assert engine.rows(stack) == {'slow': ('CREATE', 'FAILED')}


def test_a_running_resource_gets_grace_when_another_fails(engine):
    stack = engine.create("""
resources:
  slow: {type: Test::Thing, properties: {polls: 5}}
  bad: {type: Test::Thing, properties: {fail: true}}
""")
    assert stack.state == ('CREATE', 'FAILED')
    assert engine.rows(stack)['slow'] == ('CREATE', 'COMPLETE')


def test_delete_goes_backwards_and_leaves_nothing(engine):
    stack = engine.create(CHAIN)
    creds_id = stack.user_creds_id
    with stacks.sequence_of(engine) as seen:
        stack = engine.delete(stack)
    assert seen == [('delete', 'c'), ('delete', 'b'), ('delete', 'a')]
    assert stack.state == ('DELETE', 'COMPLETE')
    assert stack.deleted_time is not None
    assert engine.rows(stack) == {}
    assert creds_objects.UserCreds.get_by_id(engine.context,
                                             creds_id) is None
    assert stack_objects.Stack.get_by_id(engine.context, stack.id) is None


def test_failed_delete_can_be_repeated(engine):
    stack = engine.create("""
resources:
  a: {type: Test::Thing, properties: {fail_delete: true}}
  b: {type: Test::Thing, depends_on: a}
""")
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')
    assert 'Thing stays a' in stack.status_reason
    assert engine.rows(stack) == {'a': ('DELETE', 'FAILED')}
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')


def test_retained_resource_is_not_deleted(engine):
    stack = engine.create("""
resources:
  a: {type: Test::Thing, deletion_policy: Retain}
  b: {type: Test::Thing}
""")
    with stacks.sequence_of(engine) as seen:
        stack = engine.delete(stack)
    assert seen == [('delete', 'b')]
    assert stack.state == ('DELETE', 'COMPLETE')


def test_suspend_and_resume(engine):
    stack = engine.create(CHAIN)
    with stacks.sequence_of(engine) as seen:
        stack.suspend()
        engine.pool.run()
    assert [name for _what, name in seen] == ['c', 'b', 'a']
    stack = engine.reload(stack)
    assert stack.state == ('SUSPEND', 'COMPLETE')
    events = engine.events(stack)
    stack.suspend()
    engine.pool.run()
    assert engine.events(stack) == events
    with stacks.sequence_of(engine) as seen:
        stack.resume()
        engine.pool.run()
    assert [name for _what, name in seen] == ['a', 'b', 'c']
    assert engine.reload(stack).state == ('RESUME', 'COMPLETE')


def test_check_visits_all_and_joins_failures(engine):
    stack = engine.create("""
resources:
  a: {type: Test::Thing, properties: {value: sick}}
  b: {type: Test::Thing, properties: {value: sick}}
  c: {type: Test::Thing}
""")
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'FAILED')
    assert 'Thing is sick a' in stack.status_reason
    assert 'Thing is sick b' in stack.status_reason
    assert engine.rows(stack) == {'a': ('CHECK', 'FAILED'),
                                  'b': ('CHECK', 'FAILED'),
                                  'c': ('CHECK', 'COMPLETE')}


def test_check_notes_types_without_check(engine):
    stack = engine.create('resources: {a: {type: Test::Unchecked}}')
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    assert 'not every resource type supports CHECK' in stack.status_reason


def test_adopt_takes_existing_resources_over(engine):
    stack = engine.create(CHAIN)
    data = stack.prepare_abandon()
    assert data['resources']['a']['resource_data'] == {'value': 'hello'}
    adopted = engine.stack(CHAIN, 'adopted', adopt_stack_data=data)
    with stacks.sequence_of(engine) as seen:
        adopted.adopt()
        engine.pool.run()
    assert seen == []
    adopted = engine.reload(adopted)
    assert adopted.state == ('ADOPT', 'COMPLETE')
    assert adopted['a'].resource_id == stack['a'].resource_id
    assert engine.rows(adopted)['c'] == ('ADOPT', 'COMPLETE')


def test_abandon_keeps_the_resources(engine):
    stack = engine.create(CHAIN)
    with stacks.sequence_of(engine) as seen:
        stack_driver.of(stack).abandon(stack)
        engine.pool.run()
    assert seen == []
    stack = engine.reload(stack)
    assert stack.state == ('DELETE', 'COMPLETE')


# -- stacks that were loaded before -----------------------------------------


def test_delete_of_a_stale_stack_sees_what_there_is_now(engine):
    stack = engine.create(CHAIN)
    stale = engine.reload(stack)
    engine.update(stack, CHAIN.replace('c: {', 'd: {'))
    engine.delete(stale)
    assert engine.reload(stack).state == ('DELETE', 'COMPLETE')
    assert ('delete', 'd') in engine.log
    # Deleting what is gone does nothing.
    stale.delete()
    engine.pool.run()
    assert engine.events(stack, 'st').count('st DELETE_COMPLETE') == 1


def test_a_purged_stack_is_not_found(engine):
    stack = engine.create(CHAIN)
    stale = engine.reload(stack)
    engine.delete(stack)
    purge.purge_deleted(engine.context, 0, 'seconds')
    for begin in (stale.delete, stale.check):
        with pytest.raises(exception.EntityNotFound):
            begin()
        assert lock_objects.StackLock.get_engine_id(engine.context,
                                                    stack.id) is None


def test_row_of_unknown_stack(engine):
    with pytest.raises(exception.EntityNotFound):
        stack_module.Stack.load(engine.context, 'no-such-id')
