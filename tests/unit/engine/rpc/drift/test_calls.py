"""RPC calls about drift: whose detections are shown, and what they hold."""
import types

import pytest

from heat.common import drift_errors
from heat.engine.rpc.drift import calls

DETECTION = types.SimpleNamespace(
    id='d', tenant='mine', stack_id='s', status='DETECTION_COMPLETE',
    status_reason=None, drift='IN_SYNC', creator='me',
    counts={'IN_SYNC': 1}, created_at=None, finished_at=None, examined=1,
    total=1, resources={'resources': [{'path': ['a']}], 'left_out': 0})


@pytest.fixture
def operations(monkeypatch):
    monkeypatch.setattr(calls._Detection, 'get_by_id',
                        lambda _context, its_id: DETECTION
                        if its_id == 'd' else None)
    monkeypatch.setattr(calls.stack_objects.Stack, 'get_by_id',
                        lambda _context, its_id: types.SimpleNamespace(
                            id=its_id, name='stack'))
    return calls.DriftOperations()


def show(operations, project, detection_id):
    context = types.SimpleNamespace(project_id=project)
    # The decorator makes a context of a message; the call itself is inside.
    return calls.DriftOperations.show_stack_drift.__wrapped__(
        operations, context, None, detection_id)


def test_detection_is_shown_by_its_id(operations):
    found = show(operations, 'mine', 'd')
    assert (found['id'], found['stack_name']) == ('d', 'stack')
    assert found['resources'] == [{'path': ['a']}]
    assert found['left_out'] == 0
    assert found['progress'] == {'examined': 1, 'total': 1}


@pytest.mark.parametrize(('project', 'detection_id'), [
    ('other', 'd'), ('mine', 'x'), ('mine', None)])
def test_that_of_another_project_does_not_exist(operations, project,
                                                detection_id):
    with pytest.raises(drift_errors.DriftDetectionNotFound):
        show(operations, project, detection_id)
