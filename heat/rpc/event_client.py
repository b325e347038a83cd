"""RPC client that tells API processes of stored events."""
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import messaging
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)


class EventClient:
    """Casts to all API processes that send events to clients.

    A message that cannot be sent is dropped: they poll for events anyway.
    """

    def __init__(self) -> None:
        self._client = messaging.get_rpc_client(
            retry=0, topic=rpc_api.EVENT_TOPIC, fanout=True,
            version=rpc_api.EVENT_VERSION)

    def stored(self, ctxt: heat_context.RequestContext) -> bool:
        """Say that there are new events; return whether that was sent.

        It fails after the last API process has stopped listening.
        """
        try:
            self._client.cast(ctxt, 'stored')
        except Exception as exc:  # noqa: BLE001 - whatever the driver has
            LOG.debug('No wake-up could be sent: %s', exc)
            return False
        return True
