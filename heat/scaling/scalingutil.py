"""The size of a scaling group after an adjustment."""
import math

from oslo_log import log as logging

LOG = logging.getLogger(__name__)

(
    CFN_EXACT_CAPACITY,
    CFN_CHANGE_IN_CAPACITY,
    CFN_PERCENT_CHANGE_IN_CAPACITY,
) = (
    'ExactCapacity',
    'ChangeInCapacity',
    'PercentChangeInCapacity',
)

(
    EXACT_CAPACITY,
    CHANGE_IN_CAPACITY,
    PERCENT_CHANGE_IN_CAPACITY,
) = (
    'exact_capacity',
    'change_in_capacity',
    'percent_change_in_capacity',
)


def calculate_new_capacity(current, adjustment, adjustment_type,
                           min_adjustment_step, minimum, maximum):
    """Return the size of a group after an adjustment.

    :param min_adjustment_step: least change of a change in per cent.
    """
    if adjustment_type in (CFN_CHANGE_IN_CAPACITY, CHANGE_IN_CAPACITY):
        wanted = current + adjustment
    elif adjustment_type in (CFN_EXACT_CAPACITY, EXACT_CAPACITY):
        wanted = adjustment
    else:
        wanted = current + _step_of_percentage(current, adjustment,
                                               min_adjustment_step)
    capacity = min(max(wanted, minimum), maximum)
    if capacity != wanted:
        LOG.debug('A size of %(wanted)d is out of bounds, it becomes '
                  '%(capacity)d', {'wanted': wanted, 'capacity': capacity})
    return capacity


def _step_of_percentage(current, percentage, min_step):
    """Return a change of at least one member, in the right direction."""
    exact = current * percentage / 100.0
    if abs(exact) < 1.0:
        step = math.ceil(exact) if exact > 0.0 else math.floor(exact)
    else:
        step = math.trunc(exact)
    if min_step and abs(step) < min_step:
        step = min_step if percentage > 0 else -min_step
    return step
