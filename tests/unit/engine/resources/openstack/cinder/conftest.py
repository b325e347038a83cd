"""Fixtures: block storage and servers in memory."""
import types

from openstack import exceptions
import pytest
import requests

from heat.engine.clients.os import cinder
from heat.engine.clients.os import glance
from heat.engine.clients.os import keystone
from heat.engine.clients.os import nova
from heat.engine.resources.openstack.cinder import encrypted_volume_type
from heat.engine.resources.openstack.cinder import qos_specs
from heat.engine.resources.openstack.cinder import quota
from heat.engine.resources.openstack.cinder import volume
from heat.engine.resources.openstack.cinder import volume_type
from tests.fakes import cloud


class Storage(cloud.FakeService):
    """Block storage whose volumes remember what was done to them."""

    def __init__(self):
        super().__init__()
        self.done = []
        self.access = set()
        self.usage = {}
        self.script['volume'] = ['creating', 'available']
        self.script['backup'] = ['creating', 'available']

    def _set(self, volume_id, **values):
        self.things['volume', volume_id].update(values)

    def _busy(self, volume_id, state, **values):
        after = ('in-use' if self.things['volume', volume_id].get(
            'attachments') else 'available')
        self._set(volume_id, _next=[state, after], **values)

    def extend_volume(self, volume_id, size):
        self.done.append('extend')
        self._busy(volume_id, 'extending', size=size)

    def retype_volume(self, volume_id, new_type):
        self.done.append('retype')
        self._busy(volume_id, 'retyping', volume_type=new_type)

    def restore_backup(self, backup_id, volume=None, name=None):
        self.done.append('restore')
        if volume is None:
            volume = self.create_volume(name=name, size=1).id
        self._busy(volume, 'restoring-backup', restored=backup_id)
        return types.SimpleNamespace(volume_id=volume)

    def set_volume_readonly(self, volume_id, readonly):
        self._set(volume_id, readonly=readonly)

    def set_volume_metadata(self, volume_id, **metadata):
        self.things['volume', volume_id]['metadata'].update(metadata)

    def delete_volume_metadata(self, volume_id, keys):
        for key in keys:
            del self.things['volume', volume_id]['metadata'][key]

    def put(self, path, json):
        its_id = path.rpartition('/')[2]
        self.things['type', its_id].update(json['volume_type'])
        self.done.append(json)
        answer = requests.Response()
        answer.status_code = 200
        return answer

    def add_type_access(self, type_id, project_id):
        self.access.add((type_id, project_id))

    def remove_type_access(self, type_id, project_id):
        self.access.remove((type_id, project_id))

    def update_type_extra_specs(self, type_id, **specs):
        self.things['type', type_id]['extra_specs'].update(specs)

    def delete_type_extra_specs(self, type_id, keys):
        for key in keys:
            del self.things['type', type_id]['extra_specs'][key]

    def delete_qos_spec_metadata(self, spec_id, keys):
        self.done.append(('unset', keys))

    def disassociate_all_qos_spec(self, spec_id):
        self.done.append('disassociate')

    def associate_qos_spec(self, spec_id, type_id):
        self.access.add((spec_id, type_id))

    def disassociate_qos_spec(self, spec_id, type_id):
        self.access.remove((spec_id, type_id))

    def get_quota_set(self, project_id, usage=False):
        return cloud.Thing({'project_id': project_id, 'usage': self.usage})

    def update_quota_set(self, project_id, **quotas):
        self.done.append((project_id, quotas))

    def revert_quota_set(self, project_id):
        self.done.append(('revert', project_id))

    def create_type_encryption(self, volume_type, **values):
        self.done.append(('encrypt', volume_type, values))

    def update_type_encryption(self, volume_type, **values):
        self.done.append(('encrypt', volume_type, values))

    def delete_type_encryption(self, volume_type, ignore_missing):
        self.done.append(('decrypt', volume_type))


class Servers(cloud.FakeService):
    """Servers that volumes are attached to."""

    def __init__(self, storage):
        super().__init__()
        self.storage = storage
        self.attached = []
        #: How often servers are found in a state that forbids detaching.
        self.refusals = 0
        #: What attachments were asked for: (server, volume).
        self.shown = []

    def create_volume_attachment(self, server_id, volume_id, device=None):
        self.attached.append((server_id, volume_id, device))
        self.storage._set(
            volume_id, _next=['attaching', 'in-use'],
            attachments=[{'server_id': server_id, 'device': device}])
        return cloud.Thing({'id': volume_id})

    def delete_volume_attachment(self, server, volume_id,
                                 ignore_missing):
        if self.refusals:
            self.refusals -= 1
            raise cloud.refusal(409, {'conflictingRequest': {
                'message': 'Cannot detach a volume while it is in vm_state '
                           'suspended'}})
        self.attached = [each for each in self.attached
                         if each[:2] != (server.id, volume_id)]
        self.storage._set(volume_id, _next=['detaching', 'available'],
                          attachments=[])

    def get_volume_attachment(self, server_id, volume_id):
        self.shown.append((server_id, volume_id))
        for each in self.attached:
            if each[:2] == (server_id, volume_id):
                return cloud.Thing({'id': volume_id})
        raise exceptions.NotFoundException('not attached')


@pytest.fixture
def storage():
    return Storage()


@pytest.fixture
def servers(storage):
    return Servers(storage)


@pytest.fixture
def engine(cloud_engine, storage, servers, monkeypatch):
    cloud_engine.use(storage, cinder.CinderClientPlugin, volume, quota,
                     volume_type, qos_specs, encrypted_volume_type)
    cloud_engine.use(servers, nova.NovaClientPlugin)
    identity = cloud.FakeService()
    for name in ('demo', 'other'):
        identity.create_project(id=name + '-id', name=name)
    cloud_engine.use(types.SimpleNamespace(client=identity),
                     keystone.KeystoneClientPlugin)
    images = cloud.FakeService()
    images.create_image(id='image-id', name='cirros')
    cloud_engine.use(images, glance.GlanceClientPlugin)
    monkeypatch.setattr(cinder.CinderClientPlugin, 'is_version_supported',
                        lambda self, version: False)
    return cloud_engine
