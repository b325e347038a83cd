"""How much of nested stacks one process has in hand at a time."""
import gc
import itertools
import threading
import types
import weakref

import pytest

from heat.engine.convergence import driver as convergence_driver
from heat.engine.convergence import nested_admission
from heat.engine.convergence import runner as traversal_runner
from heat.engine.convergence import worklist
from heat.engine.resources import template_resource
from heat.engine.stacks import rows as stack_rows
from heat.engine.stacks import template_store
from heat.engine.tasks import pool as task_pool
from heat.objects import stack as stack_objects
from tests.fakes import stacks


@pytest.fixture
def small_heap():
    """Have a collection look only at what is made from here on.

    It takes half a second for all that a process with many tests holds.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


class _Nested:
    """A resource whose stack begins with it."""

    handlers_only_begin = True


NESTED = _Nested()
PLAIN = types.SimpleNamespace()


class State:
    """What turns ask of a traversal."""

    def __init__(self, name, resources, depth=0, kind=NESTED):
        self.id = name
        self.graph = [(number, True) for number in range(resources)]
        self.stack = types.SimpleNamespace(
            owner_id='parent' if depth else None, nested_depth=depth,
            time_remaining=lambda: None)
        self._kind = kind

    def resource_of(self, node):
        return self._kind

    def is_wanted(self, node):
        return True


@pytest.fixture
def pool():
    return task_pool.InlinePool()


@pytest.fixture
def turns(pool, monkeypatch):
    """Return the turns of two nested stacks at a time, however large."""
    monkeypatch.setattr(nested_admission, 'STACKS', 2)
    monkeypatch.setattr(nested_admission, 'NODES', 0)
    return nested_admission.NestedTurns(pool, threading.RLock())


def walk_of(*args, **kwargs):
    return worklist.Walk(State(*args, **kwargs))


def begin(pool, turns, walk):
    """Begin all nodes of a walk; return the list of those with a turn."""
    began = []

    def task(node):
        yield from turns.take(walk, node)
        began.append(node)

    tasks = []
    for node in walk.state.graph:
        if walk.reserve(node):
            walk.start(node)
        tasks.append(pool.spawn(task(node)))
    pool.run()
    return began, tasks


def at_work(turns, name):
    """Return the walk of a nested stack with a node in hand."""
    walk = walk_of(name, 5, depth=1)
    walk.reserve((0, True))
    walk.start((0, True))
    turns.count(walk)
    return walk


def wait(turns, walk, *nodes):
    """Let nodes begin to wait for something outside."""
    for node in nodes or list(walk.nodes_in(*worklist.OCCUPYING)):
        walk.wait(node)
    turns.count(walk)


def test_nested_stacks_begin_few_at_a_time(pool, turns):
    root = walk_of('root', 9)
    began, _tasks = begin(pool, turns, root)
    assert len(began) == 2
    children = [at_work(turns, name) for name in 'ab']
    wait(turns, root, *began)
    pool.run()
    assert len(began) == 2
    for child in children:
        wait(turns, child)
    pool.run()
    assert len(began) == 4


def test_stacks_that_wait_for_the_cloud_hold_nobody_up(pool, turns):
    root = walk_of('root', 9)
    began, _tasks = begin(pool, turns, root)
    while len(began) < 9:
        before = len(began)
        for node in list(began):
            child = at_work(turns, 'child %d' % node[0])
            wait(turns, root, node)
            wait(turns, child)
        pool.run()
        assert len(began) > before


def test_small_ones_are_more_at_a_time(pool, turns, monkeypatch):
    monkeypatch.setattr(nested_admission, 'NODES', 100)
    wait(turns, at_work(turns, 'small'))
    began, _tasks = begin(pool, turns, walk_of('root', 40))
    assert len(began) == 100 // (1 + nested_admission._STACK)


def test_stacks_whose_nodes_wait_for_a_turn_leave_turns_to_others(
        pool, turns):
    upper = [walk_of(name, 2, depth=1) for name in 'abc']
    lists = [begin(pool, turns, walk)[0] for walk in upper]
    for _round in range(6):
        for walk, began in zip(upper, lists, strict=True):
            wait(turns, walk, *began)
        pool.run()
    assert [len(began) for began in lists] == [2, 2, 2]


def test_the_deepest_are_the_first(pool, turns):
    busy = [at_work(turns, name) for name in 'ab']
    shallow, _tasks = begin(pool, turns, walk_of('root', 1))
    deep, _tasks = begin(pool, turns, walk_of('inner', 1, depth=3))
    wait(turns, busy[0])
    pool.run()
    assert (len(shallow), len(deep)) == (0, 1)


def test_other_resources_need_no_turn(pool, turns):
    for name in 'ab':
        at_work(turns, name)
    began, _tasks = begin(pool, turns, walk_of('flat', 5, kind=PLAIN))
    assert len(began) == 5


def test_who_is_stopped_gives_up_the_turn(pool, turns):
    busy = [at_work(turns, name) for name in 'ab']
    _began, [stopped] = begin(pool, turns, walk_of('stopped', 1))
    began, _tasks = begin(pool, turns, walk_of('other', 1))
    stopped.cancel()
    pool.run()
    wait(turns, busy[0])
    pool.run()
    assert len(began) == 1


TREE = 'resources:' + ''.join(
    '\n  b%d: {type: middle.yaml}' % number for number in range(5))
MIDDLE = """
heat_template_version: 2018-08-31
resources:
  c: {type: inner.yaml}
  d: {type: inner.yaml}
