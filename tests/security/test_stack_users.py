"""Users that a template defines reach their own resource, nothing else."""
import re

import pytest

from heat.engine import stack as stack_module
from tests.fakes import stack as fake_stack
from tests.functional import rest
from tests.functional.templates import hot
from tests.security import test_tenant_isolation as table
from tests.security import treasure as treasure_module

#: What such a user may ask about its own resource: method, path, body.
OWN = (('GET', 'metadata', None), ('POST', 'signal', {'status': 'SUCCESS'}))


@pytest.fixture(scope='module')
def property_(world):
    return treasure_module.Treasure.of(world.project('owner'))


@pytest.fixture(scope='module')
def other(property_):
    """Return another stack of the same project, with a user."""
    return property_.project.api.created('other', hot({
        'handle': treasure_module.HANDLE}))


def user_of(stack_id, project, name='handle'):
    loaded = stack_module.Stack.load(
        fake_stack.context(project_id=project.id), stack_id=stack_id)
    return loaded[name].data()['user_id'], loaded.stack_user_project_id


@pytest.fixture(scope='module')
def agent(world, property_):
    """Return a client of the user of one resource of a stack."""
    return client_of(world, property_.stack.id, property_.project)


def client_of(world, stack_id, project):
    user_id, project_id = user_of(stack_id, project)
    return type(project.api)(world.rest, project_id,
                             world.keystone.token_of(user_id))


def path_of(property_, name, tenant, what):
    return (f'/v1/{tenant}/stacks/{property_.stack.name}/'
            f'{property_.stack.id}/resources/{name}/{what}')


def test_own_resource(world):
    """Of a stack for this alone: a signal is dealt with later on."""
    project = world.project('signals')
    stack = project.api.created('s', hot({'handle': treasure_module.HANDLE}))
    client = client_of(world, stack.id, project)
    path = f'/v1/{client.project}/{stack.path}/resources/handle'
    client.request('POST', f'{path}/signal', {
        'Status': 'SUCCESS', 'UniqueId': 'u', 'Data': 'd', 'Reason': 'r'},
        expect=200)
    rest.wait_for(lambda: 'u' in client.get(f'{path}/metadata')['metadata'],
                  'the signal')


@pytest.mark.parametrize('name', ['thing', 'server', 'nest', 'handle/',
                                  'Handle', 'HANDLE', 'handle%20',
                                  '../handle', 'handle;x', '*'])
def test_other_resource_of_the_stack(agent, property_, name):
    before = property_.state()
    for method, what, body in OWN:
        answer = agent.request(method, path_of(
            property_, name, agent.project, what), body)
        assert answer.status in (403, 404), answer
        assert property_.mark not in answer.text
    assert property_.state() == before


def test_own_resource_in_the_project_of_the_owner(agent, property_):
    """The path names the project that the token is for."""
    for method, what, body in OWN:
        agent.request(method, path_of(
            property_, 'handle', property_.project.id, what), body,
            expect=403)


def test_other_stacks(world, agent, property_, other, treasure, victim):
    """Not of the same project, not the nested one, not of another."""
    for stack_id, name in (
            (other.id, other.name),
            (property_.nested_id, property_.nested_name),
            (treasure.stack.id, treasure.stack.name)):
        path = f'/v1/{agent.project}/stacks/{name}/{stack_id}/resources'
        for method, what, body in OWN:
            answer = agent.request(method, f'{path}/handle/{what}', body)
            assert answer.status in (403, 404), (name, answer)
    # Nor the other way round.
    inner = client_of(world, property_.nested_id, property_.project)
    for method, what, body in OWN:
        answer = inner.request(method, path_of(
            property_, 'handle', inner.project, what), body)
        assert answer.status in (403, 404), answer
        foreign = client_of(world, other.id, property_.project)
        answer = foreign.request(method, path_of(
            property_, 'handle', foreign.project, what), body)
        assert answer.status in (403, 404), answer


ALLOWED = {('resource', 'metadata'), ('resource', 'signal'),
           ('software_deployments', 'metadata'), ('stacks', 'lookup')}


@pytest.mark.parametrize(('row', 'template'), [
    case for case in table.CASES if (
        case.values[0]['controller'],
        case.values[0]['action']) not in ALLOWED])
def test_every_other_route(agent, property_, row, template):
    before = property_.state()
    for tenant in (agent.project, property_.project.id):
        values = {**table.with_arn(property_.values), 'tenant_id': tenant,
                  'resource_name': 'handle'}
        answer = agent.request(row['method'], table.filled(template, values),
                               table.body_of(row))
        assert answer.status == 403, answer
        assert property_.mark not in answer.text
    assert property_.state() == before


def test_lookup(agent, property_, other, treasure):
    """The user finds its own stack, and tells nothing of others."""
    found = agent.request('GET', f'stacks/{property_.stack.name}')
    assert found.status == 302
    for name in (other.name, other.id, treasure.stack.name,
                 treasure.stack.id):
        assert agent.request('GET', f'stacks/{name}').status == 404


def test_disabled_while_suspended(world, property_):
    """A suspended stack keeps its users out, a resumed one lets them in."""
    stack = property_.project.api.created('suspended', hot({
        'handle': treasure_module.HANDLE}))
    client = client_of(world, stack.id, property_.project)
    user_id, _project = user_of(stack.id, property_.project)
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    assert not world.keystone.users[user_id].enabled
    stack.act('resume')
    stack.wait('RESUME_COMPLETE')
    assert world.keystone.users[user_id].enabled
    client.get(f'/v1/{client.project}/{stack.path}/resources/handle/'
               'metadata')
    stack.deleted()
    assert user_id not in world.keystone.users


def test_cfn(world, agent, property_, other, treasure):
    """The CloudFormation API shows the user its resource."""
    def ask(name, resource='handle', action='DescribeStackResource'):
        return world.ask_cfn(agent.token, Action=action, StackName=name,
                             LogicalResourceId=resource)

    assert ask(property_.stack.name).status == 200
    for name in (other.name, other.id, treasure.stack.name,
                 property_.nested_name):
        assert ask(name).status in (400, 403, 404)
    for resource in ('thing', 'server', 'nest', 'Handle'):
        answer = ask(property_.stack.name, resource)
        assert answer.status in (400, 403, 404)
        assert not re.search(property_.mark, answer.text)
    for action in ('DescribeStacks', 'GetTemplate', 'ListStackResources',
                   'DescribeStackResources', 'DeleteStack', 'ListStacks',
                   'DescribeStackEvents'):
        answer = ask(property_.stack.name, action=action)
        assert answer.status == 403, (action, answer)
