"""Settings of database engines, for each kind of database.

SQLite keeps its connections in a pool (closing the last one would fold the
write-ahead log into the file at every transaction), waits for the lock of
another process, and starts writing transactions as such, because one that
turns into a writer half-way fails at once when another one wrote meanwhile.

MariaDB and MySQL read committed rows, as PostgreSQL does: after a lost
compare-and-swap the same transaction looks at the row again, and must see
what the winner wrote.
"""
from collections.abc import Callable
import functools
import select
import sys
import threading
from typing import Any

from osprofiler import profiler
import sqlalchemy
from sqlalchemy import event
from sqlalchemy import pool
from sqlalchemy.dialects import plugins

from heat.common import outside
from heat.db import narrow_text
from heat.db import pooling

SQLITE_BUSY_SECONDS = 60

# A transaction in which nothing happens for so long belongs to a process
# that was stopped, or to a machine that is gone: the server ends it, or
# others would wait for its locks. None of ours waits for anything.
IDLE_SECONDS = 10

# A statement waits this long for a lock. Then its transaction is rolled back
# and tried again: a process is never silent for longer.
LOCK_SECONDS = 10

_DEFAULT_DRIVERS = {
    'mysql': 'mysql+pymysql',
    'mariadb': 'mariadb+pymysql',
    'postgresql': 'postgresql+psycopg2',
    'postgres': 'postgresql+psycopg2',
}


class SQLitePool(sqlalchemy.CreateEnginePlugin):
    """Gives SQLite files a pool of connections that wait for locks."""

    def __init__(self, url: sqlalchemy.URL, kwargs: dict[str, Any]) -> None:
        connect_args = kwargs.setdefault('connect_args', {})
        connect_args.update(timeout=SQLITE_BUSY_SECONDS,
                            check_same_thread=False)
        if not in_memory(url):
            kwargs.update(poolclass=pool.QueuePool, pool_size=16,
                          max_overflow=-1)

    def update_url(self, url: sqlalchemy.URL) -> sqlalchemy.URL:
        return url


plugins.register('heat_sqlite', __name__, 'SQLitePool')


def in_memory(url: sqlalchemy.URL) -> bool:
    """Return whether the database lives and dies with its one connection."""
    return not url.database or ':memory:' in url.database


def complete_url(connection: str) -> str:
    """Name the driver and the options that we rely on, if left open."""
    url = sqlalchemy.make_url(connection)
    driver = _DEFAULT_DRIVERS.get(url.drivername)
    if driver:
        url = url.set(drivername=driver)
    backend = url.get_backend_name()
    if backend in ('mysql', 'mariadb') and 'charset' not in url.query:
        url = url.update_query_dict({'charset': 'utf8mb4'})
    if backend == 'sqlite' and 'plugin' not in url.query:
        url = url.update_query_dict({'plugin': 'heat_sqlite'})
    elif backend != 'sqlite' and 'plugin' not in url.query:
        url = url.update_query_dict({'plugin': pooling.PLUGIN})
    return url.render_as_string(hide_password=False)


def _wait_without_epoll() -> None:
    """Let psycopg wait where other green threads can run.

    NOTE: a patched ``select`` module has lost ``epoll``. The C waiting
    function of psycopg would then hold up the whole process.
    """
    waiting = sys.modules.get('psycopg.waiting')
    if waiting is not None and not hasattr(select, 'epoll'):
        waiting.wait = waiting.wait_select  # type: ignore[attr-defined]


