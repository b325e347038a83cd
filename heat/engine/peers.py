"""Whether other engines are there to take part in the work."""
from heat.common import timeutils
from heat.objects import service as service_objects

#: Seconds for which the list of engines is taken as it is.
_KNOWN_FOR = 5


def has_lease(context, engine_id):
    """Whether an engine has reported of late."""
    services = service_objects.Service
    return any(row.engine_id == engine_id and services.is_alive(row)
               for row in services.get_all(context))


class Peers:
    """The other engines, as seen by one of them."""

    def __init__(self, engine_id):
        self._engine_id = engine_id
        self._looked = None
        self._alive = False

    def are_alive(self, context):
        """Whether another engine could take something off this one."""
        now = timeutils.wallclock()
        if self._looked is None or now - self._looked >= _KNOWN_FOR:
            # First, so that others need not look meanwhile.
            self._looked = now
            services = service_objects.Service
            self._alive = any(row.engine_id != self._engine_id and
                              services.is_alive(row)
                              for row in services.get_all(context))
        return self._alive
