"""Figures of an engine process since it started.

They are the values at /metrics, summed over labels, for this process alone.
"""
import dataclasses
import os
import pathlib
import time
from typing import Any

from heat.common import metrics
from heat.engine.lifecycle import record
from heat.objects import transaction

_MEMORY = pathlib.Path('/proc/self/statm')
#: Results of actions; CANCELLED counts as neither.
_DONE = (record.Outcome.COMPLETE, record.Outcome.REPLACED)
_FAILED = (record.Outcome.FAILED, record.TIMED_OUT)


@dataclasses.dataclass(frozen=True, slots=True)
class Figures:
    """The main figures of a process, for an overview."""

    #: Resource actions that succeeded; REPLACED is a success.
    actions_done: int
    #: Resource actions that failed or timed out.
    actions_failed: int
    #: Resource actions that ended per second, within the last minute.
    actions_per_second: float
    #: Mean time of an action; None before the first has ended.
    action_seconds: float | None
    sql_statements: int
    #: Requests to cloud services, not counting repetitions.
    cloud_requests: int
    #: Requests that got no answer or a server error.
    cloud_requests_failed: int
    cpu_seconds: float
    #: Resident memory; None on systems that do not report it.
    memory_bytes: int | None


def current() -> Figures:
    """Return the figures of this process."""
    ended = _total(metrics.ACTION_SECONDS, '_count')
    seconds = _total(metrics.ACTION_SECONDS, '_sum')
    return Figures(
        actions_done=sum(map(_actions, _DONE)),
        actions_failed=sum(map(_actions, _FAILED)),
        actions_per_second=round(metrics.RECENT_ACTIONS.per_second(), 3),
        action_seconds=round(seconds / ended, 3) if ended else None,
        sql_statements=transaction.counters()['statements'],
        cloud_requests=int(_total(metrics.CLOUD_REQUESTS, '_total')),
        cloud_requests_failed=int(_total(
            metrics.CLOUD_REQUESTS, '_total', outcome=metrics.ERROR)),
        cpu_seconds=round(time.process_time(), 2),
        memory_bytes=_resident_memory())


def _actions(result: str) -> int:
    return int(_total(metrics.ACTIONS, '_total', result=str(result)))


def _total(metric: Any, suffix: str, **labels: str) -> float:
    """Return the sum of the series of a metric that have certain labels."""
    return sum(
        (sample.value for family in metric.collect()
         for sample in family.samples
         if sample.name.endswith(suffix) and
         labels.items() <= sample.labels.items()), 0.0)


def _resident_memory() -> int | None:
    """Return the bytes of memory that this process occupies."""
    try:
        pages = int(_MEMORY.read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf('SC_PAGE_SIZE')
