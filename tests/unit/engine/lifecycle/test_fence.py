"""An engine that has lost a stack's lock changes nothing any more."""
from concurrent import futures

import pytest

from heat.engine.drivers import select as stack_driver
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.stacks import snapshots
from heat.engine.stacks import state as stack_state
from heat.objects import event as event_objects
from heat.objects import resource as resource_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from tests.fakes import stacks

TEMPLATE = """
resources:
  first: {type: Test::Thing, properties: {polls: 3}}
  slow: {type: Test::Thing, properties: {polls: 50}}
  next: {type: Test::Thing, depends_on: first}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def cancelled(monkeypatch):
    """The names of the resources whose creation was cancelled."""
    names = []
    monkeypatch.setattr(stacks.Thing, 'handle_create_cancel',
                        lambda self, _work: names.append(self.name),
                        raising=False)
    return names


def begin(engine):
    """Return a stack of which both first things are being made."""
    stack = engine.stack(TEMPLATE)
    stack.create()
    engine.pool.run(until=lambda: len(engine.log) == 2)
    return stack


def stolen(engine, stack, keep=False):
    """Let another engine decide that the stack has failed."""
    assert lock_objects.StackLock.steal(
        engine.context, stack.id, stacks.ENGINE_ID, 'engine-2') is None
    stack_state.transition(engine.reload(stack), 'CREATE', 'FAILED',
                           'Engine went down during stack CREATE')
    for row in resource_objects.Resource.get_summaries(engine.context,
                                                       stack.id):
        resource_objects.Resource.update_by_id(
            engine.context, row.id, {'status': 'FAILED'})
    if not keep:
        lock_objects.StackLock.release(engine.context, stack.id, 'engine-2')


def elsewhere(fn, *args):
    """Call a function like another engine does: from another thread."""
    with futures.ThreadPoolExecutor(1) as threads:
        return threads.submit(fn, *args).result()


def stored(engine, stack):
    """Return all that an operation could change."""
    return (stack_objects.Stack.get_status(engine.context, stack.id),
            lock_objects.StackLock.get_engine_id(engine.context, stack.id),
            resource_objects.Resource.get_all_rows_by_stack(
                engine.context, stack.id, with_data=True),
            [row.id for row in event_objects.Event.get_all_by_stack(
                engine.context, stack.id)])


@pytest.mark.parametrize('silence', [0, 60])
@pytest.mark.parametrize('keep', [True, False])
def test_what_an_engine_without_lock_writes_is_refused(
        engine, cancelled, silence, keep):
    stack = begin(engine)
    stolen(engine, stack, keep)
    before = stored(engine, stack)
    engine.clock.now += silence
    engine.pool.run()
    assert stored(engine, stack) == before
    assert not engine.pool.active()
    # Nor does it begin anything, or end what is somebody else's now.
    assert engine.log == [('create', 'first'), ('create', 'slow')]
    assert cancelled == []


def test_a_handler_that_sleeps_cannot_write(engine, monkeypatch):
    """The lock goes while a plugin is at work, between its calls."""
    stack = engine.stack(TEMPLATE)
    create = stacks.Thing.handle_create
    before = []

    def handle_create(self):
        if self.name == 'slow':
            elsewhere(stolen, engine, stack)
            before.append(stored(engine, stack))
        return create(self)

    monkeypatch.setattr(stacks.Thing, 'handle_create', handle_create)
    stack.create()
    engine.pool.run()
    assert [stored(engine, stack)] == before
    assert stack_objects.Stack.get_status(
        engine.context, stack.id)[1] == 'FAILED'


def test_a_plugin_cannot_pass_over_the_refusal(engine, monkeypatch):
    stack = engine.stack(TEMPLATE)
    refused = []

    def handle_create(self):
        if self.name != 'slow':
            return
        elsewhere(stolen, engine, stack)
        try:
            self.data_set('value', 'stale')
        except resource_claim.ClaimLost as error:
            refused.append(str(error))

    monkeypatch.setattr(stacks.Thing, 'handle_create', handle_create)
    monkeypatch.setattr(stacks.Thing, 'check_create_complete', None)
    stack.create()
    engine.pool.run()
    assert refused == [
        f'The lock of stack {stack.id} is not ours any more']
    assert engine.rows(stack)['slow'] == ('CREATE', 'FAILED')
    assert stack_objects.Stack.get_status(
        engine.context, stack.id)[1] == 'FAILED'


def test_a_later_operation_of_the_same_engine_is_left_alone(engine):
    """The engine id in the lock is its own again, but not for this."""
    stack = begin(engine)
    stolen(engine, stack)
    engine.clock.now += 60
    with stacks.sequence_of(engine) as seen:
        engine.update(engine.reload(stack), """
resources:
  slow: {type: Test::Thing, properties: {value: new}}
""")
    stack = engine.reload(stack)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert set(engine.rows(stack)) == {'slow'}
    assert ('create', 'next') not in seen
    assert engine.events(stack, 'st') == [
        'st CREATE_IN_PROGRESS', 'st CREATE_FAILED',
        'st UPDATE_IN_PROGRESS', 'st UPDATE_COMPLETE']
    assert lock_objects.StackLock.get_engine_id(engine.context,
                                                stack.id) is None


def test_a_snapshot_is_not_deleted_without_the_lock(engine, monkeypatch):
    stack = engine.create('resources: {a: {type: Test::Thing}}')
    looks = []

    def handle_delete_snapshot(self, snapshot):
        looks.append('begin')

    def check_delete_snapshot_complete(self, cookie):
        looks.append('look')
        return len(looks) > 10

    for method in (handle_delete_snapshot, check_delete_snapshot_complete):
        monkeypatch.setattr(stacks.Thing, method.__name__, method,
                            raising=False)
    row = snapshots.create_row(engine.context, stack, 'before')
    stack.snapshot(row)
    engine.pool.run()
    row = snapshot_objects.Snapshot.get_by_id(engine.context, row.id)
    stack_driver.of(stack).delete_snapshot(engine.reload(stack), row)
    engine.pool.run(until=lambda: len(looks) > 3)
    assert lock_objects.StackLock.steal(
        engine.context, stack.id, stacks.ENGINE_ID, 'engine-2') is None
    engine.clock.now += 60
    engine.pool.run()
    assert len(looks) < 10
    assert snapshot_objects.Snapshot.get_by_id(engine.context,
                                               row.id) is not None
    assert lock_objects.StackLock.get_engine_id(
        engine.context, stack.id) == 'engine-2'
