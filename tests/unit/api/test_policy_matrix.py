"""Every rule of the default policy, against everybody who may come.

Requests pass from the headers of the token filter through the context to
the routes; what is expected follows from the recorded check strings, read
by the table ALLOWED and by nothing of ours.
"""
import re
import urllib.parse

from oslo_config import cfg
import pytest
import webob

from heat.api.cfn.v1 import routes as cfn_routes
from heat.api.cfn.v1 import signal
from heat.api.cfn.v1 import stacks as cfn_stacks
from heat.api.middleware import fault
from heat.api.openstack.v1 import routes
from heat.common import context
from heat.common import policy
from tests.fakes import engine_answers
from tests.fakes import rest
from tests.fakes import rpc
from tests.unit.api import test_api_routes

RULES = rest.load_facts('policies')['rules']
SYSTEM = {'OpenStack-System-Scope': 'all'}


def _token(*roles, project=rest.PROJECT):
    return {'X-Roles': ','.join(roles), 'X-Project-Id': project}


TOKENS = {
    'system admin': {'X-Roles': 'admin', **SYSTEM},
    'system reader': {'X-Roles': 'reader', **SYSTEM},
    'admin': _token('admin'),
    'manager': _token('manager'),
    'member': _token('member'),
    'reader': _token('reader'),
    'admin elsewhere': _token('admin', project='q'),
    'member elsewhere': _token('member', project='q'),
    'reader elsewhere': _token('reader', project='q'),
    'nobody': _token(),
    'somebody': _token('creator', 'heat_stack_owner'),
    'stack user': _token('heat_stack_user'),
}

#: Whose project is not that of the path, and who is no administrator.
OUTSIDE = {'system reader', 'member elsewhere', 'reader elsewhere'}
# An administrator may name any project in the path, and acts in his own.
_ADMIN = {'admin', 'admin elsewhere'}
_MEMBER = _ADMIN | {'manager', 'member'}
_READER = _MEMBER | {'reader'}
_PROJECT = 'project_id:%(project_id)s'
#: Who is allowed by a check string.
ALLOWED = {
    '!': set(),
    f'role:admin and {_PROJECT}': _ADMIN,
    f'role:member and {_PROJECT}': _MEMBER,
    f'role:reader and {_PROJECT}': _READER,
    f'(role:reader and {_PROJECT}) or '
    f'(role:heat_stack_user and {_PROJECT})': _READER | {'stack user'},
    'rule:project_admin': _ADMIN,
}
#: Who is allowed by a check string of the former defaults as well, if the
#: operator has not done away with them. Other projects stay closed, and a
#: token of the system has none.
HERE = set(TOKENS) - {'member elsewhere', 'reader elsewhere',
                      'system admin', 'system reader'}
FORMERLY = {
    'rule:deny_stack_user': HERE - {'stack user'},
    'rule:allow_everybody': HERE,
    'rule:context_is_admin': _ADMIN,
}


def _check_of(rule):
    """Return the check string behind a rule of the facts."""
    check = RULES[rule]['default']
    referred = re.fullmatch('rule:(.*)', check)
    if referred and check not in ALLOWED:
        return _check_of(referred.group(1))
    return check


def allowed_by(rule):
    """Return who is to be allowed by a rule."""
    return ALLOWED[_check_of(rule)]


# -- the requests -----------------------------------------------------------

#: A snapshot is no action of the API, it has routes of its own.
NEVER_ASKED = 'actions:snapshot'


def _rest_requests():
    """Return {rule: [(method, path, body)]} of the REST API."""
    found = {}
    for row in test_api_routes.FACTS['routes']:
        body = test_api_routes.BODIES.get((row['controller'],
                                           row['action']))
        for path in test_api_routes.paths_of(row):
            for rule, sent in _rules_of(row, body):
                found.setdefault(rule, []).append(
                    (row['method'], path, sent))
    for kind in ('stacks', 'software_configs'):
        found[f'{kind}:global_index'] = [
            ('GET', f'/v1/{rest.PROJECT}/{kind}?global_tenant=true', None)]
    return found


