"""Clusters as services make them that manage clusters for their users.

Such a service acts by a trust of its own, and makes one stack of nested
templates for each cluster, which it watches, scales and deletes; its nodes
call the URLs that they have been given, from outside.
"""
import pathlib
import time

from heatclient import client as heatclient
from heatclient import exc
from heatclient.common import template_utils
from keystoneauth1 import session as ks_session
from keystoneauth1.identity import v3
import openstack
import pytest
import requests

from tests.acceptance import cloud
from tests.acceptance import nodes
from tests.acceptance import stacks as stacks_module
from tests.acceptance import templates

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples'
#: Seconds for all the servers of a cluster.
PATIENCE = stacks_module.PATIENCE


@pytest.fixture(scope='module')
def project(project):
    """The project, with one more user, who has no roles in it."""
    project.add_user('trustee', roles=())
    return project


@pytest.fixture
def trusted(tenant):
    """Yield a session of a service that a member of the tenant trusts."""
    identity = tenant.connection('member').identity
    access = tenant.session('member').auth.get_access(
        tenant.session('member'))
    trust = identity.create_trust(
        trustor_user_id=tenant.users['member'],
        trustee_user_id=tenant.users['trustee'],
        project_id=tenant.project_id, is_impersonation=True,
        # The stack gets a trust of its own by this one.
        allow_redelegation=True, redelegation_count=3,
        roles=[{'name': name} for name in access.role_names])
    yield ks_session.Session(auth=v3.Password(
        auth_url=cloud.auth_url() + '/v3',
        user_id=tenant.users['trustee'], password=tenant.password,
        trust_id=trust.id))
    identity.delete_trust(trust.id)


@pytest.fixture
def heat(deployment, trusted, tenant, stacks):
    """Return python-heatclient as the trusted service uses it.

    What a test that fails leaves of its stacks is removed.
    """
    return heatclient.Client(
        '1', session=trusted,
        endpoint_override=f'{deployment.url}/{tenant.project_id}')


@pytest.fixture
def machines(tenant):
    """Yield the servers of the tenant, which run their user data."""
    with nodes.Nodes(tenant) as running:
        yield running


def _parameters(**more):
    return {'image': templates.IMAGE, 'flavor': 'm1.nano',
            'patience': PATIENCE, **more}


def _create(heat, tenant, environment='cluster_env.yaml', **parameters):
    """Create a cluster; return the id of its stack."""
    files, template = template_utils.get_template_contents(
        str(EXAMPLES / 'cluster.yaml'))
    more, environment = (
        template_utils.process_multiple_environments_and_files(
            [str(EXAMPLES / environment)]))
    made = heat.stacks.create(
        stack_name=f'{tenant.tag}-cluster', template=template,
        files={**files, **more}, environment=environment,
        parameters=_parameters(**parameters), timeout_mins=60)
    return made['stack']['id']


def _watch(heat, stack_id, status):
    """Wait for the end of an operation; return the outputs."""
    action = status.partition('_')[0]
    end = time.monotonic() + PATIENCE
    while True:
        stack = heat.stacks.get(stack_id, resolve_outputs=False)
        assert time.monotonic() < end, _reasons(heat, stack)
        if stack.stack_status == status:
            return _outputs(heat, stack_id)
        assert stack.stack_status == f'{action}_IN_PROGRESS' or (
            not stack.stack_status.startswith(action)), _reasons(heat,
                                                                 stack)
        time.sleep(1)


def _outputs(heat, stack_id):
    return {one['output_key']: one['output_value']
            for one in heat.stacks.get(stack_id).outputs}


def _reasons(heat, stack):
    return '\n'.join([
        f'{stack.stack_status}: {stack.stack_status_reason}',
        *(f'{one.resource_name}: {one.resource_status} '
          f'{one.resource_status_reason}'
          for one in heat.resources.list(stack.id, nested_depth=5)
          if one.resource_status != 'CREATE_COMPLETE')])


def _delete(heat, stack_id):
    heat.stacks.delete(stack_id)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            stack = heat.stacks.get(stack_id, resolve_outputs=False)
        except exc.HTTPNotFound:
            return
        if stack.stack_status == 'DELETE_COMPLETE':
            return
        assert stack.stack_status != 'DELETE_FAILED', _reasons(heat, stack)
        assert time.monotonic() < end, _reasons(heat, stack)
        time.sleep(1)


def _servers(tenant):
    return {server.id: server
            for server in tenant.connection('member').compute.servers()}


def test_cluster_of_a_trusted_service(heat, machines, tenant):
    stack_id = _create(heat, tenant, worker_count=2)
    seen = _watch(heat, stack_id, 'CREATE_COMPLETE')
    assert not machines.failed
    workers = seen['worker_servers']
    assert len(workers) == len(set(workers)) == len(seen['workers']) == 2
    [address] = seen['masters']
    assert seen['api_url'] == f'https://{address}:6443'
    found = tenant.connection('member').network.find_ip(
        address, ignore_missing=False)
    assert [found.fixed_ip_address] == seen['masters_private']
    assert len(_servers(tenant)) == 3
    said = {one.resource_name: one for one in heat.resources.list(
        stack_id, nested_depth=5) if one.resource_type ==
        'OS::Heat::WaitCondition'}
    assert {one.resource_status for one in said.values()} == {
        'CREATE_COMPLETE'}

    # One more worker; what there is stays.
    heat.stacks.update(stack_id, existing=True,
                       parameters={'worker_count': 3})
    seen = _watch(heat, stack_id, 'UPDATE_COMPLETE')
    assert not machines.failed
    assert seen['worker_servers'][:2] == workers
    assert len(seen['worker_servers']) == 3

    # Less workers, and the service says which.
    heat.stacks.update(stack_id, existing=True, parameters={
        'worker_count': 2, 'workers_to_remove': workers[0]})
    seen = _watch_again(heat, stack_id, 2)
    assert workers[0] not in seen['worker_servers']
    assert workers[1] in seen['worker_servers']
    assert set(_servers(tenant)) >= set(seen['worker_servers'])
    assert len(_servers(tenant)) == 3
    _delete(heat, stack_id)


