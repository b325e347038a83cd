"""More of something than there are threads, or messages, or patience.

All with one engine process: nobody else could help it out.
"""
import json
import pathlib
import time

import pytest

from tests import machine
from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import templates

#: Seconds that a stack with a timeout of one minute may take to notice.
NOTICED_IN = 15

#: Seconds of waiting in which the engine's use of CPU is measured.
IDLE = 5


@pytest.fixture(scope='module')
def processes(tmp_path_factory):
    """One engine and one API."""
    one = cluster_module.Cluster(
        tmp_path_factory.mktemp('cliffs'), servers.Server('mysql'),
        hosts=('one',), convergence_scan_interval=2,
        max_template_size=10 ** 8, max_json_body_size=10 ** 8)
    try:
        one.start(apis=1)
        yield one
    finally:
        # Something may still wait for ten minutes.
        one.engines['one'].kill()
        one.stop()


@pytest.fixture(scope='module')
def limited(processes):
    """A stack that waits for longer than it may; when it was begun.

    Made before all else, so that its minute passes meanwhile.
    """
    processes.use()
    began = time.monotonic()
    path = processes.api.create(
        'limited', stack_of({'slow': templates.leaf(
            action_wait_secs={'create': 600})}), timeout_mins=1)
    return path, began


@pytest.fixture
def cluster(processes, limited):
    return processes


def stack_of(resources):
    return {'heat_template_version': templates.VERSION,
            'resources': resources}


def engine_threads(cluster):
    """Return the number of threads of the engine process."""
    pids = [cluster.engines['one'].pid]
    for pid in pids:
        children = pathlib.Path(f'/proc/{pid}/task/{pid}/children')
        pids += map(int, children.read_text().split())
    return max(len(list(pathlib.Path(f'/proc/{pid}/task').iterdir()))
               for pid in pids)


def cpu_seconds(cluster):
    """Return the CPU time that the engine has used so far."""
    used = 0
    pids = [cluster.engines['one'].pid]
    for pid in pids:
        children = pathlib.Path(f'/proc/{pid}/task/{pid}/children')
        pids += map(int, children.read_text().split())
        used += machine.cpu_seconds(pid)
    return used


def physical(cluster, path):
    return dict(cluster.sql(
        'SELECT name, physical_resource_id FROM resource '
        'WHERE stack_id = :stack_id', stack_id=path.split('/')[-1]))


def gone(cluster, path):
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path, timeout=240)


def count(cluster, path, action, status):
    """Return how many resources of a stack are in a state."""
    return cluster.sql(
        'SELECT count(*) FROM resource WHERE stack_id = :stack_id '
        'AND action = :action AND status = :status', action=action,
        status=status, stack_id=path.split('/')[-1])[0][0]


def test_more_nested_stacks_than_threads(cluster):
    """Each parent waits; were that in a thread, no child had one."""
    number, seconds, threads = 220, 20, 64
    inner = stack_of({'slow': templates.leaf(
        action_wait_secs={'create': seconds})})
    path = cluster.api.create(
        'nested', stack_of({f'child{n}': {'type': 'inner.yaml'}
                            for n in range(number)}),
        files={'inner.yaml': json.dumps(inner)})
    began, at_once = time.monotonic(), []
    cluster.wait_status(
        path, 'CREATE_COMPLETE', meanwhile=lambda: at_once.append(cluster.sql(
            "SELECT count(*) FROM resource WHERE name = 'slow' "
            "AND action = 'CREATE' AND status = 'IN_PROGRESS' "
            'AND stack_id IN (SELECT id FROM stack WHERE owner_id = :id)',
            id=path.split('/')[-1])[0][0]))
    passed = time.monotonic() - began
    print(f'{number} nested stacks, up to {max(at_once)} at once: '
          f'{passed:.1f} s')
    # Not one after the other, and not one for each thread either.
    assert max(at_once) > 1.5 * threads
    gone(cluster, path)


