"""A deleted and a created resource may be the same object."""
import json

import pytest

from heat.engine.plans import likely_moves
from tests.fakes import stacks


@pytest.fixture
def lookout():
    return likely_moves.Lookout()


@pytest.fixture
def stack_of(monkeypatch):
    engine = stacks.Engine(monkeypatch)

    def make(**resources):
        return engine.stack('resources: ' + json.dumps({
            name: {'type': 'Test::Thing', 'properties': {'value': value}}
            for name, value in resources.items()}))

    return make


@pytest.fixture
def note(lookout, stack_of):
    def take(gone, new):
        before, after = stack_of(**gone), stack_of(**new)
        for name in before:
            lookout.note_gone((name,), before[name])
        for name in after:
            lookout.note_new((name,), after[name])

    return take


def test_of_equal_properties(lookout, note):
    note({'a': 'x', 'b': 'y'}, {'c': 'y', 'd': 'z'})
    assert lookout.found() == [(('b',), ('c',))]


def test_each_resource_is_proposed_once(lookout, note):
    note({'a': 'x', 'b': 'x'}, {'c': 'x'})
    assert lookout.found() == [(('a',), ('c',))]


def test_the_same_name_comes_first(lookout, stack_of):
    before, after = stack_of(b='x'), stack_of(a='x', b='x')
    lookout.note_gone(('b',), before['b'])
    lookout.note_new(('n', 'a'), after['a'])
    lookout.note_new(('n', 'b'), after['b'])
    assert lookout.found() == [(('b',), ('n', 'b'))]


def test_only_so_many_are_compared(lookout, note, monkeypatch):
    monkeypatch.setattr(likely_moves, 'MOST_COMPARED', 1)
    note({'a': 'x'}, {'b': 'z', 'c': 'x'})
    assert lookout.found() == []


def test_only_so_many_are_considered(lookout, note, monkeypatch):
    monkeypatch.setattr(likely_moves, 'MOST_NOTED', 1)
    note({'a': 'x', 'b': 'y'}, {'c': 'z', 'd': 'x'})
    assert lookout.found() == []


def test_unknown_values_equal_nothing(lookout, stack_of):
    before = stack_of(a='x')
    after = stack_of(b={'get_attr': ['c', 'output']}, c='y')
    lookout.note_gone(('a',), before['a'])
    lookout.note_new(('b',), after['b'])
    assert lookout.found() == []
