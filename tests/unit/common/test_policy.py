"""Policy: who may do what, by default and by file."""
import os
import types

from oslo_policy import policy as oslo_policy
import pytest

from heat.common import context
from heat.common import exception
from heat.common import policy
from heat.engine import environment


def ctx(*roles, project='p', **values):
    return context.RequestContext(
        project_id=project, user_id='u', roles=list(roles),
        overwrite=False, **values)


@pytest.fixture
def conf(conf):
    # An enforcer makes the options of oslo.policy known.
    policy.Enforcer()
    return conf


@pytest.fixture
def enforcer(conf):
    return policy.Enforcer()


@pytest.fixture
def types_enforcer(conf):
    return policy.ResourceEnforcer()


def may(enforcer, context_, action, scope='stacks', target=None):
    try:
        return enforcer.enforce(context_, action, scope=scope,
                                target=target)
    except exception.Forbidden as exc:
        return action not in str(exc)


@pytest.mark.parametrize(('roles', 'action', 'allowed'), [
    (['member'], 'create', True),
    (['reader'], 'create', False),
    (['reader'], 'index', True),
    (['member'], 'index', True),
    (['admin'], 'index', True),
    (['admin'], 'create', True),
    (['Admin'], 'create', True),
    (['heat_stack_user'], 'index', False),
    (['heat_stack_user'], 'lookup', True),
    (['admin'], 'global_index', False),
    ([], 'index', False),
])
def test_defaults_by_role(enforcer, roles, action, allowed):
    assert may(enforcer, ctx(*roles), action) is allowed


def test_what_a_context_may_do_is_listed(enforcer):
    rules = ['stacks:delete', 'stacks:index', 'service:index',
             'stacks:global_index', 'stacks:unknown']
    assert enforcer.allowed(ctx('reader'), rules) == ['stacks:index']
    assert enforcer.allowed(ctx('member'), rules) == rules[:2]
    assert enforcer.allowed(ctx('admin'), rules) == rules[:3]
    assert enforcer.allowed(ctx('heat_stack_user'), rules) == []
    enforcer.set_rules({'stacks:delete': 'role:reader'}, overwrite=False)
    assert enforcer.allowed(ctx('reader'), rules) == rules[:2]


def test_formerly_allowed_is_not_any_more_unless_configured(conf):
    assert not may(policy.Enforcer(), ctx('anything'), 'index')
    conf.set('oslo_policy', enforce_new_defaults=False)
    assert may(policy.Enforcer(), ctx('anything'), 'index')
    assert not may(policy.Enforcer(), ctx('heat_stack_user'), 'index')


def test_another_project_is_out_of_reach(enforcer):
    assert not may(enforcer, ctx('member'), 'show',
                   target={'project_id': 'other'})


def test_system_scope_is_refused_as_forbidden(enforcer):
    system = ctx('admin', project=None, system_scope='all')
    assert not may(enforcer, system, 'index',
                   target={'project_id': None})


def test_unknown_rule_is_denied(enforcer):
    assert not may(enforcer, ctx('admin'), 'no_such_thing')


def test_rules_can_be_set(enforcer):
    enforcer.set_rules({'stacks:global_index': 'role:admin'},
                       overwrite=False)
    assert may(enforcer, ctx('admin'), 'global_index')


def test_policy_file_counts(conf, tmp_path):
    path = tmp_path / 'policy.yaml'
    path.write_text('stacks:global_index: role:auditor\n')
    conf.set('oslo_policy', policy_file=str(path))
    enforcer = policy.Enforcer()
    assert may(enforcer, ctx('auditor'), 'global_index')
    assert not may(enforcer, ctx('admin'), 'global_index')
    assert may(enforcer, ctx('member'), 'create')


