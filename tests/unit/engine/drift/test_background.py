"""A detection as a task: what becomes of its row."""
import types

import pytest

from heat.engine.drift import background

FOUND = types.SimpleNamespace(id='id', engine_id='engine')


@pytest.fixture
def written(monkeypatch):
    """Return what is written; a test may have the row taken away."""
    rows = []

    def swap(_context, detection_id, values, engine_id):
        assert (detection_id, engine_id) == ('id', 'engine')
        rows.append({key: value for key, value in values.items()
                     if key != 'finished_at'})
        return 'taken' not in rows

    monkeypatch.setattr(background._Detection, 'swap', swap)
    return rows


class Detection:
    """Takes the steps of a test."""

    found, pause = FOUND, 0

    def __init__(self, *steps):
        self._steps = steps
        self.announced = self.taken = 0

    def steps(self):
        for each in self._steps:
            if isinstance(each, Exception):
                raise each
            self.taken += 1
            yield

    def examined(self):
        return self.taken

    def delay(self):
        return self.pause

    def outcome(self):
        return {'status': 'DETECTION_COMPLETE'}

    def announce(self):
        self.announced += 1


def run(detection):
    return list(background.task(None, detection))


def test_outcome_is_written_and_told_at_the_end(written):
    detection = Detection(None, None)
    run(detection)
    assert written == [{'status': 'DETECTION_COMPLETE', 'examined': 2,
                        'running': None, 'engine_id': None}]
    assert detection.announced == 1


def test_progress_is_recorded_and_others_have_their_turn(written,
                                                         monkeypatch):
    monkeypatch.setattr(background, '_RECORD', -1)
    monkeypatch.setattr(background, '_TURN', -1)
    assert len(run(Detection(None, None))) == 2
    assert [each['examined'] for each in written] == [1, 2, 2]


def test_work_on_a_row_of_another_engine_ends(written, monkeypatch):
    monkeypatch.setattr(background, '_RECORD', -1)
    written.append('taken')
    detection = Detection(None, None)
    run(detection)
    assert written == ['taken', {'examined': 1}]
    assert detection.announced == 0


def test_error_is_the_reason_of_the_failure(written):
    detection = Detection(None, ValueError('no luck'))
    run(detection)
    [values] = written
    assert (values['status'], values['status_reason'], values['running']) == (
        'DETECTION_FAILED', 'no luck', None)
    assert detection.announced == 0


def test_detection_waits_for_the_cloud(written):
    detection = Detection(None, None)
    detection.pause = 7.5
    assert run(detection) == [7.5, 7.5]


def test_each_read_is_waited_for_once(monkeypatch):
    asked = []
    monkeypatch.setattr(background, '_PACE', types.SimpleNamespace(
        delay=lambda *args: asked.append(args) or 3))
    monkeypatch.setattr(background.tree, 'steps',
                        lambda report, stack, live: iter([None]))
    stack = types.SimpleNamespace(context=types.SimpleNamespace(
        region_name='north'))
    detection = background.Detection(
        types.SimpleNamespace(total=1), lambda: stack)
    list(detection.steps())
    detection._live.reads = 2
    assert detection.delay() == 3
    detection._live.reads = 3
    detection.delay()
    assert asked == [('north', 2, 0), ('north', 1, 0)]
