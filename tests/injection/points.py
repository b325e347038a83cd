"""Where errors are injected: plugins of the layers below the engine.

Each tells the Injector of a call, which raises the error of a fault when it
is due. Only what engines do is counted, not what a test looks up.
"""
import collections
import contextlib
import dataclasses
import logging

import sqlalchemy

from heat.common import logs
from heat.db import session
from tests.injection import errors

_READING = ('SELECT', 'PRAGMA', 'BEGIN', 'SAVEPOINT', 'RELEASE', 'ROLLBACK')


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """An error at the k-th call of a layer, and for how long after it.

    :ivar lasts: virtual seconds for which all calls fail; 0 for one call
    """

    layer: str
    moment: str
    name: str
    k: int
    lasts: int = 0

    @property
    def kind(self):
        """Return the errors.Kind of the fault."""
        place = self.layer, self.moment
        return {**errors.TABLE[place], **errors.DEATHS_ASIDE.get(place, {})}[
            self.name]

    @property
    def kills(self):
        """Return whether the engine does not survive it."""
        return self.name in errors.DEATH

    def error(self):
        """Return a new error; which variant, the number decides."""
        variants = self.kind.variants
        return variants[self.k % len(variants)]()

    def __str__(self):
        return '%s:%s:%s:%d:%d' % (self.layer, self.moment, self.name,
                                   self.k, self.lasts)

    @classmethod
    def from_text(cls, text):
        """Return the fault that str() told of."""
        layer, moment, name, k, lasts = text.split(':')
        return cls(layer, moment, name, int(k), int(lasts))


class Injector:
    """Counts calls, and raises the error of a fault when it is due.

    :ivar counts: calls so far by layer; those that write separately
    :ivar fired: how many calls have failed
    :ivar ended: when the fault is over, in virtual seconds
    :ivar on_death: called when a fault kills the engine that calls
    """

    def __init__(self, clock=None, fault=None):
        self.clock = clock
        self.fault = fault
        self.counts = collections.Counter()
        self.fired = 0
        self.ended = None
        self.on_death = None
        self._armed = False

    def begin(self, fault):
        """Count from here on, and have this fault, or none."""
        self.fault, self.counts = fault, collections.Counter()
        self.fired, self.ended = 0, None

    @contextlib.contextmanager
    def armed(self, state=True):
        """Count what is done in a with block."""
        before, self._armed = self._armed, state
        try:
            yield
        finally:
            self._armed = before

    def is_over(self):
        """Return whether the fault has been, and has passed."""
        return self.ended is not None and self.clock.now >= self.ended

    @contextlib.contextmanager
    def call(self, layer, *, writes=True):
        """Fail before or after the call that is made in a with block."""
        due = self._is_due(layer, writes)
        if due and self.fault.moment == 'before':
            raise self._error()
        yield
        if due and self.fault.moment == 'after':
            raise self._error()

    def _error(self):
        if self.fault.kills:
            self.on_death()
        return self.fault.error()

    def _is_due(self, layer, writes):
        if not self._armed:
            return False
        fault = self.fault
        self.counts[layer] += 1
        if writes:
            self.counts[layer, 'writes'] += 1
        if fault is None or layer != fault.layer or (
                fault.kind.writes_only and not writes):
            return False
        if self.ended is None:
            key = (layer, 'writes') if fault.kind.writes_only else layer
            if self.counts[key] < fault.k:
                return False
            self.ended = self.clock.now + fault.lasts
        elif self.clock.now >= self.ended:
            return False
        self.fired += 1
        return True


def install_storage(injector, stack):
    """Have statements and commits of the database fail when it is due.

    :param stack: contextlib.ExitStack that undoes it
    """
    engine = session.get_engine()

    def call(statement):
        return injector.call('statement',
                             writes=not statement.startswith(_READING))

    def do_execute(cursor, statement, parameters, context):
        with call(statement):
            cursor.execute(statement, parameters)
        return True

    def do_executemany(cursor, statement, parameters, context):
        with call(statement):
            cursor.executemany(statement, parameters)
        return True

    def do_execute_no_params(cursor, statement, context):
        with call(statement):
            cursor.execute(statement)
        return True

    for listener in (do_execute, do_executemany, do_execute_no_params):
        sqlalchemy.event.listen(engine, listener.__name__, listener)
        stack.callback(sqlalchemy.event.remove, engine, listener.__name__,
                       listener)

    commit = engine.dialect.do_commit

    def do_commit(connection):
        with injector.call('commit'):
            commit(connection)

    engine.dialect.do_commit = do_commit
    stack.callback(engine.dialect.__dict__.pop, 'do_commit')


class _Log(logging.Handler):
    """A place for the log that refuses records when it is due.

    As handlers of oslo.log for syslog and the journal do, it lets whoever
    logs have the error.
    """

    def __init__(self, injector):
        super().__init__(logging.INFO)
        self._injector = injector

    def emit(self, record):
        """Write a record nowhere."""
        with self._injector.call('log'):
            record.getMessage()


def install_log(injector, stack):
    """Have all that the service logs refused when it is due."""
    logger, handler = logging.getLogger('heat'), _Log(injector)
    stack.callback(logger.setLevel, logger.level)
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    logs.contain_errors()
    stack.callback(logger.removeHandler, handler)
