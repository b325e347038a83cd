"""The table of errors of databases, row by row."""
import socket
import sqlite3
import struct
import threading

from oslo_db import exception as db_exception
import pymysql
import pytest
import sqlalchemy as sa
from sqlalchemy import exc as sqla_exc

from heat.common import outage
from heat.common import timeutils
from heat.db import engine_setup
from heat.db import errors
from heat.db import pooling
from heat.db import session

_R = errors.Remedy


class PostgresError(Exception):
    """What psycopg raises: its errors cannot be given a state."""

    def __init__(self, text, sqlstate=None):
        super().__init__(text)
        self.sqlstate = sqlstate


def sqlite_error(code, text='error'):
    error = sqlite3.OperationalError(text)
    # What SQLite adds to a code says more about the same.
    error.sqlite_errorcode = code | 3 << 8
    return error


def mysql_error(number, text='error'):
    return pymysql.err.OperationalError(number, text)


def postgres_error(state):
    # A class of states stands for all of its states.
    return PostgresError('error', state.ljust(5, '0'))


ROWS = [
    *[(mysql_error(code), remedy) for code, remedy in errors.MYSQL.items()],
    *[(postgres_error(state), remedy)
      for state, remedy in errors.POSTGRESQL.items()],
    *[(sqlite_error(code), remedy) for code, remedy in errors.SQLITE.items()],
    *[(PostgresError(f'it says: {text} today'), remedy)
      for text, remedy in errors.TEXTS],
    # Seen while the disk was full.
    (PostgresError('FATAL:  could not write init file\n'), _R.WAIT),
]


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only by sleeping."""
    passed = []
    monkeypatch.setattr(timeutils, 'sleep', passed.append)
    monkeypatch.setattr(timeutils, 'wallclock', lambda: sum(passed))
    return passed


def _wrappings(original):
    """Return an error as a statement and as oslo.db raise it."""
    wrapped = sqla_exc.OperationalError('SELECT 1', {}, original)
    return [wrapped, db_exception.DBError(wrapped)]


@pytest.mark.parametrize(('original', 'remedy'), ROWS)
def test_each_error_meets_its_remedy(clock, original, remedy):
    for error in _wrappings(original):
        assert errors.remedy_of(error) is remedy
        attempts = []

        def work(error=error, attempts=attempts):
            attempts.append(1)
            if len(attempts) == 1:
                raise error
            return 'done'

        before = sum(clock)
        if remedy is _R.DEFECT:
            with pytest.raises(type(error)):
                session.run(None, work)
            assert len(attempts) == 1
            continue
        assert session.run(None, work) == 'done'
        assert len(attempts) == 2
        assert (sum(clock) == before) is (remedy is _R.RETRY_STATEMENT)


@pytest.mark.parametrize(('original', 'remedy'), ROWS)
def test_users_are_told_soon_that_the_service_is_unavailable(
        clock, original, remedy):
    if remedy is _R.DEFECT:
        return

    def work():
        raise _wrappings(original)[0]

    if remedy is _R.WAIT:
        with outage.limited(outage.PATIENCE), pytest.raises(
                outage.Unavailable):
            session.run(None, work)
        assert sum(clock) <= outage.PATIENCE
    else:
        with pytest.raises(outage.Unavailable):
            session.run(None, work, patience=5)


@pytest.mark.parametrize('error', [
    mysql_error(99999), postgres_error('XX000'), sqlite_error(1),
    ValueError('connection refused'), PostgresError('what is this?'),
    OSError('the database system is in the text')])
def test_what_the_table_does_not_name_is_a_defect(error):
    assert errors.remedy_of(error) is _R.DEFECT


def test_errors_of_the_library_are_waited_for():
    for error in (db_exception.DBConnectionError(),
                  sqla_exc.TimeoutError('QueuePool limit'),
                  sqla_exc.PendingRollbackError('invalid transaction'),
                  sqla_exc.OperationalError('SQL', {}, Exception('?'),
                                            connection_invalidated=True)):
        assert errors.remedy_of(error) is _R.WAIT
    assert errors.remedy_of(
        db_exception.DBDeadlock()) is _R.RETRY_TRANSACTION


def _refusing_server():
    """Listen like a server that has no room for one more connection.

    It says so before the handshake, when no SQLSTATE is agreed upon yet.
    """
    listening = socket.create_server(('127.0.0.1', 0))
    body = b'\xff' + struct.pack('<H', 1040) + b'Too many connections'
    packet = struct.pack('<I', len(body))[:3] + b'\0' + body

    def serve():
        connection, _address = listening.accept()
        connection.sendall(packet)
        connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return listening


def test_too_many_connections_are_waited_for():
    with _refusing_server() as server:
        engine = sa.create_engine('mysql+pymysql://u@127.0.0.1:%d/d' %
                                  server.getsockname()[1])
        with pytest.raises(sqla_exc.OperationalError) as caught:
            engine.connect()
    assert caught.value.orig.args[0] == 1040
    assert errors.remedy_of(caught.value) is _R.WAIT


def test_silent_server_is_waited_for(monkeypatch):
    """It takes the connection, and says nothing: its address has moved."""
    monkeypatch.setattr(pooling, 'SILENT_SECONDS', 0.2)
    with socket.create_server(('127.0.0.1', 0)) as server:
        engine = sa.create_engine(engine_setup.complete_url(
            'mysql+pymysql://u@127.0.0.1:%d/d' % server.getsockname()[1]))
        with pytest.raises(sqla_exc.OperationalError) as caught:
            engine.connect()
    assert errors.remedy_of(caught.value) is _R.WAIT


@pytest.mark.parametrize(('url', 'name', 'expected'), [
    ('mysql+pymysql://u@h/d', 'read_timeout', pooling.SILENT_SECONDS),
    ('mysql+pymysql://u@h/d?read_timeout=7', 'read_timeout', 7),
    ('postgresql+psycopg2://u@h/d', 'tcp_user_timeout',
     pooling.SILENT_SECONDS * 500),
    ('postgresql+psycopg2://u@h/d?tcp_user_timeout=9', 'tcp_user_timeout',
     '9'),
])
def test_silence_is_limited_unless_operators_say_so(monkeypatch, url, name,
                                                    expected):
    engine = sa.create_engine(engine_setup.complete_url(url))
    seen = {}

    class Refused(Exception):
        """Ends the attempt before it begins."""

    @sa.event.listens_for(engine, 'do_connect', insert=True)
    def do_connect(dialect, record, arguments, options):
        seen.update(options)
        raise Refused

    with pytest.raises(Refused):
        engine.connect()
    assert seen[name] == expected
