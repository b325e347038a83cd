"""An engine goes away in the middle of the work."""
import collections

import pytest

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


def test_an_engine_is_killed(cluster, driver):
    path = cluster.api.create(f'killed-{driver}', TEMPLATE)
    host, engine_id = half_way(cluster, path)
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
