"""Plan large trees in the background, with progress and take-over."""
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from oslo_log import log as logging

from heat.common import exception
from heat.common import timeutils
from heat.engine.tasks import scheduler
from heat.objects import change_set as change_set_objects

LOG = logging.getLogger(__name__)

_Set = change_set_objects.ChangeSet
_Status = change_set_objects.Status

#: Seconds between two records of the progress.
_RECORD = 1.0
#: Seconds after which other tasks have their turn, and for how long.
_TURN, _PAUSE = 0.1, 0.001


def plan_task(context: Any, change_set_id: str, engine_id: str,
              steps: Iterator[None], outcome: Callable[[], Mapping[str, Any]]
              ) -> scheduler.TaskGenerator[None]:
    """A task to plan what a stored change set is about.

    It ends early if the change set is deleted, or another engine has taken
    it over.

    :param steps: planning, which yields after each resource
    :param outcome: returns the columns to be stored when it is done
    """
    def write(values: Mapping[str, Any]) -> bool:
        return _Set.swap(context, change_set_id, _Status.CREATE_IN_PROGRESS,
                         values, engine_id)

    planned, recorded, turn = 0, timeutils.wallclock(), timeutils.wallclock()
    try:
        for _step in steps:
            planned, now = planned + 1, timeutils.wallclock()
            if now - recorded > _RECORD:
                recorded = now
                if not write({'planned': planned}):
                    return
            if now - turn > _TURN:
                yield _PAUSE
                turn = timeutils.wallclock()
        values = {**outcome(), 'planned': planned}
    except Exception as error:  # noqa: BLE001 (plugins raise anything)
        LOG.warning('Planning change set %s failed', change_set_id,
                    exc_info=True)
        values = failure(exception.text_of(error))
    write({**values, 'engine_id': None})


def failure(reason: str) -> dict[str, Any]:
    """Return the columns of a change set that cannot be planned."""
    return {'status': _Status.FAILED, 'status_reason': reason}
