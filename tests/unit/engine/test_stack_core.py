"""The stack family around the drivers: loading, state, validation."""
import gc
import weakref

from oslo_config import cfg
import pytest

from heat.common import exception
from heat.common import messaging
from heat.engine import environment
from heat.engine import lifecycle_plugin
from heat.engine import resource
from heat.engine import stack as stack_module
from heat.engine import status
from heat.engine import template
from heat.engine.notification import autoscaling
from heat.engine.stacks import lock as stack_lock
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.stacks import validation as stack_validation
from heat.engine.tasks import stack_tasks
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.fakes import stacks

CHAIN = """
parameters:
  word: {type: string, default: hello}
resources:
  a: {type: Test::Thing, properties: {value: {get_param: word}}}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]}}}
outputs:
  out: {value: {get_attr: [b, output]}}
  broken: {value: {get_attr: [b, output, x]}}
"""


@pytest.fixture(params=['legacy', 'convergence'])
def engine(request, monkeypatch):
    return stacks.Engine(
        monkeypatch, convergence=request.param == 'convergence')


# -- storing ----------------------------------------------------------------

def test_stack_that_was_stored_before_the_connection_was_lost(
        engine, monkeypatch):
    """The transaction is repeated then, and finds its own row."""
    run = transaction.run

    def run_twice(context, write, **options):
        if not transaction.in_transaction():
            run(context, write, **options)
        return run(context, write, **options)

    with monkeypatch.context() as patch:
        patch.setattr(stack_store.transaction, 'run', run_twice)
        stack = engine.stack(CHAIN, 'web', tags=['t'])
    [row] = stack_objects.Stack.get_all(engine.context, eager_load=True)
    assert (stack.id, stack.t.id, stack.user_creds_id, stack.created_time,
            stack.tags) == (
        row.id, row.raw_template_id, row.user_creds_id, row.created_at,
        row.tags)
    stack.create()
    engine.pool.run()
    assert engine.reload(stack).status == status.StackStatus.COMPLETE


def test_name_that_a_deleted_stack_holds_is_released(engine):
    """As engines of the previous release leave it."""
    first = engine.stack(CHAIN, 'web')
    stack_objects.Stack.update_by_id(engine.context, first.id, {
        'deleted_at': first.created_time})
    assert engine.stack(CHAIN, 'web').id != first.id
    with pytest.raises(exception.StackExists):
        engine.stack(CHAIN, 'web')


# -- loading ----------------------------------------------------------------

def test_template_is_parsed_once(engine, monkeypatch):
    stack = engine.create(CHAIN)
    template_store.forget_all()
    first = engine.reload(stack)
    assert engine.reload(stack).t is first.t
    with pytest.raises(RuntimeError, match='shared'):
        first.t.remove_resource('a')


def of_resources(number):
    return template.Template({
        'heat_template_version': '2018-08-31',
        'resources': {f'r{each}': {'type': 'OS::Heat::None'}
                      for each in range(number)}})


def test_cache_is_bounded():
    cache = template_store._Cache(2, 100)
    a, b, c, d = (of_resources(1) for _turn in range(4))
    for key, tmpl in (('a', a), ('b', b), ('c', c)):
        cache.put(key, tmpl)
    assert cache.get('a') is None
    assert cache.get('b') is b
    cache.put('d', d)
    assert cache.get('c') is None
    assert cache.get('b') is b


def test_large_templates_fill_the_cache_sooner():
    cache = template_store._Cache(100, 50)
    for key in range(10):
        cache.put(key, of_resources(10))
    assert [key for key in range(10) if cache.get(key)] == [5, 6, 7, 8, 9]
    # What is put anew, or dropped, does not count twice.
    for _turn in range(20):
        cache.put(9, of_resources(10))
    cache.drop(5)
    cache.put(10, of_resources(10))
    assert cache.get(6)
    # Larger ones than all of the cache are kept, too, while they are used.
    for key in range(11, 15):
        cache.put(key, of_resources(200))
    assert [key for key in range(15) if cache.get(key)] == [11, 12, 13, 14]
    cache.clear()
    for key in range(5):
        cache.put(key, of_resources(10))
    assert cache.get(0)


def test_rows_are_read_with_one_statement(engine):
    stack = engine.create(CHAIN)
    stack = engine.reload(stack)
    stack['a'].state  # noqa: B018 (reads the rows)
    before = transaction.counters()['statements']
    assert [res.state for res in stack.values()] == [
        ('CREATE', 'COMPLETE')] * 2
    assert transaction.counters()['statements'] == before


