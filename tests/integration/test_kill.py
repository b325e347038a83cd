"""Engines are killed at any moment of what stacks go through.

HEAT_TEST_SEED repeats the moments of an earlier run; each run tells its
seed. HEAT_TEST_KILLS sets how many moments there are.
"""
import json
import os
import random
import time

import pytest

from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import ledger as ledger_module

SIZE = 100
KILLS = int(os.environ.get('HEAT_TEST_KILLS', 50))
#: Kills in one operation of a stack.
AT_ONCE = 6
#: Seconds from the end of the trouble to the end of the operation.
BACK_IN = 15
#: An engine that says nothing for twice the interval has lost its lease.
OPTIONS = {
    'periodic_interval': 1,
    'convergence_scan_interval': 1,
    'engine_life_check_timeout': 1,
    'convergence_max_inflight_per_stack': 12,
    'plugin_dirs': ledger_module.PLUGINS,
}


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """Two engines that know the things of the ledger."""
    with cluster_module.running(
            tmp_path_factory.mktemp('kill'), servers.Server('mysql'),
            **OPTIONS) as one:
        yield one


def traversal(cluster, path):
    """Return the traversal that a stack is in, if it is in progress."""
    found = cluster.sql(
        'SELECT current_traversal FROM stack WHERE id = :stack_id '
        "AND status = 'IN_PROGRESS'", stack_id=path.split('/')[-1])
    return found[0][0] if found else None


def ids(cluster, path):
    """Return {name: row} of the resources of a stack."""
    return dict(cluster.sql(
        'SELECT name, id FROM resource WHERE stack_id = :stack_id',
        stack_id=path.split('/')[-1]))


def kill_often(cluster, path, dice, kills):
    """Kill engines as long as an operation runs; return how many died.

    Nothing of the operation is begun anew or replaced meanwhile.
    """
    first = traversal(cluster, path)
    rows = ids(cluster, path)
    done = 0
    while done < kills:
        time.sleep(dice.uniform(0, 1.5))
        now = traversal(cluster, path)
        if now is None:
            break
        assert now == first
        host = dice.choice(sorted(cluster.engines))
        cluster.engines[host].kill()
        done += 1
        cluster.start_engine(host)
    assert set(ids(cluster, path).values()) <= set(rows.values())
    return done


def ended(cluster, path, status):
    """Wait for the end that an operation has to come to in time."""
    began = time.monotonic()
    cluster.wait_until_up()
    if status is None:
        cluster.wait_gone(path, BACK_IN)
    else:
        cluster.wait_status(path, status, BACK_IN)
    return time.monotonic() - began


def test_engines_are_killed_at_any_moment(cluster, ledger):
    seed = int(os.environ.get('HEAT_TEST_SEED') or
               random.SystemRandom().randrange(10 ** 6))
    print(f'HEAT_TEST_SEED={seed}')
    dice = random.Random(seed)
    killed, turn, slowest = 0, 0, 0
    while killed < KILLS:
        turn += 1
        cluster.use()
        path = cluster.api.create(f'mesh{turn}', ledger.mesh(SIZE))
        killed += kill_often(cluster, path, dice, AT_ONCE)
        slowest = max(slowest, ended(cluster, path, 'CREATE_COMPLETE'))
        assert len(ledger.things()) == SIZE
        rows = ids(cluster, path)

        cluster.api.call('PUT', path, {'template': ledger.mesh(
            SIZE, value='new', changed=SIZE)}, expect=202)
        killed += kill_often(cluster, path, dice, AT_ONCE)
        slowest = max(slowest, ended(cluster, path, 'UPDATE_COMPLETE'))
        assert ids(cluster, path) == rows
        assert [thing['value'] for thing in ledger.things()] == (
            ['new'] * SIZE)

        cluster.api.call('DELETE', path, expect=204)
        killed += kill_often(cluster, path, dice, AT_ONCE)
        slowest = max(slowest, ended(cluster, path, None))
        assert ledger.things() == []
        assert not ledger.repeated('create')
        (ledger.directory / 'calls').unlink()
        for table in ('resource', 'sync_point'):
            assert cluster.sql(f'SELECT count(*) FROM {table}') == [(0,)]
    print(f'{killed} kills; at most {slowest:.1f} s after the last one')


def test_nested_stacks_are_not_made_twice(cluster, ledger):
    """Engines die while parents wait for their children."""
    seed = int(os.environ.get('HEAT_TEST_SEED') or
               random.SystemRandom().randrange(10 ** 6))
    print(f'HEAT_TEST_SEED={seed}')
    dice = random.Random(seed)
    children, size = 12, 6
    cluster.use()
    inner = ledger.mesh(size, seconds=1)
    path = cluster.api.create('parents', {
        'heat_template_version': inner['heat_template_version'],
        'resources': {f'child{number}': {
            'type': 'inner.yaml',
            **({'depends_on': [f'child{number - 6}']} if number > 5 else {})}
            for number in range(children)},
    }, files={'inner.yaml': json.dumps(inner)})
    kill_often(cluster, path, dice, AT_ONCE)
    ended(cluster, path, 'CREATE_COMPLETE')
    assert len(ledger.things()) == children * size
    # Those that were deleted count, too.
    assert cluster.sql(
        'SELECT count(*) FROM stack WHERE owner_id = :stack_id',
        stack_id=path.split('/')[-1]) == [(children,)]
    assert len(ledger.calls('create')) == children * size
    cluster.api.call('DELETE', path, expect=204)
    kill_often(cluster, path, dice, AT_ONCE)
    ended(cluster, path, None)
    assert ledger.things() == []
    assert cluster.sql('SELECT count(*) FROM resource') == [(0,)]
