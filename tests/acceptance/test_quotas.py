"""What a project may not have: the reason can be read, and nothing stays."""
import pytest

from tests.acceptance import templates

NET = {'type': 'OS::Neutron::Net'}
SUBNET = {'type': 'OS::Neutron::Subnet', 'properties': {
    'network': templates.ref('net'), 'cidr': '10.77.0.0/24'}}
GROUP = {'type': 'OS::Neutron::SecurityGroup', 'properties': {
    'rules': [{'protocol': 'tcp'}]}}
VOLUME = {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}}
SERVER = templates.server(networks=[{'allocate_network': 'none'}])
SERVER_GROUP = {'type': 'OS::Nova::ServerGroup'}
BALANCER = {'type': 'OS::Octavia::LoadBalancer', 'properties': {
    'vip_subnet': templates.ref('subnet')}}


@pytest.fixture
def quotas(tenant):
    """Bound what the project may have; return the function that does so."""
    project, admin = tenant.project_id, tenant.admin

    def bound(service, name):
        quota = {name: 0}
        if name == 'security_group_rules':
            # Each group is born with two.
            quota[name] = 2 + len(list(admin.network.security_group_rules(
                project_id=project)))
        if service == 'compute':
            admin.compute.update_quota_set(project, **quota)
        elif service == 'block_storage':
            admin.block_storage.update_quota_set(project, **quota)
        else:
            getattr(admin, service).update_quota(project, **quota)

    yield bound
    admin.compute.revert_quota_set(project)
    admin.block_storage.revert_quota_set(project)
    admin.network.delete_quota(project)
    admin.load_balancer.delete_quota(project, ignore_missing=True)


@pytest.mark.parametrize(('resource', 'needs', 'service', 'quota', 'told'), [
    (SERVER, {}, 'compute', 'instances',
     ('the service compute answered 403 to POST', 'instances')),
    (SERVER_GROUP, {}, 'compute', 'server_groups',
     ('the service compute answered 403 to POST', 'server groups')),
    (SUBNET, {'net': NET}, 'network', 'subnet',
     ('the service network answered 409 to POST', "['subnet']")),
    # The group is made, but a rule of it is one too many.
    (GROUP, {}, 'network', 'security_group_rules',
     ('the service network answered 409 to POST', 'security_group_rule')),
    (VOLUME, {}, 'block_storage', 'volumes',
     ('answered 413 to POST', 'volumes')),
    (BALANCER, {'net': NET, 'subnet': SUBNET}, 'load_balancer',
     'load_balancer',
     ('the service load-balancer answered 403 to POST', 'load balancer')),
], ids=['server', 'server-group', 'subnet', 'rule', 'volume', 'balancer'])
def test_quota(stacks, tenant, quotas, resource, needs, service, quota,
               told):
    quotas(service, quota)
    path = stacks.create(f'{tenant.tag}-quota', templates.hot({
        'it': {**resource, 'depends_on': sorted(needs)}, **needs}),
        wait=False)
    stacks.wait(path, 'CREATE_FAILED')
    reason = stacks.resource(path, 'it')['resource_status_reason']
    assert 'resources.it: ' in reason
    assert 'quota' in reason.lower()
    assert '(request req-' in reason
    assert 'http://' not in reason
    for words in told:
        assert words in reason.replace('Load Balancer', 'load balancer')
    # No time is spent on what time does not help with.
    assert sorted(event['resource_status'] for event in stacks.events(path)
                  if event['resource_name'] == 'it') == [
        'CREATE_FAILED', 'CREATE_IN_PROGRESS']
    stacks.delete(path)
