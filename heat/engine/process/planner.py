"""Plan change sets whose engine has died."""
from collections.abc import Callable
from typing import Any

from heat.common import context as heat_context
from heat.common.i18n import _
from heat.engine.cluster import interface as cluster_interface
from heat.engine.process import orphaned_work
from heat.objects import change_set as change_set_objects

_Set = change_set_objects.ChangeSet
_Status = change_set_objects.Status


class Planner(orphaned_work.OrphanedWork):
    """Looks for change sets that nobody plans any more.

    :param plan_again: begins to plan a change set that is ours
    :param alone: whether no other engine can be alive
    """

    name = 'heat-planner'
    failure = 'Looking for change sets that nobody plans failed'
    taking_over = 'Taking over the planning of change set %s'

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 plan_again: Callable[[Any], None], *, alone: bool = False
                 ) -> None:
        super().__init__(engine_context, alone=alone)
        self._plan_again = plan_again

    def run_once(self) -> None:
        """Take over what dead engines have left."""
        context = heat_context.get_admin_context()
        self._take_over_from_dead(context, _Set.in_progress(context))

    def _swap(self, context: Any, found: Any, values: dict[str, Any]) -> bool:
        return _Set.swap(context, found.id, _Status.CREATE_IN_PROGRESS,
                         values, found.engine_id)

    def _failure(self) -> dict[str, Any]:
        return {'engine_id': None, 'status': _Status.FAILED,
                'status_reason': _(
                    '%d engines stopped while planning it')
                % orphaned_work.ATTEMPTS}

    def _carry_on(self, context: Any, found: Any) -> None:
        self._plan_again(_Set.get_by_id(context, found.id))
