"""OS::Heat::Stack in the own region: a stack like one made over the API."""
from oslo_config import cfg
import pytest

from heat.common import context as heat_context
from heat.engine import lifecycle_plugin
from heat.engine import nested_stack
from heat.engine import stack as stack_module
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.resources.openstack.heat import remote_stack
from heat.engine.stacks import credentials as stack_credentials
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_protection
from heat.objects import user_creds as creds_objects
from tests.fakes import stacks

INNER = """
heat_template_version: 2018-08-31
parameters: {word: {type: string, default: none}}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: word}}}
"""
FILES = {'inner.yaml': INNER}
NOTHING = 'resources: {}'


def several(number, word='one', **more):
    """Return a template with a number of stacks."""
    return 'resources:' + ''.join(f"""
  s{index}:
    type: OS::Heat::Stack
    deletion_policy: {more.get('policy', 'delete')}
    properties:
      template: {{get_file: inner.yaml}}
      parameters: {{word: {word}}}""" for index in range(number))


@pytest.fixture
def convergence(monkeypatch):
    return stacks.Engine(monkeypatch, convergence=True)


@pytest.fixture
def option():
    """Return a function that sets an option until the test ends."""
    changed = []

    def change(name, value):
        cfg.CONF.set_override(name, value)
        changed.append(name)

    yield change
    for name in changed:
        cfg.CONF.clear_override(name)


def child_of(engine, stack, name='s0'):
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, name, stack.id)
    return nested_stack.load(engine.context, row.physical_resource_id)


def names(engine):
    return {row.name for row in stack_objects.Stack.get_all(engine.context)}


# -- begun together ---------------------------------------------------------

@pytest.mark.parametrize('has_plugins', [False, True])
def test_lifecycle_plugins_are_asked_before(convergence, monkeypatch,
                                            has_plugins):
    """Where they are, a child is stored after its id is recorded."""
    class Plugin:
        def do_pre_op(self, *_args):
            """Object to nothing."""

        def do_post_op(self, *_args, **_kwargs):
            """Object to nothing."""

    stored = []
    store = nested_stack.create

    def recording(child, child_id, beginnings=None, **kwargs):
        row = resource_objects.Resource.get_by_physical_resource_id(
            convergence.context, child_id)
        stored.append(row is not None)
        store(child, child_id, beginnings, **kwargs)

    monkeypatch.setattr(nested_stack, 'create', recording)
    monkeypatch.setattr(lifecycle_plugin, 'plugins',
                        lambda: [Plugin()] if has_plugins else [])
    stack = convergence.create(several(1), files=FILES)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert stored == [has_plugins]


def test_a_name_that_is_taken_fails_the_resource(engine, monkeypatch):
    monkeypatch.setattr(remote_stack.RemoteStack, 'physical_resource_name',
                        lambda self: 'taken')
    engine.create(NOTHING, 'taken')
    stack = engine.create(several(1), files=FILES)
    assert stack.state == ('CREATE', 'FAILED')
    assert 'taken' in stack.status_reason
    assert 'already exists' in stack.status_reason
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert names(engine) == {'taken'}


# -- the checks of a request ------------------------------------------------

def test_a_project_has_a_limit_of_stacks(engine, option):
    option('max_stacks_per_tenant', 3)
    option('action_retry_limit', 0)
    stack = engine.create(several(4), files=FILES)
    assert stack.state == ('CREATE', 'FAILED')
    assert 'maximum stacks per tenant, 3' in stack.status_reason
    assert len(names(engine)) == 3
    engine.context.is_admin = True
    option('max_stacks_per_tenant', 1)
    stack = engine.create(several(2), files=FILES)
    assert stack.state == ('CREATE', 'COMPLETE')


