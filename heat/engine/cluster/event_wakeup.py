"""Wake-ups of the API processes that send events to listening clients.

They are hints: an API process polls for events once a second anyway. Nothing
is sent unless clients listen. An engine learns that from requests for events,
or from another engine that receives them.
"""
import math
import threading
from typing import Any

from heat.common import context as heat_context
from heat.common import current_engine
from heat.common import timeutils
from heat.engine.cluster import interface as cluster_interface
from heat.engine.cluster import wakeup

#: The key that engines send each other while clients listen.
LISTENED = ('events', 'listened')
#: Seconds for which it holds, and after which it is sent again.
LEASE, RENEWAL = 30, 10
#: Seconds between two wake-ups of an engine.
PAUSE = 0.25


class EventWakeups:
    """Tells API processes that events have been stored.

    :param engine_context: stack_driver.EngineContext
    :param notifier: tells other engines
    """

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 notifier: wakeup.WakeupNotifier) -> None:
        self._engine = engine_context
        self._notifier = notifier
        self._lock = threading.Lock()
        self._listened_until = self._told_at = -math.inf
        # Whether the sending task runs, and whether it has to send again.
        self._is_sending = self._is_due = False

    # -- who listens ----------------------------------------------------------

    def asked(self) -> None:
        """Note that an API process requests events for its listeners.

        Any engine may receive the next request or store the next event, so all
        are told.
        """
        now = timeutils.wallclock()
        with self._lock:
            self._listened_until = now + LEASE
            if now - self._told_at < RENEWAL:
                return
            self._told_at = now
        self._notifier.announce(LISTENED, many=True)

    def heard(self) -> None:
        """Note that another engine receives requests for events."""
        now = timeutils.wallclock()
        with self._lock:
            self._listened_until = now + LEASE
            self._told_at = now

    # -- wake-ups -------------------------------------------------------------

    def stored(self) -> None:
        """Send a wake-up: events have been committed."""
        if (timeutils.wallclock() >= self._listened_until or
                self._engine.event_client is None):
            return
        with self._lock:
            self._is_due = True
            if self._is_sending:
                return
            self._is_sending = True
        try:
            self._engine.pool.spawn(self._send(), 'wake listeners')
        except RuntimeError:
            # This engine stops; the next poll finds the events.
            self._is_sending = False

    def _send(self) -> Any:
        """A task to send wake-ups as long as there are new events."""
        while self._take():
            if not self._engine.event_client.stored(
                    heat_context.get_admin_context()):
                # The library logs an error for each message without a taker.
                self._listened_until = -math.inf
            yield PAUSE

    def _take(self) -> bool:
        """Return whether a wake-up is due; if none is, sending ends."""
        with self._lock:
            is_due, self._is_due = self._is_due, False
            self._is_sending = is_due
            return is_due


def stored() -> None:
    """Note that events have been committed by this process."""
    engine = current_engine.get()
    if engine is not None:
        engine.events.stored()


def asked() -> None:
    """Note that an API process requests events from this one."""
    engine = current_engine.get()
    if engine is not None:
        engine.events.asked()


def heard() -> None:
    """Note that an API process requests events from another engine."""
    engine = current_engine.get()
    if engine is not None:
        engine.events.heard()
