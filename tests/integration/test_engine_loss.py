"""An engine goes away in the middle of the work."""
import collections
import signal

import pytest

from heat.cmd import settings
from tests.integration import templates
from tests.integration.test_life_cycle import changes
from tests.integration.test_life_cycle import gone
from tests.integration.test_life_cycle import values

# Each layer takes its time, so that there is a middle.
TEMPLATE = templates.mesh(200, action_wait_secs={'create': 0.2})


def half_way(cluster, path):
    """Return the host that holds most, once half of a stack is made."""
    stack_id = path.split('/')[-1]

    def holder():
        made, = cluster.sql(
            'SELECT count(*) FROM resource WHERE stack_id = :stack_id '
            "AND action = 'CREATE' AND status = 'COMPLETE'",
            stack_id=stack_id)[0]
        if made < 80:
            return None
        held = cluster.sql(
            'SELECT engine_id, count(*) FROM resource '
            'WHERE stack_id = :stack_id AND engine_id IS NOT NULL '
            'GROUP BY engine_id ORDER BY 2 DESC', stack_id=stack_id)
        held += cluster.sql(
            'SELECT engine_id, 1 FROM stack_lock '
            'WHERE stack_id = :stack_id', stack_id=stack_id)
        return held and held[0][0]

    engine_id = cluster.wait_for(holder, 'half of the stack', poll=0.02)
    hosts = {one: host for host, one in cluster.engine_ids().items()}
    return hosts[engine_id], engine_id


def held_by(cluster, engine_id):
    """Return the names of the resources that an engine works on."""
    return {name for name, in cluster.sql(
        'SELECT name FROM resource WHERE engine_id = :engine_id',
        engine_id=engine_id)}


def stopped_half_way(cluster, path, driver):
    """Stop the host that holds most while it does; return it and its id."""
    while True:
        host, engine_id = half_way(cluster, path)
        cluster.engines[host].signal(signal.SIGSTOP)
        if driver == 'legacy' or held_by(cluster, engine_id):
            return host, engine_id
        # It has just come to the end of all it had.
        cluster.engines[host].signal(signal.SIGCONT)


def test_an_engine_is_killed(cluster, driver):
    path = cluster.api.create(f'killed-{driver}', TEMPLATE)
    host, engine_id = stopped_half_way(cluster, path, driver)
    cluster.engines[host].kill()
    held = held_by(cluster, engine_id)
    if driver == 'legacy':
        stack = cluster.wait_status(path, 'CREATE_FAILED')
        assert 'Engine went down during stack CREATE' in (
            stack['stack_status_reason'])
        assert cluster.sql('SELECT * FROM stack_lock') == []
        assert not {one['resource_status'] for one in
                    cluster.api.resources(path)} & {'CREATE_IN_PROGRESS'}
        # The stack is as good as any other failed one.
        cluster.api.call('PUT', path, {'template': TEMPLATE}, expect=202)
        cluster.wait_status(path, 'UPDATE_COMPLETE')
    else:
        cluster.wait_status(path, 'CREATE_COMPLETE')
        counts = collections.Counter(changes(cluster, path))
        again = {name for (name, _action, status), count in counts.items()
                 if count > 1 and status == 'IN_PROGRESS'}
        assert held
        assert again <= held
        for name in TEMPLATE['resources']:
            assert counts[name, 'CREATE', 'COMPLETE'] == 1
        assert not {status for _name, _action, status in counts} & {'FAILED'}
    assert {one['resource_name'] for one in cluster.api.resources(path)
            } == values(TEMPLATE).keys()
    gone(cluster, path)


@pytest.mark.usefixtures('no_surprises')
def test_an_engine_is_stopped(cluster, driver):
    path = cluster.api.create(f'stopped-{driver}', TEMPLATE)
    host, _engine_id = half_way(cluster, path)
    cluster.engines[host].terminate()
    cluster.wait_status(path, 'CREATE_COMPLETE')
    assert collections.Counter(changes(cluster, path)) == {
        (name, 'CREATE', status): 1 for name in TEMPLATE['resources']
        for status in ('IN_PROGRESS', 'COMPLETE')}
    cluster.engines[host].wait()
    gone(cluster, path)


KEYSTONE = ('heat.engine.clients.os.keystone.heat_keystoneclient.'
            'KsClientWrapper')
#: Seconds within which others are at what a killed engine was watching.
SOON = 60


@pytest.fixture
def long_leases(cluster):
    """Leases end long after an engine does not answer any more.

    Policies have users, for which there is no Keystone here.
    """
    cluster.use(periodic_interval=60, keystone_backend=settings.LOCAL_KEYSTONE)
    yield
    cluster.use(periodic_interval=5, keystone_backend=KEYSTONE)


@pytest.mark.usefixtures('long_leases')
def test_an_engine_is_killed_that_scales(cluster, driver):
    path = cluster.api.create(f'scaling-{driver}', templates.scaled(
        templates.leaf(action_wait_secs={'create': 6})))
    cluster.wait_status(path, 'CREATE_COMPLETE')
    cluster.api.call('POST', path + '/resources/p/signal')

    def noted():
        return cluster.api.get(path + '/resources/g/metadata')['metadata']

    engine_id = cluster.wait_for(
        lambda: noted().get('scaling_engine'), 'the group to scale')
    [host] = [host for host, one in cluster.engine_ids().items()
              if one == engine_id]
    cluster.engines[host].kill()
    # The other one sees to the end; nobody starts the engine again.
    cluster.wait_for(lambda: noted().get('scaling_in_progress') is False,
                     'the end of scaling', timeout=SOON)
    if driver == 'convergence':
        assert [*noted()['cooldown_end'].values()] == [
            'change_in_capacity : 1']
        [nested] = [one['physical_resource_id'] for one in
                    cluster.api.resources(path)
                    if one['resource_name'] == 'g']
        assert cluster.sql(
            'SELECT count(*) FROM resource WHERE stack_id = :nested '
            "AND status = 'COMPLETE'", nested=nested) == [(2,)]
    gone(cluster, path)
