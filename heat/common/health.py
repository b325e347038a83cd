"""Find out whether something works, without asking more than needed."""
import threading

from oslo_log import log as logging

from heat.common import timeutils

LOG = logging.getLogger(__name__)

#: Seconds for which an answer holds. Whoever asks more often, gets the same:
#: the question needs no password.
LIFETIME = 2.0
#: Seconds after which no answer is one.
PATIENCE = 5.0


class Watch:
    """Asks one question at a time, and never waits for long.

    :param what: what it is about, for the log.
    :param ask: a function that returns a text that tells what is wrong, or
        None. It may take as long as it wants.
    """

    def __init__(self, what, ask, patience=PATIENCE, lifetime=LIFETIME):
        self._what = what
        self._ask = ask
        self._patience = patience
        self._lifetime = lifetime
        self._lock = threading.Lock()
        self._pending = None
        self._trouble = None
        self._asked_at = None

    def trouble(self):
        """Return what is wrong, or None."""
        with self._lock:
            if self._pending is None and self._is_old():
                self._pending = threading.Event()
                threading.Thread(target=self._work, name='heat-health',
                                 daemon=True).start()
            pending = self._pending
        if pending is not None and not pending.wait(self._patience):
            return self._note('no answer')
        return self._trouble

    def _is_old(self):
        return (self._asked_at is None or
                timeutils.wallclock() - self._asked_at >= self._lifetime)

    def _work(self):
        try:
            trouble = self._ask()
        except Exception as error:  # noqa: BLE001 (that is the answer)
            trouble = type(error).__name__
        with self._lock:
            self._note(trouble)
            self._asked_at = timeutils.wallclock()
            pending, self._pending = self._pending, None
        if pending is not None:
            pending.set()

    def _note(self, trouble):
        """Keep what was found out; log what is new of it."""
        if trouble != self._trouble:
            if trouble is None:
                LOG.info('%s works again', self._what)
            else:
                LOG.warning('%s does not work: %s', self._what, trouble)
            self._trouble = trouble
        return trouble
