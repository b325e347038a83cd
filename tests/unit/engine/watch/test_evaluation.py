"""Which state follows from the statistics of the periods of a rule."""
import itertools

import pytest

from heat.common import watch_words as words
from heat.engine.watch import evaluation
from heat.objects import watch_data

State = words.State


def found(*values):
    """Return statistics of periods, the latest first; None has no data."""
    return [watch_data.Statistics(place, 2, value * 2, value - 1, value + 1)
            for place, value in enumerate(values) if value is not None]


def state(values, current=State.NODATA, periods=2, **definition):
    return evaluation.judge(
        {'statistic': words.AVERAGE, 'comparison': words.GREATER,
         'threshold': 5, **definition}, periods, current, found(*values)).state


@pytest.mark.parametrize(('values', 'wanted'), [
    ((), State.NODATA), ((None, None, None), State.NODATA),
    ((6, 6, 1), State.ALARM), ((6, 1, 6), State.NORMAL),
    ((1, 6, 6), State.NORMAL), ((5, 6, 6), State.NORMAL),
    # Data of the latest period may be late.
    ((None, 6, 6), State.ALARM), ((None, 6, 1), State.NORMAL),
    ((6, None, 6), State.ALARM), ((1, None, None), State.NORMAL),
])
def test_state_follows_from_values(values, wanted):
    for current in (State.NODATA, State.NORMAL, State.ALARM):
        assert state(values, current) == wanted


@pytest.mark.parametrize('current',
                         [State.NODATA, State.NORMAL, State.ALARM])
def test_too_few_periods_change_nothing(current):
    assert state((6, None, None), current) == current
    assert state((None, None, 6), current) == current


@pytest.mark.parametrize(('comparison', 'crossed'), [
    (words.GREATER, (6,)), (words.GREATER_OR_EQUAL, (5, 6)),
    (words.LESS, (4,)), (words.LESS_OR_EQUAL, (4, 5))])
def test_comparisons(comparison, crossed):
    assert {value for value in (4, 5, 6)
            if state((value,), periods=1, comparison=comparison)
            == State.ALARM} == set(crossed)


@pytest.mark.parametrize(('statistic', 'value'), [
    (words.SAMPLE_COUNT, 2), (words.AVERAGE, 7), (words.SUM, 14),
    (words.MINIMUM, 6), (words.MAXIMUM, 8)])
def test_statistics(statistic, value):
    assert evaluation.value_of(statistic, found(7)[0]) == value
    assert evaluation.judge(
        {'statistic': statistic, 'comparison': words.LESS, 'threshold': 99},
        1, State.NODATA, found(7)).values == (value,)


def test_an_alarm_needs_data_that_cross_the_threshold():
    for values in itertools.product((None, 1, 6), repeat=4):
        for current in (State.NODATA, State.NORMAL):
            wanted = [value for value in values if value is not None][:3]
            got = state(values, current, periods=3)
            assert (got == State.ALARM) == (wanted == [6, 6, 6])
            assert (got == State.NODATA and current == State.NORMAL
                    ) == (not wanted and current == State.NORMAL)
