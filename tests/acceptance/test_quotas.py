"""What a project may not have: the reason can be read, and nothing stays."""
import pytest

from tests.acceptance import templates

SUBNET = {'type': 'OS::Neutron::Subnet', 'properties': {
    'network': templates.ref('net'), 'cidr': '10.77.0.0/24'}}
SERVER = templates.server(networks=[{'allocate_network': 'none'}])


@pytest.fixture
def nothing_more(tenant):
    """Let the project have no servers, subnets and volumes."""
    project, admin = tenant.project_id, tenant.admin
    admin.compute.update_quota_set(project, instances=0)
    admin.block_storage.update_quota_set(project, volumes=0)
    admin.network.update_quota(project, subnet=0)
    yield
    admin.compute.revert_quota_set(project)
    admin.block_storage.revert_quota_set(project)
    admin.network.delete_quota(project)


@pytest.mark.parametrize(('resource', 'asked', 'why'), [
    (SERVER, 'the service compute answered 403 to POST', 'instances'),
    (SUBNET, 'the service network answered 409 to POST', 'subnet'),
    ({'type': 'OS::Cinder::Volume', 'properties': {'size': 1}},
     'answered 413 to POST', 'volumes')], ids=['server', 'subnet', 'volume'])
def test_quota(stacks, tenant, nothing_more, resource, asked, why):
    path = stacks.create(f'{tenant.tag}-quota', templates.hot({
        'it': {**resource, 'depends_on': 'net'},
        'net': {'type': 'OS::Neutron::Net'}}), wait=False)

    def reasons():
        return [event['resource_status_reason']
                for event in stacks.events(path)
                if event['resource_status'] == 'CREATE_FAILED' and
                event['resource_name'] == 'it']

    reason = stacks.until(reasons)[0]
    assert 'resources.it: ' in reason
    assert asked in reason
    assert 'quota' in reason.lower() or 'exceeds' in reason.lower()
    assert why in reason.lower()
    assert '(request req-' in reason
    assert 'http://' not in reason
    stacks.delete(path)
