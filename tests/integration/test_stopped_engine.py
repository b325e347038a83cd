"""An engine that works on a legacy stack is stopped for a minute.

Others take it for dead, decide about the stack, and go on with it. When it
wakes up all that it would still write or do is refused.
"""
import signal
import time

import pytest

from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import ledger as ledger_module
from tests.integration.test_kill import ids

SIZE = 60
#: A lease that a busy machine does not let run out by chance: who loses it
#: loses a legacy stack.
OPTIONS = {'periodic_interval': 4, 'convergence_scan_interval': 2,
           'plugin_dirs': ledger_module.PLUGINS}
#: Seconds for which the engine is stopped.
STOPPED = 60
#: Seconds in which also the broker has noticed; until then it sends requests
#: to the engine that sleeps.
NOTICED = 25
#: Seconds in which it would have written, were it not refused.
ATTENTION = 5


@pytest.fixture(scope='module')
def processes(tmp_path_factory):
    with cluster_module.running(
            tmp_path_factory.mktemp('stopped'), servers.Server('mysql'),
            convergence_engine='false', **OPTIONS) as one:
        yield one


@pytest.fixture
def cluster(processes):
    processes.use()
    return processes


def holder(cluster, path):
    """Return the process that has the lock of a stack."""
    [(engine_id,)] = cluster.sql(
        'SELECT engine_id FROM stack_lock WHERE stack_id = :stack_id',
        stack_id=path.split('/')[-1])
    [host] = [host for host, one in cluster.engine_ids().items()
              if one == engine_id]
    return cluster.engines[host]


def state(cluster, path):
    return cluster.sql('SELECT action, status, status_reason FROM stack '
                       'WHERE id = :stack_id',
                       stack_id=path.split('/')[-1])[0]


def stored(cluster, path):
    """Return all that an operation could change of a stack."""
    stack_id = path.split('/')[-1]
    return [cluster.sql(statement, stack_id=stack_id) for statement in (
        'SELECT action, status, status_reason, raw_template_id, updated_at '
        'FROM stack WHERE id = :stack_id',
        'SELECT engine_id FROM stack_lock WHERE stack_id = :stack_id',
        'SELECT id, name, action, status, status_reason, updated_at, '
        'nova_instance, rsrc_prop_data_id FROM resource '
        'WHERE stack_id = :stack_id ORDER BY id',
        'SELECT d.* FROM resource_data d JOIN resource r '
        'ON d.resource_id = r.id WHERE r.stack_id = :stack_id ORDER BY d.id',
        'SELECT id FROM event WHERE stack_id = :stack_id ORDER BY id')]


def test_what_it_would_write_is_refused(cluster, ledger):
    # So slow that it is far from its end when the engine is stopped.
    path = cluster.api.create('legacy', ledger.mesh(SIZE, seconds=5))
    cluster.wait_for(lambda: len(ledger.things()) >= SIZE // 3,
                     'things to be made', poll=0.05)
    sleeper = holder(cluster, path)
    sleeper.signal(signal.SIGSTOP)
    began = time.monotonic()
    try:
        cluster.wait_for(lambda: state(cluster, path) == (
            'CREATE', 'FAILED', 'Engine went down during stack CREATE'),
            'somebody to see to the stack')
        time.sleep(max(began + NOTICED - time.monotonic(), 0))
        goal = ledger.mesh(SIZE, value='new', changed=SIZE, seconds=0.1)
        cluster.api.call('PUT', path, {'template': goal}, expect=202,
                         timeout=120)
        cluster.wait_status(path, 'UPDATE_COMPLETE')
        before, calls = stored(cluster, path), ledger.calls()
        time.sleep(max(began + STOPPED - time.monotonic(), 0))
    finally:
        sleeper.signal(signal.SIGCONT)
    cluster.wait_until_up()
    time.sleep(ATTENTION)
    assert stored(cluster, path) == before
    assert ledger.calls() == calls
    assert len(ids(cluster, path)) == len(ledger.things()) == SIZE
    assert {thing['value'] for thing in ledger.things()} == {'new'}
    # It is as good as new.
    assert sleeper.is_running
    assert cluster.tracebacks() == [], cluster.logs()
    for number in range(4):
        other = cluster.api.create(f'other-{number}', ledger.mesh(3))
        cluster.wait_status(other, 'CREATE_COMPLETE')
        cluster.api.call('DELETE', other, expect=204)
        cluster.wait_gone(other)
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)
    assert ledger.things() == []
    assert cluster.sql('SELECT * FROM stack_lock') == []
