"""Work that an engine does again and again beside everything else."""
import abc
import math
import threading

from oslo_log import log as logging

LOG = logging.getLogger(__name__)

#: Seconds that a stopped one has to end what it is about.
_GRACE = 5


class Periodic(abc.ABC):
    """Does something every few seconds, from a thread of its own.

    What goes wrong is logged and tried again at the next turn: none of it
    is a reason for an engine to end.
    """

    #: Name of the thread.
    name: str
    #: What to log when a turn has failed.
    failure: str
    #: Whether the first turn comes at once, not after an interval.
    at_once = False
    #: Seconds after which a turn that has failed is repeated, at most.
    retry_after = math.inf

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @abc.abstractmethod
    def interval(self) -> float:
        """Return the seconds from the end of a turn to the next one."""

    @abc.abstractmethod
    def run_once(self) -> object:
        """Do it."""

    def start(self) -> None:
        """Begin with the turns."""
        self._thread = threading.Thread(
            target=self._work, name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take no more turns, and wait a while for the present one."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=_GRACE)
            self._thread = None

    def _work(self) -> None:
        if not self.at_once:
            self._stopping.wait(self.interval())
        while not self._stopping.is_set():
            pause = self.interval()
            try:
                self.run_once()
            except Exception:  # noqa: BLE001 (the next turn may do better)
                LOG.warning(self.failure, exc_info=True)
                pause = min(pause, self.retry_after)
            self._stopping.wait(pause)
