"""Judge which engines are gone, so that others may take over their work."""
from collections.abc import Collection
from typing import Any

from oslo_config import cfg

from heat.common import context as heat_context
from heat.common import timeutils as heat_timeutils
from heat.engine.cluster import interface as cluster_interface
from heat.objects import service as service_objects

#: The number of scans in which an engine must be silent to count as dead
#: although its lease still runs.
SILENT_SCANS = 2
#: The number of leases for which an engine that cannot report counts as alive
#: if it answers.
LEASES_TO_GO = 2


class Judge:
    """Tells in one scan which engines are dead, and which are at work.

    :param silent: how often the engines have not answered that did not do
        so in the scan before
    :param leaseless: since when engines have no lease that answer all the
        same
    :ivar silent: the first after this scan
    :ivar leaseless: the second after this scan
    """

    def __init__(self, context: heat_context.RequestContext,
                 engine_context: cluster_interface.EngineContext, alone: bool,
                 silent: dict[str, int], leaseless: dict[str, float]) -> None:
        self._context = context
        self._engine = engine_context
        self._alone = alone
        self._before = silent
        self._leases: set[str] | None = None
        self._answered: dict[str, bool] = {}
        self.silent: dict[str, int] = {}
        self._leaseless_before = leaseless
        self.leaseless: dict[str, float] = {}

    def dead(self, engines: set[Any]) -> set[str]:
        """Return those of the engines that are gone."""
        others = engines - {self._engine.engine_id, None}
        if self._alone:
            return others
        return {engine_id for engine_id in others
                if (self._is_silent(engine_id)
                    if engine_id in self.leases()
                    else self._has_let_go(engine_id))}

    def _has_let_go(self, engine_id: str) -> bool:
        """Return whether an engine without a lease is gone.

        It is asked. An engine that answers may have been unable to report
        for a while; if that lasts, its work makes no progress either. While
        this engine cannot report, the database may accept no reports at all.
        """
        if not self._answers(engine_id):
            return True
        if self._engine.engine_id not in self.leases():
            return False
        now = heat_timeutils.wallclock()
        since = self._leaseless_before.get(engine_id, now)
        self.leaseless[engine_id] = since
        limit: float = LEASES_TO_GO * 2 * cfg.CONF.periodic_interval
        return now - since > limit

    def dead_neighbours(self, known: Collection[str]) -> set[str]:
        """Return the engines behind us in a circle that are gone.

        That is up to the first that answers, which looks after those behind
        it: so each one has somebody to notice when it is gone, and answers
        one question in a scan.

        :param known: those that were found to be gone, and are not asked
            again while they have a lease
        """
        mine = self._engine.engine_id
        gone: set[str] = set()
        if self._alone:
            return gone
        for engine_id in sorted(self.leases() - {mine},
                                key=lambda one: (one < mine, one)):
            if engine_id not in known and self._answers(engine_id):
                break
            if engine_id in known or self._is_silent(engine_id):
                gone.add(engine_id)
        return gone

    def is_at_work(self, engine_id: str) -> bool:
        """Return whether another engine is there to do what it has begun."""
        return (engine_id not in (self._engine.engine_id, None) and
                not self._alone and engine_id in self.leases() and
                self._answers(engine_id))

    def leases(self) -> set[str]:
        """Return the engines that have reported of late; read once."""
        if self._leases is None:
            self._leases = service_objects.Service.alive_engines(
                self._context)
        return self._leases

    def _answers(self, engine_id: str) -> bool:
        """Return whether an engine answers; it is asked once."""
        if engine_id not in self._answered:
            answers = self._engine.answers(self._context, engine_id)
            self._answered[engine_id] = answers
            if not answers:
                self.silent[engine_id] = self._before.get(engine_id, 0) + 1
        return self._answered[engine_id]

    def _is_silent(self, engine_id: str) -> bool:
        """Return whether an engine has failed to answer several times."""
        return (not self._answers(engine_id) and
                self.silent[engine_id] >= SILENT_SCANS)
