"""What befalls a database that engines use."""
import contextlib
import os
import signal
import threading

import sqlalchemy as sa

from tests.faults import catalogue

_EACH = {'everywhere': True}


@catalogue.fault('database read-only', **_EACH)
def _read_only(site):
    with site.database.read_only():
        site.database.terminate_connections()
        yield


def _lacks_disk(site):
    if site.kind == 'postgresql' and (
            not site.database.disk or site.database.has_switched):
        return 'no file system may be mounted'
    return None


@catalogue.fault('table full', available=_lacks_disk, **_EACH)
def _full(site):
    with site.database.full():
        yield


@catalogue.fault(
    'log of the database full', databases=('mysql',), seconds=3,
    available=lambda site: None if site.database.log_disk else
    'no file system may be mounted')
def _log_full(site):
    with site.database.log_disk.full():
        yield


@catalogue.fault('rows locked', seconds=12, **_EACH)
def _locked(site):
    site.database.lock_waits(2)
    try:
        with contextlib.ExitStack() as held:
            for service in site.services:
                for table in ('stack', 'resource'):
                    _lock_table(held, service, table)
            yield
    finally:
        site.database.lock_waits(50)


def _lock_table(held, service, table):
    """Lock the rows of a table until a stack of contexts ends."""
    while True:
        connection = service.administrator().connect()
        try:
            connection.execute(sa.text(f'SELECT id FROM {table} FOR UPDATE'))
        except sa.exc.DBAPIError:
            # The engines were first.
            connection.close()
        else:
            held.callback(connection.close)
            return


class _Adversary:
    """Locks rows in another order than engines do, again and again."""

    def __init__(self, service, is_postgresql, dice):
        self._engine = service.administrator()
        self._is_postgresql = is_postgresql
        self._dice = dice
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        with self._engine.begin() as connection:
            connection.execute(sa.text(
                'CREATE TABLE IF NOT EXISTS weight (n INTEGER)'))
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._over.set()
        self._thread.join()

    def _run(self):
        while not self._over.wait(0.02):
            with contextlib.suppress(sa.exc.DBAPIError), (
                    self._engine.begin()) as connection:
                self._lock(connection)
                self._over.wait(0.05)

    def _lock(self, connection):
        # The server ends the transaction that has done less, or that notices
        # first.
        if self._is_postgresql:
            connection.execute(sa.text("SET LOCAL deadlock_timeout = '30s'"))
        else:
            connection.execute(sa.text('INSERT INTO weight VALUES ' +
                                       ', '.join(['(1)'] * 200)))
        rows = [row for row, in connection.execute(sa.text(
            'SELECT id FROM resource ORDER BY id DESC'))]
        stacks = connection.execute(sa.text(
            'SELECT id FROM stack')).scalars().all()
        for row in rows[:40]:
            connection.execute(sa.text(
                'SELECT id FROM resource WHERE id = :row FOR UPDATE'),
                {'row': row})
        for stack in self._dice.sample(stacks, min(2, len(stacks))):
            connection.execute(sa.text(
                'SELECT id FROM stack WHERE id = :stack FOR UPDATE'),
                {'stack': stack})
        connection.execute(sa.text('DELETE FROM weight'))


@catalogue.fault('deadlocks', **_EACH)
def _deadlocks(site):
    with contextlib.ExitStack() as held:
        for service in site.services:
            held.enter_context(_Adversary(
                service, site.kind == 'postgresql', site.dice))
        yield


@catalogue.fault('connections terminated', **_EACH)
def _terminated(site):
    for _number in range(4):
        site.database.terminate_connections()
        site.pause(1.5)
    yield


@catalogue.fault('database killed', **_EACH)
def _killed(site):
    site.database.kill()
    try:
        yield
    finally:
        site.database.restart()


@catalogue.fault('too many connections', **_EACH)
def _too_many(site):
    with site.database.few_connections():
        yield


@catalogue.fault('database slow')
def _slow(site):
    with site.database.proxy.delaying(0.15):
        yield


@catalogue.fault('database refuses', **_EACH)
def _refuses(site):
    with site.database.proxy.refusing():
        yield


@catalogue.fault('database connections cut')
def _cut(site):
    for _number in range(10):
        site.database.proxy.cut()
        site.pause(0.5)
    yield


@catalogue.fault('database silent', **_EACH)
def _silent(site):
    with site.database.proxy.swallowing():
        yield


@catalogue.fault('database answers truncated')
def _truncated(site):
    with site.database.proxy.truncating():
        yield


@catalogue.fault('Galera node killed', databases=('galera',))
def _node_killed(site):
    with _served_by_another(site, lambda node: node.kill(),
                            lambda node: node.start()):
        yield


@catalogue.fault('Galera node stopped', databases=('galera',))
def _node_stopped(site):
    with _served_by_another(
            site, lambda node: os.killpg(node.pid, signal.SIGSTOP),
            lambda node: os.killpg(node.pid, signal.SIGCONT)):
        yield


@catalogue.fault('Galera node isolated', databases=('galera',))
def _node_isolated(site):
    with _served_by_another(site, lambda node: node.isolate(True),
                            lambda node: node.isolate(False)):
        yield


@contextlib.contextmanager
def _served_by_another(site, harm, mend):
    """Harm the node that serves; after a time another one serves."""
    first, second, _third = site.database.nodes
    harm(first)
    try:
        site.pause(4)
        site.database.proxy.point_to(second.port)
        yield
    finally:
        mend(first)
        first.wait_until_synced()
        site.database.proxy.point_to(first.port)


@catalogue.fault('Galera nodes conflict', databases=('galera',),
                 prepared=True)
def _nodes_conflict(site):
    """Have the engines of a service write at different nodes."""
    second = site.database.nodes[1]
    chosen = site.hosts()
    for service, host in chosen:
        url = sa.make_url(service.database).set(port=second.port)
        service.renew(host, more='[database]\nconnection = ' +
                      url.render_as_string(hide_password=False) + '\n')
    yield
    with _adversaries(site, second):
        yield
    yield
    for service, host in chosen:
        service.renew(host)


@contextlib.contextmanager
def _adversaries(site, node):
    """Touch the rows of stacks at another node again and again."""
    over = threading.Event()
    engines = [sa.create_engine(
        sa.make_url(service.database).set(port=node.port),
        poolclass=sa.NullPool) for service in site.services]

    def run():
        while not over.wait(0.1):
            for engine in engines:
                with contextlib.suppress(sa.exc.DBAPIError), (
                        engine.begin()) as connection:
                    connection.execute(sa.text(
                        "UPDATE resource SET updated_at = "
                        "COALESCE(updated_at, created_at) "
                        "+ INTERVAL 1 SECOND WHERE status = 'IN_PROGRESS'"))

    with catalogue.beside(run, over):
        yield


@catalogue.fault('primary switched', databases=('postgresql',))
def _switched(site):
    old = site.database.switch()
    yield
    site.database.mend(old)
