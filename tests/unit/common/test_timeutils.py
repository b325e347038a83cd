"""Clocks and durations."""
import datetime

import pytest

from heat.common import timeutils


@pytest.mark.parametrize(('text', 'seconds'), [
    ('PT1H', 3600), ('PT30M', 1800), ('PT5S', 5), ('PT1H2M3S', 3723),
    ('PT90M', 5400)])
def test_durations(text, seconds):
    assert timeutils.parse_isoduration(text) == seconds


@pytest.mark.parametrize('text', ['', 'PT', 'P1D', '5', 'PT1.5H', 'pt1h',
                                  'PT1H\n'])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match='PT#H#M#S'):
        timeutils.parse_isoduration(text)


def test_duration_expires(monkeypatch):
    now = 100.0
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now)
    duration = timeutils.Duration(10)
    assert not duration.expired()
    assert duration.endtime() == 110
    now = 109.0
    assert duration.remaining() == 1
    now = 110.5
    assert duration.expired()
    assert duration.remaining() == 0


@pytest.mark.parametrize(('attempt', 'scale', 'delay'), [
    (1, 1.0, 2.0), (3, 1.0, 8.0), (2, 0.5, 2.0), (0, 1.0, 1.0)])
def test_back_off_doubles(attempt, scale, delay):
    assert timeutils.retry_backoff_delay(attempt, scale) == delay


def test_back_off_has_jitter():
    for _attempt in range(20):
        delay = timeutils.retry_backoff_delay(1, 1.0, 2.0)
        assert 2.0 <= delay <= 4.0


def test_rounding_to_seconds():
    moment = datetime.datetime(2026, 1, 31, 23, 59, 59, 500000)
    assert timeutils.round_to_seconds(moment) == datetime.datetime(
        2026, 2, 1)
    assert timeutils.round_to_seconds(
        moment.replace(microsecond=499999)).second == 59


def test_isotime():
    moment = datetime.datetime(2026, 1, 31, 12, 0, 5, 7)
    assert timeutils.isotime(moment) == '2026-01-31T12:00:05Z'
    zone = datetime.timezone(datetime.timedelta(hours=2))
    assert timeutils.isotime(moment.replace(tzinfo=zone)) == (
        '2026-01-31T10:00:05Z')
    assert timeutils.isotime().endswith('Z')


def test_isotime_is_read():
    moment = datetime.datetime(2026, 1, 31, 12, 0, 5)
    assert timeutils.parse_isotime('2026-01-31T12:00:05Z') == moment
    assert timeutils.parse_isotime('2026-01-31T14:00:05+02:00') == moment
    with pytest.raises(ValueError, match='.'):
        timeutils.parse_isotime('yesterday')


def test_clocks_run():
    before = timeutils.wallclock()
    timeutils.sleep(0)
    assert timeutils.wallclock() >= before
    assert timeutils.utcnow().tzinfo is None
