"""Handing stacks of the legacy driver over to convergence."""
import pytest

from heat.common import exception
from heat.engine import stack as stack_module
from heat.engine.drivers import migrate as stack_migrate
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from tests.fakes import stacks

CHAIN = stacks.CHAIN
NESTED = """
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def: {type: Test::Thing}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def all_rows(engine, stack):
    below = stack_objects.Stack.get_all_by_root_owner_id(engine.context,
                                                         stack.id)
    return [stack_store.get_row(engine.context, stack.id), *below]


def test_stack_lives_on_under_convergence(engine):
    stack = engine.create(CHAIN)
    stack_migrate.to_convergence(engine.context, stack)
    migrated = engine.reload(stack)
    assert stack_store.is_convergent(migrated)
    assert migrated.current_traversal
    with stacks.sequence_of(engine) as seen:
        updated = engine.update(migrated, CHAIN, params={'word': 'bye'})
    assert updated.state == ('UPDATE', 'COMPLETE')
    assert seen == [('update', 'a'), ('update', 'b')]
    with stacks.sequence_of(engine) as seen:
        deleted = engine.delete(updated)
    assert deleted.state == ('DELETE', 'COMPLETE')
    assert seen == [('delete', 'b'), ('delete', 'a')]


def test_rows_know_what_they_need_and_their_template(engine):
    stack = engine.create(CHAIN)
    stack_migrate.to_convergence(engine.context, stack)
    rows = resource_objects.Resource.get_all_by_stack(engine.context,
                                                      stack.id)
    assert rows['b'].requires == [rows['a'].id]
    assert rows['a'].requires == []
    assert {row.current_template_id for row in rows.values()} == {
        stack.t.id}


def test_nested_stacks_come_along(engine):
    stack = engine.create(NESTED)
    stack_migrate.to_convergence(engine.context, stack)
    assert [stack_store.is_convergent(row)
            for row in all_rows(engine, stack)] == [True, True]
    assert engine.delete(engine.reload(stack)).state == ('DELETE',
                                                         'COMPLETE')


def test_nothing_changes_when_part_of_the_tree_is_not_complete(engine):
    stack = engine.create(NESTED)
    child = all_rows(engine, stack)[1]
    stack_objects.Stack.update_by_id(engine.context, child.id,
                                     {'status': 'FAILED'})
    with pytest.raises(exception.NotSupported, match='CREATE_FAILED'):
        stack_migrate.to_convergence(engine.context, stack)
    assert not any(stack_store.is_convergent(row)
                   for row in all_rows(engine, stack))


def test_nested_stack_cannot_go_alone(engine):
    stack = engine.create(NESTED)
    child = stack_module.Stack.load(engine.context,
                                    all_rows(engine, stack)[1].id)
    with pytest.raises(exception.NotSupported, match='nested'):
        stack_migrate.to_convergence(engine.context, child)


def test_second_time_is_refused(engine):
    stack = engine.create(CHAIN)
    stack_migrate.to_convergence(engine.context, stack)
    with pytest.raises(exception.NotSupported, match='already uses'):
        stack_migrate.to_convergence(engine.context, engine.reload(stack))
