"""Transactions on real servers: conflicts, lost connections, visibility."""
import contextlib
import threading
import time

import pytest
import sqlalchemy as sa

from heat.common import timeutils
from heat.db import engine_setup
from heat.db import models
from heat.db import pooling
from heat.db import query
from heat.db import session
from heat.objects import raw_template
from heat.objects import resource
from heat.objects import stack
from heat.objects import stack_lock
from heat.objects import sync_point
from heat.objects import transaction

pytestmark = pytest.mark.usefixtures('clean_database')

Resource = resource.Resource


def in_thread(work):
    """Run work in another thread and return its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join(120)
    return results[0]


def all_at_once(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
        assert not thread.is_alive()


@pytest.fixture
def a_resource(context, a_stack):
    return Resource.create(context, {'name': 'r', 'stack_id': a_stack.id})


def connection_number(connection):
    """Return how the server calls a connection."""
    return connection.exec_driver_sql(
        'SELECT pg_backend_pid()' if connection.dialect.name == 'postgresql'
        else 'SELECT CONNECTION_ID()').scalar()


def kill_connection(number):
    """End the server's side of a connection."""
    url = session.get_engine().url
    other = sa.create_engine(url, isolation_level='AUTOCOMMIT',
                             poolclass=sa.NullPool)
    kill, left = (
        ('SELECT pg_terminate_backend(%d)',
         'SELECT count(*) FROM pg_stat_activity WHERE pid = %d')
        if url.get_backend_name() == 'postgresql' else
        ('KILL %d', 'SELECT count(*) FROM information_schema.processlist '
         'WHERE id = %d'))
    with other.connect() as killer:
        killer.exec_driver_sql(kill % number)
        # The server is told, and then gets round to it.
        end = time.monotonic() + 60
        while killer.exec_driver_sql(left % number).scalar():
            assert time.monotonic() < end
            time.sleep(0.01)


def test_committed_rows_are_seen_at_once(context, a_resource):
    """A loser reads what the winner wrote, having read the row before."""
    def swap(owner):
        return Resource.select_and_update(
            context, a_resource.id, {'engine_id': owner}, None, None)

    with transaction.writer(context):
        assert Resource.get_obj(context, a_resource.id).engine_id is None
        assert in_thread(lambda: swap('winner')) is True
        assert swap('loser') is False
        seen = Resource.get_obj(context, a_resource.id)
    assert (seen.engine_id, seen.atomic_key) == ('winner', 1)


def test_of_many_swaps_one_wins(context, a_resource):
    won = []

    def swap(owner):
        if Resource.select_and_update(context, a_resource.id,
                                      {'engine_id': owner}, None, None):
            won.append(owner)

    all_at_once(*(lambda n=n: swap(str(n)) for n in range(12)))
    assert len(won) == 1
    assert Resource.get_obj(context, a_resource.id).engine_id == won[0]


def test_of_many_lockers_one_wins(context, a_stack):
    results = []
    all_at_once(*(lambda n=n: results.append(stack_lock.StackLock.create(
        context, a_stack.id, str(n))) for n in range(12)))
    holder = stack_lock.StackLock.get_engine_id(context, a_stack.id)
    assert sorted(results, key=str) == sorted(
        [None] + [holder] * 11, key=str)


def test_deadlock_is_tried_again(context, make_stack):
    one, two = make_stack('one'), make_stack('two')
    meeting = threading.Barrier(2)
    attempts = []

    def work(first, second):
        def both():
            attempts.append(first.name)
            stack.Stack.update_by_id(context, first.id, {'timeout': 1})
            if attempts.count(first.name) == 1:
                meeting.wait(120)
            stack.Stack.update_by_id(context, second.id, {'timeout': 2})

        transaction.run(context, both)

    all_at_once(lambda: work(one, two), lambda: work(two, one))
    assert len(attempts) >= 3


@pytest.mark.parametrize('when', ['before', 'between'])
def test_lost_connection_is_tried_again(context, a_stack, when):
    attempts = []

    def work():
        attempts.append(1)
        with session.writer(context) as connection:
            if when == 'between':
                stack.Stack.set_tags(context, a_stack.id, ['x'])
            if len(attempts) == 1:
                kill_connection(connection_number(connection))
            stack.Stack.update_by_id(context, a_stack.id, {'timeout': 5})

    transaction.run(context, work)
    assert len(attempts) == 2
    assert stack.Stack.get_by_id(context, a_stack.id).timeout == 5


def test_process_that_stops_holds_up_nobody(context, a_stack, monkeypatch):
    monkeypatch.setattr(engine_setup, 'IDLE_SECONDS', 3)
    url = session.get_engine().url.render_as_string(hide_password=False)
    session.configure(url)
    attempts, goes_on = [], threading.Event()
    written = threading.Event()

    def work():
        attempts.append(1)
        stack.Stack.update_by_id(context, a_stack.id, {'timeout': 5})
        written.set()
        if len(attempts) == 1:
            goes_on.wait(120)
        stack.Stack.update_by_id(context, a_stack.id, {'timeout': 6})

    thread = threading.Thread(target=lambda: transaction.run(context, work))
    thread.start()
    assert written.wait(60)
    # Waits until the server has ended the transaction.
    stack.Stack.update_by_id(context, a_stack.id, {'timeout': 7})
    assert stack.Stack.get_by_id(context, a_stack.id).timeout == 7
    goes_on.set()
    thread.join(120)
    assert len(attempts) == 2
    assert stack.Stack.get_by_id(context, a_stack.id).timeout == 6


