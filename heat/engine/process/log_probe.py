"""See that lines can be logged, and that threads run at all."""
import logging
from typing import Any

from heat.common import outside
from heat.common import progress
from heat.engine.tasks import periodic

#: Seconds between two probes.
INTERVAL = 2


class LogProbe(periodic.Periodic):
    """Takes the lock of each handler of the log again and again.

    That a turn does not come is a sign, too: then no thread of this process
    runs, as when one of them holds up all green threads.
    """

    name = 'heat-log-probe'
    failure = 'Looking at the log failed'
    at_once = True

    def __init__(self) -> None:
        super().__init__()
        self._done = 0
        self._is_probing = False
        self._is_running = False

    def interval(self) -> float:
        """Return the seconds between two probes."""
        return INTERVAL

    def start(self) -> None:
        """Begin with the probes."""
        self._is_running = True
        super().start()

    def stop(self) -> None:
        """Probe no more."""
        self._is_running = False
        super().stop()

    def run_once(self) -> None:
        """Take and release the locks that a line of the log needs."""
        self._is_probing = True
        # That of the module, too.
        logging.getLogger(__name__)
        for handler in _handlers():
            handler.acquire()
            handler.release()
        self._done += 1
        self._is_probing = False

    def pulse(self) -> progress.Pulse:
        """Return how often lines could have been logged."""
        if self._is_probing:
            return progress.Pulse(self._done, True)
        # If none is due for long, one thread holds up all, perhaps for a
        # database that is a file.
        return progress.Pulse(self._done, self._is_running,
                              outside.threads())


def _handlers() -> set[Any]:
    """Return the handlers of all loggers."""
    loggers = [logging.root, *list(logging.root.manager.loggerDict.values())]
    return {handler for logger in loggers
            for handler in getattr(logger, 'handlers', ())}