def _watch_again(heat, stack_id, workers):
    """Wait for the end of an update that follows another one."""
    end = time.monotonic() + PATIENCE
    while True:
        seen = _watch(heat, stack_id, 'UPDATE_COMPLETE')
        if len(seen['worker_servers']) == workers:
            return seen
        assert time.monotonic() < end, seen
        time.sleep(1)


def test_cluster_whose_nodes_do_not_start(heat, tenant):
    stack_id = _create(heat, tenant, worker_count=0, patience=5)
    stack = _end(heat, stack_id)
    assert stack.stack_status == 'CREATE_FAILED'
    assert 'resources.masters' in stack.stack_status_reason
    assert 'resources.started' in stack.stack_status_reason
    assert 'WaitConditionTimeout' in stack.stack_status_reason
    _delete(heat, stack_id)


def _end(heat, stack_id):
    end = time.monotonic() + PATIENCE
    while True:
        stack = heat.stacks.get(stack_id, resolve_outputs=False)
        if not stack.stack_status.endswith('IN_PROGRESS'):
            return stack
        assert time.monotonic() < end, _reasons(heat, stack)
        time.sleep(1)


def test_a_trust_that_may_not_be_handed_on(deployment, tenant):
    """The stack needs a trust of its own, and cannot have one."""
    identity = tenant.connection('member').identity
    trust = identity.create_trust(
        trustor_user_id=tenant.users['member'],
        trustee_user_id=tenant.users['trustee'],
        project_id=tenant.project_id, is_impersonation=True,
        roles=[{'name': 'member'}])
    session = ks_session.Session(auth=v3.Password(
        auth_url=cloud.auth_url() + '/v3',
        user_id=tenant.users['trustee'], password=tenant.password,
        trust_id=trust.id))
    answer = deployment.stacks(session, tenant.project_id).ask(
        'POST', '/stacks', {
            'stack_name': f'{tenant.tag}-untrusted', 'template': {
                'heat_template_version': 'wallaby',
                'resources': {'it': {
                    'type': 'OS::Heat::ResourceGroup', 'properties': {
                        'count': 1, 'resource_def': {
                            'type': 'OS::Heat::RandomString'}}}}}})
    identity.delete_trust(trust.id)
    assert answer.status_code == 400, answer.text
    assert 'handed on' in answer.json()['error']['message']


def _described(orchestration, **parameters):
    """Return a cluster that scales as openstacksdk sends it."""
    return {'parameters': _parameters(**parameters),
            **orchestration.read_env_and_templates(
                template_file=str(EXAMPLES / 'cluster.yaml'),
                environment_files=[
                    str(EXAMPLES / 'cluster_scaling_env.yaml')])}


def test_cluster_by_openstacksdk(deployment, machines, tenant, stacks):
    connection = openstack.connection.Connection(
        session=tenant.session('member'), region_name=cloud.region(),
        orchestration_endpoint_override=(
            f'{deployment.url}/{tenant.project_id}'))
    orchestration = connection.orchestration
    stack = orchestration.create_stack(
        name=f'{tenant.tag}-sdk', timeout_mins=60,
        **_described(orchestration, worker_count=2))
    stack = orchestration.wait_for_status(
        stack, 'CREATE_COMPLETE', failures=['CREATE_FAILED'], interval=1,
        wait=PATIENCE)
    assert not machines.failed

    def outputs():
        found = orchestration.get_stack(stack.id)
        return {one['output_key']: one['output_value']
                for one in found.outputs}

    servers = outputs()['worker_servers']
    assert len(servers) == len(outputs()['workers']) == 2
    assert {one.name for one in orchestration.resources(stack)} >= {
        'network', 'masters', 'workers'}
    # An alarm wants less workers; then a user wants more.
    assert requests.post(outputs()['shrink_url'],
                         timeout=60).status_code == 200
    stacks_module.Stacks.until(
        lambda: len(outputs()['worker_servers']) == 1, PATIENCE)
    stacks_module.Stacks.until(lambda: len(_servers(tenant)) == 2, PATIENCE)
    template = orchestration.get_stack_template(stack)
    assert 'workers' in template.resources
    orchestration.update_stack(stack.id, **_described(
        orchestration, worker_count=3))
    orchestration.wait_for_status(
        stack, 'UPDATE_COMPLETE', failures=['UPDATE_FAILED'], interval=1,
        wait=PATIENCE)
    assert len(outputs()['worker_servers']) == 3
    assert not machines.failed
    orchestration.delete_stack(stack.id)
    orchestration.wait_for_delete(stack, interval=1, wait=PATIENCE)
    connection.close()
