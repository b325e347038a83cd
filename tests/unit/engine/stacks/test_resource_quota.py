"""How often the resources of a tree are counted, and that it stays small."""
import collections
from concurrent import futures
import itertools
import math

import pytest

from heat.common import exception
from heat.common import timeutils
from heat.engine.stacks import resource_quota
from heat.engine.stacks import store as stack_store

LIMIT = 1000
ENGINES = 3
_numbers = itertools.count()


class Tree:
    """A tree in a database, and how often it was counted."""

    def __init__(self):
        self.id = f'tree {next(_numbers)}'
        self.size = 0
        self.counts = 0

    def count(self, _context, root_id):
        assert root_id == self.id
        self.counts += 1
        return self.size

    def grow(self, number, limit=LIMIT):
        resource_quota.take(None, self.id, limit, number)
        self.size += number


@pytest.fixture
def tree(monkeypatch):
    one = Tree()
    monkeypatch.setattr(stack_store, 'total_resources', one.count)
    return one


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now[0])
    return now


def test_tree_is_full_at_its_limit_and_counted_now_and_then(tree, clock):
    for _time in range(LIMIT):
        tree.grow(1)
    # Each count lets a quarter of the room go; the last ones go one by one.
    assert tree.counts < 2 * math.log(LIMIT) / math.log(4 / 3)
    with pytest.raises(exception.RequestLimitExceeded) as caught:
        tree.grow(1)
    assert str(LIMIT) in str(caught.value)
    assert tree.size == LIMIT


def test_what_would_be_too_much_leaves_room_for_less(tree, clock):
    tree.grow(900)
    with pytest.raises(exception.RequestLimitExceeded):
        tree.grow(101)
    tree.grow(100)


def test_room_that_others_have_taken_is_seen_in_time(tree, clock):
    tree.grow(10)
    tree.size = LIMIT
    clock[0] += 6
    with pytest.raises(exception.RequestLimitExceeded):
        tree.grow(1)


def test_lower_limit_counts_at_once(tree, clock):
    tree.grow(10)
    with pytest.raises(exception.RequestLimitExceeded):
        tree.grow(1, limit=10)
    tree.grow(1, limit=11)


def test_engines_that_count_at_the_same_time_stay_below_the_limit(
        tree, clock, monkeypatch):
    tree.size, added = 500, 0
    for _engine in range(ENGINES):
        monkeypatch.setattr(resource_quota, '_rooms',
                            collections.OrderedDict())
        before = tree.counts
        while tree.counts <= before + 1:
            resource_quota.take(None, tree.id, LIMIT, 1)
            added += 1
    assert 500 + added <= LIMIT


def test_tasks_wait_for_the_one_that_counts(tree):
    with futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _n: resource_quota.take(
            None, tree.id, LIMIT, 1), range(100)))
    assert tree.counts == 1


def test_trees_that_are_remembered_are_few(monkeypatch):
    monkeypatch.setattr(resource_quota, '_rooms',
                        collections.OrderedDict())
    monkeypatch.setattr(stack_store, 'total_resources', lambda *_args: 0)
    for number in range(1000):
        resource_quota.take(None, f'root {number}', LIMIT, 1)
    assert len(resource_quota._rooms) == resource_quota._TREES


def test_tree_that_is_not_stored_has_nothing_yet(monkeypatch):
    monkeypatch.setattr(resource_quota, '_rooms',
                        collections.OrderedDict())
    resource_quota.take(None, None, 3, 3)
    with pytest.raises(exception.RequestLimitExceeded):
        resource_quota.take(None, None, 3, 4)
    assert not resource_quota._rooms
