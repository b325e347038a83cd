"""Services that fail while the stack is being made.

Whatever happens, the failure says which service it was, of which resource
and request, and nothing is left behind.
"""
import pytest

from tests.acceptance import deployment as deployment_module
from tests.acceptance import leaks
from tests.acceptance import proxy

PATIENCE_WITH_SERVICES = 10


@pytest.fixture(scope='module')
def impatient(tmp_path_factory, project):
    """A deployment that does not wait long for services."""
    with deployment_module.running(
            tmp_path_factory.mktemp('impatient'), project, engines=1,
            sections={'DEFAULT': {
                'client_request_timeout': PATIENCE_WITH_SERVICES,
                'client_retry_limit': 1, 'action_retry_limit': 1}}) as one:
        yield one


@pytest.fixture(scope='module')
def region(project):
    """The region whose services fail: ({type: proxy}, name)."""
    with proxy.region(project, ['network', 'block-storage'
                                if _has(project, 'block-storage')
                                else 'volumev3', 'compute']) as made:
        yield made


def _has(project, kind):
    return any(one.type == kind
               for one in project.admin.identity.services())


@pytest.fixture(scope='module')
def leak_check(project, region):
    """What there is when the first test begins, that region included."""
    return leaks.Check(project)


@pytest.fixture
def network(region):
    """The proxy of the network service."""
    proxies, _name = region
    yield proxies['network']
    proxies['network'].faults = []


@pytest.fixture
def stacks(impatient, region, tenant):
    """Stacks whose resources are made in that region."""
    session = tenant.session('member')
    session.additional_headers['X-Region-Name'] = region[1]
    own = impatient.stacks(session, tenant.project_id)
    yield own
    own.delete_all()


NET = {'heat_template_version': '2021-04-16', 'resources': {
    'net': {'type': 'OS::Neutron::Net'}}}
SUBNET = {'heat_template_version': '2021-04-16', 'resources': {
    'net': {'type': 'OS::Neutron::Net'},
    'subnet': {'type': 'OS::Neutron::Subnet', 'properties': {
        'network': {'get_resource': 'net'}, 'cidr': '10.9.0.0/24'}}}}
NETWORKS = r'/v2\.0/networks'
#: More than all retries.
ALWAYS = 99


def create(stacks, tenant, template=NET):
    return stacks.create(f'{tenant.tag}-faults', template, wait=False)


def failure(stacks, path, name='net'):
    stacks.wait(path, 'CREATE_FAILED')
    return stacks.resource(path, name)['resource_status_reason']


@pytest.mark.parametrize(('status', 'error'), [
    (500, 'HttpException'), (503, 'HttpException'),
    (429, 'HttpException'), (409, 'ConflictException')])
def test_an_answer_that_is_an_error(stacks, tenant, network, status, error):
    fault = proxy.Fault('POST', NETWORKS, status, times=ALWAYS)
    network.faults.append(fault)
    path = create(stacks, tenant)
    assert failure(stacks, path) == (
        f'{error}: resources.net: the service network answered {status} to '
        f'POST /v2.0/networks: a fault of the test '
        f'(request {fault.REQUEST_ID})')
    stacks.delete(path)
    # Only what was certainly not taken is asked for again.
    assert len(fault.met) == {500: 1, 503: 2, 429: 2, 409: 2}[status]


@pytest.mark.parametrize('status', [403, 409, 413])
def test_a_quota_that_is_exhausted(stacks, tenant, network, status):
    fault = proxy.Fault('POST', NETWORKS, status, times=ALWAYS,
                        message='Quota exceeded for resources: networks')
    network.faults.append(fault)
    path = create(stacks, tenant)
    assert failure(stacks, path).endswith(
        f'the service network answered {status} to POST /v2.0/networks: '
        f'{fault.message} (request {fault.REQUEST_ID})')
    stacks.delete(path)
    assert len(fault.met) == 1


@pytest.mark.parametrize('status', [503, 429, 409])
def test_an_error_that_passes(stacks, tenant, network, status):
    network.faults.append(proxy.Fault('POST', NETWORKS, status))
    path = create(stacks, tenant)
    stacks.wait(path, 'CREATE_COMPLETE')
    stacks.delete(path)


