"""What is read together of the stacks inside a stack, and of those beside."""
import pytest

from heat.engine import stack_rows
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.fakes import database
from tests.fakes import stack as fake_stack


@pytest.fixture
def context(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.FakeStack({}).context


def make(context, name, owner_id=None, tags=()):
    return stack_objects.Stack.create(context, {
        'name': name, 'raw_template_id': 1, 'owner_id': owner_id,
        'disable_rollback': True, 'tenant': 'p', 'tags': tags}).id


@pytest.fixture
def parents(context):
    """Return {parent: its children} of three stacks."""
    found = {}
    for parent in 'abc':
        parent_id = make(context, parent)
        found[parent_id] = [make(context, f'{parent}{number}', parent_id,
                                 ['t'] if number else ())
                            for number in range(2)]
    return found


def test_child_is_given_once(context, parents):
    parent_id, [child_id, _other] = next(iter(parents.items()))
    rows = stack_rows.ChildRows(context, parent_id)
    assert rows.take(child_id).name == 'a0'
    assert rows.take(child_id) is None
    [left] = rows.next(9)
    assert (left.name, left.tags) == ('a1', ['t'])


def test_families_are_read_together(context, parents):
    families = stack_rows.Families(list(parents))
    before = transaction.counters()['statements']
    for parent_id, children in parents.items():
        rows = stack_rows.ChildRows(context, parent_id, families)
        assert [rows.take(child_id).owner_id for child_id in children] == [
            parent_id] * 2
        assert not rows.next(9)
    assert transaction.counters()['statements'] - before == 2


def test_families_are_read_so_many_at_a_time(context, parents, monkeypatch):
    monkeypatch.setattr(stack_rows, '_FAMILIES_TOGETHER', 2)
    families = stack_rows.Families(list(parents))
    before = transaction.counters()['statements']
    assert [sorted(families.take(context, parent_id)) for parent_id in
            parents] == [sorted(children) for children in parents.values()]
    assert transaction.counters()['statements'] - before == 4


def test_family_that_was_taken_is_read_again(context, parents):
    families = stack_rows.Families(list(parents))
    parent_id, children = next(iter(parents.items()))
    families.take(context, parent_id)
    stack_objects.Stack.delete(context, children[0])
    assert list(families.take(context, parent_id)) == children[1:]
