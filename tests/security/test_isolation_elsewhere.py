"""The CloudFormation API and the engine, against what others own."""
import inspect
import json
import re

import pytest

from heat.api.cfn.v1 import routes
from heat.common import context as heat_context
from heat.common import exception
from heat.engine import service as engine_service
from tests.fakes import rest as facts

BODY = json.dumps({'AWSTemplateFormatVersion': '2010-09-09'})
#: What actions need beside the stack that they are about.
PARAMETERS = {
    'UpdateStack': {'TemplateBody': BODY},
    'DescribeStackResource': {'LogicalResourceId': 'thing'},
    'SignalResource': {'LogicalResourceId': 'thing', 'UniqueId': 'u',
                       'Status': 'SUCCESS'},
}
#: Actions that name no stack that exists.
NAMELESS = {'CreateStack', 'EstimateTemplateCost', 'ValidateTemplate',
            'ListStacks', 'ListExports', 'ListImports'}
ACTIONS = sorted(action.name for action in routes.ACTIONS
                 if action.name not in NAMELESS)


def arn(values, tenant=None):
    return 'arn:openstack:heat::%s:stacks/%s/%s' % (
        tenant or values['tenant_id'], values['stack_name'],
        values['stack_id'])


def names(treasure, attacker, own):
    """Return pairs of a foreign stack's name and one that names nothing."""
    ghosts = treasure.ghosts()
    found = []
    for values in (treasure.values, treasure.nested_values()):
        found += [
            (values['stack_name'], ghosts['stack_name']),
            (values['stack_id'], ghosts['stack_id']),
            (values['stack_id'].upper(), ghosts['stack_id'].upper()),
            (arn(values), arn(ghosts)),
            (arn(values, attacker.id), arn(ghosts, attacker.id)),
            (arn(values).upper(), arn(ghosts).upper()),
            ('%s/%s' % (values['stack_name'], values['stack_id']),
             '%s/%s' % (ghosts['stack_name'], ghosts['stack_id'])),
            (arn({**values, 'stack_name': own.stack.name}),
             arn({**ghosts, 'stack_name': own.stack.name})),
        ]
    return found


def masked(answer, *sent):
    text = answer.text
    for each in sorted(sent, key=len, reverse=True):
        text = text.replace(each, '*')
    return answer.status, re.sub(
        r'<RequestId>.*?</RequestId>|none-[0-9a-f]{32}|[0-9a-f-]{36}', '*',
        text)


@pytest.mark.parametrize('action', ACTIONS)
def test_cfn_action(attacker, treasure, own, action):
    before = treasure.state()
    for foreign, ghost in names(treasure, attacker, own):
        answers = []
        for name in (foreign, ghost):
            answer = attacker.cfn(Action=action, StackName=name,
                                  **PARAMETERS.get(action, {}))
            answers.append(masked(answer, name, treasure.stack.name,
                                  treasure.nested_name))
            for secret in treasure.secrets():
                assert secret not in answer.text or (
                    secret.lower() in name.lower())
        assert answers[0] == answers[1]
        assert answers[0][0] in (400, 403, 404), answers
    assert treasure.state() == before


def test_cfn_lists(attacker, treasure, own):
    for action in ('ListStacks', 'DescribeStacks', 'DescribeStackEvents',
                   'ListExports'):
        for who in ('member', 'admin', 'reader'):
            answer = attacker.cfn(who, Action=action)
            assert answer.status in (200, 403)
            for secret in treasure.secrets():
                assert secret not in answer.text


def test_cfn_physical_resource(attacker, treasure):
    for physical in (treasure.values['server_id'], treasure.nested_id):
        answer = attacker.cfn(Action='DescribeStackResources',
                              PhysicalResourceId=physical)
        assert answer.status in (400, 404)
        assert treasure.stack.id not in answer.text


@pytest.mark.parametrize('who', ['nobody', 'unscoped', 'expired'])
def test_cfn_without_a_project(world, treasure, who):
    user = treasure.project.users['member']
    token = {'nobody': None, 'expired': 'no-such-token',
             'unscoped': world.keystone.unscoped_token_of(user)}[who]
    for action in (*ACTIONS, 'ListStacks', 'CreateStack', 'ListExports',
                   'ListImports'):
        answer = world.ask_cfn(token, Action=action, TemplateBody=BODY,
                               StackName=treasure.stack.name,
                               LogicalResourceId='thing')
        assert 400 <= answer.status < 500, (action, answer)
        for secret in treasure.secrets():
            assert secret not in answer.text


