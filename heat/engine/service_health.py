"""Whether this engine can work, for those who ask."""
import oslo_messaging

from heat.common import health
from heat.objects import transaction
from heat.rpc import api as rpc_api


class Health:
    """The RPC endpoint that the APIs ask."""

    target = oslo_messaging.Target(namespace=rpc_api.HEALTH_NAMESPACE,
                                   version=rpc_api.HEALTH_VERSION)

    def __init__(self):
        self._database = health.Watch('The database', transaction.ping)

    def trouble(self, ctxt):
        """Return what is wrong, or None."""
        return self.database_trouble()

    def database_trouble(self):
        """Return what is wrong with the database, or None."""
        if self._database.trouble() is None:
            return None
        return 'the database cannot be reached'
