import socket
import ssl
import threading

from oslo_config import cfg
from oslo_db import exception as db_exception
import prometheus_client
import pymysql
from pymysql import connections
import pytest
import sqlalchemy as sa
from sqlalchemy import exc as sqla_exc

from heat.common import outage
from heat.common import timeutils
from heat.db import engine_setup
from heat.db import models
from heat.db import session

FILES = models.RAW_TEMPLATE_FILES


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only by sleeping."""
    class Clock:
        now = 0.0

        def sleep(self, seconds):
            self.now += seconds

    clock = Clock()
    monkeypatch.setattr(timeutils, 'sleep', clock.sleep)
    monkeypatch.setattr(timeutils, 'wallclock', lambda: clock.now)
    return clock


def add():
    with session.writer(None) as connection:
        connection.execute(FILES.insert(), {'files': {}})


def count():
    with session.reader(None) as connection:
        return connection.execute(
            sa.select(sa.func.count()).select_from(FILES)).scalar()


def test_inner_writer_joins_the_outer_one():
    with session.writer('one context') as outer:
        with session.writer('another') as inner:
            assert inner is outer
        assert session.in_transaction()
    assert not session.in_transaction()


def test_failure_takes_back_what_inner_writers_did():
    def fail():
        with session.writer(None):
            add()
            raise ValueError

    with pytest.raises(ValueError):
        fail()
    assert count() == 0
    assert not session.in_transaction()


def test_reading_inside_a_writer_sees_its_changes():
    with session.writer(None):
        add()
        assert count() == 1


def test_reader_does_not_turn_into_a_writer():
    with session.reader(None), pytest.raises(RuntimeError):
        add()


def test_threads_have_transactions_of_their_own():
    seen = []
    with session.writer(None):
        add()
        thread = threading.Thread(target=lambda: seen.append(
            (session.in_transaction(), count())))
        thread.start()
        thread.join()
    assert seen == [(False, 0)]
    assert count() == 1


def test_writers_of_many_threads_wait_for_each_other():
    errors = []

    def work():
        try:
            for _ in range(5):
                session.run(None, lambda: (count(), add()))
        except Exception as error:  # noqa: BLE001 (looked at below)
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert count() == 80


def test_memory_database_is_shared_by_threads():
    session.configure('sqlite://')
    models.METADATA.create_all(session.get_engine())
    threads = [threading.Thread(
        target=lambda: session.run(None, lambda: (count(), add())))
        for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count() == 8


def conflict():
    return db_exception.DBDeadlock()


def absence():
    return db_exception.DBConnectionError()


def retries(reason):
    """Return how often figures say that a transaction was repeated."""
    return prometheus_client.REGISTRY.get_sample_value(
        'heat_database_retries_total', {'reason': reason}) or 0


@pytest.mark.parametrize('error', [conflict, absence])
def test_run_repeats_after_trouble(clock, error):
    results = [error(), error(), None]
    before = retries(error.__name__)

    def work():
        add()
        problem = results.pop(0)
        if problem:
            raise problem
        return 'done'

    assert session.run(None, work) == 'done'
    assert count() == 1
    assert clock.now > 0
    assert retries(error.__name__) == before + 2


def test_run_leaves_repeating_to_the_outermost(clock):
    calls = []

    def inner():
        calls.append('inner')
        if len(calls) < 3:
            raise conflict()

    def outer():
        calls.append('outer')
        session.run(None, inner)

    session.run(None, outer)
    assert calls == ['outer', 'inner', 'outer', 'inner']


def test_endless_conflict_is_taken_for_an_outage(clock):
    calls = []

    def work():
        calls.append(1)
        raise conflict()

    with pytest.raises(session.Unavailable):
        session.run(None, work, patience=60)
    assert len(calls) > session.CONFLICT_ATTEMPTS
    assert clock.now >= 60


def test_users_do_not_wait_for_the_end_of_conflicts(clock):
    def work():
        clock.sleep(10)
        raise conflict()

    with outage.limited(outage.PATIENCE), pytest.raises(
            session.Unavailable):
        session.run(None, work)
    assert clock.now < 30


def test_what_would_succeed_now_is_repeated_at_once(clock):
    results = [sqla_exc.OperationalError('SQL', {}, pymysql.err.InternalError(
        1615, 'Prepared statement needs to be re-prepared')), None]

    def work():
        problem = results.pop(0)
        if problem:
            raise problem
        return 'done'

    assert session.run(None, work) == 'done'
    assert clock.now == 0


def test_connections_to_a_former_primary_are_given_up(clock):
    def connection_id():
        with session.reader(None) as connection:
            return id(connection.connection.dbapi_connection)

    kept = session.get_engine().raw_connection().dbapi_connection
    assert connection_id() == id(kept)
    results = [sqla_exc.OperationalError('SQL', {}, pymysql.err.
                                         OperationalError(1290, 'read-only')),
               None]

    def work():
        problem = results.pop(0)
        if problem:
            raise problem

    session.run(None, work)
    assert connection_id() != id(kept)


def test_run_waits_for_an_absent_database_as_long_as_told(clock):
    def work():
        raise absence()

    with pytest.raises(session.Unavailable) as caught:
        session.run(None, work, patience=7)
    assert 7 <= clock.now < 20
    assert 'sqlite' not in str(caught.value)


def test_run_waits_as_configured(clock):
    def work():
        raise absence()

    with pytest.raises(session.Unavailable):
        session.run(None, work)
    # 1 + 2 + 4 + 8 seconds and then 10, twenty waits in all
    assert 175 <= clock.now < 190


def test_other_errors_are_not_repeated():
    calls = []

    def work():
        calls.append(1)
        raise ValueError

    with pytest.raises(ValueError):
        session.run(None, work)
    assert calls == [1]


def test_single_queries_repeat_by_themselves(clock):
    results = [conflict(), absence(), None]

    @session.writes
    def query(connection, value):
        problem = results.pop(0)
        if problem:
            raise problem
        return connection.execute(sa.select(sa.literal(value))).scalar()

    assert query(None, 3) == 3


def test_statements_and_commits_are_counted():
    before = session.counters()
    with session.writer(None):
        add()
        add()
    count()
    after = session.counters()
    assert {name: after[name] - before[name] for name in after} == {
        'statements': 3, 'commits': 1, 'reads': 1}


def test_options_are_read_when_no_url_is_given(tmp_path):
    session.get_engine()
    url = f'sqlite:///{tmp_path}/other.sqlite'
    cfg.CONF.set_override('connection', url, 'database')
    try:
        session.configure()
        assert session.get_engine().url.database.endswith('other.sqlite')
    finally:
        cfg.CONF.clear_override('connection', 'database')


def test_sqlite_files_are_shared_with_other_processes():
    with session.reader(None) as connection:
        def pragma(name):
            return connection.exec_driver_sql(f'PRAGMA {name}').scalar()

        assert pragma('journal_mode') == 'wal'
        assert pragma('busy_timeout') == 60000
        assert pragma('foreign_keys') == 0


@pytest.mark.parametrize(('given', 'expected'), [
    ('postgresql://u@h/d', 'postgresql+psycopg2://u@h/d?plugin=heat_server'),
    ('postgresql+psycopg://u@h/d',
     'postgresql+psycopg://u@h/d?plugin=heat_server'),
    ('mysql://u:p%40ss@h/d', 'mysql+pymysql://u:p%40ss@h/d?charset=utf8mb4'
     '&plugin=heat_server'),
    ('mysql+pymysql://u@h/d?charset=utf8',
     'mysql+pymysql://u@h/d?charset=utf8&plugin=heat_server'),
    ('sqlite:////tmp/x', 'sqlite:////tmp/x?plugin=heat_sqlite'),
])
def test_urls_are_completed(given, expected):
    assert engine_setup.complete_url(given) == expected


def test_connections_read_trusted_certificates_once_at_most(monkeypatch):
    read = []

    def create_default_context(*args, **kwargs):
        read.append(args)
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    monkeypatch.setattr(connections.ssl, 'create_default_context',
                        create_default_context)
    with socket.create_server(('127.0.0.1', 0)) as closed:
        port = closed.getsockname()[1]
    engine = sa.create_engine(f'mysql+pymysql://u@127.0.0.1:{port}/d')
    engine_setup.tune(engine, lambda: False)
    for _time in range(2):
        with pytest.raises(sqla_exc.OperationalError):
            engine.connect()
    assert len(read) <= 1


def test_certificates_that_were_asked_for_are_read(tmp_path):
    engine = sa.create_engine('mysql+pymysql://u@127.0.0.1:1/d', connect_args={
        'ssl_ca': str(tmp_path / 'missing')})
    engine_setup.tune(engine, lambda: False)
    with pytest.raises(FileNotFoundError):
        engine.connect()