def test_policy_file_is_changed_in_service(conf, tmp_path):
    path = tmp_path / 'policy.yaml'

    def write(text, age):
        path.write_text(text)
        os.utime(path, (age, age))

    write('stacks:global_index: role:auditor\n'
          'resource_types:My::Type: role:admin\n', 1000)
    conf.set('oslo_policy', policy_file=str(path))
    enforcer = policy.Enforcer()
    types_ = policy.ResourceEnforcer(exc=None)
    assert not may(enforcer, ctx('member'), 'global_index')
    assert not types_.enforce(ctx('member'), 'My::Type')
    write('stacks:global_index: role:member\n'
          'resource_types:Your::Type: role:admin\n', 2000)
    assert may(enforcer, ctx('member'), 'global_index')
    assert types_.enforce(ctx('member'), 'My::Type')
    assert not types_.enforce(ctx('member'), 'Your::Type')


@pytest.mark.parametrize(('values', 'expected'), [
    ({'roles': ['admin']}, True),
    ({'roles': ['member']}, False),
    ({'roles': ['admin'], 'is_admin_project': False}, False),
])
def test_who_is_an_administrator(enforcer, values, expected):
    roles = values.pop('roles')
    assert enforcer.check_is_admin(ctx(*roles, **values)) is expected


def test_roles_of_the_context_are_left_alone():
    context_ = ctx('admin')
    assert policy.credentials_of(context_)['roles'] == [
        'admin', 'member', 'reader']
    assert context_.roles == ['admin']


@pytest.mark.parametrize(('type_name', 'roles', 'allowed'), [
    ('OS::Nova::Server', ['member'], True),
    ('My::Own::Type', [], True),
    ('OS::Nova::Flavor', ['member'], False),
    ('OS::Nova::Flavor', ['admin'], True),
    ('OS::Keystone::User', ['member'], False),
    ('OS::Keystone::User', ['admin'], True),
])
def test_resource_types(types_enforcer, type_name, roles, allowed):
    if allowed:
        assert types_enforcer.enforce(ctx(*roles), type_name)
    else:
        with pytest.raises(exception.Forbidden, match=type_name):
            types_enforcer.enforce(ctx(*roles), type_name)


def test_resource_types_without_exception(conf):
    enforcer = policy.ResourceEnforcer(exc=None)
    assert not enforcer.enforce(ctx('member'), 'OS::Keystone::User')
    assert enforcer.enforce(ctx('member'), 'OS::Heat::Value')


def test_types_of_a_stack(types_enforcer):
    flavor = types.SimpleNamespace(type=lambda: 'A::B', name='f')
    env = environment.Environment({'resource_registry': {
        'A::B': 'OS::Nova::Flavor'}})
    env.registry.register_class('OS::Nova::Flavor', type(flavor))
    stack = types.SimpleNamespace(context=ctx('member'), env=env,
                                  resources={'f': flavor})
    with pytest.raises(exception.Forbidden):
        types_enforcer.enforce_stack(stack)
    stack.context = ctx('admin')
    types_enforcer.enforce_stack(stack)


def test_roles_are_asked_of_nobody_without_a_rule(types_enforcer):
    """Those of a stored context are a request to Keystone."""
    class Unknown(context.RequestContext):
        roles = property(lambda self: pytest.fail('Keystone is asked'),
                         lambda self, value: None)

    nobody = Unknown(is_admin=False, overwrite=False)
    assert types_enforcer.enforce(nobody, 'OS::Heat::Value')


def test_service_resumes_what_has_been_checked(conf):
    allow = policy.type_guard(context.get_admin_context())
    assert allow('OS::Nova::Flavor')
    with pytest.raises(exception.Forbidden):
        policy.type_guard(ctx('member'))('OS::Nova::Flavor')


def test_one_enforcer_per_process(conf):
    policy.reset()
    assert policy.get_enforcer() is policy.get_enforcer()
    assert policy.get_resource_enforcer() is policy.get_resource_enforcer()
    first = policy.get_enforcer()
    policy.reset()
    assert policy.get_enforcer() is not first
    policy.reset()


