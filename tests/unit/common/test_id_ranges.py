"""Sets of row ids."""
import random

import pytest

from heat.common import id_ranges

SMALL = 30


def ids(ranges):
    """Return the small ids that ranges have."""
    return {number for number in range(1, SMALL + 1)
            if id_ranges.contains(ranges, number)}


def some(seed):
    """Return a set of small ids, and its ranges."""
    chosen = set(random.Random(seed).sample(range(1, SMALL + 1), seed % 20))
    rest = set(range(1, SMALL + 1)) - chosen
    return chosen, id_ranges.without(((1, SMALL),), rest)


@pytest.mark.parametrize('seed', range(60))
def test_operations_are_those_of_sets(seed):
    one, first = some(seed)
    other, second = some(seed + 7)
    assert ids(first) == one
    assert ids(id_ranges.intersection(first, second)) == one & other
    assert ids(id_ranges.difference(first, second)) == one - other
    assert ids(id_ranges.union(first, second)) == one | other
    assert ids(id_ranges.complement(first)) == (
        set(range(1, SMALL + 1)) - one)
    # Ranges are as long as can be.
    assert all(high + 1 < low for (_first, high), (low, _last)
               in zip(first, first[1:], strict=False))


def test_ranges_without_end():
    beyond = id_ranges.beyond(7)
    assert beyond == ((8, id_ranges.NO_END),)
    assert id_ranges.complement(beyond) == ((1, 7),)
    assert id_ranges.complement(()) == ((1, id_ranges.NO_END),)
    assert id_ranges.without(beyond, [9, 10]) == (
        (8, 8), (11, id_ranges.NO_END))


def test_fewer_ranges_have_all_the_ids():
    ranges = ((1, 1), (3, 3), (10, 11), (13, 13), (30, 31))
    assert id_ranges.fewer(ranges, 5) == ranges
    assert id_ranges.fewer(ranges, 3) == ((1, 3), (10, 13), (30, 31))
    assert id_ranges.fewer(ranges, 1) == ((1, 31),)