# -- the engine, should an API let something pass ---------------------------

METHODS = facts.load_facts('rpc_api')['engine']['methods']
REFUSALS = (exception.InvalidTenant, exception.EntityNotFound,
            exception.NotFound, exception.Forbidden)
SAMPLES = {
    'template': {'heat_template_version': '2018-08-31'}, 'params': {},
    'files': {}, 'args': {}, 'details': {'a': 1}, 'name': 'n',
    'resource_name': 'thing', 'output_key': 'key', 'mark_unhealthy': True,
    'timeout': 1, 'updated_at': None, 'config_id': None,
    'input_values': None, 'output_values': None, 'action': None,
    'status': 'FAILED', 'status_reason': None,
}
IDENTIFIED = sorted(
    name for name, method in METHODS.items()
    if {each['name'] for each in method['args']} & {
        'stack_identity', 'stack_id', 'deployment_id', 'config_id',
        'physical_resource_id'} and name not in (
            # These take configs and stacks of the caller.
            'create_software_deployment', 'list_events', 'show_stack')
) + ['list_events', 'show_stack', 'create_software_deployment']


def identities(treasure, attacker):
    for values in (treasure.values, treasure.nested_values()):
        for tenant in (treasure.project.id, attacker.id, None):
            yield {'tenant': tenant, 'stack_name': values['stack_name'],
                   'stack_id': values['stack_id'], 'path': ''}


def context_of(project, **values):
    return heat_context.RequestContext(**{
        'project_id': project and project.id, 'user_id': 'u',
        'roles': ['member', 'reader'], 'is_admin': False,
        'overwrite': False, **values})


@pytest.mark.parametrize('name', IDENTIFIED)
def test_engine(world, attacker, treasure, conf, name):
    conf('enable_stack_abandon', True)
    before = treasure.state()
    method = getattr(world.service.engine, name)
    wanted = inspect.signature(
        getattr(engine_service.EngineService, name)).parameters
    given = {key: value for key, value in SAMPLES.items() if key in wanted}
    given.update({key: value for key, value in treasure.values.items()
                  if key in wanted and key.endswith('_id')})
    if 'physical_resource_id' in wanted:
        given['physical_resource_id'] = treasure.values['server_id']
    if name == 'create_software_deployment':
        given.update(stack_user_project_id=None, deployment_id=None)
    for context in (context_of(attacker), context_of(None)):
        for identity in identities(treasure, attacker):
            if 'stack_identity' in wanted:
                given['stack_identity'] = identity
            with pytest.raises(Exception) as raised:
                method(context, **given)
            # What travels over RPC is what caused it.
            cause = raised.value.__cause__ or raised.value
            assert isinstance(cause, REFUSALS), cause
            assert treasure.mark not in str(cause)
            if 'stack_identity' not in wanted:
                break
    assert treasure.state() == before


@pytest.mark.parametrize('name', [
    'list_stacks', 'count_stacks', 'list_software_configs'])
def test_engine_lists(world, attacker, treasure, name):
    method = getattr(world.service.engine, name)
    for context in (context_of(attacker), context_of(None)):
        found = method(context)
        assert treasure.mark not in str(found)
        assert treasure.stack.id not in str(found)
        if name == 'count_stacks' and context.project_id is None:
            assert found == 0
    for query in ('list_software_deployments',
                  'metadata_software_deployments'):
        for context in (context_of(attacker), context_of(None)):
            found = getattr(world.service.engine, query)(
                context, treasure.values['server_id'])
            assert found == []


def test_engine_finds_no_stack_by_name(world, attacker, treasure):
    for context in (context_of(attacker), context_of(None)):
        for name in (treasure.stack.name, treasure.stack.id,
                     treasure.nested_name, treasure.nested_id):
            with pytest.raises(Exception) as raised:
                world.service.engine.identify_stack(context, name)
            assert isinstance(raised.value.__cause__,
                              exception.EntityNotFound)


def test_every_method_of_the_engine_is_considered():
    """One that is new must be put into a table here."""
    considered = {*IDENTIFIED, 'list_stacks', 'count_stacks',
                  'list_software_configs', 'list_software_deployments',
                  'metadata_software_deployments', 'identify_stack'}
    # What names nothing that is stored.
    harmless = {
        'authenticated_to_backend', 'create_software_config',
        'create_stack', 'generate_template', 'get_revision',
        'list_resource_types', 'list_services', 'list_template_functions',
        'list_template_versions', 'preview_stack', 'resource_schema',
        'validate_template'}
    assert considered | harmless == set(METHODS)
