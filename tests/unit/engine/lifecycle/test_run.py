"""How a plugin's handler is reached from the task that an engine steps."""
import inspect
import sys

import pytest

from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import scheduler
from tests.fakes import stacks

#: Most generators between the one who steps the task of a node and the
#: handler. Each one is stepped again for every poll.
MOST_GENERATORS = 6

BEFORE = """
resources:
  a: {type: Test::Thing, properties: {value: before}}
  b: {type: Test::Thing, properties: {fixed: before}}
  c: {type: Test::Thing}
"""
AFTER = """
resources:
  a: {type: Test::Thing, properties: {value: after}}
  b: {type: Test::Thing, properties: {fixed: after}}
  d: {type: Test::Thing}
"""
#: Those that step tasks: the pool, and the walk of a legacy operation.
STEPPING = {task_pool.Task._resume.__code__,
            scheduler.TaskRunner.resume.__code__}


def generators():
    """Return the names of generators below the nearest that steps tasks."""
    found, frame = [], sys._getframe(1)
    while frame.f_code not in STEPPING:
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            found.append(frame.f_code.co_qualname)
        frame = frame.f_back
    return found


@pytest.fixture
def seen(monkeypatch):
    """Return [(handler, resource, generators on the way)] of things."""
    found = []

    def noting(name, handler):
        def noted(self, *args):
            found.append((name, self.name, generators()))
            return handler(self, *args)

        monkeypatch.setattr(stacks.Thing, name, noted)

    for name in ('handle_create', 'handle_update', 'handle_delete'):
        noting(name, getattr(stacks.Thing, name))
    return found


@pytest.mark.parametrize('convergence', [True, False])
def test_few_generators_stand_before_a_handler(seen, convergence,
                                                       monkeypatch):
    engine = stacks.Engine(monkeypatch, convergence=convergence)
    stack = engine.create(BEFORE)
    stack = engine.update(stack, AFTER)
    assert stack.state == ('UPDATE', 'COMPLETE')
    engine.delete(stack)
    assert sorted((what, name) for what, name, _path in seen) == [
        ('handle_create', 'a'), ('handle_create', 'b'),
        ('handle_create', 'b'), ('handle_create', 'c'),
        ('handle_create', 'd'), ('handle_delete', 'a'),
        ('handle_delete', 'b'), ('handle_delete', 'b'),
        ('handle_delete', 'c'), ('handle_delete', 'd'),
        ('handle_update', 'a')]
    for _what, _name, path in seen:
        assert len(path) <= MOST_GENERATORS, path


@pytest.mark.parametrize('convergence', [True, False])
def test_equal_properties_that_read_differently_are_stored(convergence,
                                                           monkeypatch):
    """An update compares them with the next ones."""
    engine = stacks.Engine(monkeypatch, convergence=convergence)
    text = 'resources: {a: {type: Test::Thing, properties: {value: %s}}}'
    stack = engine.create(text % '1')
    for value, expected in (('true', 'True'), ('1', '1')):
        stack = engine.update(stack, text % value)
        assert stack['a'].data()['value'] == expected
