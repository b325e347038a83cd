"""Engines are killed while they compare a stack with what really exists."""
import json
import time

import pytest

from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import test_kill

SIZE = 24
#: Seconds that it takes to look at one thing.
LOOK = 0.5
#: Seconds after which a detection has ended, whoever died meanwhile.
PATIENCE = 180


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """Two engines that know the things of the ledger."""
    with cluster_module.running(
            tmp_path_factory.mktemp('drift'), servers.Server('mysql'),
            **test_kill.OPTIONS) as one:
        yield one


def drifting(ledger):
    """Return a template of things that are slow to look at."""
    return {'heat_template_version': '2021-04-16', 'resources': {
        f'r{number}': ledger.leaf(look=LOOK, value='old')
        for number in range(SIZE)}}


def paths_of(ledger):
    """Return {name of the resource: file of its thing}."""
    return {call['name']: ledger.directory / f'thing-{call["thing"]}'
            for call in ledger.calls('create')}


def host_of(cluster, stack_id):
    """Return the host whose engine compares a stack, None if none does."""
    found = cluster.sql(
        'SELECT s.host FROM drift_detection d JOIN service s '
        'ON s.engine_id = d.engine_id WHERE d.running = :stack_id',
        stack_id=stack_id)
    return found[0][0] if found else None


def kill_who_looks(cluster, ledger, stack_id):
    """Kill the engine that compares, once it has seen another few things.
    """
    seen = len(ledger.calls('look'))
    cluster.wait_for(lambda: len(ledger.calls('look')) > seen + 3,
                     'the comparison to go on', timeout=PATIENCE)
    host = host_of(cluster, stack_id)
    assert host is not None, 'The comparison has ended before the kill.'
    cluster.engines[host].kill()
    cluster.start_engine(host)
    return host


def test_detection_outlives_its_engines(cluster, ledger):
    """It goes on twice, nothing of the stack changes, and all is found."""
    cluster.use()
    path = cluster.api.create('drifting', drifting(ledger))
    stack_id = path.split('/')[-1]
    cluster.wait_status(path, 'CREATE_COMPLETE', PATIENCE)
    shown, events = cluster.api.show(path), cluster.api.events(path)
    things = paths_of(ledger)
    things['r0'].unlink()
    things['r1'].write_text(json.dumps({
        **json.loads(things['r1'].read_text()), 'value': 'changed'}))
    begun = cluster.api.call('POST', path + '/drift', expect=202)['drift']
    killed = [kill_who_looks(cluster, ledger, stack_id) for _death in 'ab']
    began = time.monotonic()
    cluster.wait_for(
        lambda: host_of(cluster, stack_id) is None, 'the end of the detection',
        timeout=PATIENCE)
    cluster.wait_until_up()
    found = cluster.api.get(path + '/drift')['drift']
    print(f'{killed} died; the detection ended {time.monotonic() - began:.1f}'
          ' s after the last one')
    assert found['id'] == begun['id']
    assert (found['status'], found['drift']) == ('DETECTION_COMPLETE',
                                                 'DRIFTED')
    assert found['counts'] == {'IN_SYNC': SIZE - 2, 'MODIFIED': 1,
                               'DELETED': 1, 'UNSUPPORTED': 0}
    assert cluster.sql(
        'SELECT attempts, running FROM drift_detection '
        'WHERE stack_id = :stack_id', stack_id=stack_id) == [(2, None)]
    # Nothing was done to the stack.
    assert cluster.api.show(path) == shown
    assert cluster.api.events(path) == events
    assert len(ledger.calls('create')) == SIZE
    assert ledger.calls('update', 'delete') == []
    # Another one can be begun.
    again = cluster.api.call('POST', path + '/drift', expect=202)['drift']
    assert again['id'] != begun['id']
