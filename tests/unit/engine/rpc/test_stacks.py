"""Stacks are created, or leave nothing behind."""
import pytest

from heat.common import context as heat_context
from heat.engine.rpc import stacks as rpc_stacks
from heat.engine.stacks import store as stack_store
from heat.objects import stack as stack_objects
from tests.fakes import database_faults
from tests.fakes import stacks

TEMPLATE = {'heat_template_version': '2018-08-31',
            'resources': {'a': {'type': 'Test::Thing'}}}


class Keystone:
    """Gives trusts; of one it lets go late, if at all."""

    def __init__(self, failures=0):
        self.trusts = set()
        self._failures = failures

    def sdk(self, _name, version=None):
        """Return itself, the only service there is."""
        return self

    def create_trust_context(self):
        """Return a context that acts by a new trust."""
        self.trusts.add('t1')
        return heat_context.RequestContext(
            user_id='u1', project_id='project', trust_id='t1',
            trustor_user_id='u1', is_admin=False, overwrite=False)

    def delete_trust(self, trust_id):
        """Take a trust back, unless Keystone is away."""
        if self._failures:
            self._failures -= 1
            raise ConnectionError('Keystone is away')
        self.trusts.remove(trust_id)


class Door(rpc_stacks.StackOperations):
    """What an engine answers over RPC."""

    def __init__(self, engine):
        self.thread_group_mgr = engine.groups
        self._context = engine.context

    def create(self):
        """Ask for a stack."""
        return self.create_stack(self._context, 'web', TEMPLATE, {}, {}, {})


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture(params=[0, 2])
def keystone(request, engine):
    keystone = Keystone(failures=request.param)
    engine.context.auth_token_info = {'token': {}}
    engine.context.user_id = 'u1'
    engine.context._clients = keystone
    return keystone


def test_trust_of_a_stack_that_was_not_stored_is_deleted(engine, keystone):
    with (database_faults.refusal('INSERT INTO stack'),
          pytest.raises(database_faults.Refused)):
        Door(engine).create()
    assert keystone.trusts == {'t1'}
    engine.pool.run()
    assert not keystone.trusts


def test_trust_of_a_stack_that_was_stored_after_all_is_kept(
        engine, keystone, monkeypatch):
    store = stack_store.store_with

    def store_without_answer(*args, **kwargs):
        store(*args, **kwargs)
        raise ConnectionError('no answer')

    monkeypatch.setattr(stack_store, 'store_with', store_without_answer)
    with pytest.raises(ConnectionError):
        Door(engine).create()
    engine.pool.run()
    assert stack_objects.Stack.get_by_name(engine.context, 'web')
    assert keystone.trusts == {'t1'}


@pytest.mark.parametrize('tags', [[], ['a', 'b']])
def test_creation_goes_on_though_its_answer_was_lost(engine, keystone, tags):
    """The transaction is repeated then, and finds its own row."""
    with database_faults.lost_answer():
        made = Door(engine).create_stack(
            engine.context, 'web', TEMPLATE, {}, {}, {'tags': tags})
    engine.pool.run()
    [row] = stack_objects.Stack.get_all(engine.context, eager_load=True)
    assert (row.id, row.status) == (made['stack_id'], 'COMPLETE')
    assert row.tags == tags
    assert row.user_creds_id is not None
    assert keystone.trusts == {'t1'}
