"""The service takes over the recorded database of the peer's engine."""
import json

import pytest
import sqlalchemy as sa

from tests.fakes import peer
from tests.fakes import servers
from tests.integration import cluster as cluster_module

PROJECT = 'proj0'
#: What the recorded engine had in hand when it was killed.
INTERRUPTED = ('running', 'legacy-running')
QUICK = {'convergence_scan_interval': 1, 'periodic_interval': 5}


def loaded(server, wait_secs=None):
    """Return the URL of a new database that holds the dump.

    :param wait_secs: how long the slow resources of interrupted stacks
        take for all they do, instead of ten minutes
    """
    url = server.create()
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    raw = engine.raw_connection()
    try:
        with raw.cursor() as cursor:
            cursor.execute('SET FOREIGN_KEY_CHECKS = 0')
            for statement in peer.statements():
                cursor.execute(statement)
            if wait_secs is not None:
                _shorten(cursor, wait_secs)
        raw.commit()
    finally:
        raw.close()
        engine.dispose()
    return url


def _shorten(cursor, wait_secs):
    """Change how long slow resources wait, in template and properties."""
    cursor.execute("UPDATE raw_template SET template = REPLACE(template, "
                   "'\"wait_secs\": 600', %s)",
                   (f'"wait_secs": {wait_secs}',))
    cursor.execute('UPDATE resource_properties_data SET encrypted = 0, '
                   'data = %s WHERE id IN (SELECT rsrc_prop_data_id '
                   "FROM resource WHERE name = 'slow')",
                   (json.dumps({'value': 'x', 'wait_secs': wait_secs}),))


def started(directory, wait_secs=None):
    """Return a cluster of one engine and one API, yet without engine."""
    server = servers.Server('mysql')
    one = cluster_module.Cluster(
        directory, server, database=loaded(server, wait_secs),
        project=PROJECT, hosts=('one',), **QUICK)
    one.start(apis=1)
    return one, server


def ended(one, server):
    try:
        one.stop()
    finally:
        server.drop(one.database)


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """An engine and an API on the dump, as it is."""
    one, server = started(tmp_path_factory.mktemp('peer'))
    try:
        one.use()
        yield one
    finally:
        # It still waits for a slow resource.
        one.engines['one'].kill()
        ended(one, server)


def path_of(name):
    identity = peer.expected()[name]['show']['stack_identity']
    return f'/stacks/{name}/{identity["stack_id"]}'


def untouched():
    return [name for name in peer.expected() if name not in INTERRUPTED]


def rest_stack(shown):
    """Return what REST says of a stack that RPC shows so."""
    stack = dict(shown)
    identity = stack.pop('stack_identity')
    stack['id'] = identity['stack_id']
    stack['stack_status'] = '_'.join((stack.pop('stack_action'),
                                      stack['stack_status']))
    return stack


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', untouched())
def test_stacks_are_shown_as_before(cluster, name):
    want = rest_stack(peer.expected()[name]['show'])
    shown = cluster.api.show(path_of(name))
    assert {key: shown.get(key) for key in want} == want


@pytest.mark.parametrize('name', untouched())
def test_resources_are_shown_as_before(cluster, name):
    path = path_of(name)
    listed = {one['resource_name'] for one in cluster.api.resources(path)}
    wanted = peer.expected()[name]['resources']
    assert listed == {one['resource_name'] for one in wanted}
    for want in wanted:
        shown = cluster.api.get(
            f'{path}/resources/{want["resource_name"]}')['resource']
        expected = {
            'resource_status': '_'.join((want['resource_action'],
                                         want['resource_status']))}
        for key in ('resource_name', 'resource_type', 'attributes',
                    'creation_time', 'updated_time', 'description',
                    'physical_resource_id', 'required_by',
                    'resource_status_reason', 'parent_resource'):
            if key in want:
                expected[key] = want[key]
        assert {key: shown.get(key) for key in expected} == expected
        assert cluster.api.get(
            f'{path}/resources/{want["resource_name"]}/metadata') == {
                'metadata': want['metadata']}


@pytest.mark.parametrize('name', untouched())
def test_all_else_is_shown_as_before(cluster, name):
    path, want = path_of(name), peer.expected()[name]
    assert len(cluster.api.events(path)) == want['events']
    assert cluster.api.get(path + '/template') == want['template']
    assert cluster.api.get(path + '/environment') == want['environment']
    assert cluster.api.get(path + '/files') == want['files']
    snapshots = cluster.api.get(path + '/snapshots')['snapshots']
    assert [one['id'] for one in snapshots] == [
        one['id'] for one in want['snapshots']]
    for one in want['snapshots']:
        assert cluster.api.get(f'{path}/snapshots/{one["id"]}')[
            'snapshot'] == one


def test_the_interrupted_legacy_stack_has_failed(cluster):
    path = path_of('legacy-running')
    stack = cluster.wait_status(path, 'CREATE_FAILED')
    assert 'Engine went down during stack CREATE' in (
        stack['stack_status_reason'])
    assert cluster.sql('SELECT * FROM stack_lock') == []
    slow, = cluster.api.resources(path)
    assert slow['resource_status'] == 'CREATE_FAILED'


def test_the_interrupted_convergence_stack_goes_on(cluster):
    """Its resource is made anew, which takes ten minutes."""
    path = path_of('running')
    mine = cluster.engine_ids()['one']
    cluster.wait_for(lambda: cluster.sql(
        "SELECT 1 FROM resource WHERE name = 'slow' AND engine_id = :mine",
        mine=mine), 'the engine to take the resource over')
    assert cluster.api.show(path)['stack_status'] == 'CREATE_IN_PROGRESS'

    def statuses():
        return {one['resource_name']: one['resource_status']
                for one in cluster.api.resources(path)}

    cluster.wait_for(lambda: statuses() == {
        'done': 'CREATE_COMPLETE', 'later': 'INIT_COMPLETE',
        'slow': 'CREATE_IN_PROGRESS'}, 'the resource to be made')


