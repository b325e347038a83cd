"""Deployments stay within the project of their server."""
import pytest

from tests.functional.templates import hot

SERVER = {'type': 'OS::Heat::DeployedServer', 'properties': {
    'software_config_transport': 'POLL_SERVER_HEAT'}}


def config_of(project, text='echo'):
    return project.api.post('software_configs', {
        'name': 'c', 'group': 'script', 'config': text})[
            'software_config']['id']


def deploy(project, server_id, text='echo', expect=200, **values):
    return project.api.request('POST', 'software_deployments', {
        'config_id': config_of(project, text), 'server_id': server_id,
        'action': 'CREATE', 'status': 'IN_PROGRESS', **values},
        expect=expect).json


def deployments_of(project, **query):
    return project.api.get('software_deployments', **query)[
        'software_deployments']


@pytest.fixture(scope='module')
def stack(victim):
    return victim.api.created('deployed', hot({'server': SERVER}))


@pytest.fixture(scope='module')
def server(stack):
    return stack.get('resources/server')['resource'][
        'physical_resource_id']


@pytest.fixture(scope='module')
def users_project(stack):
    found = stack.show()['stack_user_project_id']
    assert found
    return found


@pytest.fixture
def agent(world, stack, users_project, victim):
    """Return a client of the user that the agent on the server is."""
    [user] = [each for each in world.keystone.users.values()
              if each.project == users_project]
    client = type(victim.api)(world.rest, users_project,
                              world.keystone.token_of(user.id))
    return client


def metadata_of(stack):
    return stack.get('resources/server/metadata')['metadata']


@pytest.mark.parametrize('named', ['users', 'project', 'nothing'])
def test_foreign_server(victim, attacker, stack, server, users_project,
                        agent, named):
    before = metadata_of(stack)
    known = deployments_of(victim)
    values = {'users': {'stack_user_project_id': users_project},
              'project': {'stack_user_project_id': victim.id},
              'nothing': {}}[named]
    answer = deploy(attacker, server, 'evil', **values,
                    expect=200 if named == 'nothing' else 400)
    if named != 'nothing':
        assert answer['error']['type'] == 'Invalid'
        assert 'stack_user_project_id' in answer['error']['message']
    assert metadata_of(stack) == before
    assert deployments_of(victim) == known
    path = f'software_deployments/metadata/{server}'
    for client in (victim.api, agent):
        assert client.get(path) == {'metadata': []}


def test_own_server(victim, attacker, stack, server, users_project, agent):
    made = deploy(victim, server, 'good',
                  stack_user_project_id=users_project)[
                      'software_deployment']
    path = f'software_deployments/{made["id"]}'
    try:
        assert [each['config'] for each in metadata_of(stack)[
            'deployments']] == ['good']
        [told] = agent.get(f'software_deployments/metadata/{server}')[
            'metadata']
        assert told['config'] == 'good'
        # Another project sees it neither by its id nor by the server.
        assert made['id'] not in {
            each['id'] for each in deployments_of(attacker)}
        assert made['id'] not in str(deployments_of(attacker,
                                                    server_id=server))
        assert 'good' not in str(attacker.api.get(
            f'software_deployments/metadata/{server}'))
        for method, body in (('GET', None), ('PUT', {'status': 'FAILED'}),
                             ('DELETE', None)):
            attacker.api.request(method, path, body, expect=404)
        # Nor can it slip its own config into it.
        attacker.api.request('PUT', path, {
            'config_id': config_of(attacker, 'evil')}, expect=404)
        victim.api.request('PUT', path, {
            'config_id': config_of(attacker, 'evil')}, expect=404)
        assert victim.api.get(path)['software_deployment'] == made
    finally:
        victim.api.request('DELETE', path, expect=204)
    assert metadata_of(stack)['deployments'] == []


def test_stack_of_the_project_but_not_of_the_server(attacker, server,
                                                    stack):
    """A stack of one's own is no key to the servers of others."""
    own = attacker.api.created('own', hot({'server': SERVER}))
    before = metadata_of(stack)
    deploy(attacker, server, 'evil', stack_user_project_id=own.show()[
        'stack_user_project_id'])
    assert metadata_of(stack) == before
    assert metadata_of(own).get('deployments', []) == []


def test_resource_that_names_a_foreign_server(victim, attacker, stack,
                                              server):
    """Neither as its deployment nor as its server.

    What names the physical id of another project's server is a resource of
    its own: it takes nothing from the other, and hides it from nobody.
    """
    before = metadata_of(stack)
    thief = attacker.api.created('thief', hot({
        'server': {'type': SERVER['type'], 'external_id': server},
        'deployment': {'type': 'OS::Heat::SoftwareDeployment', 'properties': {
            'config': config_of(attacker, 'evil'), 'server': server,
            'signal_transport': 'NO_SIGNAL'}}}))
    assert thief.physical('server') == server
    assert metadata_of(stack) == before
    taken = metadata_of(thief)
    made = deploy(victim, server, 'good')['software_deployment']
    try:
        assert [each['config'] for each in metadata_of(stack)[
            'deployments']] == ['good']
        assert metadata_of(thief) == taken
        asked = {'Action': 'DescribeStackResources',
                 'PhysicalResourceId': server}
        found = victim.cfn(**asked)
        assert (found.status, stack.id in found.text) == (200, True)
        found = attacker.cfn(**asked)
        assert (found.status, thief.id in found.text,
                stack.id in found.text) == (200, True, False)
    finally:
        victim.api.request('DELETE', f'software_deployments/{made["id"]}',
                           expect=204)
    assert metadata_of(thief) == taken


def test_foreign_config_in_a_template(victim, attacker):
    config = config_of(victim, 'secret text')
    tmpl = hot({'deployment': {
        'type': 'OS::Heat::SoftwareDeployment', 'properties': {
            'config': config, 'server': 'x',
            'signal_transport': 'NO_SIGNAL'}}})
    stack = attacker.api.create('reader', tmpl)
    stack.wait('CREATE_FAILED')
    assert 'secret text' not in stack.show()['stack_status_reason']
    parts = hot({'mime': {'type': 'OS::Heat::MultipartMime', 'properties': {
        'parts': [{'config': config}]}}})
    # What is no config of the project is taken for the text of the part.
    stack = attacker.api.created('mime', parts)
    made = attacker.api.get(f'software_configs/{stack.physical("mime")}')
    assert 'secret text' not in str(made)
    assert deployments_of(attacker, server_id='x') == []
