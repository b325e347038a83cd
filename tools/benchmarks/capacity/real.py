"""The real service, with a database server and a broker of its own.

What each of them costs is not mixed up with what others of the machine do.
"""
import contextlib
import pathlib
import shutil
import tempfile
import threading
import time

import kombu
import pymysql
import sqlalchemy as sa

from tests import machine
from tests.integration import own_servers
from tools.benchmarks import setups

#: What a Probe does in a burst, and the seconds between two.
COMPUTE, STATEMENTS, PAUSE = 0.002, 10, 0.2


class Site(setups.Distributed):
    """Engines and an API with servers of their own.

    :ivar server: the database server
    """

    def __init__(self, directory, engines):
        directory = pathlib.Path(directory)
        self.server = own_servers.MariaDB(directory / 'mariadb')
        queues = own_servers.RabbitMQ(directory / 'rabbitmq')
        super().__init__(directory, 'mariadb', engines, queues)

    def create_database(self):
        return self.server.create()

    def drop_database(self):
        self.server.kill()

    def start(self):
        self.server.start()
        self.broker.start()
        super().start()

    def processor_seconds(self):
        """Return {role: seconds of processors since it started}."""
        roles = {'engine': self.engines, 'api': [
            one for one in self.processes if one not in self.engines],
            'database': [self.server.process],
            'broker': [self.broker.process]}
        return {role: sum(map(_seconds, self.family(processes)))
                for role, processes in roles.items()}


def _seconds(pid):
    """Return the seconds that a process has had a processor."""
    with contextlib.suppress(OSError):
        return machine.cpu_seconds(pid)
    return 0.0


@contextlib.contextmanager
def running(engines, *, keep=False):
    """Start a Site for a with block, and return it."""
    directory = tempfile.mkdtemp(prefix='heat-capacity-')
    site = Site(directory, engines)
    try:
        site.start()
        site.ready()
        yield site
    finally:
        site.stop()
        if not keep:
            shutil.rmtree(directory, ignore_errors=True)


class Probe:
    """Measures the smallest things in a with block, as a service does them.

    In each burst there are a computation, statements and a commit, and a
    message, after a pause. Means count: on a busy machine few of them take
    most of the time.
    """

    def __init__(self, site):
        self._spent = dict.fromkeys(
            ('passed', 'own', 'statement', 'commit', 'message'), 0.0)
        self._bursts = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        url = sa.make_url(site.database_url)
        self._database = pymysql.connect(
            host=url.host, port=url.port, user='root', database=url.database)
        self._cursor = self._database.cursor()
        self._cursor.execute('CREATE TABLE IF NOT EXISTS bench_commit '
                             '(n INTEGER) ENGINE=InnoDB')
        self._cursor.execute('INSERT INTO bench_commit VALUES (0)')
        self._database.commit()
        self._broker = kombu.Connection(
            site.broker.url.replace('rabbit:', 'amqp:'))
        self._queue = self._broker.SimpleQueue('bench', no_ack=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._ended.set()
        self._thread.join()
        self._queue.close()
        self._broker.release()
        self._database.close()

    def _work(self):
        while not self._ended.wait(PAUSE):
            self._burst()

    def found(self):
        """Return the mean seconds of a statement, a commit, a message."""
        statement = self._spent['statement'] / self._bursts / STATEMENTS
        return {'statement': statement,
                'commit': max(statement,
                              self._spent['commit'] / self._bursts),
                'message': self._spent['message'] / self._bursts}

    def stretch(self):
        """Return how much longer than its own time a computation takes."""
        return self._spent['passed'] / self._spent['own']

    def _burst(self):
        self._bursts += 1
        began, own = time.perf_counter(), time.thread_time()
        while time.thread_time() < own + COMPUTE:
            pass
        self._spent['own'] += time.thread_time() - own
        self._add('passed', began)
        began = time.perf_counter()
        for _statement in range(STATEMENTS):
            self._cursor.execute('SELECT 1')
        self._add('statement', began)
        self._cursor.execute('UPDATE bench_commit SET n = n + 1')
        began = time.perf_counter()
        self._database.commit()
        self._add('commit', began)
        began = time.perf_counter()
        self._queue.put('x' * 1000)
        self._queue.get(timeout=60)
        self._add('message', began)

    def _add(self, what, began):
        self._spent[what] += time.perf_counter() - began
