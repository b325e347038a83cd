"""Receive the wake-ups of engines that have stored events.

They are hints; without them events are found a little later.
"""
from collections.abc import Callable
import contextlib
from typing import Any
import uuid

from oslo_log import log as logging
import oslo_messaging

from heat.common import messaging
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)


class EventEndpoint:
    """The RPC endpoint that engines call.

    :param wake: called when there are new events
    """

    target = oslo_messaging.Target(version=rpc_api.EVENT_VERSION)

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def stored(self, _ctxt: Any) -> None:
        """Look for events now."""
        self._wake()


class Receiver:
    """Takes wake-ups from the broker between start() and stop()."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._endpoint = EventEndpoint(wake)
        self._server: Any = None

    def start(self) -> None:
        """Take wake-ups, if the broker lets us."""
        try:
            self._server = messaging.get_rpc_server(
                oslo_messaging.Target(topic=rpc_api.EVENT_TOPIC,
                                      server=str(uuid.uuid4())),
                self._endpoint)
            self._server.start()
        except Exception as exc:  # noqa: BLE001 - whatever the driver has
            LOG.info('Events are looked for once a second only: %r', exc)

    def stop(self) -> None:
        """Take no more."""
        if self._server is not None:
            with contextlib.suppress(Exception):
                self._server.stop()
                self._server.wait()
            self._server = None
