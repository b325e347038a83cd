import pytest

from heat.scaling import scalingutil as su

CHANGE, EXACT, PERCENT = (su.CHANGE_IN_CAPACITY, su.EXACT_CAPACITY,
                          su.PERCENT_CHANGE_IN_CAPACITY)


@pytest.mark.parametrize(('current', 'adjustment', 'kind', 'step',
                          'bounds', 'expected'), [
    (2, 1, CHANGE, None, (0, 9), 3),
    (2, -1, su.CFN_CHANGE_IN_CAPACITY, None, (0, 9), 1),
    (2, 5, EXACT, None, (0, 9), 5),
    (2, 5, su.CFN_EXACT_CAPACITY, None, (0, 4), 4),
    (2, -5, CHANGE, None, (1, 4), 1),
    (4, 50, PERCENT, None, (0, 9), 6),
    (4, -50, su.CFN_PERCENT_CHANGE_IN_CAPACITY, None, (0, 9), 2),
    # Less than one member is one member.
    (4, 10, PERCENT, None, (0, 9), 5),
    (4, -10, PERCENT, None, (0, 9), 3),
    # More than one is rounded towards nothing.
    (7, 20, PERCENT, None, (0, 9), 8),
    (7, -20, PERCENT, None, (0, 9), 6),
    (4, 10, PERCENT, 2, (0, 9), 6),
    (4, -10, PERCENT, 2, (0, 9), 2),
    (4, 10, PERCENT, 9, (0, 9), 9),
])
def test_new_capacity(current, adjustment, kind, step, bounds, expected):
    assert su.calculate_new_capacity(
        current, adjustment, kind, step, *bounds) == expected
