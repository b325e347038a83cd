"""The words of watch rules, as the APIs, the engine and types use them."""
import enum
from typing import Any

STATISTICS = (
    SAMPLE_COUNT, AVERAGE, SUM, MINIMUM, MAXIMUM,
) = (
    'SampleCount', 'Average', 'Sum', 'Minimum', 'Maximum',
)
COMPARISONS = (
    GREATER_OR_EQUAL, GREATER, LESS, LESS_OR_EQUAL,
) = (
    'GreaterThanOrEqualToThreshold', 'GreaterThanThreshold',
    'LessThanThreshold', 'LessThanOrEqualToThreshold',
)
_SIZES = ('Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes',
          'Bits', 'Kilobits', 'Megabits', 'Gigabits', 'Terabits')
UNITS = ('Seconds', 'Microseconds', 'Milliseconds', *_SIZES, 'Percent',
         'Count', *(f'{unit}/Second' for unit in (*_SIZES, 'Count')), 'None')

#: Most characters of a namespace, a name of a metric or a dimension, and of
#: the value of a dimension; most dimensions of a metric. As AWS has them.
NAME_MAX, VALUE_MAX, DIMENSIONS_MAX = 255, 1024, 30
#: Most characters of a description, and of the reason of a state.
DESCRIPTION_MAX, REASON_MAX = 1024, 1023
#: Most seconds that the periods of a rule cover together.
WINDOW_MAX = 86400
PERIODS_MAX = 100
#: Seconds from one evaluation of a rule to the next, at most.
INTERVAL_MAX = 60
ACTIONS_MAX = 5

#: Numbers that are neither zero nor between these bounds are refused.
LEAST, GREATEST = 2.0 ** -360, 2.0 ** 360


class State(enum.StrEnum):
    """The states of a rule."""

    NORMAL = 'NORMAL'           # the threshold is not crossed
    ALARM = 'ALARM'             # it was, in all periods that count
    NODATA = 'NODATA'           # there are no data to compare
    SUSPENDED = 'SUSPENDED'     # the rule is not evaluated


class Kind(enum.StrEnum):
    """The kinds of entries in the history of a rule."""

    CONFIGURATION = 'ConfigurationUpdate'
    STATE = 'StateUpdate'
    ACTION = 'Action'


def is_text(value: Any, most: int) -> bool:
    """Return whether a value is a text of ASCII characters to be shown.

    :param most: the most characters it may have; one it has at least
    """
    return (isinstance(value, str) and 0 < len(value) <= most and
            value.isascii() and value.isprintable() and bool(value.strip()))


def is_storable(number: float) -> bool:
    """Return whether a number is finite and in the range of metrics."""
    return number == 0 or LEAST <= abs(number) <= GREATEST
