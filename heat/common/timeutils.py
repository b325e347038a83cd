"""Clocks, pauses and durations.

Everything that waits or measures goes through here, so that tests can move
time instead of spending it.
"""
import datetime
import random
import re
import time

from oslo_utils import timeutils

from heat.common.i18n import _

_ISO_DURATION = re.compile(r'^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?\Z')


class _Clock:
    """The time of this host until it follows a clock that hosts share."""

    def __init__(self) -> None:
        #: A moment by the shared clock, and when it was here.
        self._shared: tuple[datetime.datetime, float] | None = None

    def utcnow(self) -> datetime.datetime:
        shared = self._shared
        if shared is None:
            return timeutils.utcnow()
        moment, reading = shared
        return moment + datetime.timedelta(seconds=wallclock() - reading)

    def follow(self, moment: datetime.datetime | None, reading: float
               ) -> None:
        self._shared = None if moment is None else (moment, reading)


_clock = _Clock()


def utcnow() -> datetime.datetime:
    """Return the date and time in UTC, without a zone.

    In an engine this is the time of the database, counted on by a steady
    clock: what one host writes another one compares with its own time, and
    the clock of either may be wrong, or be set.
    """
    return _clock.utcnow()


def follow(moment: datetime.datetime | None, reading: float = 0) -> None:
    """Take the time from a clock that all hosts share.

    :param moment: what time it was; None to use the clock of this host
    :param reading: the reading of wallclock() at that moment
    """
    _clock.follow(moment, reading)


def wallclock() -> float:
    """Return the reading of a steady clock in seconds, to measure with.

    Its zero is arbitrary; setting the machine's time does not touch it.
    """
    return time.monotonic()


def epoch(moment: datetime.datetime | None = None) -> float:
    """Return a time, by default now, as it may be noted for others.

    Seconds since 1970, the same on all hosts.
    """
    if moment is None:
        return time.time()
    return moment.replace(tzinfo=datetime.UTC).timestamp()


def sleep(seconds: float) -> None:
    """Pause this thread."""
    time.sleep(seconds)


class Duration:
    """A span of time that begins now and expires after timeout seconds."""

    def __init__(self, timeout: float = 0):
        self._endtime = wallclock() + timeout

    def expired(self) -> bool:
        """Return True once the time is over."""
        return wallclock() > self._endtime

    def endtime(self) -> float:
        """Return the reading of wallclock() at which this expires."""
        return self._endtime

    def remaining(self) -> float:
        """Return the seconds left, never less than none."""
        return max(0.0, self._endtime - wallclock())


def parse_isoduration(duration: str) -> int:
    """Return the seconds of an ISO 8601 duration like PT1H30M15S."""
    match = _ISO_DURATION.match(duration)
    if not match or not any(match.groups()):
        raise ValueError(
            _('"%s" is no duration of the form PT#H#M#S, for example '
              'PT1H30M.') % duration)
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds


def retry_backoff_delay(attempt: int, scale_factor: float = 1.0,
                        jitter_max: float = 0.0) -> float:
    """Return the seconds to wait before a retry: exponential, with jitter.

    :param attempt: how many attempts failed before; the first retry is 1.
    """
    delay = float(2 ** attempt) * scale_factor
    if jitter_max:
        delay += random.uniform(0.0, jitter_max)
    return delay


def round_to_seconds(moment: datetime.datetime) -> datetime.datetime:
    """Return the moment at the nearest whole second.

    MySQL rounds when it stores; this makes what we hold equal to it.
    """
    rounded = moment.replace(microsecond=0)
    if moment.microsecond >= 500000:
        rounded += datetime.timedelta(seconds=1)
    return rounded


def parse_isotime(text: str) -> datetime.datetime:
    """Return the moment that a text states, in UTC without a zone."""
    return timeutils.normalize_time(timeutils.parse_isotime(text))


def isotime(moment: datetime.datetime | None = None) -> str:
    """Return a UTC moment, by default now, as 2026-01-31T12:00:00Z."""
    if moment is None:
        moment = utcnow()
    offset = moment.utcoffset()
    if offset is not None:
        moment = moment.replace(tzinfo=None) - offset
    return moment.isoformat(timespec='seconds') + 'Z'
