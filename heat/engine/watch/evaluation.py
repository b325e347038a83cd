"""Which state a rule takes, by the statistics of its periods."""
from collections.abc import Callable, Iterable, Mapping
import dataclasses
import operator
from typing import Any

from heat.common import watch_words as words

State = words.State

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    words.GREATER_OR_EQUAL: operator.ge,
    words.GREATER: operator.gt,
    words.LESS: operator.lt,
    words.LESS_OR_EQUAL: operator.le,
}
_VALUE: dict[str, Callable[[Any], float]] = {
    words.SAMPLE_COUNT: lambda found: found.samples,
    words.AVERAGE: lambda found: found.total / found.samples,
    words.SUM: lambda found: found.total,
    words.MINIMUM: lambda found: found.least,
    words.MAXIMUM: lambda found: found.greatest,
}
#: What users read about a state.
REASONS = {
    State.NORMAL: 'The threshold was not crossed in all of the latest '
                  'evaluation periods.',
    State.ALARM: 'The threshold was crossed in all of the latest evaluation '
                 'periods.',
    State.NODATA: 'There are no data in the latest evaluation periods.',
}


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """The state of a rule, and the values it follows from, latest first."""

    state: State
    values: tuple[float, ...]


def value_of(statistic: str, found: Any) -> float:
    """Return the statistic of that name."""
    return _VALUE[statistic](found)


def judge(definition: Mapping[str, Any], periods: int, current: str,
          found: Iterable[Any]) -> Verdict:
    """Return the state that a rule takes.

    The latest periods that have data are compared, as many as the rule asks
    for. Those that were looked up are one more, so that data which are late
    by less than a period do not change the state. If fewer have data and all
    of them cross the threshold, the state stays: it takes all periods to
    raise an alarm.

    :param definition: with statistic, comparison and threshold
    :param periods: the number of periods to compare
    :param current: the state that the rule has
    :param found: the statistics by place; place 0 is the latest period
    """
    latest = sorted(found, key=lambda each: each.place)[:periods]
    values = tuple(value_of(definition['statistic'], each)
                   for each in latest)
    if not values:
        return Verdict(State.NODATA, values)
    compare = _COMPARE[definition['comparison']]
    if not all(compare(value, definition['threshold']) for value in values):
        return Verdict(State.NORMAL, values)
    if len(values) == periods or current == State.ALARM:
        return Verdict(State.ALARM, values)
    return Verdict(State.NODATA if current == State.NODATA
                   else State.NORMAL, values)