def test_outputs_make_only_what_they_need(engine):
    stack = engine.create("""
resources:
  a: {type: Test::Thing, properties: {value: one}}
  b: {type: Test::Thing}
outputs:
  out: {value: {get_attr: [a, output]}}
""")
    stack = engine.reload(stack)
    assert engine.values(stack) == {'out': 'one'}
    assert list(stack.resources._made) == ['a']


def test_missing_path_of_an_output_is_null(engine):
    stack = engine.create(CHAIN)
    assert engine.values(stack) == {'out': 'hello', 'broken': None}


def test_a_stack_is_freed_without_the_collector(engine):
    stack = engine.create(CHAIN)
    engine.values(stack)
    gc.collect()
    gc.disable()
    try:
        ref = weakref.ref(engine.reload(stack))
        assert ref() is None
    finally:
        gc.enable()


def test_template_replaced_while_reading(engine):
    stack = engine.create(CHAIN)
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    engine.update(stack, CHAIN.replace('hello', 'hi'))
    template_store.delete(engine.context, row.raw_template_id)
    loaded = stack_module.Stack.load(engine.context, stack=row)
    assert loaded.parameters['word'] == 'hi'
    row.id = 'gone'
    with pytest.raises(exception.EntityNotFound):
        stack_module.Stack.load(engine.context, stack=row)


def test_load_all(engine):
    engine.create(CHAIN, 'one')
    engine.create(CHAIN, 'two')
    names = {stack.name for stack in stack_module.Stack.load_all(
        engine.context)}
    assert names == {'one', 'two'}


def test_load_by_class_method(engine):
    stack = engine.create(CHAIN)
    assert stack_module.Stack.load(engine.context,
                                   stack_id=stack.id).name == 'st'
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert stack_module.Stack.load(engine.context, stack=row).id == stack.id


def test_refids(engine):
    stack = engine.create(CHAIN)
    found = stack.resource_by_refid(stack['a'].resource_id)
    assert found is stack['a']
    assert stack.resource_by_refid('nothing') is None


def test_access_handlers(engine):
    stack = engine.create(CHAIN)
    stack.register_access_allowed_handler(
        'creds', lambda name: name == 'a')
    assert stack.access_allowed('creds', 'a')
    assert not stack.access_allowed('creds', 'b')
    assert not stack.access_allowed('other', 'a')


def test_path_and_counts(engine):
    stack = engine.create(
        'resources: {n: {type: inner.yaml}}', files={'inner.yaml': """
heat_template_version: 2018-08-31
resources: {t: {type: Test::Thing}}
"""})
    child = stack['n'].nested()
    assert child.object_path_in_stack() == [('st', 'n'), (child.name, None)]
    assert stack.total_resources() == 2
    assert [res.name for res in stack.iter_resources(nested_depth=1)] == [
        'n', 't']


# -- state ------------------------------------------------------------------

def test_state_event_and_row_go_together(engine):
    stack = engine.create(CHAIN)
    stack.state_set('CHECK', 'IN_PROGRESS', 'because')
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert (row.action, row.status, row.status_reason) == (
        'CHECK', 'IN_PROGRESS', 'because')
    assert row.updated_at is not None
    assert engine.events(stack)[-1] == 'st CHECK_IN_PROGRESS'


def test_forbidden_move_is_refused(engine):
    stack = engine.create(CHAIN)
    stack.state_set('DELETE', 'FAILED', 'in use')
    with pytest.raises(status.IllegalMove):
        stack.state_set('UPDATE', 'IN_PROGRESS', 'no')


def test_lost_compare_and_swap_changes_nothing(engine):
    stack = engine.create(CHAIN)
    events = engine.events(stack)
    assert not stack_state.transition(
        stack, 'CHECK', 'IN_PROGRESS', 'x',
        expected={'current_traversal': 'another'})
    assert stack.state == ('CREATE', 'COMPLETE')
    assert engine.events(stack) == events


def test_name_tags_and_timeout(engine):
    stack = engine.stack(CHAIN, timeout_mins=5, tags=['x', 'y'])
    assert stack.timeout_secs() == 300
    assert engine.reload(stack).tags == ['x', 'y']
    other = engine.stack(CHAIN, 'other')
    assert other.timeout_secs() == cfg.CONF.stack_action_timeout
    assert engine.reload(other).tags == []


