"""What a stack keeps of who made it: passwords, trusts, projects."""
from concurrent import futures
import threading

from oslo_config import cfg
import pytest

from heat.common import context as heat_context
from heat.common import exception
from heat.engine import clients
from heat.engine.clients import client_exception
from heat.engine.stacks import credentials as stack_credentials
from heat.objects import stack as stack_objects
from heat.objects import user_creds as creds_objects
from tests.fakes import stacks

CHAIN = """
resources:
  a: {type: Test::Thing}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]}}}
"""


@pytest.fixture
def settings():
    """Return a function that sets options until the test ends."""
    changed = []

    def change(**values):
        for name, value in values.items():
            cfg.CONF.set_override(name, value)
            changed.append(name)

    yield change
    for name in changed:
        cfg.CONF.clear_override(name)


def test_credentials_are_kept_for_root_stacks(engine):
    engine.context.password = 'secret'
    stack = engine.stack(CHAIN)
    creds = creds_objects.UserCreds.get_by_id(engine.context,
                                              stack.user_creds_id)
    assert (creds.username, creds.password) == ('anna', 'secret')
    stored = stack_credentials.stored_context(stack)
    assert isinstance(stored, heat_context.StoredContext)
    assert (stored.username, stored.password, stored.project_id) == (
        'anna', 'secret', 'project')


def test_without_keystone_nothing_is_asked(engine):
    stack = engine.stack(CHAIN)
    assert not stack_credentials.has_keystone(stack.context)
    assert stack_credentials.release(stack) == []
    stack.create_stack_user_project_id()
    assert stack.stack_user_project_id == 'project'
    assert stack_credentials.release(stack) == []


def test_who_came_with_a_password_can_give_a_trust(engine):
    engine.context.password = 'secret'
    assert not stack_credentials.has_keystone(engine.context)
    engine.context.auth_url = 'http://keystone.test'
    engine.context.auth_token = 'from the password'
    assert stack_credentials.has_keystone(engine.context)


class Keystone:
    def __init__(self, user='u1', trust='t1'):
        self.calls = []
        self._made = {'trust_id': trust, 'trustor_user_id': user}

    def create_trust_context(self):
        self.calls.append('trust')
        return heat_context.RequestContext(
            username='anna', project_id='project', overwrite=False,
            is_admin=False, **self._made)

    def delete_trust(self, trust_id):
        self.calls.append(('delete trust', trust_id))

    def create_stack_domain_project(self, stack_id):
        return 'p1'

    def delete_stack_domain_project(self, project_id):
        self.calls.append(('delete project', project_id))


class Clients:
    def __init__(self, keystone):
        self._keystone = keystone

    def sdk(self, name, version=None):
        assert name == 'keystone'
        return self._keystone


def _authenticate(engine, keystone, user='u1'):
    engine.context.auth_token_info = {'token': {}}
    engine.context.user_id = user
    engine.context._clients = Clients(keystone)


def test_with_keystone_a_trust_is_made_and_given_back(engine):
    keystone = Keystone()
    _authenticate(engine, keystone)
    stack = engine.stack(CHAIN)
    creds = creds_objects.UserCreds.get_by_id(engine.context,
                                              stack.user_creds_id)
    assert creds.trust_id == 't1'
    stack.create_stack_user_project_id()
    assert engine.reload(stack).stack_user_project_id == 'p1'
    assert stack_credentials.release(stack) == []
    assert keystone.calls == ['trust', ('delete project', 'p1'),
                              ('delete trust', 't1')]


def test_trust_of_a_refused_stack_is_given_back(engine):
    keystone = Keystone()
    _authenticate(engine, keystone)
    engine.stack(CHAIN, 'web')
    with pytest.raises(exception.StackExists):
        engine.stack(CHAIN, 'web')
    assert keystone.calls == ['trust', 'trust', ('delete trust', 't1')]
    [row] = stack_objects.Stack.get_all(engine.context)
    creds = creds_objects.UserCreds.get_by_id(engine.context,
                                              row.user_creds_id)
    assert creds.trust_id == 't1'


def test_refusal_does_not_depend_on_keystone(engine, caplog):
    keystone = Keystone()
    _authenticate(engine, keystone)
    engine.stack(CHAIN, 'web')
    keystone.delete_trust = None
    with pytest.raises(exception.StackExists):
        engine.stack(CHAIN, 'web')
    assert 'trust t1' in caplog.text


class Projects(Keystone):
    """Keystone that makes another project each time it is asked."""

    def __init__(self):
        super().__init__()
        self.projects = []
        self._both_ask = None

    def hold_until_both_ask(self):
        """Have two engines make a project before either stores it."""
        self._both_ask = threading.Barrier(2, timeout=10)

    def create_stack_domain_project(self, stack_id):
        project = '%s-%d' % (stack_id, len(self.calls))
        self.calls.append(('create project', stack_id))
        self.projects.append(project)
        if self._both_ask is not None:
            self._both_ask.wait()
        return project

    def delete_stack_domain_project(self, project_id):
        super().delete_stack_domain_project(project_id)
        self.projects.remove(project_id)


