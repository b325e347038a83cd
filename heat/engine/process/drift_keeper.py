"""Carry on detections of drift whose engine has died; begin those due."""
from collections.abc import Callable
import datetime
from typing import Any, Protocol

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import status
from heat.engine.cluster import interface as cluster_interface
from heat.engine.process import orphaned_work
from heat.objects import drift as drift_objects

LOG = logging.getLogger(__name__)

_Detection = drift_objects.DriftDetection
_Schedule = drift_objects.DriftSchedule
_Status = drift_objects.Status
_COMPLETE = status.StackStatus.COMPLETE

#: Parts of the interval between two looks for what is due.
_LOOKS = 10
#: Seconds between two looks for what is due by a schedule of its own.
_PAUSE = 30.0


class Detector(Protocol):
    """Carries detections out."""

    def carry_on_detection(self, found: Any) -> None:
        """Carry out a stored detection that is ours."""

    def detect_drift_of(self, stack_id: str, unless_since: datetime.datetime
                        ) -> None:
        """Begin to compare a stack unless it was since this moment."""


class DriftKeeper(orphaned_work.OrphanedWork):
    """Looks for detections that nobody carries out, and for stacks due.

    An engine that is already about its share leaves what is due to others.
    Two of them cannot compare a stack at the same time.

    :param alone: whether no other engine can be alive
    """

    name = 'heat-drift-keeper'
    failure = 'Looking for detections of drift to carry out failed'
    taking_over = 'Taking over the detection of drift %s'

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 detector: Detector, *, alone: bool = False) -> None:
        super().__init__(engine_context, alone=alone)
        self._detector = detector
        #: {what was looked for: when}
        self._looked: dict[str, float] = {}

    def run_once(self) -> None:
        """Take over what dead engines have left; begin what is due."""
        context = heat_context.get_admin_context()
        found = _Detection.in_progress(context)
        self._take_over_from_dead(context, found)
        interval = cfg.CONF.drift.interval
        if interval and self._may_look('interval', interval / _LOOKS):
            self._begin_due(context, found, lambda room: _Detection.due(
                context, _COMPLETE, interval, room))
        if self._may_look('schedules', _PAUSE):
            self._begin_due(context, found, lambda room: _Schedule.due(
                context, _COMPLETE, room))

    def _swap(self, context: Any, found: Any, values: dict[str, Any]) -> bool:
        return _Detection.swap(context, found.id, values, found.engine_id)

    def _failure(self) -> dict[str, Any]:
        return {'engine_id': None, 'running': None,
                'finished_at': timeutils.utcnow(), 'status': _Status.FAILED,
                'status_reason': _(
                    '%d engines stopped while running it')
                % orphaned_work.ATTEMPTS}

    def _carry_on(self, context: Any, found: Any) -> None:
        self._detector.carry_on_detection(
            _Detection.get_by_id(context, found.id))

    # -- what is due --------------------------------------------------------

    def _may_look(self, what: str, pause: float) -> bool:
        """Return whether a pause has passed since the last look."""
        now, before = timeutils.wallclock(), self._looked.get(what)
        if before is not None and 0 <= now - before < pause:
            return False
        self._looked[what] = now
        return True

    def _begin_due(self, context: Any, found: list[Any],
                   due: Callable[[int], list[tuple[str, datetime.datetime]]]
                   ) -> None:
        """Begin what is due, as far as there is room.

        :param due: returns at most a number of stacks: their ids, and the
            moments since which they have not been compared
        """
        ours = sum(each.engine_id == self._engine.engine_id and
                   each.creator_id is None for each in found)
        room = cfg.CONF.drift.at_once - ours
        if room <= 0:
            return
        for stack_id, since in due(room):
            try:
                self._detector.detect_drift_of(stack_id, since)
            except Exception as error:  # noqa: BLE001
                # Another stack may be well.
                LOG.warning('The drift of stack %s cannot be detected: %s',
                            stack_id, error)