# -- validation -------------------------------------------------------------

@pytest.mark.parametrize('name', [
    '', '1st', 'with space', 'sl/ash', 'x' * 256, None])
def test_bad_stack_names(name):
    with pytest.raises(exception.StackValidationFailed):
        stack_validation.check_name(name)


@pytest.mark.parametrize('name', ['a', 'A_b.c-9', 'x' * 255])
def test_good_stack_names(name):
    assert stack_validation.check_name(name) is None


@pytest.mark.parametrize(('text', 'expected'), [
    ('resources: {a: {type: Test::Nothing}}', 'resources.a.type'),
    ('resources: {a: {type: Test::Thing, properties: {x: 1}}}',
     'resources.a'),
    ('resources: {a: {type: Test::Thing, properties: {polls: many}}}',
     'resources.a'),
    ('resources: {a: {type: Test::Thing, depends_on: b}}', 'b'),
    ('resources: {a: {type: Test::Thing, properties: '
     '{polls: {get_attr: [x, y]}}}}', 'resources.a.properties.polls'),
    ('parameters: {a: {type: string, default: x}}\n'
     'resources: {a: {type: Test::Thing}}', 'Duplicate'),
    ('resources: {a: {type: Test::Thing, depends_on: b}, '
     'b: {type: Test::Thing, depends_on: a}}', 'a'),
    ('resources: {a: {type: Test::Thing, update_policy: {x: y}}}',
     'resources.a'),
])
def test_errors_tell_where(engine, text, expected):
    with pytest.raises((exception.HeatException, ValueError)) as caught:
        engine.stack(text)
    assert expected in str(caught.value)
    assert stack_objects.Stack.get_all(engine.context) == []


def test_missing_parameter(engine):
    with pytest.raises(exception.UserParameterMissing):
        engine.stack('parameters: {p: {type: string}}\nresources: {}')


def test_number_of_resources(engine):
    cfg.CONF.set_override('max_resources_per_stack', 1)
    try:
        with pytest.raises(exception.RequestLimitExceeded):
            stack_validation.check_number_of_resources(
                engine.template(CHAIN))
    finally:
        cfg.CONF.clear_override('max_resources_per_stack')


# -- lock, groups -----------------------------------------------------------

def test_lock_is_exclusive_and_released(engine):
    stack = engine.stack(CHAIN)
    lock = stack_lock.StackLock(engine.context, stack.id, 'one')
    other = stack_lock.StackLock(engine.context, stack.id, 'two')
    with lock.held():
        assert other.try_acquire() == 'one'
        with pytest.raises(exception.ActionInProgress):
            other.acquire()
    assert other.take() is None
    lock.release()
    assert lock.get_engine_id() == 'two'


def test_group_calls_functions_and_runs_tasks(engine):
    seen = []

    def task(word):
        seen.append(word)
        yield
        seen.append(word.upper())

    engine.groups.start('s', seen.append, 'plain')
    engine.groups.start('s', task, 'made')
    engine.groups.start('s', task('given'))
    assert len(engine.groups.tasks_of('s')) == 3
    engine.pool.run()
    assert sorted(seen) == ['GIVEN', 'MADE', 'given', 'made', 'plain']
    assert engine.groups.is_idle('s')


def test_group_delivers_messages(engine):
    seen = []

    def task():
        try:
            while True:
                yield
        except stack_tasks.ForcedCancel as cancel:
            seen.append(cancel.with_rollback)

    engine.groups.start('s', task)
    engine.pool.step()
    engine.groups.send('s', stack_tasks.CANCEL_WITH_ROLLBACK)
    engine.pool.run()
    assert seen == [True]


# -- observers --------------------------------------------------------------

class Plugin(lifecycle_plugin.LifecyclePlugin):
    calls = []
    ordinal = 100
    refuse = False

    def do_pre_op(self, cnxt, stack, current_stack=None, action=None):
        self.calls.append((type(self).__name__, 'pre', action))
        if self.refuse:
            raise ValueError('I object')

    def do_post_op(self, cnxt, stack, current_stack=None, action=None,
                   is_stack_failure=False):
        self.calls.append((type(self).__name__, 'post', action,
                           is_stack_failure))

    def get_ordinal(self):
        return self.ordinal


class Early(Plugin):
    ordinal = 1


