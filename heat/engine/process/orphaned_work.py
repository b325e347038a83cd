"""Take over stored work whose engine has died."""
import abc
from collections.abc import Sequence
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.engine.cluster import interface as cluster_interface
from heat.engine.cluster import judge
from heat.engine.tasks import periodic

LOG = logging.getLogger(__name__)

#: The number of engines that may die of one piece of work.
ATTEMPTS = 3


class OrphanedWork(periodic.Periodic):
    """Looks for records of work that no engine carries out any more.

    A record has an id, an engine_id and a number of attempts. The task that
    carries it out has a name that ends with the id.

    :param alone: whether no other engine can be alive
    """

    at_once = True
    #: The log message for a record that is taken over; it takes an id.
    taking_over: str

    def __init__(self, engine_context: cluster_interface.EngineContext, *,
                 alone: bool = False) -> None:
        super().__init__()
        self._engine = engine_context
        self._alone = alone
        self._silent: dict[str, int] = {}
        self._leaseless: dict[str, float] = {}
        #: The ids of our records that had no task at the last look.
        self._without_task: set[str] = set()

    def interval(self) -> float:
        """Return the seconds between two looks."""
        seconds: float = cfg.CONF.convergence_scan_interval
        return seconds

    @abc.abstractmethod
    def _swap(self, context: Any, found: Any, values: dict[str, Any]) -> bool:
        """Write values to a record if its engine still has it."""

    @abc.abstractmethod
    def _failure(self) -> dict[str, Any]:
        """Return the columns of a record that too many engines died of."""

    @abc.abstractmethod
    def _carry_on(self, context: Any, found: Any) -> None:
        """Begin to carry out a record that is ours."""

    def _take_over_from_dead(self, context: Any, found: Sequence[Any]
                             ) -> None:
        """Take over the records of dead engines.

        Records of this engine that have no task are begun, too.
        """
        self._begin_own(context, found)
        if not found:
            return
        known = judge.Judge(context, self._engine, self._alone,
                            self._silent, self._leaseless)
        dead = known.dead({each.engine_id for each in found})
        self._silent, self._leaseless = known.silent, known.leaseless
        for each in found:
            if each.engine_id in dead:
                self._take_over(context, each)

    def _take_over(self, context: Any, found: Any) -> None:
        attempts = (found.attempts or 0) + 1
        is_last = attempts >= ATTEMPTS
        values = self._failure() if is_last else {
            'engine_id': self._engine.engine_id, 'attempts': attempts}
        if self._swap(context, found, values) and not is_last:
            LOG.info(self.taking_over, found.id)
            self._begin(context, found)

    def _begin(self, context: Any, found: Any) -> None:
        try:
            self._carry_on(context, found)
        except Exception:  # noqa: BLE001 (other records may be well)
            # It has no task now, so a later look begins it.
            LOG.warning('Record %s cannot be carried on yet', found.id,
                        exc_info=True)

    def _begin_own(self, context: Any, found: Sequence[Any]) -> None:
        """Begin records of this engine that it does not carry out.

        A commit whose answer is lost stores a record although the request
        fails; and what is taken over may not have begun. One look is not
        enough: a request stores its record before it begins the task.
        """
        mine = [each for each in found
                if each.engine_id == self._engine.engine_id]
        names = [task.name for task in self._engine.pool.active()
                 ] if mine else []
        left = [each for each in mine
                if not any(name.endswith(each.id) for name in names)]
        for each in left:
            if each.id in self._without_task:
                LOG.info('Beginning record %s, which has no task', each.id)
                self._begin(context, each)
        self._without_task = {each.id for each in left}
