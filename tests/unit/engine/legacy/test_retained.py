"""What a deletion leaves is stored when there is news of it."""
import types

import pytest

from heat.engine.legacy import retained
from heat.objects import raw_template as template_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_protection
from tests.fakes import database
from tests.fakes import stack as fake_stack


@pytest.fixture
def stack(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    context = fake_stack.context()
    raw = template_objects.RawTemplate.create(
        context, {'template': {}, 'files': {}, 'environment': {}})
    row = stack_objects.Stack.create(context, {
        'name': 'st', 'raw_template_id': raw.id, 'tenant': 'project',
        'disable_rollback': True})
    return types.SimpleNamespace(context=context, id=row.id,
                                 action='CREATE', retained=None)


def stored(stack):
    return stack_protection.StackProtection.get(stack.context,
                                                stack.id).retained


def test_paths_are_stored_and_loaded(stack):
    assert retained.storing(stack, {'b', 'a/c'})() == {}
    assert stored(stack) == ['a/c', 'b']
    retained.load(stack)
    assert stack.retained == {'b', 'a/c'}


def test_without_paths_nothing_is_written(stack):
    assert retained.storing(stack, ()) is None
    retained.load(stack)
    assert stack.retained == frozenset()


def test_another_attempt_forgets_the_paths_of_the_first(stack):
    retained.storing(stack, ['a'])()
    stack.action = 'DELETE'
    retained.storing(stack, ())()
    assert stored(stack) == []
