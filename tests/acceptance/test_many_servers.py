"""Many servers at once, each with a port, a volume and a floating IP."""
import pytest

from tests.acceptance import templates
from tests.acceptance.templates import ref

COUNT = 20
#: Seconds that the cloud may take for all of them.
PATIENCE = 1500


def one(number):
    """Return the resources of one server, by name."""
    return {
        f'port-{number}': templates.port(),
        f'volume-{number}': {'type': 'OS::Cinder::Volume', 'properties': {
            'size': 1}},
        f'server-{number}': templates.server(
            {'port': ref(f'port-{number}')}),
        f'attachment-{number}': {
            'type': 'OS::Cinder::VolumeAttachment', 'properties': {
                'instance_uuid': ref(f'server-{number}'),
                'volume_id': ref(f'volume-{number}')}},
        f'ip-{number}': {'type': 'OS::Neutron::FloatingIP', 'properties': {
            'floating_network': 'public', 'port_id': ref(f'port-{number}')}},
    }


@pytest.mark.timeout(2 * PATIENCE)
def test_many_servers(stacks, tenant, more_quota):
    resources = {**templates.network(), **templates.router()}
    del resources['ip']
    for number in range(COUNT):
        resources.update(one(number))
    path = stacks.create(f'{tenant.tag}-many', templates.hot(resources),
                         wait=False)
    stacks.wait(path, 'CREATE_COMPLETE', PATIENCE)
    assert len(stacks.resources(path)) == len(resources)
    servers = list(tenant.connection('member').compute.servers())
    assert len(servers) == COUNT
    assert {server.status for server in servers} == {'ACTIVE'}
    volumes = list(tenant.connection('member').block_storage.volumes())
    assert {volume.status for volume in volumes} == {'in-use'}
    stacks.delete(path, wait=False)
    stacks.wait_gone(path, PATIENCE)


@pytest.fixture
def more_quota(tenant):
    """Let the project have as much as the test needs."""
    project, admin = tenant.project_id, tenant.admin
    admin.compute.update_quota_set(project, instances=COUNT, cores=COUNT,
                                   ram=COUNT * 512)
    admin.block_storage.update_quota_set(project, volumes=COUNT,
                                         gigabytes=COUNT)
    admin.network.update_quota(project, port=4 * COUNT,
                               floatingip=COUNT)
    yield
    admin.compute.revert_quota_set(project)
    admin.block_storage.revert_quota_set(project)
    admin.network.delete_quota(project)
