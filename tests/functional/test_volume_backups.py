"""Volumes that are backed up, deleted and restored by a Cinder over HTTP."""
import uuid

import pytest

from tests.fakes import storage
from tests.functional import rest
from tests.functional.templates import hot
from tests.functional.test_cloud_retries import Known


@pytest.fixture
def cloud():
    with storage.Cloud(uuid.uuid4().hex).served() as cloud:
        yield cloud


@pytest.fixture
def api(service, cloud, conf):
    conf('deferred_auth_method', 'password')
    conf('www_authenticate_uri', f'{cloud.url}/v3', 'keystone_authtoken')
    conf('client_retry_limit', 0)
    conf('action_retry_limit', 0)
    [project] = cloud._projects
    return Known(service.application, project)


def volume(**more):
    return hot({'volume': {'type': 'OS::Cinder::Volume',
                           'properties': {'size': 1}, **more}})


def test_deletion_policy(driver, api, cloud):
    stack = api.created('s', volume(deletion_policy='Snapshot'))
    cloud.write(stack.physical('volume'), 'precious')
    stack.deleted()
    assert not cloud.volumes
    [backup] = cloud.backups.values()
    assert backup['status'] == 'available'
    # What was left is good enough to make the volume of again.
    stack = api.created('again', hot({'volume': {
        'type': 'OS::Cinder::Volume',
        'properties': {'backup_id': backup['id'], 'name': 'ours'}}}))
    assert cloud.contents[stack.physical('volume')] == 'precious'
    assert cloud.volumes[stack.physical('volume')]['name'] == 'ours'
    stack.deleted()
    assert not cloud.volumes
    assert list(cloud.backups) == [backup['id']]


def test_volume_that_cannot_be_backed_up_is_not_deleted(driver, api, cloud):
    stack = api.created('s', volume(deletion_policy='Snapshot'))
    cloud.broken = True
    stack.request('DELETE')
    shown = stack.wait('DELETE_FAILED')
    assert 'error' in shown['stack_status_reason']
    assert list(cloud.volumes) == [stack.physical('volume')]
    cloud.broken = False
    stack.deleted()
    assert not cloud.volumes
    assert sorted(each['status'] for each in cloud.backups.values()) == [
        'available', 'error']


def test_snapshot_and_restore(driver, api, cloud):
    stack = api.created('s', volume())
    its_id = stack.physical('volume')
    cloud.write(its_id, 'before')
    snapshot = stack.request('POST', 'snapshots', {'name': 'one'}).json
    stack.wait('SNAPSHOT_COMPLETE')
    [backup] = cloud.backups.values()
    assert (backup['status'], backup['volume_id']) == ('available', its_id)
    cloud.write(its_id, 'after')
    where = f'snapshots/{snapshot["id"]}'
    stack.request('POST', f'{where}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    assert stack.physical('volume') == its_id
    assert cloud.contents[its_id] == 'before'
    # The backup belongs to the snapshot, and goes with it.
    stack.request('DELETE', where, expect=204)
    rest.wait_for(lambda: stack.get('snapshots') == {'snapshots': []},
                  'the end of the snapshot')
    assert not cloud.backups
    stack.deleted()
    assert not cloud.volumes
