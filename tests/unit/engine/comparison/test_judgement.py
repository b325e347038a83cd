"""The one judgement of a resource that everybody asks for.

What it finds of properties is tested by way of reports, see
tests/unit/engine/drift/test_examine.py.
"""
import types

import pytest

from heat.common import drift_words
from heat.common import exception
from heat.engine.comparison import judgement
from heat.engine.comparison import live
from tests.unit.engine.drift import test_examine

F = drift_words.Finding


def judged(given, actual):
    return judgement.of_resource(test_examine.Thing(given, actual),
                                 live.LiveState())


def test_live_values_are_those_of_whole_properties():
    found = judged({'a': 'x', 'map': {'k': 1, 'l': 2}},
                   {'a': 'x', 'map': {'k': 7, 'l': 2, 'm': 3}})
    assert (found.finding, found.has_drifted) == (F.MODIFIED, True)
    assert found.differences == (('map.k', 1, 7),)
    assert found.actual == {'map': {'k': 7, 'l': 2, 'm': 3}}


@pytest.mark.parametrize(('actual', 'finding', 'has_drifted'), [
    ({'a': 'x'}, F.IN_SYNC, False), (ValueError('why'), F.UNSUPPORTED, False),
    (exception.EntityNotFound(entity='T', name='t'), F.DELETED, True)])
def test_finding(actual, finding, has_drifted):
    found = judged({'a': 'x'}, actual)
    assert (found.finding, found.has_drifted) == (finding, has_drifted)
    assert (found.differences, found.actual) == ((), {})


def test_error_of_a_client_that_finds_nothing(monkeypatch):
    monkeypatch.setattr(
        test_examine.Thing, 'client_plugin',
        lambda self, name=None: types.SimpleNamespace(
            is_not_found=lambda error: isinstance(error, KeyError)))
    monkeypatch.setattr(test_examine.Thing, 'drift_data',
                        lambda self: {}['nothing'])
    assert judged({}, {}).finding == F.DELETED


def test_stack_inside_counts_not_what_is_in_it(monkeypatch):
    thing = test_examine.Thing({}, {})
    monkeypatch.setattr(thing, 'has_nested', lambda: True, raising=False)
    for inner, finding in ((object(), F.IN_SYNC), (None, F.DELETED)):
        monkeypatch.setattr(thing, 'nested', lambda inner=inner: inner,
                            raising=False)
        assert judgement.of_resource(
            thing, live.LiveState()).finding == finding