def test_a_stack_has_a_limit_of_resources(engine, option):
    option('action_retry_limit', 0)
    stack = engine.create(several(1), files=FILES)
    larger = {'inner.yaml': INNER + '  u: {type: Test::Thing}\n'}
    option('max_resources_per_stack', 1)
    stack = engine.update(stack, several(1), files=larger)
    assert stack.state == ('UPDATE', 'FAILED')
    assert 'max_resources_per_stack allows 1' in stack.status_reason
    assert child_of(engine, stack).state == ('CREATE', 'COMPLETE')
    other = engine.create(several(1), files=larger)
    assert other.state == ('CREATE', 'FAILED')
    assert len(names(engine)) == 3
    # What is too large already may change, but not grow.
    option('max_resources_per_stack', 2)
    stack = engine.update(stack, several(1), files=larger)
    assert stack.state == ('UPDATE', 'COMPLETE')
    option('max_resources_per_stack', 1)
    assert engine.update(stack, several(1, 'two'), files=larger).state == (
        'UPDATE', 'COMPLETE')


def test_a_protected_stack_stays(engine):
    stack = engine.create(several(1), files=FILES)
    child = child_of(engine, stack)
    protect = stack_protection.StackProtection.set
    protect(engine.context, child.id, {'termination': True})
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')
    assert 'termination protection' in stack.status_reason
    assert engine.reload(child).state == ('CREATE', 'COMPLETE')
    protect(engine.context, child.id, {'termination': False})
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert names(engine) == set()


# -- credentials ------------------------------------------------------------

class Keystone:
    """Trusts of one user."""

    def __init__(self, user):
        self._user = user
        self.trusts = []
        self.made = 0

    def create_trust_context(self):
        self.made += 1
        self.trusts.append(f'{self._user}-{self.made}')
        return heat_context.RequestContext(
            username=self._user, project_id='project', overwrite=False,
            is_admin=False, trust_id=self.trusts[-1],
            trustor_user_id=self._user)

    def delete_trust(self, trust_id):
        self.trusts.remove(trust_id)


class Clients:
    def __init__(self, keystone):
        self._keystone = keystone

    def sdk(self, name, version=None):
        assert name == 'keystone'
        return self._keystone

    def has_client(self, name):
        return name == 'keystone'


@pytest.fixture
def keystone(engine, monkeypatch):
    """Return the trusts of anna, who is asking."""
    found = Keystone('anna-id')
    monkeypatch.setattr(
        heat_context.RequestContext, 'clients',
        property(lambda self: Clients(found)))
    engine.context.auth_token_info = {'token': {}}
    return found


def creds_of(engine, stack):
    return creds_objects.UserCreds.get_by_id(engine.context,
                                             stack.user_creds_id)


def test_each_stack_has_a_trust_of_its_own(engine, keystone):
    stack = engine.create(several(2), files=FILES)
    children = [child_of(engine, stack, name) for name in ('s0', 's1')]
    held = [creds_of(engine, each).trust_id for each in (stack, *children)]
    assert sorted(held) == sorted(keystone.trusts)
    assert len(set(held)) == 3
    stack = engine.update(stack, several(1), files=FILES)
    assert sorted(keystone.trusts) == sorted(held[:2])
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert keystone.trusts == []


def test_a_stack_that_is_kept_keeps_its_trust(engine, keystone):
    stack = engine.create(several(1, policy='retain'), files=FILES)
    child = child_of(engine, stack)
    engine.delete(stack)
    assert keystone.trusts == [creds_of(engine, child).trust_id]
    acting = stack_credentials.stored_context(engine.reload(child))
    assert acting.trust_id == keystone.trusts[0]


def test_trust_of_a_stack_that_is_not_stored_is_given_back(
        engine, keystone, monkeypatch, option):
    option('action_retry_limit', 0)
    monkeypatch.setattr(remote_stack.RemoteStack, 'physical_resource_name',
                        lambda self: 'taken')
    taken = engine.create(NOTHING, 'taken')
    stack = engine.create(several(1), files=FILES)
    assert stack.state == ('CREATE', 'FAILED')
    assert keystone.made == 3
    assert keystone.trusts == [creds_of(engine, each).trust_id
                               for each in (taken, stack)]


def test_trust_of_what_somebody_else_makes_is_given_back(
        engine, keystone, monkeypatch):
    if not engine.convergence:
        pytest.skip('Of legacy stacks the lock says whose they are.')
    stack = engine.stack(several(1), files=FILES)
    monkeypatch.setattr(resource_claim.RowClaim, 'acquire',
                        lambda *_args: False)
    stack.create()
    engine.pool.run()
    assert names(engine) == {stack.name}
    assert keystone.made > 1
    assert keystone.trusts == [creds_of(engine, stack).trust_id]