def test_more_waiting_resources_than_threads(cluster):
    slow = machine.slowness()
    # All of them have to begin before the first one ends.
    number, seconds = 2000, round(45 * slow)
    path = cluster.api.create('waiting', stack_of(
        {f'r{n}': templates.leaf(action_wait_secs={'create': seconds})
         for n in range(number)}))
    began = time.monotonic()
    cluster.wait_for(lambda: count(cluster, path, 'CREATE', 'IN_PROGRESS')
                     == number, 'all to be in progress', timeout=seconds)
    assert engine_threads(cluster) < 150
    # Nobody asks for anything meanwhile.
    used = cpu_seconds(cluster)
    time.sleep(IDLE)
    used = cpu_seconds(cluster) - used
    cluster.wait_status(path, 'CREATE_COMPLETE', timeout=240)
    passed = time.monotonic() - began
    print(f'{number} waiting resources: {passed:.1f} s, {used:.2f} s of CPU '
          f'in {IDLE} s of waiting')
    slow = max(slow, machine.slowness())
    assert passed < 2 * seconds * slow
    assert used < IDLE / 5 * slow
    gone(cluster, path)


def test_more_events_than_are_kept(cluster):
    # Two events of each resource for each of the two operations: 5000.
    number = 1250
    path = cluster.api.create('events', stack_of(
        {f'r{n}': templates.leaf(value='old') for n in range(number)}))
    cluster.wait_status(path, 'CREATE_COMPLETE', timeout=240)
    cluster.api.call('PUT', path, {'template': stack_of(
        {f'r{n}': templates.leaf(value='new') for n in range(number)})},
        expect=202)
    cluster.wait_status(path, 'UPDATE_COMPLETE', timeout=240)
    kept = cluster.sql('SELECT count(*), max(id) - min(id) FROM event '
                       'WHERE stack_id = :stack_id',
                       stack_id=path.split('/')[-1])[0][0]
    # max_events_per_stack, and what is purged at once.
    assert 800 <= kept <= 1400
    last = cluster.api.get(path + '/events', limit=1, sort_dir='desc',
                           sort_keys='event_time')['events']
    assert len(last) == 1
    gone(cluster, path)


def test_update_while_many_are_in_flight(cluster):
    number, seconds = 500, 20

    def template(value):
        return stack_of({f'r{n}': templates.leaf(
            value=value, action_wait_secs={'create': seconds})
            for n in range(number)})

    path = cluster.api.create('flight', template('old'))
    cluster.wait_for(lambda: count(cluster, path, 'CREATE', 'IN_PROGRESS')
                     == number, 'all to be in progress', timeout=seconds)
    rows = cluster.sql('SELECT id FROM resource WHERE stack_id = :stack_id',
                       stack_id=path.split('/')[-1])
    began = time.monotonic()
    cluster.api.call('PUT', path, {'template': template('new')}, expect=202)
    cluster.wait_status(path, 'UPDATE_COMPLETE', timeout=240)
    print(f'{number} in flight: {time.monotonic() - began:.1f} s')
    # What ran came to its end and was then updated; nothing was replaced.
    assert cluster.sql('SELECT id FROM resource WHERE stack_id = :stack_id',
                       stack_id=path.split('/')[-1]) == rows
    assert count(cluster, path, 'UPDATE', 'COMPLETE') == number
    assert cluster.sql(
        'SELECT d.value, count(*) FROM resource r JOIN resource_data d '
        "ON d.resource_id = r.id AND d.key = 'value' "
        'WHERE r.stack_id = :stack_id GROUP BY d.value',
        stack_id=path.split('/')[-1]) == [('new', number)]
    gone(cluster, path)


def test_timeout_passes_while_no_message_arrives(cluster, limited):
    path, began = limited
    left = 60 + NOTICED_IN - (time.monotonic() - began)
    stack = cluster.wait_status(path, 'CREATE_FAILED', timeout=max(left, 5))
    assert 'imed out' in stack['stack_status_reason']
    # The resource notices by itself, before or after its stack.
    cluster.wait_for(
        lambda: [each['resource_status'] for each in
                 cluster.api.resources(path)] == ['CREATE_FAILED'],
        'the resource to notice its time is up')
    gone(cluster, path)
    assert cluster.tracebacks() == [], cluster.logs()