class Counters:
    """Counts statements, commits and reading transactions of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = {'statements': 0, 'commits': 0, 'reads': 0}

    def add(self, name: str, number: int = 1) -> None:
        with self._lock:
            self._counts[name] += number

    def snapshot(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counts)


COUNTERS = Counters()


def _count_statement(conn: Any, cursor: Any, statement: str,
                     parameters: Any, context: Any,
                     executemany: bool) -> None:
    outside.enter()
    if not statement.startswith('BEGIN'):
        # Multi-row inserts come with one flat set of parameters.
        several = executemany and isinstance(parameters, list)
        COUNTERS.add('statements', len(parameters) if several else 1)


def _count_commit(conn: Any) -> None:
    COUNTERS.add('commits')
    # Up to the end of the transaction.
    outside.enter()


def _end_of_statement(*_args: Any) -> None:
    outside.leave()


def _tune_sqlite(engine: sqlalchemy.Engine,
                 is_writing: Callable[[], bool]) -> None:
    persistent = not in_memory(engine.url)

    def connect(dbapi_connection: Any, record: Any) -> None:
        # NOTE: the mode is kept in the file, so asking comes first; setting
        # it anew needs a lock that another process may hold.
        execute = dbapi_connection.execute
        if persistent:
            if execute('PRAGMA journal_mode').fetchone()[0] != 'wal':
                execute('PRAGMA journal_mode=WAL')
            # With a write-ahead log this survives a killed process, and
            # spares a disk flush at each commit.
            execute('PRAGMA synchronous=NORMAL')

    def begin(connection: sqlalchemy.Connection) -> None:
        if is_writing() and 'in_transaction' not in connection.info:
            connection.exec_driver_sql('BEGIN IMMEDIATE')
            # Tells the listener of oslo.db that BEGIN has been said.
            connection.info['in_transaction'] = True

    event.listen(engine, 'connect', connect)
    event.listen(engine, 'begin', begin, insert=True)


def _share_tls(engine: sqlalchemy.Engine) -> None:
    """Let all connections share one set of TLS parameters.

    PyMySQL encrypts where the server can, and reads for each connection
    all certificates the system trusts (0.7 MB that it then does not use)
    even if the server cannot.
    """
    driver: Any = engine.dialect.loaded_dbapi

    class Connection(driver.connections.Connection):  # type: ignore[misc]

        def _create_ssl_ctx(self, options: Any) -> Any:
            return super()._create_ssl_ctx(options) if options else preferred()

    @functools.cache
    def preferred() -> Any:
        parameters = driver.connections.ssl.SSLContext(
            driver.connections.ssl.PROTOCOL_TLS_CLIENT)
        parameters.check_hostname = False
        parameters.verify_mode = driver.connections.ssl.CERT_NONE
        return parameters

    def do_connect(dialect: Any, record: Any, arguments: Any,
                   options: Any) -> Any:
        return Connection(*arguments, **options)

    event.listen(engine, 'do_connect', do_connect)


def _tune_mysql(engine: sqlalchemy.Engine) -> None:
    if engine.driver == 'pymysql':
        _share_tls(engine)

    def connect(dbapi_connection: Any, record: Any) -> None:
        with dbapi_connection.cursor() as cursor:
            cursor.execute('SET SESSION TRANSACTION ISOLATION LEVEL '
                           'READ COMMITTED')
            cursor.execute('SET SESSION innodb_lock_wait_timeout = '
                           f'{LOCK_SECONDS}')
            cursor.execute('SELECT VERSION()')
            if 'MariaDB' in str(cursor.fetchone()[0]):
                # MySQL has nothing like it.
                cursor.execute('SET SESSION idle_transaction_timeout = '
                               f'{IDLE_SECONDS}')

    event.listen(engine, 'connect', connect)
    event.listen(engine, 'do_execute', narrow_text.execute)


def _tune_postgresql(engine: sqlalchemy.Engine) -> None:

    def connect(dbapi_connection: Any, record: Any) -> None:
        with dbapi_connection.cursor() as cursor:
            cursor.execute('SET idle_in_transaction_session_timeout = '
                           f"'{IDLE_SECONDS}s'; "
                           f"SET lock_timeout = '{LOCK_SECONDS}s'")
        # Or it would end with the first transaction that is rolled back.
        dbapi_connection.commit()

    event.listen(engine, 'connect', connect)


def _begin_trace(conn: Any, cursor: Any, statement: str, parameters: Any,
                 context: Any, executemany: bool) -> None:
    # Not the parameters: there may be secrets among them.
    profiler.start('db', {'db': {'statement': statement}})


def _end_trace(*_args: Any) -> None:
    profiler.stop()


def _end_failed_trace(failure: Any) -> None:
    if failure.statement is not None:
        profiler.stop({'etype': type(failure.original_exception).__name__})


def trace(engine: sqlalchemy.Engine) -> None:
    """Make statements part of the trace of the request they belong to."""
    event.listen(engine, 'before_cursor_execute', _begin_trace)
    event.listen(engine, 'after_cursor_execute', _end_trace)
    event.listen(engine, 'handle_error', _end_failed_trace)


def tune(engine: sqlalchemy.Engine,
         is_writing: Callable[[], bool]) -> None:
    """Attach the listeners that this engine's kind of database needs."""
    event.listen(engine, 'before_cursor_execute', _count_statement)
    event.listen(engine, 'after_cursor_execute', _end_of_statement)
    event.listen(engine, 'handle_error', _end_of_statement)
    event.listen(engine, 'commit', _count_commit)
    if engine.dialect.name == 'sqlite':
        _tune_sqlite(engine, is_writing)
    elif engine.dialect.name in ('mysql', 'mariadb'):
        _tune_mysql(engine)
    elif engine.dialect.name == 'postgresql':
        _wait_without_epoll()
        _tune_postgresql(engine)
    # Connections made before the listeners were there lack their settings.
    engine.dispose()
