"""Transactions: who opens them, who joins them, when they are tried again.

A transaction belongs to a thread. Whatever that thread reads or writes
while it is open takes part in it, whichever request context it passes.
"""
from collections.abc import Callable, Iterator
import contextlib
import functools
import logging
import random
import threading
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from oslo_config import cfg
from oslo_db import options
from oslo_db.sqlalchemy import enginefacade
import sqlalchemy

from heat.common import metrics
from heat.common import outage
from heat.common import outside
from heat.common import timeutils
from heat.db import engine_setup
from heat.db import errors
from heat.db import query
from heat.db import witness

LOG = logging.getLogger(__name__)

P = ParamSpec('P')
T = TypeVar('T')

# How many transactions of a process run at the same time.
CONNECTIONS = 16

# A lost lock is tried again soon; these many times, or, if a user waits, for
# these seconds. After that it is taken for an outage.
CONFLICT_ATTEMPTS = 30
CONFLICT_DELAY_MAX = 1.0
CONFLICT_PATIENCE = 10.0

Unavailable = outage.Unavailable


class _Scope(threading.local):
    """The transaction that this thread has open."""

    connection: sqlalchemy.Connection | None = None
    writing: bool = False
    #: Called first in each writing transaction; raises to prevent it.
    fence: Callable[[], None] | None = None


class _Carrier:
    """The object that holds the per-thread state of enginefacade."""


class _Database:
    """One configured database, opened at first use."""

    #: Whether statements are part of the traces of requests.
    is_traced = False

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._start_lock = threading.Lock()
        # In one process SQLite's writers take turns here: its own lock
        # would block a whole process of green threads.
        self._turn = threading.RLock()
        self._carrier = _Carrier()
        self._started = False

    def start(self) -> None:
        if self._started:
            return
        with self._start_lock:
            if not self._started:
                self._start()

    def _start(self) -> None:
        register_options()
        settings = dict(self._settings)
        for name in ('connection', 'slave_connection'):
            url = settings.get(name) or getattr(cfg.CONF.database, name)
            if url:
                settings[name] = engine_setup.complete_url(url)
        manager = enginefacade.transaction_context()
        manager.append_on_engine_create(
            lambda engine: engine_setup.tune(engine, lambda: _scope.writing))
        if self.is_traced:
            manager.append_on_engine_create(engine_setup.trace)
        # Giving way after each transaction only takes time: whoever waits
        # for the server gives way, too.
        # Nor is a server that is away waited for here: whoever asks does.
        manager.configure(**{'thread_checkin': False, 'max_retries': 0,
                             **settings})
        self._writer = manager.writer.connection
        self._reader = manager.reader.connection
        self.manager = manager
        self.engine = manager.writer.get_engine()
        sqlite = self.engine.dialect.name == 'sqlite'
        shared = sqlite and engine_setup.in_memory(self.engine.url)
        self._write_turn = self._turn if sqlite else contextlib.nullcontext()
        # One connection for all threads: even readers take turns.
        self._read_turn = self._turn if shared else contextlib.nullcontext()
        self._started = True

    @contextlib.contextmanager
    def transaction(self, writing: bool) -> Iterator[sqlalchemy.Connection]:
        self.start()
        manager, turn = ((self._writer, self._write_turn) if writing
                         else (self._reader, self._read_turn))
        with turn:
            _scope.writing = writing
            outside.enter()
            try:
                with manager.using(self._carrier) as connection:
                    outside.leave()
                    witness.begin()
                    _scope.connection = connection
                    if writing and _scope.fence is not None:
                        _scope.fence()
                    yield connection
            finally:
                outside.leave()
                _scope.connection = None
                _scope.writing = False

    def dispose(self) -> None:
        if self._started:
            self.manager.dispose_pool()

    def forget_statements(self) -> None:
        if self._started:
            self.engine.clear_compiled_cache()


_scope = _Scope()
_database = _Database({})


def register_options(conf: cfg.ConfigOpts = cfg.CONF) -> None:
    """Make the options of the section ``[database]`` known to conf.

    Unless configured otherwise a process has this many connections and
    keeps them. Those of an overflow are closed after each use, and to open
    one costs more than many transactions.
    """
    conf.register_opts(options.database_opts, 'database')
    conf.set_default('max_pool_size', CONNECTIONS, 'database')
    conf.set_default('max_overflow', 0, 'database')


