"""Classify database errors by the remedy for each.

MariaDB, MySQL and Galera use error numbers, PostgreSQL uses SQLSTATE codes
and SQLite uses result codes. An error that no table lists is a defect:
repeating the statement would not help.
"""
from collections.abc import Mapping
import enum

from oslo_db import exception as db_exception
from sqlalchemy import exc as sqla_exc


class Remedy(enum.StrEnum):
    """Remedy for a database error."""

    #: The same would succeed now: repeat it without a pause.
    RETRY_STATEMENT = 'retry statement'
    #: Others were in the way: repeat the transaction after a short pause.
    RETRY_TRANSACTION = 'retry transaction'
    #: The server is away, full, or not the primary: wait for it.
    WAIT = 'wait for the database'
    #: Repeating changes nothing.
    DEFECT = 'defect'


_STATEMENT, _TRANSACTION = Remedy.RETRY_STATEMENT, Remedy.RETRY_TRANSACTION
_WAIT, _DEFECT = Remedy.WAIT, Remedy.DEFECT

#: Of MariaDB, MySQL and Galera, by number.
MYSQL: Mapping[int, Remedy] = {
    0: _WAIT,                # (PyMySQL) the connection is closed
    3: _WAIT,                # error writing a file
    28: _WAIT,               # no space left on device
    1020: _TRANSACTION,      # record has changed since last read
    1021: _WAIT,             # disk full
    1026: _WAIT,             # error writing a file
    1030: _WAIT,             # error from the storage engine
    1036: _WAIT,             # table is read only
    1037: _WAIT,             # out of memory
    1038: _WAIT,             # out of memory for sorting
    1040: _WAIT,             # too many connections
    1041: _WAIT,             # out of memory
    1044: _DEFECT,           # access denied to the database
    1045: _DEFECT,           # access denied
    1047: _WAIT,             # Galera: the node is not part of the cluster
    1049: _DEFECT,           # no such database
    1053: _WAIT,             # shutdown in progress
    1062: _DEFECT,           # duplicate entry
    1064: _DEFECT,           # syntax error
    1077: _WAIT,             # normal shutdown
    1079: _WAIT,             # shutdown complete
    1080: _WAIT,             # forcing a thread to close
    1114: _WAIT,             # table full
    1129: _WAIT,             # host is blocked
    1135: _WAIT,             # cannot create a thread
    1146: _DEFECT,           # no such table
    1152: _WAIT,             # aborted connection
    1153: _DEFECT,           # packet too large
    1154: _WAIT,             # read error from the connection pipe
    1158: _WAIT,             # error reading packets
    1159: _WAIT,             # timeout reading packets
    1160: _WAIT,             # error writing packets
    1161: _WAIT,             # timeout writing packets
    1180: _TRANSACTION,      # error during commit (Galera: certification)
    1181: _TRANSACTION,      # error during rollback
    1184: _WAIT,             # aborted new connection
    1203: _WAIT,             # too many connections of the user
    1205: _TRANSACTION,      # lock wait timeout
    1206: _TRANSACTION,      # more locks than the lock table holds
    1213: _TRANSACTION,      # deadlock
    1223: _WAIT,             # a backup holds the global read lock
    1226: _WAIT,             # the user has exceeded a limit
    1290: _WAIT,             # read-only server
    1317: _TRANSACTION,      # statement interrupted
    1366: _DEFECT,           # incorrect value
    1406: _DEFECT,           # data too long
    1412: _TRANSACTION,      # the table has changed, retry the transaction
    1613: _TRANSACTION,      # rolled back: took too long
    1614: _TRANSACTION,      # rolled back: deadlock
    1615: _STATEMENT,        # statement needs to be prepared again
    1637: _WAIT,             # too many concurrent transactions
    1792: _WAIT,             # read-only transaction
    1836: _WAIT,             # read-only mode
    1874: _WAIT,             # InnoDB is in read-only mode
    1877: _WAIT,             # operation not possible for a full disk
    1881: _WAIT,             # InnoDB is in a forced recovery
    1927: _WAIT,             # MariaDB: connection was killed
    1969: _TRANSACTION,      # MariaDB: statement took too long
    2002: _WAIT,             # cannot connect by socket
    2003: _WAIT,             # cannot connect
    2005: _WAIT,             # unknown server host
    2006: _WAIT,             # server has gone away
    2012: _WAIT,             # error in the handshake
    2013: _WAIT,             # lost connection during a query
    2014: _WAIT,             # commands out of sync
    2026: _WAIT,             # TLS connection error
    2027: _WAIT,             # malformed packet
    2055: _WAIT,             # lost connection, with a system error
    3024: _TRANSACTION,      # MySQL: statement took too long
    3058: _TRANSACTION,      # MySQL: deadlock of user-level locks
    3100: _WAIT,             # MySQL group replication: hook failed
    3101: _TRANSACTION,      # MySQL group replication: certification
    3168: _WAIT,             # MySQL: the server isn't available
    3572: _TRANSACTION,      # lock not available at once
    3675: _WAIT,             # MySQL: no space for a table
    4020: _TRANSACTION,      # MySQL: the resource has been dropped meanwhile
    4031: _WAIT,             # MySQL: disconnected for inactivity
    4078: _DEFECT,           # MariaDB: illegal parameter types
}

