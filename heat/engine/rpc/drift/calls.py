"""RPC calls about drift: how a stack differs from its definition."""
import datetime
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import drift_errors
from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import status
from heat.engine.drift import background
from heat.engine.rpc import guards
from heat.objects import drift as drift_objects
from heat.objects import stack as stack_objects

_Detection = drift_objects.DriftDetection
_Schedule = drift_objects.DriftSchedule
_States = status.StackStatus

LOG = logging.getLogger(__name__)


class DriftOperations:
    """Begin and show detections of drift."""

    # What the service has.
    pool: Any
    engine_id: str | None

    @heat_context.request_context
    def detect_stack_drift(self, cnxt: Any, stack_identity: Any) -> Any:
        """Begin to compare a stack with what really exists.

        If that is being done already, it is not begun again.

        :raises NotSupported: the stack is being deleted.
        """
        row = guards.find_stack(cnxt, stack_identity)
        if row.action == _States.DELETE:
            raise exception.NotSupported(feature=_(
                'Detecting the drift of a stack that is being deleted'))
        _Detection.forget(cnxt, row.tenant, row.id,
                          cfg.CONF.drift.retention)
        return _formatted(background.begin(
            self.pool, self.engine_id, cnxt, row,
            {'creator': cnxt.username or cnxt.user_id,
             'creator_id': cnxt.user_id}), row.name, whole=False)

    @heat_context.request_context
    def show_stack_drift(self, cnxt: Any, stack_identity: Any = None,
                         detection_id: str | None = None) -> Any:
        """Return a detection with what was found of each resource.

        :param stack_identity: the stack whose last detection to return
        :param detection_id: the detection to return instead
        :raises DriftDetectionNotFound: there is none.
        """
        if stack_identity is not None:
            named = guards.find_stack(cnxt, stack_identity)
            found = _required(_Detection.latest(cnxt, named.id), named.name)
            return {**_formatted(found, named.name), 'interval':
                    _Schedule.get(cnxt, named.id)}
        found = _Detection.get_by_id(cnxt, detection_id or '')
        if found is not None and found.tenant != cnxt.project_id:
            found = None
        row: Any = None if found is None else stack_objects.Stack.get_by_id(
            cnxt, found.stack_id)
        return _formatted(_required(row and found, detection_id), row.name)

    @heat_context.request_context
    def update_stack_drift(self, cnxt: Any, stack_identity: Any,
                           interval: int | None) -> dict[str, Any]:
        """Set how often engines compare a stack without being asked.

        :param interval: seconds; 0 for never, None for the interval that the
            operator has set
        :raises NotSupported: the stack is nested: it is compared with its
            root.
        """
        row = guards.find_stack(cnxt, stack_identity)
        if row.owner_id is not None:
            raise exception.NotSupported(feature=_(
                'Periodic drift detection for a nested stack, instead of '
                'its root stack,'))
        LOG.info('Interval of the detection of drift of stack %s: %s',
                 row.name, interval)
        _Schedule.set(cnxt, row.id, interval)
        return {'interval': interval}

    # -- what the engine begins by itself -----------------------------------

    def carry_on_detection(self, found: Any) -> None:
        """Carry out a detection that a dead engine has left."""
        background.begin_as_stack(
            self.pool, heat_context.get_admin_context(), found)

    def detect_drift_of(self, stack_id: str, unless_since: datetime.datetime
                        ) -> None:
        """Begin to compare a stack, with the credentials it has stored.

        :param unless_since: leave it if that was begun at or after this
            moment
        """
        admin = heat_context.get_admin_context()
        row: Any = stack_objects.Stack.get_by_id(admin, stack_id)
        if row is None or row.status == _States.IN_PROGRESS:
            return
        _Detection.forget(admin, row.tenant, row.id,
                          cfg.CONF.drift.retention)
        background.begin_unasked(self.pool, self.engine_id, admin, row,
                                 unless_since)


def _required(found: Any, name: str | None) -> Any:
    """Return a detection.

    :raises DriftDetectionNotFound: there is none.
    """
    if found is None:
        raise drift_errors.DriftDetectionNotFound(detection=name)
    return found


def _formatted(found: Any, name: str | None, *, whole: bool = True
               ) -> dict[str, Any]:
    """Return a detection as users see it.

    :param name: that of its stack
    """
    def text(moment: Any) -> str | None:
        return None if moment is None else timeutils.isotime(moment)

    result = {
        'id': found.id, 'stack_id': found.stack_id, 'stack_name': name,
        'status': str(found.status), 'status_reason': found.status_reason,
        'drift': found.drift and str(found.drift),
        'creator': found.creator, 'counts': found.counts or {},
        'creation_time': text(found.created_at),
        'completion_time': text(found.finished_at),
        'progress': {'examined': found.examined, 'total': found.total}}
    if whole:
        known = found.resources or {}
        result.update(resources=known.get('resources', []),
                      left_out=known.get('left_out', 0))
    return result
