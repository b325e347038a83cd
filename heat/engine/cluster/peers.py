"""Whether other engines are there to take part in the work."""
from heat.common import context as heat_context
from heat.common import timeutils
from heat.objects import service as service_objects

#: Seconds for which the list of engines is taken as it is.
_KNOWN_FOR = 5


class Peers:
    """The other engines, as seen by one of them."""

    def __init__(self, engine_id: str) -> None:
        self._engine_id = engine_id
        self._looked: float | None = None
        self._alive = False

    def are_alive(self, context: heat_context.RequestContext) -> bool:
        """Return whether another engine could take something off this one."""
        now = timeutils.wallclock()
        if self._looked is None or now - self._looked >= _KNOWN_FOR:
            # First, so that others need not look meanwhile.
            self._looked = now
            self._alive = bool(
                service_objects.Service.alive_engines(context) -
                {self._engine_id})
        return self._alive
