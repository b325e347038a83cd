"""Volumes: where they come from, how they change, and their backups."""
import contextlib
import threading
import time

from keystoneauth1 import exceptions as keystone_exceptions
from openstack import exceptions
import pytest

from tests.acceptance import templates
from tests.acceptance.templates import attr
from tests.acceptance.templates import hot
from tests.acceptance.templates import ref
from tests.acceptance.templates import server

#: Seconds after which what the cloud has not copied counts as copied.
LONG = 5


def volume(**properties):
    """Return a volume."""
    return {'type': 'OS::Cinder::Volume',
            'properties': {'size': 1, **properties}}


@pytest.fixture
def storage(tenant):
    """Return Cinder as the member sees it."""
    return tenant.connection('member').block_storage


@pytest.fixture
def copies(tenant):
    """Let the administrator say that backups are made; yield which.

    To copy a volume Cinder attaches it to its own host. Where it may not do
    that, as in some clouds for development, it never gets on. Such a backup
    can be deleted, but not restored.
    """
    admin = tenant.admin.block_storage
    over, since, helped = threading.Event(), {}, set()

    def is_late(thing):
        now = time.monotonic()
        return now - since.setdefault((thing.id, thing.status), now) > LONG

    def look():
        busy = set()
        for one in admin.volumes(all_projects=True,
                                 project_id=tenant.project_id):
            if one.status != 'backing-up':
                continue
            if is_late(one):
                admin.reset_volume_status(one, 'available', None, None)
            else:
                busy.add(one.id)
        for backup in admin.backups(all_tenants=True,
                                    project_id=tenant.project_id):
            # The engine deletes the volume once the backup is available.
            if (backup.status == 'creating' and is_late(backup)
                    and backup.volume_id not in busy):
                helped.add(backup.id)
                admin.reset_backup_status(backup, 'available')

    def watch():
        while not over.wait(1):
            # It may have come to its end meanwhile, or the cloud is slow.
            with contextlib.suppress(exceptions.SDKException,
                                     keystone_exceptions.ClientException):
                look()

    thread = threading.Thread(target=watch)
    thread.start()
    yield helped
    over.set()
    thread.join()


@pytest.fixture
def remove_backups(stacks, storage):
    """Return a function that removes all backups there are."""
    def remove():
        for backup in storage.backups():
            storage.delete_backup(backup)
        stacks.until(lambda: not list(storage.backups()))
    return remove


def test_snapshot_of_a_stack_is_a_backup(stacks, tenant, storage, copies):
    template = hot({'volume': volume(metadata={'one': '1'})})
    path = stacks.create(f'{tenant.tag}-backup', template)
    volume_id = stacks.physical_ids(path)['volume']
    snapshot = stacks.call('POST', path + '/snapshots', {'name': 'one'})
    where = f'{path}/snapshots/{snapshot["id"]}'
    stacks.wait(path, 'SNAPSHOT_COMPLETE')
    taken = stacks.get(where)['snapshot']
    assert taken['status'] == 'COMPLETE'
    [backup] = storage.backups()
    assert (backup.volume_id, backup.status) == (volume_id, 'available')
    assert taken['data']['resources']['volume']['resource_data'][
        'backup_id'] == backup.id

    stacks.update(path, hot({'volume': volume(metadata={'two': '2'})}))
    assert storage.get_volume(volume_id).metadata == {'two': '2'}
    stacks.call('POST', where + '/restore')
    if backup.id in copies:
        failed = stacks.wait(path, 'RESTORE_FAILED')
        assert ('resources.volume: Went to status error_restoring'
                in failed['stack_status_reason'])
    else:
        stacks.wait(path, 'RESTORE_COMPLETE')
        live = storage.get_volume(volume_id)
        assert (live.status, live.metadata) == ('available', {'one': '1'})
        # Without the backup in its template the volume stays as it is.
        stacks.update(path, template)
    assert stacks.physical_ids(path)['volume'] == volume_id
    stacks.call('DELETE', where)
    stacks.until(lambda: not list(storage.backups()))
    stacks.delete(path)


@pytest.mark.usefixtures('copies')
def test_backups_go_with_the_stack(stacks, tenant, storage):
    path = stacks.create(f'{tenant.tag}-gone', hot({'volume': volume()}))
    stacks.call('POST', path + '/snapshots', {})
    stacks.wait(path, 'SNAPSHOT_COMPLETE')
    assert len(list(storage.backups())) == 1
    stacks.delete(path)
    assert not list(storage.backups())
    assert not list(storage.volumes())


