"""A mesh of 200 resources through its life, on every set-up."""
import collections

import pytest

from tests.integration import templates

SIZE, TENTH = 200, 20


def created(cluster, name, template, **more):
    """Create a stack; return its path once it is complete."""
    path = cluster.api.create(name, template, **more)
    cluster.wait_status(path, 'CREATE_COMPLETE')
    return path


def gone(cluster, path):
    """Delete a stack; nothing of it is left but its soft-deleted row."""
    stack_id = path.split('/')[-1]
    cluster.apis[1].call('DELETE', path, expect=204)
    cluster.wait_gone(path)
    for table in ('resource', 'sync_point', 'stack_lock'):
        assert cluster.sql(
            f'SELECT count(*) FROM {table} WHERE stack_id = :stack_id',
            stack_id=stack_id) == [(0,)], table


def changes(cluster, path, since=()):
    """Return [(name, action, status)] of resource events, oldest first."""
    stack_id = path.split('/')[-1]
    events = cluster.apis[1].events(path)
    old = {event['id'] for event in since}
    return [(event['resource_name'],
             *event['resource_status'].split('_', 1))
            for event in events if event['id'] not in old and
            event['physical_resource_id'] != stack_id]


def outputs(cluster, path):
    """Return {name: (physical id, value)} of the stack's resources."""
    return dict(cluster.sql(
        'SELECT r.name, d.value FROM resource r JOIN resource_data d '
        "ON d.resource_id = r.id AND d.key = 'value' "
        'WHERE r.stack_id = :stack_id', stack_id=path.split('/')[-1]))


def values(template):
    """Return {name: value} as a template has them."""
    return {name: one['properties']['value']
            for name, one in template['resources'].items()}


def physical(cluster, path):
    """Return {name: physical id} as the API lists them."""
    return {one['resource_name']: one['physical_resource_id']
            for one in cluster.api.resources(path)}


def require_order(template, seen, action='CREATE'):
    """Nothing may begin before all that it needs is complete."""
    place = {change: number for number, change in enumerate(seen)}
    for name, resource in template['resources'].items():
        for need in resource.get('depends_on', ()):
            assert place[need, action, 'COMPLETE'] < place[
                name, action, 'IN_PROGRESS'], (need, name)


@pytest.mark.usefixtures('no_surprises')
def test_life_of_a_mesh(cluster, driver):
    template = templates.mesh(SIZE)
    path = created(cluster, f'mesh-{driver}', template)
    seen = changes(cluster, path)
    assert collections.Counter(seen) == {
        (name, 'CREATE', status): 1 for name in template['resources']
        for status in ('IN_PROGRESS', 'COMPLETE')}
    require_order(template, seen)
    assert outputs(cluster, path) == values(template)
    first = physical(cluster, path)

    before = cluster.api.events(path)
    template = templates.mesh(SIZE, changed=TENTH, removed=TENTH,
                              added=TENTH)
    cluster.apis[1].call('PUT', path, {'template': template}, expect=202)
    cluster.wait_status(path, 'UPDATE_COMPLETE')
    seen = changes(cluster, path, before)
    assert collections.Counter(seen) == {
        (f'{name}{number}', action, status): 1
        for status in ('IN_PROGRESS', 'COMPLETE')
        for name, action, start in (
            ('r', 'UPDATE', 0), ('r', 'DELETE', SIZE - TENTH),
            ('added', 'CREATE', 0))
        for number in range(start, start + TENTH)}
    assert outputs(cluster, path) == values(template)
    second = physical(cluster, path)
    assert second.keys() == template['resources'].keys()
    assert {name: second[name] for name in first if name in second} == {
        name: first[name] for name in first if name in second}

    wrong = templates.failing(
        templates.mesh(SIZE, changed=3 * TENTH, added=TENTH), 'r45')
    cluster.api.call('PUT', path, {'template': wrong,
                                   'disable_rollback': False}, expect=202)
    stack = cluster.wait_status(path, 'ROLLBACK_COMPLETE')
    assert 'completed' in stack['stack_status_reason']
    assert outputs(cluster, path) == values(template)
    assert physical(cluster, path).keys() == second.keys()
    assert {one['resource_status'] for one in cluster.api.resources(
        path)} <= {'CREATE_COMPLETE', 'UPDATE_COMPLETE'}
    assert cluster.api.get(path + '/template') == template
    gone(cluster, path)


@pytest.mark.usefixtures('no_surprises')
def test_a_failed_create_is_rolled_back(cluster, driver):
    template = templates.failing(templates.mesh(60), 'r45')
    path = cluster.api.create(f'bad-{driver}', template,
                              disable_rollback=False)
    if driver == 'convergence':
        cluster.wait_status(path, 'ROLLBACK_COMPLETE')
        assert cluster.api.resources(path) == []
        gone(cluster, path)
    else:
        cluster.wait_gone(path)


@pytest.mark.usefixtures('no_surprises')
def test_both_engines_and_both_apis_take_part(cluster, driver):
    table = 'resource' if driver == 'convergence' else 'stack_lock'
    workers = set()

    def look():
        workers.update(row[0] for row in cluster.sql(
            f'SELECT DISTINCT engine_id FROM {table} '
            'WHERE engine_id IS NOT NULL'))

    template = templates.mesh(60, action_wait_secs={'create': 0.3})
    paths = [cluster.apis[number % 2].create(f'shared{number}-{driver}',
                                              template)
             for number in range(4)]
    for path in paths:
        cluster.wait_status(path, 'CREATE_COMPLETE', meanwhile=look)
        assert collections.Counter(changes(cluster, path)) == {
            (name, 'CREATE', status): 1 for name in template['resources']
            for status in ('IN_PROGRESS', 'COMPLETE')}
    ids = cluster.engine_ids()
    assert workers == {ids['one'], ids['two']}
    for path in paths:
        cluster.api.call('DELETE', path, expect=204)
    for path in paths:
        cluster.wait_gone(path)
