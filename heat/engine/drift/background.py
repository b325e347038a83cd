"""Carry out a detection in the background, with progress and take-over."""
from collections.abc import Callable, Iterator, Mapping
import datetime
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import drift_words
from heat.common import exception
from heat.common import timeutils
from heat.engine import stack as stack_module
from heat.engine.comparison import live as live_state
from heat.engine.drift import announcement
from heat.engine.drift import pace
from heat.engine.drift import tree
from heat.engine.tasks import scheduler
from heat.objects import drift as drift_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

_Detection = drift_objects.DriftDetection
_Status = drift_words.Status

#: Seconds between two records of the progress.
_RECORD = 1.0
#: Seconds after which other tasks have their turn, and for how long.
_TURN, _PAUSE = 0.1, 0.001
#: What all detections of the engine have read of each region.
_PACE = pace.Pace()


class Detection:
    """The work of a task for one stored detection.

    :param load: returns the stack
    """

    def __init__(self, found: Any, load: Callable[[], Any]) -> None:
        self.found = found
        self._load = load
        self._stack: Any = None
        self._report = tree.Report()
        self._live = live_state.LiveState(self.found.total or 0,
                                          twice=True)
        #: What has been read and waited for.
        self._paid = 0

    def steps(self) -> Iterator[None]:
        """Compare all resources, and yield after each look at one."""
        self._stack = self._load()
        yield from tree.steps(self._report, self._stack, self._live)

    def delay(self) -> float:
        """Return the seconds to wait after a step, for the cloud's sake."""
        reads, self._paid = self._live.reads - self._paid, self._live.reads
        return _PACE.delay(self._stack.context.region_name, reads,
                           cfg.CONF.drift.reads_per_second)

    def examined(self) -> int:
        """Return the number of resources that have been compared."""
        return self._report.examined()

    def outcome(self) -> dict[str, Any]:
        """Return the columns that say what was found."""
        return {'status': _Status.COMPLETE, 'drift': self._report.drift(),
                'counts': self._report.counts,
                'resources': self._report.shown()}

    def announce(self) -> None:
        """Say that the stack has begun to drift, if it has."""
        announcement.finished(self._stack, self.found,
                              self._report.drift(), self._report.counts)


def begin(pool: Any, engine_id: str | None, context: Any, row: Any,
          creator: Mapping[str, Any]) -> Any:
    """Begin to detect the drift of a stack; return the stored detection.

    If one is running already, that is it.

    :param row: the row of the stack
    :param creator: the columns that say who asked for it
    """
    found = _stored(context, engine_id, row, creator)
    if found is None:
        return _Detection.latest(context, row.id)
    _spawn(pool, context, Detection(
        found, lambda: stack_module.Stack.load(context, row.id)))
    return found


def begin_unasked(pool: Any, engine_id: str | None, context: Any, row: Any,
                  unless_since: datetime.datetime) -> None:
    """Begin to detect the drift of a stack with the credentials it has.

    If these are of no use, the detection fails, and is due again later.

    :param context: that of an administrator
    :param unless_since: begin nothing if another detection was begun at or
        after this moment: another engine was faster
    """
    found = _stored(context, engine_id, row, {}, unless_since)
    if found is not None:
        begin_as_stack(pool, context, found)


def _stored(context: Any, engine_id: str | None, row: Any,
            creator: Mapping[str, Any],
            unless_since: datetime.datetime | None = None) -> Any:
    """Store a detection that runs; return it, or None if one does."""
    total = stack_objects.Stack.count_total_resources(
        context, row.id) if row.owner_id is None else 0
    LOG.info('Detecting the drift of stack %s', row.name)
    return _Detection.begin(context, {
        'tenant': row.tenant, 'stack_id': row.id, 'engine_id': engine_id,
        'total': total, **creator}, unless_since)


def begin_as_stack(pool: Any, context: Any, found: Any) -> None:
    """Carry out a stored detection with the credentials of the stack."""
    def load() -> Any:
        return stack_module.Stack.load(context, found.stack_id,
                                       use_stored_context=True)

    _spawn(pool, context, Detection(found, load))


def _spawn(pool: Any, context: Any, detection: Detection) -> None:
    found = detection.found
    pool.spawn(task(context, detection), 'detect drift %s' % found.id)


def task(context: Any, detection: Detection
         ) -> scheduler.TaskGenerator[None]:
    """A task to carry out a stored detection.

    It ends early if another engine has taken the detection over, or the
    stack has been purged.
    """
    found = detection.found

    def write(values: Mapping[str, Any]) -> bool:
        return _Detection.swap(context, found.id,
                               {**values, 'examined': detection.examined()},
                               found.engine_id)

    recorded = turn = timeutils.wallclock()
    try:
        for _step in detection.steps():
            now = timeutils.wallclock()
            if now - recorded > _RECORD:
                recorded = now
                if not write({}):
                    return
            pause = detection.delay()
            if pause or now - turn > _TURN:
                yield max(pause, _PAUSE)
                turn = timeutils.wallclock()
        values = detection.outcome()
    except Exception as error:  # noqa: BLE001 (plugins raise anything)
        LOG.warning('Detecting drift %s failed', found.id, exc_info=True)
        values = failure(exception.text_of(error))
    if write({**values, **ended()}) and (
            values['status'] == _Status.COMPLETE):
        detection.announce()


def ended() -> dict[str, Any]:
    """Return the columns of a detection that does not run any more."""
    return {'running': None, 'engine_id': None,
            'finished_at': timeutils.utcnow()}


def failure(reason: str) -> dict[str, Any]:
    """Return the columns of a detection that has failed."""
    return {'status': _Status.FAILED, 'status_reason': reason}