def _rules_of(row, body):
    """Return pairs of rule and body; the body may decide on the rule."""
    if row['controller'] == 'actions':
        # Asked for an action, one asks for the rule of actions, too.
        return [(rule, {rule.partition(':')[2]: None}) for rule in RULES
                if rule.startswith('actions:')
                and rule not in ('actions:action', NEVER_ASKED)] + [
                    ('actions:action', {'suspend': None})]
    if row['action'] == 'update_patch':
        return [('stacks:update_patch', body),
                ('stacks:update_no_change', {})]
    return [(row['policy'], body)]


REST = _rest_requests()
STACK = f'arn:openstack:heat::{rest.PROJECT}:stacks/s/{rest.STACK_ID}'
BODY = {'TemplateBody': '{"AWSTemplateFormatVersion": "2010-09-09"}'}
CFN_PARAMETERS = {
    'CreateStack': {'StackName': 's', **BODY},
    'UpdateStack': {'StackName': 's', **BODY},
    'ValidateTemplate': BODY,
    'DescribeStackResource': {'StackName': 's', 'LogicalResourceId': 'r'},
    'ListStacks': {},
    'EstimateTemplateCost': BODY,
}
CFN = sorted(rule for rule in RULES if rule.startswith('cloudformation:'))


@pytest.fixture
def engine():
    """Return an engine that has an answer to everything."""
    return rpc.FakeEngineClient({
        **engine_answers.ANSWERS,
        'describe_stack_resources': [engine_answers.RESOURCE]})


@pytest.fixture
def conf():
    """Return the configuration as it is without files."""
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    policy.reset()
    yield cfg.CONF
    cfg.CONF.clear_override('enforce_new_defaults', 'oslo_policy')
    policy.reset()


def _send(application, method, path, body, token):
    request = webob.Request.blank(path, method=method, headers={
        'X-Identity-Status': 'Confirmed', 'X-User-Id': 'u',
        **TOKENS[token]})
    if isinstance(body, bytes):
        request.body, request.content_type = body, 'application/json'
    elif body is not None:
        request.json = body
    return request.get_response(application)


@pytest.fixture
def application(engine, conf):
    """Return the REST API below the filter that checks tokens."""
    return context.ContextMiddleware(
        fault.FaultWrapper(_without_version(routes.build(engine))), {})


def _without_version(application):
    """Return an application that the version filter stands before."""
    def call(environ, start_response):
        request = webob.Request(environ)
        assert request.path_info_pop() == 'v1'
        return application(environ, start_response)
    return call


def _each_request(rule):
    """Yield (token, method, path, body) of all who ask."""
    for token in TOKENS:
        for method, path, body in REST[rule]:
            yield token, method, path, body


@pytest.mark.parametrize('rule', sorted(REST))
def test_rest(application, engine, rule):
    for token, method, path, body in _each_request(rule):
        engine.calls.clear()
        response = _send(application, method, path, body, token)
        where = (token, method, path, body, response.text)
        if token in allowed_by(rule):
            assert response.status_int < 400, where
        else:
            assert response.status_int == 403, where
            # Routing compares the project of the path, before any rule.
            assert response.json['error']['type'] == (
                'HTTPForbidden' if token in OUTSIDE else 'Forbidden'), where
            assert engine.calls == [], where


#: What is wrong with a body in each way there is.
_BROKEN = (b'{"stack_name": ', b'[]', b'', b'{"no": {"such": "key"}}',
           b'{"suspend": null, "resume": null}', b'{"a": "\\u0000"}')


def _changing_paths():
    """Return {(method, path): who is allowed some request there}."""
    found = {}
    for rule, requests in REST.items():
        for method, path, _body in requests:
            if method in ('POST', 'PUT', 'PATCH'):
                found.setdefault((method, path), set()).update(
                    allowed_by(rule))
    return found


@pytest.mark.parametrize(('place', 'allowed'), _changing_paths().items())
def test_who_may_do_nothing_does_not_learn_what_is_wrong(
        application, engine, place, allowed):
    for token in sorted(set(TOKENS) - allowed):
        for body in _BROKEN:
            response = _send(application, *place, body, token)
            assert response.status_int == 403, (token, body, response.text)
    assert engine.calls == []