"""
INNER = """
heat_template_version: 2018-08-31
resources: {t: {type: Test::Thing, properties: {polls: %d}}}
"""


@pytest.fixture
def one_at_a_time(monkeypatch):
    monkeypatch.setattr(nested_admission, 'STACKS', 1)
    monkeypatch.setattr(nested_admission, 'NODES', 0)


@pytest.mark.parametrize('polls', [0, 3])
def test_tree_is_made_changed_and_deleted_in_turns(monkeypatch,
                                                   one_at_a_time, polls):
    engine = stacks.Engine(monkeypatch, convergence=True)
    files = {'middle.yaml': MIDDLE, 'inner.yaml': INNER % polls}
    stack = engine.create(TREE, files=files)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert len(engine.log) == 10
    changed = {**files, 'inner.yaml': files['inner.yaml'].replace(
        'polls', 'value: new, polls')}
    stack = engine.update(stack, TREE, files=changed)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_few_nested_stacks_are_loaded(monkeypatch, one_at_a_time, small_heap):
    engine = stacks.Engine(monkeypatch, convergence=True)
    stack = engine.stack(TREE, files={'middle.yaml': MIDDLE,
                                      'inner.yaml': INNER % 0})
    alive, most = weakref.WeakSet(), 0
    begin = traversal_runner.TraversalRunner.begin

    def note(runner, state, done=frozenset()):
        nonlocal most
        begin(runner, state, done)
        if state.stack.nested_depth == 2:
            alive.add(state)
            gc.collect()
            most = max(most, len(alive))

    monkeypatch.setattr(traversal_runner.TraversalRunner, 'begin', note)
    stack.create()
    engine.pool.run()
    assert engine.reload(stack).state == ('CREATE', 'COMPLETE')
    assert most <= 3
    templates = [res._parsed_nested for res in stack.resources.values()]
    assert templates == [None] * 5


FLAT = 'resources:' + ''.join(
    '\n  b%d: {type: inner.yaml}' % number for number in range(20))


def branches(monkeypatch, action):
    """Return how many resources with a stack inside live during an action.
    """
    engine = stacks.Engine(monkeypatch, convergence=True)
    files = {'inner.yaml': INNER % 0}
    stack = engine.stack(FLAT, files=files)
    if action != 'create':
        stack.create()
        engine.pool.run()
        stack = engine.reload(stack)
    alive, most = weakref.WeakSet(), 0
    make = template_resource.TemplateResource.__init__
    begin = traversal_runner.TraversalRunner.begin

    def note_made(branch, *args):
        make(branch, *args)
        alive.add(branch)

    def note_begun(runner, state, done=frozenset()):
        nonlocal most
        begin(runner, state, done)
        if state.stack.nested_depth:
            gc.collect()
            most = max(most, len(alive))

    monkeypatch.setattr(template_resource.TemplateResource, '__init__',
                        note_made)
    monkeypatch.setattr(traversal_runner.TraversalRunner, 'begin',
                        note_begun)
    if action == 'update':
        engine.begin_update(stack, FLAT, files={
            'inner.yaml': files['inner.yaml'].replace('polls',
                                                      'value: new, polls')})
    else:
        getattr(stack, action)()
    stack_id = stack.id
    del stack
    engine.pool.run()
    row = stack_objects.Stack.get_by_id(engine.context, stack_id)
    assert row is None or row.status == 'COMPLETE'
    return most


@pytest.mark.parametrize('action', ['create', 'update', 'delete'])
def test_resources_whose_turn_comes_later_are_made_later(
        monkeypatch, one_at_a_time, small_heap, action):
    monkeypatch.setattr(convergence_driver, '_TEMPLATES_AT_HAND', 2)
    assert 0 < branches(monkeypatch, action) < 10


def test_stacks_of_one_text_share_what_it_says(monkeypatch):
    engine = stacks.Engine(monkeypatch, convergence=True)
    stack = engine.stack(FLAT, files={'inner.yaml': INNER % 0})
    first, second = (stack.resources[name] for name in ('b1', 'b2'))
    assert first._parsed_nested is None
    assert first.child_template().t is second.child_template().t


def test_stored_templates_share_what_is_the_same(monkeypatch):
    engine = stacks.Engine(monkeypatch, convergence=True)

    def stored(value):
        stack = engine.stack('outputs: {a: {value: %s}, b: {value: x}}'
                             % value, name='s%d' % next(numbers))
        return template_store.load(engine.context, stack.t.id).t

    numbers = itertools.count()
    first, second, third = stored('true'), stored('true'), stored('1')
    assert first is second
    assert third == first
    assert third is not first
    template_store.forget_all()
    assert stored('true') is not first


def test_graphs_of_finished_stacks_are_not_read(monkeypatch):
    engine = stacks.Engine(monkeypatch, convergence=True)
    stack = engine.create(FLAT, files={'inner.yaml': INNER % 0})
    children = stack_objects.Stack.get_all_by_owner_id(engine.context,
                                                       stack.id)
    busy = children[0].id
    stack_objects.Stack.update_by_id(engine.context, busy,
                                     {'status': 'FAILED'})
    graphs = {child.id: child.current_deps for child in children}
    assert all(graphs.values())
    taken = stack_rows.ChildRows(engine.context, stack.id)
    assert {child.id: taken.take(child.id).current_deps
            for child in children} == {
                one: graph if one == busy else None
                for one, graph in graphs.items()}


def test_node_that_comes_back_has_its_turn_still(pool, turns):
    """It makes a replacement of what it was to change."""
    root = walk_of('root', 2)
    began, _tasks = begin(pool, turns, root)
    again, _tasks = begin(pool, turns, root)
    assert again == began
