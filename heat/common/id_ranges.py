"""Sets of row ids as sorted ranges, both ends included.

Rows become visible when their transaction ends, so a row with a lower id may
come after one with a higher id. What a reader has not seen is a set of such
ranges; its last one has no end.
"""
from collections.abc import Iterable, Sequence

#: The end of a range without end; no database counts that far.
NO_END = 2 ** 62

Ranges = tuple[tuple[int, int], ...]


def beyond(last: int) -> Ranges:
    """Return the ids beyond one."""
    return ((last + 1, NO_END),)


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """Return the ids that are in both."""
    found = []
    first = second = 0
    while first < len(one) and second < len(other):
        low = max(one[first][0], other[second][0])
        high = min(one[first][1], other[second][1])
        if low <= high:
            found.append((low, high))
        if one[first][1] < other[second][1]:
            first += 1
        else:
            second += 1
    return tuple(found)


def difference(one: Ranges, other: Ranges) -> Ranges:
    """Return the ids that are in the first only."""
    return intersection(one, complement(other))


def complement(ranges: Ranges) -> Ranges:
    """Return the ids of 1 and more that are in none of the ranges."""
    found, first = [], 1
    for low, high in ranges:
        if first < low:
            found.append((first, low - 1))
        first = high + 1
    if first <= NO_END:
        found.append((first, NO_END))
    return tuple(found)


def union(one: Ranges, other: Ranges) -> Ranges:
    """Return the ids that are in one of both."""
    return complement(intersection(complement(one), complement(other)))


def without(ranges: Ranges, ids: Iterable[int]) -> Ranges:
    """Return the ranges without some ids."""
    points = tuple((each, each) for each in sorted(set(ids)))
    return difference(ranges, points)


def contains(ranges: Ranges, number: int) -> bool:
    """Return whether an id is in one of the ranges."""
    return any(low <= number <= high for low, high in reversed(ranges))


def fewer(ranges: Sequence[tuple[int, int]], most: int) -> Ranges:
    """Merge ranges until at most `most` are left.

    The ranges with the smallest gaps between them are merged first, so the
    result may contain ids that the original ranges do not.
    """
    if len(ranges) <= most:
        return tuple(ranges)
    gaps = sorted(range(1, len(ranges)), key=lambda index: (
        ranges[index][0] - ranges[index - 1][1]))
    joined = set(gaps[:len(ranges) - most])
    found = [ranges[0]]
    for index in range(1, len(ranges)):
        if index in joined:
            found[-1] = (found[-1][0], ranges[index][1])
        else:
            found.append(ranges[index])
    return tuple(found)