def test_deletion_leaves_backups_to_make_volumes_of(
        stacks, tenant, storage, copies, remove_backups):
    path = stacks.create(f'{tenant.tag}-left', hot({
        'one': {**volume(), 'deletion_policy': 'Snapshot'},
        'two': {'type': 'AWS::EC2::Volume',
                'properties': {'AvailabilityZone': 'nova', 'Size': 1},
                'deletion_policy': 'Snapshot'}}))
    ids = stacks.physical_ids(path)
    stacks.delete(path)
    assert not list(storage.volumes())
    left = {backup.volume_id: backup for backup in storage.backups()}
    assert left.keys() == {ids['one'], ids['two']}
    assert {backup.status for backup in left.values()} == {'available'}
    if copies:
        # There is nothing in them.
        remove_backups()
        return
    path = stacks.create(f'{tenant.tag}-again', hot({
        'one': {'type': 'OS::Cinder::Volume', 'properties': {
            'backup_id': left[ids['one']].id, 'name': f'{tenant.tag}-one'}},
        'two': {'type': 'AWS::EC2::Volume', 'properties': {
            'AvailabilityZone': 'nova',
            'SnapshotId': left[ids['two']].id}}}))
    restored = {name: storage.get_volume(volume_id) for name, volume_id
                in stacks.physical_ids(path).items()}
    assert restored['one'].name == f'{tenant.tag}-one'
    assert {(one.status, one.size) for one in restored.values()} == {
        ('available', 1)}
    stacks.delete(path)
    remove_backups()


def test_origins(stacks, tenant, storage):
    path = stacks.create(f'{tenant.tag}-origin', hot({'volume': volume()}))
    ids = stacks.physical_ids(path)
    snapshot = storage.create_snapshot(volume_id=ids['volume'],
                                       name=f'{tenant.tag}-snapshot')
    stacks.until(lambda: storage.get_snapshot(
        snapshot.id).status == 'available')
    copies = stacks.create(f'{tenant.tag}-copies', hot({
        'snapshot': {'type': 'OS::Cinder::Volume',
                     'properties': {'snapshot_id': snapshot.id}},
        'larger': volume(size=2, snapshot_id=snapshot.id),
        'copy': {'type': 'OS::Cinder::Volume',
                 'properties': {'source_volid': ids['volume']}}},
        {'of': attr('snapshot', 'snapshot_id')}))
    made = {name: storage.get_volume(volume_id) for name, volume_id
            in stacks.physical_ids(copies).items()}
    assert made['snapshot'].snapshot_id == snapshot.id
    assert {name: one.size for name, one in made.items()} == {
        'snapshot': 1, 'larger': 2, 'copy': 1}
    assert made['copy'].source_volume_id == ids['volume']
    [shown] = stacks.get(copies)['stack']['outputs']
    assert shown['output_value'] == snapshot.id
    stacks.delete(copies)
    storage.delete_snapshot(snapshot)
    stacks.until(lambda: not list(storage.snapshots()))
    stacks.delete(path)


def test_attached_volume_grows_and_moves(stacks, tenant, storage):
    base = {**templates.network(),
            'one': server({'network': ref('net')}),
            'two': server({'network': ref('net')})}

    def goal(size, where):
        return hot({**base, 'volume': volume(size=size), 'attachment': {
            'type': 'OS::Cinder::VolumeAttachment', 'properties': {
                'instance_uuid': ref(where), 'volume_id': ref('volume')}}})

    path = stacks.create(f'{tenant.tag}-grows', goal(1, 'one'))
    ids = stacks.physical_ids(path)
    stacks.update(path, goal(2, 'one'))
    live = storage.get_volume(ids['volume'])
    assert (live.size, live.status) == (2, 'in-use')
    stacks.update(path, goal(2, 'two'))
    now = stacks.physical_ids(path)
    assert now['volume'] == ids['volume']
    [attachment] = storage.get_volume(ids['volume']).attachments
    assert attachment['server_id'] == ids['two']
    # It cannot become smaller; nothing is touched.
    stacks.update(path, goal(1, 'two'), wait=False)
    stack = stacks.wait(path, 'UPDATE_FAILED')
    assert 'resources.volume' in stack['stack_status_reason']
    assert 'Shrinking' in stack['stack_status_reason']
    assert storage.get_volume(ids['volume']).size == 2
    stacks.delete(path)


def test_type_of_a_volume_changes(stacks, tenant, storage):
    kinds = tenant.admin.block_storage
    other = kinds.create_type(name=f'{tenant.tag}-type')
    path = stacks.create(f'{tenant.tag}-retype', hot({'volume': volume()}))
    volume_id = stacks.physical_ids(path)['volume']
    stacks.update(path, hot({'volume': volume(volume_type=other.name)}))
    assert stacks.physical_ids(path)['volume'] == volume_id
    live = storage.get_volume(volume_id)
    assert (live.volume_type, live.status) == (other.name, 'available')
    stacks.delete(path)
    kinds.delete_type(other)