#: Of PostgreSQL, by SQLSTATE, or by its first two characters.
POSTGRESQL: Mapping[str, Remedy] = {
    '08': _WAIT,             # connection exceptions
    '25006': _WAIT,          # read-only transaction: a standby
    '25P02': _TRANSACTION,   # an error before has ended the transaction
    '25P03': _WAIT,          # ended for being idle in a transaction
    '25P04': _WAIT,          # ended for taking too long
    '26000': _STATEMENT,     # prepared statement is gone
    '28000': _DEFECT,        # invalid authorization
    '28P01': _DEFECT,        # wrong password
    '23505': _DEFECT,        # duplicate key
    '3D000': _DEFECT,        # no such database
    '40': _TRANSACTION,      # deadlock, serialization failure, ...
    '42P01': _DEFECT,        # no such table
    '42501': _DEFECT,        # insufficient privilege
    '53': _WAIT,             # out of disk, memory, connections
    '55006': _TRANSACTION,   # object in use
    '55P03': _TRANSACTION,   # lock not available
    '57014': _TRANSACTION,   # statement cancelled, or took too long
    '57P01': _WAIT,          # terminated by an administrator
    '57P02': _WAIT,          # terminated by a crash
    '57P03': _WAIT,          # starting up, shutting down, in recovery
    '57P04': _DEFECT,        # the database was dropped
    '57P05': _WAIT,          # terminated for being idle
    '58000': _WAIT,          # system error
    '58030': _WAIT,          # I/O error
    '72000': _TRANSACTION,   # snapshot too old
}

#: Of SQLite, by primary result code.
SQLITE: Mapping[int, Remedy] = {
    5: _TRANSACTION,         # BUSY: another process has the lock
    6: _TRANSACTION,         # LOCKED: another connection has the table
    7: _WAIT,                # NOMEM
    8: _WAIT,                # READONLY: the file system, or a directory
    9: _TRANSACTION,         # INTERRUPT
    10: _WAIT,               # IOERR
    11: _DEFECT,             # CORRUPT
    13: _WAIT,               # FULL
    14: _WAIT,               # CANTOPEN
    15: _TRANSACTION,        # PROTOCOL: locking of the write-ahead log
    17: _STATEMENT,          # SCHEMA has changed
    19: _DEFECT,             # CONSTRAINT
    26: _DEFECT,             # NOTADB
}

