"""The row that says an engine is alive, and the clean-up of old ones."""
import os
import socket
import uuid

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import timeutils as heat_timeutils
from heat.engine import periodic
from heat.engine import service_status
from heat.objects import service as service_objects

LOG = logging.getLogger(__name__)

#: Rows of services that have not reported for this many intervals go away.
FORGET_AFTER = 10


class Heartbeat(periodic.Periodic):
    """Reports an engine to the database as long as it lives."""

    name = 'heat-heartbeat'
    failure = 'The database does not take our heartbeat'

    def __init__(self, engine_id, host, topic, alone=False):
        super().__init__()
        self._engine_id = engine_id
        self._host = host
        self._topic = topic
        self._alone = alone
        self._row_id = None

    def start(self):
        """Write our row, then keep it fresh from a thread."""
        self._register()
        super().start()

    def stop(self):
        """Stop reporting and take our row away."""
        super().stop()
        if self._row_id is None:
            return
        try:
            service_objects.Service.delete(self._context(), self._row_id)
        except Exception:  # noqa: BLE001 (others see that we fell silent)
            LOG.warning('The row of this engine could not be deleted')

    @staticmethod
    def _context():
        return heat_context.get_admin_context()

    def _register(self):
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
        LOG.debug('Engine %s (process %s) is service %s', self._engine_id,
                  os.getpid(), row.id)

    def interval(self):
        """Return the seconds between two reports."""
        return cfg.CONF.periodic_interval

    def run_once(self):
        """Refresh our row; forget services that are long gone."""
        context = self._context()
        service_objects.Service.update_by_id(
            context, self._row_id, {'updated_at': heat_timeutils.utcnow(),
                                    'deleted_at': None})
        now = heat_timeutils.utcnow()
        for row in service_objects.Service.get_all(context):
            silent = (now - (row.updated_at or row.created_at))
            limit = FORGET_AFTER * row.report_interval
            if (row.id != self._row_id and silent.total_seconds() > limit
                    and not service_status.is_up(row, now)):
                service_objects.Service.delete(context, row.id)