def updated(cluster, name, change, status='UPDATE_COMPLETE'):
    """Change a stack's template by a function, and wait."""
    path = path_of(name)
    template = json.loads(json.dumps(peer.expected()[name]['template']))
    change(template)
    cluster.api.call('PATCH', path, {'template': template}, expect=202)
    cluster.wait_status(path, status)
    return path


@pytest.mark.parametrize('name', ['simple', 'updated', 'legacy-done',
                                  'legacy-updated'])
def test_stacks_are_updated(cluster, name):
    before = {one['resource_name']: one['physical_resource_id']
              for one in cluster.api.resources(path_of(name))}

    def change(template):
        template['resources']['c']['properties']['value'] = 'by us'
        template['resources']['more'] = {
            'type': 'OS::Heat::RandomString',
            'properties': {'length': {'get_param': 'size'}}}
        template['outputs'] = {
            'c': {'value': {'get_attr': ['c', 'output']}},
            'pw': {'value': {'get_param': 'pw'}}}

    path = updated(cluster, name, change)
    after = {one['resource_name']: one['physical_resource_id']
             for one in cluster.api.resources(path)}
    assert after.pop('more')
    assert after == before
    outputs = {one['output_key']: one['output_value']
               for one in cluster.api.show(path)['outputs']}
    assert outputs['c'] == 'by us'
    # The hidden parameter was decrypted, and is kept.
    assert outputs['pw'] not in (None, '', '******')
    assert cluster.api.show(path)['parameters']['pw'] == '******'


def test_a_nested_stack_grows(cluster):
    def change(template):
        template['resources']['g']['properties']['count'] = 4

    path = updated(cluster, 'nested', change)
    output, = cluster.api.show(path)['outputs']
    assert output['output_value'] == ['i0', 'i1', 'i2', 'i3']
    deep = cluster.api.resources(path, nested_depth=3)
    assert len(deep) == 1 + 4 + 4


def test_a_failed_stack_is_mended(cluster):
    def change(template):
        template['resources']['bad']['properties']['fail'] = False

    path = updated(cluster, 'failed', change)
    assert {one['resource_status'] for one in cluster.api.resources(path)
            } <= {'CREATE_COMPLETE', 'UPDATE_COMPLETE'}


def test_a_suspended_stack_is_resumed(cluster):
    path = path_of('suspended')
    cluster.api.call('POST', path + '/actions', {'resume': None}, expect=200)
    cluster.wait_status(path, 'RESUME_COMPLETE')


def test_a_snapshot_is_restored_and_deleted(cluster):
    path, want = path_of('snapshotted'), peer.expected()['snapshotted']
    snapshot, = want['snapshots']

    def change(template):
        template['resources']['new'] = {'type': 'OS::Heat::RandomString'}

    updated(cluster, 'snapshotted', change)
    one = f'{path}/snapshots/{snapshot["id"]}'
    cluster.api.call('POST', one + '/restore', expect=202)
    cluster.wait_status(path, 'RESTORE_COMPLETE')
    assert cluster.api.get(path + '/template') == want['template']
    old, = want['resources']
    now, = cluster.api.resources(path)
    assert now['physical_resource_id'] == old['physical_resource_id']
    shown = cluster.api.get(f'{path}/resources/r')['resource']
    assert shown['attributes'] == old['attributes']
    cluster.api.call('DELETE', one, expect=204)
    cluster.wait_for(
        lambda: not cluster.api.get(path + '/snapshots')['snapshots'],
        'the snapshot to go')


@pytest.mark.parametrize('name', [
    name for name in untouched() if '-g-' not in name])
def test_stacks_are_deleted(cluster, name):
    path = path_of(name)
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)


def test_nothing_is_left_but_what_was_interrupted(cluster):
    for table in ('resource', 'stack_lock', 'sync_point', 'snapshot'):
        assert cluster.sql(
            f'SELECT count(*) FROM {table} WHERE stack_id NOT IN '
            "(SELECT id FROM stack WHERE name IN ('running', "
            "'legacy-running'))") == [(0,)], table
    assert cluster.sql('SELECT count(*) FROM user_creds') == [(2,)]
    assert cluster.tracebacks() == [], cluster.logs()


def test_the_interrupted_convergence_stack_completes(tmp_path):
    one, server = started(tmp_path, wait_secs=1)
    try:
        one.use()
        path = path_of('running')
        one.wait_status(path, 'CREATE_COMPLETE')
        shown = one.api.get(path + '/resources/later')['resource']
        assert shown['attributes'] == {'value': 'x'}
        done = next(want for want in peer.expected()['running']['resources']
                    if want['resource_name'] == 'done')
        shown = one.api.get(path + '/resources/done')['resource']
        assert shown['physical_resource_id'] == done['physical_resource_id']
        assert shown['updated_time'] == done['updated_time']
        assert one.sql('SELECT * FROM sync_point') == []
        assert one.sql('SELECT engine_id FROM resource WHERE '
                       'engine_id IS NOT NULL') == []
        one.wait_status(path_of('legacy-running'), 'CREATE_FAILED')
        for name in INTERRUPTED:
            one.api.call('DELETE', path_of(name), expect=204)
        for name in INTERRUPTED:
            one.wait_gone(path_of(name))
    finally:
        ended(one, server)