def test_a_connection_that_closes_before_the_service_was_asked(
        stacks, tenant, network):
    network.faults.append(proxy.Fault('POST', NETWORKS, 'drop'))
    path = create(stacks, tenant)
    reason = failure(stacks, path)
    request = [one for one in reason.split() if one.startswith('req-')]
    assert reason == (
        'ConnectFailure: resources.net: No answer from the service network '
        f'to POST: it closed the connection (request {request[0]}')
    stacks.delete(path)


@pytest.mark.parametrize('kind', ['lose', 'hang'])
def test_an_answer_that_is_lost(stacks, tenant, network, kind):
    """What was made is taken for what it is: ours."""
    network.faults.append(proxy.Fault(
        'POST', NETWORKS, kind, seconds=PATIENCE_WITH_SERVICES + 2))
    path = create(stacks, tenant)
    stacks.wait(path, 'CREATE_COMPLETE')
    net = stacks.physical_ids(path)['net']
    assert [one.id for one in tenant.connection().network.networks(
        project_id=tenant.project_id)] == [net]
    stacks.delete(path)


def test_a_service_that_hangs(stacks, tenant, network):
    """It has made what was asked for, but nobody can know before it ends."""
    network.faults += [
        proxy.Fault(method, NETWORKS, 'hang', times=ALWAYS,
                    seconds=PATIENCE_WITH_SERVICES + 2)
        for method in ('POST', 'GET')]
    path = create(stacks, tenant)
    reason = failure(stacks, path)
    assert 'resources.net: No answer from the service network to ' in reason
    assert 'it did not answer in time (request req-' in reason
    network.faults.clear()
    stacks.delete(path)


def test_an_address_of_ec2_whose_answer_is_lost(stacks, tenant, network):
    network.faults.append(proxy.Fault('POST', r'/v2\.0/floatingips', 'lose'))
    path = create(stacks, tenant, {
        'heat_template_version': '2021-04-16', 'resources': {
            'address': {'type': 'AWS::EC2::EIP'}}})
    stacks.wait(path, 'CREATE_COMPLETE')
    address = stacks.physical_ids(path)['address']
    assert [one.id for one in tenant.connection().network.ips(
        project_id=tenant.project_id)] == [address]
    stacks.delete(path)


def test_a_service_that_makes_it_later(stacks, tenant, network):
    """It is found when the stack is deleted, although nobody knew of it."""
    network.faults += [
        proxy.Fault('POST', NETWORKS, 'lose'),
        proxy.Fault('GET', NETWORKS, 500, times=2)]
    path = create(stacks, tenant)
    failure(stacks, path)
    assert list(tenant.connection().network.networks(
        project_id=tenant.project_id))
    stacks.delete(path)


def test_a_service_that_fails_while_it_is_asked_again(
        stacks, tenant, network):
    network.faults += [
        proxy.Fault('GET', NETWORKS + r'/[^/]+', 500),
        proxy.Fault('GET', NETWORKS + r'/[^/]+', 'drop')]
    path = create(stacks, tenant, SUBNET)
    stacks.wait(path, 'CREATE_COMPLETE')
    network.faults[:] = [
        proxy.Fault('DELETE', r'/v2\.0/subnets/[^/]+', 'lose'),
        proxy.Fault('DELETE', NETWORKS + r'/[^/]+', 503)]
    stacks.delete(path)
    assert all(len(fault.met) == fault.times for fault in network.faults)


def test_a_rollback_removes_what_was_made(stacks, tenant, network):
    network.faults.append(proxy.Fault(
        'POST', r'/v2\.0/subnets', 500, times=ALWAYS))
    path = stacks.create(f'{tenant.tag}-faults', SUBNET, wait=False,
                         disable_rollback=False)
    stacks.wait(path, 'ROLLBACK_COMPLETE')
    assert not list(tenant.connection().network.networks(
        project_id=tenant.project_id))
    stacks.delete(path)


def test_a_volume_that_is_made_although_the_answer_was_lost(
        stacks, tenant, region):
    volumes = next(one for kind, one in region[0].items()
                   if kind not in ('network', 'compute'))
    volumes.faults = [proxy.Fault('POST', r'/v3(/[^/]+)?/volumes', 'lose')]
    path = create(stacks, tenant, {
        'heat_template_version': '2021-04-16', 'resources': {
            'volume': {'type': 'OS::Cinder::Volume',
                       'properties': {'size': 1}}}})
    stacks.wait(path, 'CREATE_COMPLETE')
    assert volumes.faults[0].met
    stacks.delete(path)