def _tree(engine, depth=3):
    """Return the stacks of a tree without branches, the root first."""
    stacks_ = [engine.stack(CHAIN, 'root')]
    for number in range(1, depth):
        stacks_.append(engine.stack(
            CHAIN, 'inner-%d' % number, owner_id=stacks_[-1].id,
            user_creds_id=stacks_[0].user_creds_id))
    return stacks_


def test_the_stacks_of_a_tree_share_the_project_of_the_root(engine):
    keystone = Projects()
    _authenticate(engine, keystone)
    root, inner, innermost = _tree(engine)
    innermost.create_stack_user_project_id()
    inner.create_stack_user_project_id()
    root.create_stack_user_project_id()
    [project] = keystone.projects
    assert {each.stack_user_project_id for each in
            (root, inner, innermost)} == {project}
    assert {engine.reload(each).stack_user_project_id for each in
            (root, inner, innermost)} == {project}
    # Nested stacks leave it to the root, whose row knows better.
    root.stack_user_project_id = None
    for each in (innermost, inner):
        assert stack_credentials.release(each) == []
        assert keystone.projects == [project]
    assert stack_credentials.release(root) == []
    assert keystone.projects == []


def test_a_project_stays_that_the_stack_between_does_not_use(engine):
    keystone = Projects()
    _authenticate(engine, keystone)
    root, inner, innermost = _tree(engine)
    innermost.create_stack_user_project_id()
    assert engine.reload(inner).stack_user_project_id is None
    assert stack_credentials.release(innermost) == []
    assert keystone.projects == [root.id + '-1']


def test_a_stack_stored_again_keeps_the_project_made_since(engine):
    keystone = Projects()
    _authenticate(engine, keystone)
    root, inner = _tree(engine, depth=2)
    inner.create_stack_user_project_id()
    assert root.stack_user_project_id is None
    root.store()
    assert [engine.reload(root).stack_user_project_id
            ] == keystone.projects


def test_a_nested_stack_with_a_project_of_its_own_keeps_it(engine):
    """OpenStack Heat makes one for each nested stack."""
    keystone = Projects()
    _authenticate(engine, keystone)
    root, inner, innermost = _tree(engine)
    keystone.projects.append('own')
    inner.set_stack_user_project_id('own')
    innermost.set_stack_user_project_id('own')
    inner = engine.reload(inner)
    inner.create_stack_user_project_id()
    assert inner.stack_user_project_id == 'own'
    root.create_stack_user_project_id()
    assert len(keystone.projects) == 2
    assert stack_credentials.release(innermost) == []
    assert len(keystone.projects) == 2
    assert stack_credentials.release(inner) == []
    assert keystone.projects == [root.stack_user_project_id]


def test_two_engines_that_need_a_project_make_one(engine):
    keystone = Projects()
    _authenticate(engine, keystone)
    root, *_rest = _tree(engine, depth=1)
    nested = [engine.stack(CHAIN, name, owner_id=root.id,
                           user_creds_id=root.user_creds_id)
              for name in ('one', 'other')]
    keystone.hold_until_both_ask()
    with futures.ThreadPoolExecutor(2) as engines:
        for done in [engines.submit(each.create_stack_user_project_id)
                     for each in nested]:
            done.result(timeout=20)
    [project] = keystone.projects
    assert {engine.reload(each).stack_user_project_id for each in
            (root, *nested)} == {project}


def test_no_project_is_made_for_a_tree_that_is_gone(engine):
    keystone = Projects()
    _authenticate(engine, keystone)
    root, inner = _tree(engine, depth=2)
    stack_objects.Stack.delete(engine.context, root.id)
    with pytest.raises(exception.EntityNotFound):
        inner.create_stack_user_project_id()
    assert keystone.projects == []


def test_who_deletes_a_stack_acts_by_the_trust_to_give_it_back(
        engine, monkeypatch):
    _authenticate(engine, Keystone())
    stack = engine.stack(CHAIN)
    other, owner = Keystone(), Keystone()
    _authenticate(engine, other, user='u2')
    monkeypatch.setattr(clients, 'OpenStackClients',
                        lambda context: Clients(
                            owner if context.trust_id == 't1' else other))
    assert stack_credentials.release(engine.reload(stack)) == []
    assert other.calls == []
    assert owner.calls == [('delete trust', 't1')]


def _renew(engine, stack):
    stack = engine.reload(stack)
    stack_credentials.renew(stack, stack)


class Delegated(Keystone):
    """Keystone, asked with an EC2 key: nobody may trust others with it."""

    def create_trust_context(self):
        raise client_exception.TrustNotAllowed(credential='EC2 keys')