def configure(connection: str | None = None, **settings: Any) -> None:
    """Use another database from now on.

    Without arguments the options of the section ``[database]`` are read
    anew. Nothing is opened before the first use.
    """
    global _database
    if connection:
        settings['connection'] = connection
    previous, _database = _database, _Database(settings)
    previous.dispose()


def trace_statements() -> None:
    """Have statements traced by osprofiler, of what is opened from now on.
    """
    _Database.is_traced = True


def dispose() -> None:
    """Close all idle connections, for instance before a fork."""
    _database.dispose()


def forget_statements() -> None:
    """Give back what statements take that are kept for the next use.

    One that gives many rows values of their own takes 100 kB and more.
    """
    query.forget_statements()
    _database.forget_statements()


def get_engine() -> sqlalchemy.Engine:
    """Return the engine of the configured database, for migrations."""
    _database.start()
    engine: sqlalchemy.Engine = _database.engine
    return engine


def in_transaction() -> bool:
    """Return whether this thread has a transaction open."""
    return _scope.connection is not None


@contextlib.contextmanager
def fenced(fence: Callable[[], None]) -> Iterator[None]:
    """Let this thread write only if a function allows it.

    The function is called within each writing transaction that the thread
    opens, before anything else, and raises when there is to be none.
    """
    outer, _scope.fence = _scope.fence, fence
    try:
        yield
    finally:
        _scope.fence = outer


@contextlib.contextmanager
def _open(writing: bool) -> Iterator[sqlalchemy.Connection]:
    connection = _scope.connection
    if connection is None:
        if not writing:
            engine_setup.COUNTERS.add('reads')
        with _database.transaction(writing) as connection:
            yield connection
    elif writing and not _scope.writing:
        raise RuntimeError('A reading transaction cannot begin to write')
    else:
        yield connection


def writer(context: Any = None
           ) -> contextlib.AbstractContextManager[sqlalchemy.Connection]:
    """Open a writing transaction, or join the one of this thread."""
    return _open(True)


def reader(context: Any = None
           ) -> contextlib.AbstractContextManager[sqlalchemy.Connection]:
    """Open a reading transaction, or join the one of this thread."""
    return _open(False)


def ping() -> None:
    """Ask the database for a row, once; raise what keeps it from answering.
    """
    with reader() as connection:
        connection.execute(sqlalchemy.select(1)).scalar_one()


def counters() -> dict[str, int]:
    """Return the statements, commits and reads since process start."""
    return engine_setup.COUNTERS.snapshot()


def _default_patience() -> float:
    database = cfg.CONF.database
    if database.db_max_retries < 0:
        return float('inf')
    growth = 2 if database.db_inc_retry_interval else 1
    return float(sum(
        min(database.db_retry_interval * growth ** attempt,
            database.db_max_retry_interval)
        for attempt in range(database.db_max_retries)))


