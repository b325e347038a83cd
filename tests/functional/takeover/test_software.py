"""Servers with deployments and wait conditions that Heat had in hand."""

import pytest

from heat.engine.clients.os.keystone import local_keystoneclient
from tests.fakes import identity
from tests.fakes import swift as fake_swift
from tests.functional import rest
from tests.functional.takeover import software
from tests.functional.takeover import world as world_module

_TO_DO = [('CREATE', 'IN_PROGRESS'), ('UPDATE', 'IN_PROGRESS')]


def _named(transport, *, group, convergence):
    name = transport.lower().replace('_', '-')
    return (name + ('-group' if group else '') +
            ('' if convergence else '-legacy'), {
                'transport': transport, 'group': group,
                'convergence': convergence})


#: {name: options of the rows}; with groups the transports are the same.
STACKS = dict(_named(transport, group=group, convergence=convergence)
              for transport in software.TRANSPORTS
              for group in (False, transport == 'POLL_SERVER_CFN')
              for convergence in (True, False))
BUSY = {f'{state[0].lower()}-{name}': dict(options, state=state)
        for name, options in STACKS.items() if options['convergence']
        for state in _TO_DO}
BUSY.update({
    'update-added': dict(STACKS['poll-server-cfn-group'],
                         state=('UPDATE', 'IN_PROGRESS'), is_added=True),
    **{f'{state[0].lower()}-structured{"-group" if group else ""}': {
        'transport': 'POLL_SERVER_HEAT', 'group': group, 'state': state,
        'kind': 'Structured'} for state in _TO_DO for group in (False, True)},
})
#: The servers have signalled while no engine was there.
SIGNALLED = {f'signalled-{name}': dict(BUSY[name], is_signalled=True)
             for name in ('create-poll-server-heat', 'update-poll-server-heat',
                          'create-poll-server-cfn-group', 'update-added',
                          'update-poll-server-cfn-group')}


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    cloud = software.Cloud()
    with (pytest.MonkeyPatch.context() as patch,
          identity.listening(cloud) as url):
        cloud.swift, cloud.zaqar = fake_swift.use(patch)
        cloud.swift.get_endpoint = lambda: f'{url}/v1/AUTH_p'
        patch.setattr(
            local_keystoneclient.LocalKeystoneClient,
            'delete_stack_domain_user',
            lambda self, user_id, project_id: cloud.gone.append(
                (project_id, user_id)))

        def write(database):
            cloud.rows = {name: software.Software(
                database, cloud, name, **options)
                for name, options in {
                    **STACKS, **BUSY, **SIGNALLED}.items()}
            return {name: rows.stack for name, rows in cloud.rows.items()}

        with world_module.serving(
                patch, tmp_path_factory.mktemp('heat'), write,
                cloud=cloud) as made:
            yield made


def deployment(world, name):
    """Return what the API shows of the deployment."""
    its_id = world.cloud.rows[name].deployment_id
    return world.client(name).get(f'software_deployments/{its_id}')[
        'software_deployment']


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', STACKS)
def test_stack_is_shown_as_before(world, name):
    stack, rows = world.stack(name), world.cloud.rows[name]
    shown = stack.show()
    assert not world_module.differing(
        shown, world_module.expected_stack(rows.stack))
    wanted = 'hello anna'
    assert stack.outputs() == {'result': {'one': wanted}
                               if STACKS[name]['group'] else wanted}
    server = stack.resource('server')
    assert not world_module.differing(server, world_module.expected_resource(
        rows.server, required_by=['deployment']))
    assert server['attributes'] == {
        'name': rows.server.physical_name,
        'os_collect_config': rows.agent()}
    assert stack.get('resources/server/metadata')['metadata'] == (
        rows.metadata)
    assert not world_module.differing(deployment(world, name), {
        'config_id': rows.offered, 'status': 'COMPLETE',
        'action': 'CREATE', 'server_id': rows.server_id,
        'input_values': {'who': 'anna'}})


@pytest.mark.parametrize('name', STACKS)
def test_nothing_runs_again_when_nothing_changes(world, name):
    stack, rows = world.stack(name), world.cloud.rows[name]
    before = stack.resources(nested_depth=2)
    stack.updated(software.template(rows.transport,
                                    group=STACKS[name]['group']))
    assert deployment(world, name)['config_id'] == rows.offered
    assert stack.get('resources/server/metadata')['metadata'] == (
        rows.metadata)
    after = stack.resources(nested_depth=2)
    # A group is updated as such; its members decide.
    if STACKS[name]['group']:
        del before['deployment'], after['deployment']
    assert after == before


@pytest.mark.parametrize('name', BUSY)
def test_a_deployment_that_runs_is_waited_for(world, name):
    stack, rows = world.stack(name), world.cloud.rows[name]
    where = stack
    if BUSY[name]['group']:
        where = rest.Stack(stack.client, rows.child.name, rows.child.id)
    rest.wait_for(lambda: world_module.sql(
        'SELECT 1 FROM resource WHERE id = :id AND engine_id IS NOT NULL '
        'AND engine_id != :old', id=rows.deployed.id,
        old=rows.stack.database.engine_id), lambda: (
            stack.show(), stack.resources()))
    assert deployment(world, name)['config_id'] == rows.offered
    where.request('POST', f'resources/{rows.deployed.name}/signal', {
        'deploy_stdout': '', 'deploy_status_code': 0, 'result': 'done'},
        expect=200)
    stack.wait(BUSY[name]['state'][0] + '_COMPLETE')
    shown = deployment(world, name)
    assert (shown['config_id'], shown['status']) == (rows.offered,
                                                     'COMPLETE')
    assert stack.outputs() == {'result': {'one': 'done'}
                               if BUSY[name]['group'] else 'done'}


@pytest.mark.parametrize('name', SIGNALLED)
def test_a_deployment_that_was_signalled_does_not_run_again(world, name):
    stack, rows = world.stack(name), world.cloud.rows[name]
    stack.wait(SIGNALLED[name]['state'][0] + '_COMPLETE')
    assert deployment(world, name)['config_id'] == rows.offered
    wanted = 'hello anna'
    assert stack.outputs() == {'result': {'one': wanted}
                               if SIGNALLED[name]['group'] else wanted}


@pytest.mark.parametrize('name', STACKS)
def test_other_values_are_deployed(world, name):
    stack, rows = world.stack(name), world.cloud.rows[name]
    stack.update(software.template(rows.transport, who='berta',
                                   group=STACKS[name]['group']))
    rest.wait_for(lambda: deployment(world, name)['config_id'] != (
        rows.offered), lambda: stack.resources(nested_depth=2))
    where = (rest.Stack(stack.client, rows.child.name, rows.child.id)
             if STACKS[name]['group'] else stack)
    where.request('POST', f'resources/{rows.deployed.name}/signal',
                  {'result': 'hello berta'}, expect=200)
    stack.wait('UPDATE_COMPLETE')
    assert deployment(world, name)['input_values'] == {'who': 'berta'}
    [offer] = stack.get('resources/server/metadata')['metadata'][
        'deployments']
    assert {'name': 'who', 'value': 'berta'}.items() <= next(
        each for each in offer['inputs'] if each['name'] == 'who').items()


@pytest.mark.parametrize('name', [*STACKS, *BUSY, *SIGNALLED])
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()


def test_nothing_is_left(world):
    assert world.left() == {}
    assert world.cloud.swift.containers == {}
    assert world.cloud.zaqar.queues == {}
    assert set(world.cloud.gone) >= {
        (rows.stack.user_project, user) for rows in world.cloud.rows.values()
        for user in rows.users}