#: What drivers say without a code; the first that fits counts.
TEXTS: tuple[tuple[str, Remedy], ...] = (
    ('authentication failed', _DEFECT),
    ('does not exist', _DEFECT),
    ('database is locked', _TRANSACTION),
    ('database table is locked', _TRANSACTION),
    ('Record has changed since last read', _TRANSACTION),
    ('cached plan must not change result type', _STATEMENT),
    ('too many clients already', _WAIT),
    # PostgreSQL on eventlet, where psycopg2 reports no code if no connection
    # can be made, for instance because the disk is full.
    ('too many connections for ', _WAIT),
    ('FATAL:  could not ', _WAIT),
    ('remaining connection slots are reserved', _WAIT),
    ('connection to server', _WAIT),
    ('No space left on device', _WAIT),
    ('could not connect', _WAIT),
    ('could not translate host name', _WAIT),
    ('could not receive data from server', _WAIT),
    ('could not send data to server', _WAIT),
    ('connection failed', _WAIT),
    ('connection already closed', _WAIT),
    ('connection has been closed', _WAIT),
    ('connection is closed', _WAIT),
    ('consuming input failed', _WAIT),
    ('lost synchronization with server', _WAIT),
    ('no connection to the server', _WAIT),
    ('server closed the connection', _WAIT),
    ('terminating connection', _WAIT),
    ('the database system is', _WAIT),
    ('timeout expired', _WAIT),
    ('Connection refused', _WAIT),
    ('Is the server running', _WAIT),
    ('SSL SYSCALL error', _WAIT),
    ('Packet sequence number wrong', _WAIT),
)

#: What a server says that is not the primary: another one may be by now, so
#: connections are to be made anew.
ELSEWHERE = frozenset([1036, 1047, 1290, 1792, 1836, '25006'])

_DRIVERS = frozenset(['pymysql', 'MySQLdb', 'psycopg', 'psycopg2', 'sqlite3'])


def is_of_database(error: BaseException) -> bool:
    """Return whether the database, or what leads to it, raised an error."""
    return (isinstance(error, (db_exception.DBError,
                               sqla_exc.SQLAlchemyError)) or
            any(kind.__module__.partition('.')[0] in _DRIVERS
                for kind in type(error).__mro__))


def remedy_of(error: BaseException) -> Remedy:
    """Return what to do about an error."""
    if not is_of_database(error):
        return _DEFECT
    if isinstance(error, db_exception.DBDeadlock):
        return _TRANSACTION
    # The last is raised when a caller passed over a lost connection.
    if isinstance(error, (db_exception.DBConnectionError,
                          sqla_exc.TimeoutError,
                          sqla_exc.PendingRollbackError)):
        return _WAIT
    original = _of_driver(error)
    remedy = _by_code(original)
    if remedy is None and getattr(error, 'connection_invalidated', False):
        return _WAIT
    if remedy is None:
        text = str(original)
        remedy = next((found for known, found in TEXTS if known in text),
                      _DEFECT)
    return remedy


def is_elsewhere(error: BaseException) -> bool:
    """Return whether another server may have become the primary."""
    original = _of_driver(error)
    return (_number(original) or _state(original)) in ELSEWHERE


def _of_driver(error: BaseException) -> BaseException:
    """Return the error that the driver raised."""
    seen: BaseException | None = error
    while seen is not None:
        error = seen
        seen = (getattr(error, 'orig', None)
                or getattr(error, 'inner_exception', None))
    return error


def _state(original: BaseException) -> str | None:
    return (getattr(original, 'sqlstate', None)
            or getattr(original, 'pgcode', None))


def _number(original: BaseException) -> int | None:
    args = original.args
    return args[0] if args and isinstance(args[0], int) else None


def _by_code(original: BaseException) -> Remedy | None:
    """Return what the table says of a code; None if it has none."""
    number = _number(original)
    if number is not None:
        # PyMySQL tells the SQLSTATE, too: one for many numbers.
        return MYSQL.get(number)
    code = getattr(original, 'sqlite_errorcode', None)
    if code is not None:
        return SQLITE.get(code & 0xff, _DEFECT)
    state = _state(original) or ''
    return POSTGRESQL.get(state) or POSTGRESQL.get(state[:2])