class _Attempts:
    """Decides, error by error, whether and when to try again."""

    def __init__(self, patience: float | None) -> None:
        self._patience = patience
        self._began = timeutils.wallclock()
        self._conflicts = 0
        self._away_since: float | None = None
        self._away_delay = 0.1

    def wait(self, error: Exception) -> bool:
        """Wait as the error deserves; False if there is no point in it."""
        remedy = errors.remedy_of(error)
        if remedy == errors.Remedy.DEFECT:
            return False
        if remedy != errors.Remedy.WAIT and self._may_conflict():
            self._after_conflict(
                error, pauses=remedy == errors.Remedy.RETRY_TRANSACTION)
            return True
        if errors.is_elsewhere(error):
            # What was connected before would stay with the old primary.
            dispose()
        self._after_absence(error)
        return True

    def _may_conflict(self) -> bool:
        """Count a conflict; return whether to repeat soon after it.

        Otherwise something is wrong with the database, and it is waited
        for.
        """
        self._conflicts += 1
        soon = outage.patience()
        return self._conflicts <= CONFLICT_ATTEMPTS and (
            soon is None or timeutils.wallclock() - self._began
            < max(soon, CONFLICT_PATIENCE))

    def _after_conflict(self, error: Exception, *, pauses: bool) -> None:
        metrics.DATABASE_RETRIES.labels('conflict').inc()
        LOG.debug('Transaction lost a conflict, trying again: %s', error)
        if pauses:
            ceiling = min(CONFLICT_DELAY_MAX, 0.01 * 2 ** self._conflicts)
            timeutils.sleep(random.uniform(0, ceiling))

    def _after_absence(self, error: Exception) -> None:
        now = timeutils.wallclock()
        if self._away_since is None:
            self._away_since = now
            LOG.warning('Lost the database, trying again: %s', error)
        limit = self._limit()
        # A user is answered in time, so the next pause counts.
        next_pause = 0.0 if outage.patience() is None else self._away_delay
        if now + next_pause - self._away_since >= limit:
            raise Unavailable() from error
        metrics.DATABASE_RETRIES.labels('absence').inc()
        with outside.waiting():
            timeutils.sleep(self._away_delay)
        ceiling = float(cfg.CONF.database.db_max_retry_interval)
        self._away_delay = min(ceiling, self._away_delay * 2)

    def _limit(self) -> float:
        """Return for how many seconds the database is waited for."""
        patience = self._patience
        if patience is None:
            patience = (float('inf') if outage.is_endless()
                        else _default_patience())
        soon = outage.patience()
        return patience if soon is None else min(patience, soon)


class _Trial(Generic[T]):
    """A transaction up to its commit, of which the end may be unknown."""

    def __init__(self) -> None:
        self._values: list[T] = []
        self._witness: witness.Witness | None = None

    def carry_out(self, query: Callable[[sqlalchemy.Connection], T],
                  writing: bool) -> T:
        """Call query in a transaction and commit what it does."""
        with _open(writing) as connection:
            value = query(connection)
            if writing:
                self._values, self._witness = [value], witness.left()
        return value

    def was_committed(self) -> bool:
        """Return whether the database has what was to be committed."""
        if self._witness is None:
            return False
        with _open(False) as connection:
            return self._witness.is_there(connection)

    @property
    def value(self) -> T:
        """The result of the query."""
        return self._values[0]


def _persistently(query: Callable[[sqlalchemy.Connection], T], writing: bool,
                  patience: float | None) -> T:
    attempts = _Attempts(patience)
    trial: _Trial[T] = _Trial()
    while True:
        try:
            if trial.was_committed():
                return trial.value
            trial = _Trial()
            return trial.carry_out(query, writing)
        except Exception as error:
            if not attempts.wait(error):
                raise


def run(context: Any, fn: Callable[[], T], *,
        patience: float | None = None) -> T:
    """Call fn in a writing transaction, anew if the transaction fails.

    It is repeated after the errors that ``heat.db.errors`` names, so fn must
    have database effects only. It is not repeated if the connection was
    lost while it was committed, and what it wrote is there.

    A database that is away, full or read-only is waited for; ``patience``
    says how many seconds, by default as long as
    ``[database] db_max_retries`` says. Within an open transaction fn takes
    part in it and the outermost caller repeats.
    """
    if in_transaction():
        with writer():
            return fn()

    return _persistently(lambda _connection: fn(), True, patience)


def read(context: Any, fn: Callable[[], T]) -> T:
    """Call fn in a reading transaction, anew if the connection is lost."""
    if in_transaction():
        return fn()

    return _persistently(lambda _connection: fn(), False, None)


def _decorated(query: Callable[Concatenate[sqlalchemy.Connection, P], T],
               writing: bool) -> Callable[Concatenate[Any, P], T]:

    def call(context: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if in_transaction():
            with _open(writing) as connection:
                return query(connection, *args, **kwargs)

        return _persistently(
            lambda connection: query(connection, *args, **kwargs), writing,
            None)

    functools.update_wrapper(call, query)
    return call


def writes(query: Callable[Concatenate[sqlalchemy.Connection, P], T]
           ) -> Callable[Concatenate[Any, P], T]:
    """Make a query on a connection a function of a context that writes."""
    return _decorated(query, True)


def reads(query: Callable[Concatenate[sqlalchemy.Connection, P], T]
          ) -> Callable[Concatenate[Any, P], T]:
    """Make a query on a connection a function of a context that reads."""
    return _decorated(query, False)