class Objector(Plugin):
    ordinal = 200
    refuse = True


def register(*classes):
    Plugin.calls.clear()
    for cls in classes:
        environment.global_env().register_stack_lifecycle_plugin(
            cls.__name__, cls)


def test_lifecycle_plugins_see_both_ends(engine):
    register(Plugin, Early)
    engine.create('resources: {}')
    assert Plugin.calls == [
        ('Early', 'pre', 'CREATE'), ('Plugin', 'pre', 'CREATE'),
        ('Plugin', 'post', 'CREATE', False),
        ('Early', 'post', 'CREATE', False)]


def test_objecting_plugin_fails_the_action(engine):
    register(Plugin, Objector)
    stack = engine.create(CHAIN)
    assert stack.state == ('CREATE', 'FAILED')
    assert stack.status_reason == 'I object'
    assert engine.log == []
    assert ('Plugin', 'post', 'CREATE', True) in Plugin.calls


class Notifier:
    def __init__(self):
        self.sent = []

    def prepare(self, publisher_id):
        self.publisher = publisher_id
        return self

    def info(self, context, event_type, payload):
        self.sent.append(('INFO', event_type, payload))

    def error(self, context, event_type, payload):
        self.sent.append(('ERROR', event_type, payload))


@pytest.fixture
def notifier(monkeypatch):
    notifier = Notifier()
    monkeypatch.setattr(messaging.TRANSPORTS, 'notifier', notifier)
    return notifier


def test_notifications_tell_start_and_end(engine, notifier):
    engine.create('resources: {}', tags=['t'])
    assert [(level, kind) for level, kind, _p in notifier.sent] == [
        ('INFO', 'orchestration.stack.create.start'),
        ('INFO', 'orchestration.stack.create.end')]
    payload = notifier.sent[-1][2]
    assert set(payload) == {
        'tenant_id', 'user_id', 'user_identity', 'username',
        'stack_identity', 'stack_name', 'state', 'state_reason',
        'create_at', 'description', 'updated_at', 'tags'}
    assert payload['state'] == 'CREATE_COMPLETE'
    assert payload['user_id'] == 'anna'
    assert payload['user_identity'] == 'anna-id'
    assert payload['tags'] == ['t']
    assert notifier.publisher.startswith('orchestration.')


def test_notification_of_a_failure_is_an_error(engine, notifier):
    engine.create('resources: {a: {type: Test::Thing, '
                  'properties: {fail: true}}}')
    assert notifier.sent[-1][:2] == (
        'ERROR', 'orchestration.stack.create.error')


def test_a_broken_bus_stops_nothing(engine, monkeypatch):
    class Broken(Notifier):
        def info(self, context, event_type, payload):
            raise OSError('bus away')

    monkeypatch.setattr(messaging.TRANSPORTS, 'notifier', Broken())
    assert engine.create('resources: {}').state == ('CREATE', 'COMPLETE')


def test_autoscaling_notifications(engine, notifier):
    stack = engine.stack('resources: {}')
    autoscaling.send(stack, adjustment=1, adjustment_type='x', capacity=3,
                     groupname='g', message='grown', suffix='end')
    autoscaling.send(stack)
    assert [(level, kind) for level, kind, _p in notifier.sent] == [
        ('INFO', 'orchestration.autoscaling.end'),
        ('ERROR', 'orchestration.autoscaling.error')]
    assert notifier.sent[0][2]['capacity'] == 3


def test_store_sets_what_interrupted_creation_looks_like(engine):
    stack = engine.stack(CHAIN)
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert (row.action, row.status) == ('CREATE', 'IN_PROGRESS')
    assert stack_store.is_convergent(stack) == engine.convergence


def test_resource_is_loaded_by_its_id(engine):
    """Plugins call Resource.load() as the workers of Heat do."""
    stack = engine.create("""
resources:
  a: {type: Test::Thing, properties: {value: one}}
""")
    loaded, defn, its_stack = resource.Resource.load(
        engine.context, stack['a'].id, stack.current_traversal, True, {})
    assert (loaded.name, loaded.id, loaded.state) == (
        'a', stack['a'].id, ('CREATE', 'COMPLETE'))
    assert loaded.stack is its_stack
    assert its_stack.id == stack.id
    assert defn.resource_definition('a') == loaded.t
    with pytest.raises(exception.NotFound):
        resource.Resource.load(engine.context, 10 ** 6, None, True, {})
