"""Space out what detections read, so that no cloud has too much to answer.
"""
import threading

from heat.common import timeutils


class Pace:
    """The pace of all detections of an engine, region by region."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: {region: when what was read so far has taken its time}
        self._free: dict[str | None, float] = {}

    def delay(self, region: str | None, reads: int, per_second: float
              ) -> float:
        """Return the seconds to wait before anything else is read.

        :param reads: how often something has been read since the last call
        :param per_second: the limit; 0 for none
        """
        if per_second <= 0 or reads <= 0:
            return 0
        now = timeutils.wallclock()
        with self._lock:
            free = max(now, self._free.get(region, now))
            self._free[region] = free = free + reads / per_second
        return free - now
