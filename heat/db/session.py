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
from typing import Any, Concatenate, ParamSpec, TypeVar

from oslo_config import cfg
from oslo_db import exception as db_exception
from oslo_db import options
from oslo_db.sqlalchemy import enginefacade
import sqlalchemy
from sqlalchemy import exc as sqla_exc

from heat.common import metrics
from heat.common import timeutils
from heat.db import engine_setup
from heat.db import query

LOG = logging.getLogger(__name__)

P = ParamSpec('P')
T = TypeVar('T')

# How many transactions of a process run at the same time.
CONNECTIONS = 16

# A lost lock is tried again soon; these many times before giving up.
CONFLICT_ATTEMPTS = 30
CONFLICT_DELAY_MAX = 1.0

# SQLSTATEs: serialization failure, deadlock; and of a server that goes
# away, comes up, or has no room for another connection.
_CONFLICT_STATES = frozenset(['40001', '40P01'])
_AWAY_STATES = frozenset(['57P01', '57P02', '57P03', '53300', '25P03'])

# What libpq says without a state, when it cannot get or keep a connection.
_AWAY_TEXTS = (
    'connection to server', 'could not connect', 'connection failed',
    'Connection refused', 'Is the server running',
    'server closed the connection', 'the database system is',
)


class Unavailable(Exception):
    """The database cannot be reached; it says so without an address."""

    def __init__(self) -> None:
        super().__init__('The database is not available.')


class _Scope(threading.local):
    """The transaction that this thread has open."""

    connection: sqlalchemy.Connection | None = None
    writing: bool = False
    #: Called first in each writing transaction; raises to prevent it.
    fence: Callable[[], None] | None = None


class _Carrier:
    """What enginefacade hangs its per-thread state on."""


class _Database:
    """One configured database, opened at first use."""

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
        if _traced:
            manager.append_on_engine_create(engine_setup.trace)
        # Giving way after each transaction only takes time: whoever waits
        # for the server gives way, too.
        manager.configure(**{'thread_checkin': False, **settings})
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
            try:
                with manager.using(self._carrier) as connection:
                    _scope.connection = connection
                    if writing and _scope.fence is not None:
                        _scope.fence()
                    yield connection
            finally:
                _scope.connection = None
                _scope.writing = False

    def dispose(self) -> None:
        if self._started:
            self.manager.dispose_pool()


#: Whether statements are part of the traces of requests.
_traced = False
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
    global _traced
    _traced = True


def dispose() -> None:
    """Close all idle connections, for instance before a fork."""
    _database.dispose()


def forget_statements() -> None:
    """Give back what statements take that are kept for the next use.

    One that gives many rows values of their own takes 100 kB and more.
    """
    query.forget_statements()
    if _database._started:
        _database.engine.clear_compiled_cache()


def get_engine() -> sqlalchemy.Engine:
    """Return the engine of the configured database, for migrations."""
    _database.start()
    engine: sqlalchemy.Engine = _database.engine
    return engine


def in_transaction() -> bool:
    """Whether this thread has a transaction open."""
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


def _driver_state(error: BaseException) -> tuple[str, str]:
    """Return SQLSTATE and text of the error that the driver raised."""
    seen: BaseException | None = error
    while seen is not None:
        original = (getattr(seen, 'orig', None)
                    or getattr(seen, 'inner_exception', None))
        if original is None:
            break
        seen = original
    state = (getattr(seen, 'sqlstate', None)
             or getattr(seen, 'pgcode', None) or '')
    return state, str(seen)


def _is_conflict(error: BaseException) -> bool:
    if isinstance(error, db_exception.DBDeadlock):
        return True
    if not isinstance(error, (db_exception.DBError, sqla_exc.DBAPIError)):
        return False
    state, text = _driver_state(error)
    return (state in _CONFLICT_STATES
            or 'database is locked' in text
            or 'database table is locked' in text
            or 'Record has changed since last read' in text)


def _is_away(error: BaseException) -> bool:
    # The last is raised when a caller passed over a lost connection.
    if isinstance(error, (db_exception.DBConnectionError,
                          sqla_exc.TimeoutError,
                          sqla_exc.PendingRollbackError)):
        return True
    if not isinstance(error, (db_exception.DBError, sqla_exc.DBAPIError)):
        return False
    if getattr(error, 'connection_invalidated', False):
        return True
    state, text = _driver_state(error)
    if 'authentication failed' in text or 'does not exist' in text:
        # Waiting does not mend a wrong configuration.
        return False
    return (state in _AWAY_STATES or state.startswith('08')
            or any(known in text for known in _AWAY_TEXTS))


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
        self._conflicts = 0
        self._away_since: float | None = None
        self._away_delay = 0.1

    def wait(self, error: Exception) -> bool:
        """Wait as the error deserves; False if there is no point in it."""
        if _is_conflict(error):
            return self._after_conflict(error)
        if _is_away(error):
            return self._after_absence(error)
        return False

    def _after_conflict(self, error: Exception) -> bool:
        self._conflicts += 1
        if self._conflicts > CONFLICT_ATTEMPTS:
            return False
        metrics.DATABASE_RETRIES.labels('conflict').inc()
        LOG.debug('Transaction lost a conflict, trying again: %s', error)
        ceiling = min(CONFLICT_DELAY_MAX, 0.01 * 2 ** self._conflicts)
        timeutils.sleep(random.uniform(0, ceiling))
        return True

    def _after_absence(self, error: Exception) -> bool:
        now = timeutils.wallclock()
        if self._away_since is None:
            self._away_since = now
            LOG.warning('Lost the database, trying again: %s', error)
        patience = (self._patience if self._patience is not None
                    else _default_patience())
        if now - self._away_since >= patience:
            raise Unavailable() from error
        metrics.DATABASE_RETRIES.labels('absence').inc()
        timeutils.sleep(self._away_delay)
        ceiling = float(cfg.CONF.database.db_max_retry_interval)
        self._away_delay = min(ceiling, self._away_delay * 2)
        return True


def _persistently(attempt: Callable[[], T], patience: float | None) -> T:
    attempts = _Attempts(patience)
    while True:
        try:
            return attempt()
        except (db_exception.DBError, sqla_exc.SQLAlchemyError) as error:
            if not attempts.wait(error):
                raise


def run(context: Any, fn: Callable[[], T], *,
        patience: float | None = None) -> T:
    """Call fn in a writing transaction, anew if the transaction fails.

    It is repeated after a deadlock, a serialization failure or a lost
    connection, so fn must have database effects only. An unreachable
    database is waited for; ``patience`` says how many seconds, by default
    as long as ``[database] db_max_retries`` says. Within an open
    transaction fn takes part in it and the outermost caller repeats.
    """
    if in_transaction():
        with writer():
            return fn()

    def attempt() -> T:
        with writer():
            return fn()

    return _persistently(attempt, patience)


def _decorated(query: Callable[Concatenate[sqlalchemy.Connection, P], T],
               writing: bool) -> Callable[Concatenate[Any, P], T]:

    def call(context: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if in_transaction():
            with _open(writing) as connection:
                return query(connection, *args, **kwargs)

        def attempt() -> T:
            with _open(writing) as connection:
                return query(connection, *args, **kwargs)

        return _persistently(attempt, None)

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
