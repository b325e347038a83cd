"""The row that says an engine is alive, and the clean-up of old ones."""
from collections.abc import Callable
import os
import socket
from typing import Any
import uuid

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import outage
from heat.common import timeutils as heat_timeutils
from heat.engine.tasks import periodic
from heat.objects import service as service_objects

LOG = logging.getLogger(__name__)

#: Rows of services that have not reported for this many intervals go away.
FORGET_AFTER = 10
#: Seconds for which one report waits for a database that is away.
_PATIENCE = 2


class Heartbeat(periodic.Periodic):
    """Reports an engine to the database as long as it lives.

    Each report also tells what time it is.

    :param is_well: returns whether the engine makes progress; otherwise it
        is not reported, and others take over what it holds
    """

    name = 'heat-heartbeat'
    failure = 'The database does not take our heartbeat'
    retry_after = 1

    def __init__(self, engine_id: str, host: str, topic: str,
                 alone: bool = False,
                 is_well: Callable[[], bool] = lambda: True) -> None:
        super().__init__()
        self._engine_id = engine_id
        self._host = host
        self._topic = topic
        self._alone = alone
        self._is_well = is_well
        self._row_id: Any = None

    def start(self) -> None:
        """Write our row, then keep it fresh from a thread."""
        self._register()
        super().start()

    def stop(self) -> None:
        """Stop reporting and take our row away."""
        super().stop()
        heat_timeutils.follow(None)
        if self._row_id is None:
            return
        try:
            service_objects.Service.delete(self._context(), self._row_id)
        except Exception:  # noqa: BLE001 (others see that we fell silent)
            LOG.warning('The row of this engine could not be deleted')

    @staticmethod
    def _context() -> heat_context.RequestContext:
        context: heat_context.RequestContext = (
            heat_context.get_admin_context())
        return context

    def _register(self) -> None:
        if self._alone:
            # Rows of processes that did not come to remove them.
            for row in service_objects.Service.get_all(self._context()):
                service_objects.Service.delete(self._context(), row.id)
        row = service_objects.Service.create(self._context(), {
            'id': str(uuid.uuid4()),
            'host': self._host,
            'hostname': socket.gethostname(),
            'binary': 'heat-engine',
            'engine_id': self._engine_id,
            'topic': self._topic,
            'report_interval': cfg.CONF.periodic_interval,
        })
        self._row_id = row.id
        heat_timeutils.follow(row.read_at, heat_timeutils.wallclock())
        LOG.debug('Engine %s (process %s) is service %s', self._engine_id,
                  os.getpid(), row.id)

    def interval(self) -> float:
        """Return the seconds between two reports."""
        seconds: float = cfg.CONF.periodic_interval
        return seconds

    def run_once(self) -> None:
        """Refresh our row; forget services that are long gone."""
        if not self._is_well():
            return
        # What fails soon is repeated soon.
        with outage.limited(_PATIENCE):
            self._report(self._context())

    def _report(self, context: heat_context.RequestContext) -> None:
        if not service_objects.Service.update_by_id(
                context, self._row_id, {'deleted_at': None}):
            # Somebody has removed it.
            self._register()
        for row in service_objects.Service.get_all(context):
            if row.id == self._row_id:
                heat_timeutils.follow(row.read_at,
                                      heat_timeutils.wallclock())
            elif service_objects.Service.overdue(row).total_seconds() > (
                    FORGET_AFTER * row.report_interval):
                service_objects.Service.delete(context, row.id)