def test_connections_killed_while_idle_are_replaced(context, a_stack):
    with session.reader(context) as connection:
        number = connection_number(connection)
    kill_connection(number)
    assert stack.Stack.get_by_id(context, a_stack.id) is not None


def test_connections_idle_for_long_are_asked_first(
        context, a_stack, monkeypatch):
    with session.reader(context) as connection:
        number = connection_number(connection)
    kill_connection(number)
    monkeypatch.setattr(pooling, 'TRUSTED_SECONDS', 0)
    # No attempt is lost.
    with session.reader(context) as connection:
        assert connection_number(connection) != number


def test_connections_come_back_without_a_transaction(context, a_stack):
    engine = session.get_engine()
    raw = engine.raw_connection()
    driver = raw.driver_connection
    assert not pooling.in_transaction(driver)
    with contextlib.closing(raw.cursor()) as cursor:
        cursor.execute('UPDATE stack SET timeout = 77')
    assert pooling.in_transaction(driver)
    raw.close()
    assert not pooling.in_transaction(driver)
    assert stack.Stack.get_by_id(context, a_stack.id).timeout != 77
    # Who wrote it would hold a lock of the row.
    stack.Stack.update_by_id(context, a_stack.id, {'timeout': 8})


def test_absent_server_is_waited_for(context, a_stack, monkeypatch):
    engine = session.get_engine()
    address = engine.url.set(port=1)
    waits = []

    def sleep(seconds):
        waits.append(seconds)
        if len(waits) == 3:
            session.configure(engine.url.render_as_string(
                hide_password=False))

    monkeypatch.setattr(timeutils, 'sleep', sleep)
    session.configure(address.render_as_string(hide_password=False),
                      max_retries=0)
    assert stack.Stack.get_by_id(context, a_stack.id).id == a_stack.id
    assert len(waits) == 3


def test_server_that_stays_away_is_reported(context, monkeypatch):
    address = session.get_engine().url.set(port=1)
    monkeypatch.setattr(timeutils, 'sleep', lambda seconds: None)
    session.configure(address.render_as_string(hide_password=False),
                      max_retries=0)
    with pytest.raises(transaction.Unavailable) as caught:
        transaction.run(context, lambda: None, patience=0.05)
    assert '127.0.0.1' not in str(caught.value)


def test_counting_down_at_once_misses_nothing(context, a_stack):
    """Each of the predecessors satisfies all nodes; each is ready once."""
    predecessors, nodes = 8, 30
    sync_point.SyncPoint.create_many(context, [
        {'entity_id': number, 'is_update': True, 'traversal_id': 't',
         'stack_id': a_stack.id, 'pending': predecessors}
        for number in range(nodes)])
    ready = []

    def satisfy(shift):
        order = [(number + shift) % nodes for number in range(nodes)]
        for some in (order[:nodes // 2], order[nodes // 2:]):
            transaction.run(context, lambda keys=some: ready.extend(
                sync_point.SyncPoint.satisfy(
                    context, 't', {(key, True): 1 for key in keys})))

    all_at_once(*(lambda n=n: satisfy(n * 5) for n in range(predecessors)))
    assert len(set(ready)) == nodes
    assert len(sync_point.SyncPoint.ready(context, 't')) == nodes


def test_many_rows_are_few_statements(context, a_stack):
    before = transaction.counters()['statements']
    ids = Resource.create_many(context, [
        {'name': str(number), 'stack_id': a_stack.id, 'requires': [1]}
        for number in range(1000)])
    assert transaction.counters()['statements'] - before == 1
    rows = Resource.get_many(context, ids)
    assert {row.id: row.name for row in rows} == {
        one: str(number) for number, one in enumerate(ids)}


def test_rows_without_returning_keep_their_order(context, monkeypatch):
    """MySQL and old releases of MariaDB tell one number at a time."""
    table = models.PROPERTIES_DATA
    with session.writer(context) as connection:
        for name in ('insert_executemany_returning_sort_by_parameter_order',
                     'insert_executemany_returning'):
            monkeypatch.setattr(connection.dialect, name, False)
        ids = query.insert_many(
            connection, table, [{'data': number} for number in range(20)])
        query.insert_rows(connection, models.RAW_TEMPLATE_FILES,
                          [{'files': {}} for _ in range(3)])
        stored = dict(connection.execute(
            sa.select(table.c.id, table.c.data)).all())
    assert [stored[one] for one in ids] == list(range(20))


def test_every_character_is_kept(context, make_stack):
    text = 'ü € 😀 \U0002070e'
    made = make_stack(text, status_reason=text, tags=[text])
    read = stack.Stack.get_by_id(context, made.id)
    assert (read.name, read.status_reason) == (text, text)
    assert stack.Stack.tags_for(context, [made.id]) == {made.id: [text]}
    template = raw_template.RawTemplate.create(
        context, {'template': {text: text}})
    assert raw_template.RawTemplate.get_by_id(
        context, template.id).template == {text: text}


@pytest.mark.parametrize('server', ['postgresql'], indirect=True)
@pytest.mark.parametrize('driver', ['postgresql', 'postgresql+psycopg2'])
def test_drivers_of_postgresql(context, a_stack, driver):
    url = session.get_engine().url
    session.configure(url.set(drivername=driver).render_as_string(
        hide_password=False))
    assert stack_lock.StackLock.create(context, a_stack.id, 'one') is None
    assert stack_lock.StackLock.create(context, a_stack.id, 'two') == 'one'
    ids = Resource.create_many(context, [
        {'name': str(number), 'stack_id': a_stack.id}
        for number in range(50)])
    assert len(Resource.get_many(context, ids)) == 50