def test_types_that_no_rule_names_need_no_rules(conf):
    enforcer = policy.ResourceEnforcer()
    assert enforcer.enforce(ctx('member'), 'OS::Heat::Value')
    assert 'enforcer' not in vars(enforcer)
    with pytest.raises(exception.Forbidden):
        enforcer.enforce(ctx('member'), 'OS::Nova::Flavor')


@pytest.mark.parametrize('name', ['policy.yaml', 'policy.d/own.yaml'])
def test_operators_may_restrict_any_type(tmp_path, conf, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text('"resource_types:OS::Heat::Value": "rule:project_admin"')
    conf.set('oslo_policy', policy_file=str(tmp_path / 'policy.yaml'),
             policy_dirs=[str(tmp_path / 'policy.d')])
    enforcer = policy.ResourceEnforcer()
    with pytest.raises(exception.Forbidden):
        enforcer.enforce(ctx('member'), 'OS::Heat::Value')


def test_a_policy_file_that_appears_counts_after_a_moment(
        tmp_path, conf, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(policy.time, 'monotonic', lambda: now[0])
    path = tmp_path / 'policy.yaml'
    conf.set('oslo_policy', policy_file=str(path), policy_dirs=[])
    enforcer = policy.ResourceEnforcer()
    assert enforcer.enforce(ctx('member'), 'OS::Heat::Value')
    path.write_text('"resource_types:OS::Heat::Value": "rule:project_admin"')
    assert enforcer.enforce(ctx('member'), 'OS::Heat::Value')
    now[0] += 1
    with pytest.raises(exception.Forbidden):
        enforcer.enforce(ctx('member'), 'OS::Heat::Value')


def test_files_that_stay_are_not_read_again(conf, tmp_path, monkeypatch):
    path = tmp_path / 'policy.yaml'
    path.write_text('stacks:global_index: role:member\n')
    enforcer = policy.Enforcer()
    conf.set('oslo_policy', policy_file=str(path), policy_dirs=[])
    assert may(enforcer, ctx('member'), 'global_index')
    reads = []
    load = oslo_policy.Enforcer.load_rules

    def counting(self, force_reload=False):
        reads.append(force_reload)
        load(self, force_reload)

    monkeypatch.setattr(oslo_policy.Enforcer, 'load_rules', counting)
    assert may(enforcer, ctx('member'), 'global_index')
    assert reads == []
    enforcer.load_rules(force_reload=True)
    assert reads == [True]
    path.write_text('stacks:global_index: role:auditor\n')
    os.utime(path, (2 ** 32, 2 ** 32))
    assert not may(enforcer, ctx('member'), 'global_index')
    assert reads == [True, False]


def test_files_of_a_directory_count_as_they_change(conf, tmp_path):
    path = tmp_path / 'policy.d' / 'own.yaml'
    path.parent.mkdir()
    enforcer = policy.Enforcer()
    conf.set('oslo_policy', policy_file=str(tmp_path / 'policy.yaml'),
             policy_dirs=[str(path.parent)])
    assert not may(enforcer, ctx('member'), 'global_index')
    for age, role, allowed in ((2 ** 32, 'member', True),
                               (2 ** 32 + 1, 'auditor', False)):
        path.write_text(f'stacks:global_index: role:{role}\n')
        os.utime(path, (age, age))
        assert may(enforcer, ctx('member'), 'global_index') is allowed


def test_a_new_policy_file_counts_after_a_moment_for_all_calls(
        conf, tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(policy.time, 'monotonic', lambda: now[0])
    path = tmp_path / 'policy.yaml'
    enforcer = policy.Enforcer()
    conf.set('oslo_policy', policy_file=str(path), policy_dirs=[])
    assert not may(enforcer, ctx('member'), 'global_index')
    path.write_text('stacks:global_index: role:member\n')
    now[0] += 1
    assert may(enforcer, ctx('member'), 'global_index')