@pytest.mark.parametrize('kind', ['stacks', 'software_configs'])
def test_who_may_not_ask_for_all_projects_learns_nothing_else(
        application, engine, kind):
    for token in sorted(set(TOKENS) - allowed_by(f'{kind}:global_index')):
        for wrong in ('limit=x', 'limit=-1', 'sort_dir=up', 'show_hidden=7'):
            path = f'/v1/{rest.PROJECT}/{kind}?{wrong}&global_tenant=True'
            response = _send(application, 'GET', path, None, token)
            assert response.status_int == 403, (token, path, response.text)
    assert engine.calls == []


@pytest.mark.parametrize('rule', sorted(REST))
def test_rest_by_the_former_defaults(application, conf, rule):
    # The options are declared by whoever enforces first.
    policy.get_enforcer()
    conf.set_override('enforce_new_defaults', False, 'oslo_policy')
    policy.reset()
    former = RULES[rule].get('deprecated_rule')
    if rule == 'stacks:update_no_change':
        former = RULES['stacks:update_patch']['deprecated_rule']
    allowed = allowed_by(rule) | (FORMERLY[former['default']] if former
                                  else set())
    for token, method, path, body in _each_request(rule):
        response = _send(application, method, path, body, token)
        where = (token, method, path, response.text)
        if token in allowed:
            assert response.status_int < 400, where
        else:
            assert response.status_int == 403, where


@pytest.mark.parametrize('rule', CFN)
def test_cfn(engine, conf, rule):
    application = context.ContextMiddleware(cfn_routes.Dispatcher(
        cfn_stacks.StackController(engine),
        signal.SignalController(engine)), {})
    action = rule.partition(':')[2]
    path = '/?' + urllib.parse.urlencode({
        'Action': action, **CFN_PARAMETERS.get(action, {'StackName': 's'})})
    # There is no project in the path that could be another one.
    allowed = allowed_by(rule) | {
        f'{token} elsewhere' for token in allowed_by(rule)}
    for token in TOKENS:
        engine.calls.clear()
        response = _send(application, 'GET', path, None, token)
        if token in allowed:
            assert response.status_int == 200, (token, response.text)
        else:
            assert response.status_int == 403, token
            assert '<Code>AccessDenied</Code>' in response.text
            assert engine.calls == []


@pytest.mark.parametrize('rule', sorted(
    rule for rule in RULES if rule.startswith('resource_types:')))
def test_resource_type(conf, rule):
    enforcer = policy.ResourceEnforcer(exc=None)
    name = rule.partition(':')[2].replace('*', 'Domain')
    assert {token for token in TOKENS
            if enforcer.enforce(_context(token), name)} == allowed_by(rule)


def _context(token):
    """Return the context of who comes with a token."""
    return context.RequestContext.from_environ(webob.Request.blank(
        '/', headers={'X-User-Id': 'u', **TOKENS[token]}).environ)


@pytest.mark.parametrize(('rule', 'expected'), [
    ('context_is_admin', {'admin', 'admin elsewhere', 'system admin'}),
    ('project_admin', {'admin', 'admin elsewhere', 'system admin'}),
    ('deny_stack_user', set(TOKENS) - {'stack user'}),
    ('allow_everybody', set(TOKENS)),
    ('deny_everybody', set()),
])
def test_rules_that_others_refer_to(conf, rule, expected):
    enforcer = policy.Enforcer(exc=None).enforcer
    assert {token for token in TOKENS if enforcer.enforce(
        rule, {}, policy.credentials_of(_context(token)))} == expected


def test_no_rule_is_left_out():
    tested = {*REST, *CFN, *(rule for rule in RULES
                             if rule.startswith('resource_types:'))}
    assert set(RULES) - tested == {
        'context_is_admin', 'project_admin', 'deny_stack_user',
        'allow_everybody', 'deny_everybody', NEVER_ASKED}
