"""Listeners hear of a stack that begins to drift, once."""
import types

import pytest

from heat.common import drift_words
from heat.engine.drift import announcement

Drift = drift_words.Drift
STACK = types.SimpleNamespace(context=None, id='s')
FOUND = types.SimpleNamespace(id='d')


@pytest.fixture
def told(monkeypatch):
    """Return what listeners hear, by the drift that was found before."""
    def of(drift, before):
        heard = []
        monkeypatch.setattr(
            announcement.drift_objects.DriftDetection, 'previous',
            lambda _context, stack_id, before_id: before and
            types.SimpleNamespace(drift=before))
        monkeypatch.setattr(announcement.stack_notification, 'payload_of',
                            lambda stack: {'stack_name': 'n'})
        monkeypatch.setattr(announcement.notification, 'default_level',
                            lambda: 'INFO')
        monkeypatch.setattr(
            announcement.notification, 'notify',
            lambda context, kind, level, body: heard.append((kind, body())))
        announcement.finished(STACK, FOUND, drift, {'MODIFIED': 1})
        return heard
    return of


@pytest.mark.parametrize('before', [None, 'IN_SYNC'])
def test_begin_of_drift_is_told(told, before):
    [(kind, body)] = told(Drift.DRIFTED, before)
    assert kind == 'stack.drift.begin'
    assert body == {'stack_name': 'n', 'drift_detection_id': 'd',
                    'drift': 'DRIFTED', 'counts': {'MODIFIED': 1}}


@pytest.mark.parametrize(('drift', 'before'), [
    (Drift.DRIFTED, 'DRIFTED'), (Drift.IN_SYNC, None),
    (Drift.IN_SYNC, 'DRIFTED')])
def test_nothing_else_is_told(told, drift, before):
    assert told(drift, before) == []
