import pytest

from heat.db import session
from heat.objects import sync_point
from heat.objects import transaction

SyncPoint = sync_point.SyncPoint
T = 'traversal'


@pytest.fixture
def make(context, a_stack):
    def make(counts, traversal=T):
        SyncPoint.create_many(context, [
            {'entity_id': entity, 'is_update': is_update, 'pending': pending,
             'traversal_id': traversal, 'stack_id': a_stack.id}
            for (entity, is_update), pending in counts.items()])
        return a_stack

    return make


def test_row_is_read_back(context, make):
    make({(7, True): 2})
    row = SyncPoint.get_by_key(context, 7, T, True)
    assert (row.key, row.pending, row.done, row.atomic_key) == (
        ('7', True), 2, False, 0)
    assert (row.input_data, row.extra_data) == ({}, None)
    assert SyncPoint.get_by_key(context, '7', T, False) is None
    assert SyncPoint.get_by_key(context, '7', 'other', True) is None


def test_nodes_become_ready_when_all_predecessors_are_done(context, make):
    make({(1, True): 1, (2, True): 2, (1, False): 3, (3, True): 1})
    satisfy = SyncPoint.satisfy
    assert satisfy(context, T, {(2, True): 1}) == []
    assert sorted(satisfy(context, T, {
        (1, True): 1, (2, True): 1, (1, False): 3})) == [
            ('1', False), ('1', True), ('2', True)]
    assert sorted(SyncPoint.ready(context, T, 10)) == [
        ('1', False), ('1', True), ('2', True)]
    assert len(SyncPoint.ready(context, T, 2)) == 2
    assert SyncPoint.get_by_key(context, 3, T, True).pending == 1


def test_counting_down_many_takes_few_statements(context, make):
    make({(number, True): number % 3 + 1 for number in range(300)})
    before = transaction.counters()['statements']
    ready = SyncPoint.satisfy(context, T, {
        (number, True): number % 3 + 1 for number in range(300)})
    assert len(ready) == 300
    # MariaDB's UPDATE does not tell what it changed.
    tells = session.get_engine().dialect.update_returning
    assert transaction.counters()['statements'] - before == 2 - tells


def test_done_nodes_are_never_ready_again(context, make):
    make({(1, True): 0, (2, True): 1})
    assert SyncPoint.finish(context, [T], [(1, True), (2, True)]) == 2
    assert SyncPoint.finish(context, [T], [(1, True)]) == 0
    assert SyncPoint.ready(context, T) == []
    assert SyncPoint.satisfy(context, T, {(2, True): 1}) == []
    assert SyncPoint.finish(context, [T], []) == 0
    assert SyncPoint.satisfy(context, T, {}) == []


def test_open_nodes_are_counted_without_the_stack(context, make):
    a_stack = make({(1, True): 0, (1, False): 1})
    make({(a_stack.id, True): 1})
    make({(1, True): 0}, traversal='other')
    assert SyncPoint.count_open(context, T) == 2
    SyncPoint.finish(context, [T], [(1, True)])
    assert SyncPoint.count_open(context, T) == 1


def test_rows_that_merge_are_never_ready_by_counting(context, make):
    make({(1, True): None})
    assert SyncPoint.satisfy(context, T, {(1, True): 1}) == []
    assert SyncPoint.get_by_key(context, 1, T, True).pending is None
    assert SyncPoint.ready(context, T) == []


def test_merged_data_is_swapped(context, make):
    make({(1, True): None})
    swap = SyncPoint.update_input_data
    assert swap(context, 1, T, True, 0, {'a': 1}, {'x': 1})
    assert not swap(context, 1, T, True, 0, {'b': 1})
    assert not swap(context, 1, T, False, 1, {'b': 1})
    assert swap(context, 1, T, True, 1, {'c': 1})
    row = SyncPoint.get_by_key(context, 1, T, True)
    assert (row.input_data, row.extra_data, row.atomic_key) == (
        {'c': 1}, {'x': 1}, 2)


def test_rows_of_a_traversal(context, make):
    a_stack = make({(1, True): 0, (2, True): 1})
    make({(1, True): 0}, traversal='new')
    assert {row.key for row in SyncPoint.get_all_by_traversal(context, T)
            } == {('1', True), ('2', True)}
    assert SyncPoint.update_many(context, T, [(1, True), (2, True)],
                                 {'extra_data': {'x': 1}}) == 2
    assert SyncPoint.get_by_key(context, 2, T, True).extra_data == {'x': 1}
    assert SyncPoint.count_open(context, 'new') == 1
    assert SyncPoint.delete_all_of_stacks(context, ['another']) == 0
    assert SyncPoint.delete_all_of_stacks(context, [a_stack.id]) == 3
