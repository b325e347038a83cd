"""Whether this engine can work, for those who ask."""
from collections.abc import Callable

import oslo_messaging

from heat.common import context as heat_context
from heat.common import health
from heat.objects import transaction
from heat.rpc import api as rpc_api


class Health:
    """The RPC endpoint that the APIs ask."""

    target = oslo_messaging.Target(namespace=rpc_api.HEALTH_NAMESPACE,
                                   version=rpc_api.HEALTH_VERSION)

    def __init__(self, standing_still: Callable[[], str | None] = lambda: None
                 ) -> None:
        """Make it.

        :param standing_still: returns which part of the engine makes no
            progress, or None
        """
        self._standing_still = standing_still
        self._database = health.Watch('The database', transaction.ping)

    def trouble(self, ctxt: heat_context.RequestContext) -> str | None:
        """Return what is wrong, or None."""
        return self.standstill() or self.database_trouble()

    def standstill(self) -> str | None:
        """Return which part of the engine makes no progress, or None."""
        part = self._standing_still()
        return part and '%s makes no progress' % part

    def database_trouble(self) -> str | None:
        """Return what is wrong with the database, or None."""
        if self._database.trouble() is None:
            return None
        return 'the database cannot be reached'
