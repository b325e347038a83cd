"""Engines stop, broker and database go away: trouble pauses, nothing fails.

The servers that are killed here are our own, not those that all tests use.
"""
import collections
import signal
import threading
import time

import pytest
import requests

from tests.integration import cluster as cluster_module
from tests.integration.test_kill import BACK_IN
from tests.integration.test_kill import OPTIONS
from tests.integration.test_kill import ids
from tests.integration.test_kill import traversal

SIZE = 100
LEASE = 2 * OPTIONS['periodic_interval']
#: Seconds for which an engine is stopped: much longer than its lease.
STOPPED = 60
#: Nothing of how the service works inside may be told to users.
INTERNALS = ('pymysql', 'sqlalchemy', 'oslo', 'Traceback', '127.0.0.1',
             'SELECT', 'UPDATE resource', 'amqp', 'mysql', 'Errno')


@pytest.fixture(scope='module')
def processes(tmp_path_factory, database_server, broker):
    with cluster_module.running(
            tmp_path_factory.mktemp('outages'), database_server, broker=broker,
            **OPTIONS) as one:
        yield one


@pytest.fixture
def cluster(processes):
    processes.use()
    return processes


class Life:
    """A stack that is made, while something else happens."""

    def __init__(self, cluster, ledger, name):
        self._cluster = cluster
        self._ledger = ledger
        # Things that take so long that each layer sees some trouble.
        self.template = ledger.mesh(SIZE, seconds=1)
        self.path = cluster.api.create(name, self.template)
        self._rows = ids(cluster, self.path)
        self._traversal = traversal(cluster, self.path)

    def wait_until_under_way(self, made=SIZE // 4):
        self._cluster.wait_for(
            lambda: len(self._ledger.things()) >= made,
            'things to be made', poll=0.05)

    def stop_in_a_lull(self, host):
        """Stop an engine none of whose handlers is in the middle of a call.

        What it has asked a cloud for by then, nobody can refuse any more.
        Return the process.
        """
        process = self._cluster.engines[host]
        engine_id = self._cluster.engine_ids()[host]
        for _attempt in range(200):
            process.signal(signal.SIGSTOP)
            begun = {name for name, in self._cluster.sql(
                'SELECT name FROM resource WHERE engine_id = :engine_id '
                "AND status = 'IN_PROGRESS'", engine_id=engine_id)}
            made = self._ledger.calls('create')
            if begun <= {call['name'] for call in made}:
                return process
            process.signal(signal.SIGCONT)
            time.sleep(0.1)
        raise AssertionError('no lull')

    def require_undisturbed(self):
        """The stack completes in time, and nothing was done twice."""
        self._cluster.wait_status(self.path, 'CREATE_COMPLETE', BACK_IN)
        assert ids(self._cluster, self.path) == self._rows
        assert len(self._ledger.things()) == SIZE
        assert not self._ledger.repeated('create')
        assert not self._ledger.calls('delete')
        shown = collections.Counter(
            (event['resource_name'], event['resource_status'])
            for event in self._cluster.api.events(self.path))
        name = self.path.split('/')[2]
        assert shown.pop((name, 'CREATE_IN_PROGRESS')) == 1
        assert shown.pop((name, 'CREATE_COMPLETE')) == 1
        assert {status for _name, status in shown} == {
            'CREATE_IN_PROGRESS', 'CREATE_COMPLETE'}
        for event in self._cluster.api.events(self.path):
            require_no_internals(event['resource_status_reason'])

    def end(self):
        self._cluster.api.call('DELETE', self.path, expect=204)
        self._cluster.wait_gone(self.path)
        assert self._ledger.things() == []
        for table in ('resource', 'sync_point'):
            assert self._cluster.sql(f'SELECT count(*) FROM {table}') == [
                (0,)]


def require_no_internals(text):
    assert not [word for word in INTERNALS if word in text], text


@pytest.fixture
def life(cluster, ledger, request):
    one = Life(cluster, ledger, request.node.name.replace('_', '-'))
    one.wait_until_under_way()
    yield one
    one.end()


class Onlooker:
    """Asks for a stack all the time, and keeps the answers."""

    def __init__(self, cluster, path):
        self._cluster = cluster
        self._path = path
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.statuses = set()
        self.refusals = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._over.set()
        self._thread.join()

    def _look(self):
        url = self._cluster.api.url + self._path
        while not self._over.wait(0.5):
            try:
                answer = requests.get(url, timeout=120)
            except requests.RequestException as error:
                self.refusals.append(str(error))
                continue
            if answer.status_code == 200:
                self.statuses.add(answer.json()['stack']['stack_status'])
            else:
                self.refusals.append(answer.text)


def test_all_engines_are_killed_at_once(cluster, life):
    for process in cluster.engines.values():
        process.kill()
    cluster.use()
    life.require_undisturbed()


def test_an_engine_is_stopped_and_wakes_up(cluster, life, ledger):
    """What it would still write or do is refused."""
    sleeper = life.stop_in_a_lull('one')
    try:
        time.sleep(STOPPED)
    finally:
        sleeper.signal(signal.SIGCONT)
    life.require_undisturbed()
    # It is as good as new, and knows that what it held is not its own.
    cluster.wait_until_up()
    before = cluster.api.events(life.path)
    time.sleep(LEASE)
    assert cluster.api.events(life.path) == before
    assert sleeper.is_running


def test_the_broker_is_killed(cluster, life, broker):
    with Onlooker(cluster, life.path) as onlooker:
        broker.kill()
        time.sleep(3)
        broker.start()
        cluster.wait_until_up()
        life.require_undisturbed()
    assert onlooker.statuses <= {'CREATE_IN_PROGRESS', 'CREATE_COMPLETE'}
    for text in onlooker.refusals:
        require_no_internals(text)


def test_the_database_is_away(cluster, life, database_server):
    with Onlooker(cluster, life.path) as onlooker:
        database_server.kill()
        time.sleep(15)
        database_server.start()
        cluster.wait_until_up()
        life.require_undisturbed()
    assert onlooker.statuses <= {'CREATE_IN_PROGRESS', 'CREATE_COMPLETE'}
    for text in onlooker.refusals:
        require_no_internals(text)
