import pytest

from heat.scaling import rolling_update


def batches(target, current, size, in_service):
    """Walk the batches as a group does; return them."""
    updated, seen = 0, []
    while rolling_update.needs_update(target, current, updated):
        capacity, new = rolling_update.next_batch(
            target, current, updated, size, in_service)
        seen.append((capacity, new))
        updated += new - max(capacity - max(current, target), 0)
        current = capacity
        assert len(seen) < 50
    return seen


@pytest.mark.parametrize(('arguments', 'expected'), [
    # target, current, batch size, minimum in service
    ((4, 4, 2, 0), [(4, 2), (4, 2)]),
    ((4, 4, 3, 0), [(4, 3), (4, 1)]),
    ((4, 4, 1, 3), [(4, 1)] * 4),
    # The minimum can only be kept with members beyond the target.
    ((4, 4, 1, 4), [(5, 1), (5, 1), (5, 1), (5, 1), (5, 1), (4, 0)]),
    ((4, 0, 2, 0), [(2, 2), (4, 2)]),
    ((4, 2, 2, 0), [(4, 2), (4, 2)]),
    ((2, 4, 1, 0), [(2, 1), (2, 1)]),
    ((0, 3, 1, 0), [(0, 0)]),
    ((3, 3, 10, 0), [(3, 3)]),
])
def test_batches(arguments, expected):
    assert batches(*arguments) == expected


def test_in_service_is_never_below_the_minimum():
    for target in range(6):
        for current in range(6):
            for size in range(1, 4):
                for minimum in range(6):
                    wanted = min(minimum, target, current)
                    for capacity, new in batches(target, current, size,
                                                 minimum):
                        assert capacity - new >= min(wanted, capacity)


def test_what_is_up_to_date_needs_nothing():
    assert not rolling_update.needs_update(3, 3, 3)
    assert rolling_update.needs_update(3, 4, 4)
    assert rolling_update.needs_update(3, 3, 2)