def test_a_stack_does_without_a_trust_until_somebody_can_give_one(engine):
    _authenticate(engine, Delegated())
    stack = engine.stack(CHAIN)

    def trust():
        return creds_objects.UserCreds.get_by_id(
            engine.context, stack.user_creds_id).trust_id

    assert trust() is None
    _renew(engine, stack)
    assert trust() is None
    _authenticate(engine, Keystone())
    _renew(engine, stack)
    assert trust() == 't1'
    # What there is remains when it cannot be replaced.
    _authenticate(engine, Delegated(), user='u2')
    _renew(engine, stack)
    assert trust() == 't1'


class WithoutRoles(Keystone):
    """Keystone, asked for a trust with roles that the user lacks."""

    def create_trust_context(self):
        raise exception.MissingCredentialError(required='roles gardener')


def test_roles_that_the_user_lacks_are_told(engine):
    _authenticate(engine, WithoutRoles())
    with pytest.raises(exception.MissingCredentialError, match='gardener'):
        engine.stack(CHAIN)


def test_a_stack_that_needs_a_trust_is_refused_without(engine, monkeypatch):
    _authenticate(engine, Delegated())
    monkeypatch.setattr(stacks.Thing, 'requires_deferred_auth', True)
    with pytest.raises(exception.MissingCredentialError):
        engine.stack(CHAIN)


def test_who_changes_a_stack_is_trusted_from_then_on(engine, monkeypatch):
    keystone = Keystone()
    _authenticate(engine, keystone)
    stack = engine.stack(CHAIN)
    _renew(engine, stack)
    assert keystone.calls == ['trust']
    other, owner = Keystone('u2', 't2'), Keystone()
    _authenticate(engine, other, user='u2')
    monkeypatch.setattr(clients, 'OpenStackClients',
                        lambda context: Clients(owner))
    _renew(engine, stack)
    creds = creds_objects.UserCreds.get_by_id(engine.context,
                                              stack.user_creds_id)
    assert (creds.trust_id, creds.trustor_user_id) == ('t2', 'u2')
    assert other.calls == ['trust']
    assert owner.calls == [('delete trust', 't1')]


def test_an_operation_outlasts_the_token_of_the_request(engine, settings):
    settings(reauthentication_auth_method='trusts')
    _authenticate(engine, Keystone())
    stack = engine.stack(CHAIN)
    stack_credentials.outlast_token(stack)
    assert (stack.context.trust_id, stack.context.trustor_user_id) == (
        't1', 'u1')


@pytest.mark.parametrize(('method', 'user'), [
    # Unless it is wanted, and for nobody but who gave the trust.
    ('', 'u1'), ('trusts', 'u2')])
def test_a_token_is_all_there_is(engine, settings, method, user):
    _authenticate(engine, Keystone())
    stack = engine.reload(engine.stack(CHAIN))
    settings(reauthentication_auth_method=method)
    _authenticate(engine, Keystone(), user=user)
    stack_credentials.outlast_token(stack)
    assert stack.context.trust_id is None


def test_a_password_that_is_needed_later_is_asked_for(engine, settings):
    settings(deferred_auth_method='password')
    _authenticate(engine, Keystone())
    # Nothing of it will act later.
    engine.stack(CHAIN, 'plain')
    group = """
resources:
  group: {type: OS::Heat::ResourceGroup, properties: {
      count: 1, resource_def: {type: Test::Thing}}}
"""
    with pytest.raises(exception.MissingCredentialError,
                       match='X-Auth-Key'):
        engine.stack(group)
    engine.context.password = 'secret'
    creds = creds_objects.UserCreds.get_by_id(
        engine.context, engine.stack(group).user_creds_id)
    assert (creds.password, creds.trust_id) == ('secret', None)


def test_clients_are_made_again_for_a_trust(engine):
    clients.plugins()
    engine.context.auth_url = 'http://keystone.test'
    holder = clients.OpenStackClients(engine.context)
    engine.context._clients = holder
    plugin = holder.client_plugin('keystone')
    plugin._client_instances['any'] = object()
    holder.reconnect()
    assert holder.client_plugin('keystone') is plugin
    assert not plugin._client_instances


def test_failed_release_is_told(engine):
    keystone = Keystone()
    _authenticate(engine, keystone)
    stack = engine.stack(CHAIN)

    def fail(trust_id):
        raise ValueError('no')

    keystone.delete_trust = fail
    assert stack_credentials.release(stack) == [
        'Error deleting trust: no']


def test_a_trust_is_taken_back_by_itself_if_need_be(engine, monkeypatch):
    """Keystone does not let somebody do it who uses an EC2 key."""
    keystone = Keystone()
    _authenticate(engine, keystone)
    stack = engine.stack(CHAIN)

    class Forbidden(Exception):
        status_code = 403

    def client_of(context):
        asked.append((context.user_id, context.trust_id))
        if context.trust_id is None:
            raise Forbidden('Delegated tokens cannot manage trusts.')
        return keystone

    asked = []
    monkeypatch.setattr(stack_credentials, '_keystone', client_of)
    assert stack_credentials.release(stack) == []
    assert asked == [('u1', None), ('u1', 't1')]
    assert keystone.calls[-1] == ('delete trust', 't1')