def acting_by_trust(engine, stack):
    """Let the user be absent: what is done is done by the stack's trust."""
    creds = creds_of(engine, stack)
    engine.context.trust_id = creds.trust_id
    engine.context.trustor_user_id = creds.trustor_user_id


def test_what_a_trust_makes_acts_by_it_as_long_as_it_is_there(
        engine, keystone):
    stack = engine.create(several(1), files=FILES)
    acting_by_trust(engine, stack)
    stack = engine.update(stack, several(2, policy='retain'), files=FILES)
    child = child_of(engine, stack, 's1')
    assert child.user_creds_id == stack.user_creds_id
    third = engine.update(stack, several(3), files=FILES)
    assert keystone.made == 2
    # Of three stacks that have it, the first to go leaves it to the others.
    stack = engine.update(third, several(2, policy='retain'), files=FILES)
    assert creds_of(engine, stack).trust_id in keystone.trusts
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert creds_of(engine, engine.reload(child)).trust_id in keystone.trusts
    engine.context.trust_id = None
    engine.delete(engine.reload(child))
    assert keystone.trusts == ['anna-id-2']


def test_another_user_does_not_get_the_stacks_of_others(engine, keystone,
                                                        monkeypatch):
    stack = engine.create(several(1), files=FILES)
    acting_by_trust(engine, stack)
    stack = engine.update(stack, several(2), files=FILES)
    child = child_of(engine, stack, 's1')
    engine.context.trust_id = None
    engine.context.user_id = 'bert-id'
    bert = Keystone('bert-id')
    monkeypatch.setattr(heat_context.RequestContext, 'clients',
                        property(lambda self: Clients(bert)))
    stack_credentials.renew(child, stack_module.Stack.load(
        engine.context, child.id))
    assert creds_of(engine, child).trust_id == 'bert-id-1'
    assert creds_of(engine, engine.reload(child)).trust_id == 'bert-id-1'
    assert creds_of(engine, engine.reload(stack)).trust_id == 'anna-id-1'
    assert 'anna-id-1' in keystone.trusts


def test_who_changes_a_stack_is_trusted_by_those_it_makes(engine, keystone,
                                                          monkeypatch):
    stack = engine.create(several(1), files=FILES)
    bert = Keystone('bert-id')
    monkeypatch.setattr(
        heat_context.RequestContext, 'clients', property(
            lambda self: Clients(keystone if self.trust_id else bert)))
    engine.context.user_id = 'bert-id'
    stack = engine.update(stack, several(1, 'two'), files=FILES)
    assert stack.state == ('UPDATE', 'COMPLETE')
    child = child_of(engine, stack)
    assert creds_of(engine, child).trustor_user_id == 'bert-id'
    assert creds_of(engine, child).trust_id in bert.trusts
    assert keystone.trusts == ['anna-id-1']


# -- elsewhere --------------------------------------------------------------

def test_only_what_is_here_begins_with_its_resource(convergence):
    assert convergence.stack(several(1), files=FILES)[
        's0'].handlers_only_begin
    far = convergence.template("""
resources:
  s0:
    type: OS::Heat::Stack
    properties:
      context: {region_name: far}
      template: {get_file: inner.yaml}
""", files=FILES)
    stack = stack_module.Stack(convergence.context, 'far', far)
    assert not stack['s0'].handlers_only_begin
    assert stack['s0'].wake_within(None) is None


def test_a_context_that_is_wrong_is_for_the_handler_to_tell(convergence,
                                                             monkeypatch):
    def wrong(self, props=None):
        raise ValueError('no value')

    stack = convergence.stack(several(1), files=FILES)
    monkeypatch.setattr(remote_stack.RemoteStack, '_where', wrong)
    assert not stack['s0'].handlers_only_begin
    stack.create()
    convergence.pool.run()
    stack = convergence.reload(stack)
    assert stack.state == ('CREATE', 'FAILED')
    assert 'no value' in stack.status_reason
