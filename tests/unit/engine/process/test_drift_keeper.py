"""Detections of dead engines are carried on; what is due is begun."""
import datetime
import types

from oslo_config import cfg
import pytest

from heat.engine.process import drift_keeper
from heat.engine.process import orphaned_work

SINCE = datetime.datetime(2026, 1, 1)


class Judge:
    """Finds that the engine called dead is."""

    silent: dict = {}
    leaseless: dict = {}

    def __init__(self, *_args):
        pass

    def dead(self, engines):
        return {'dead'} & engines


class Detector:
    def __init__(self):
        self.carried_on, self.begun = [], []

    def carry_on_detection(self, found):
        self.carried_on.append(found)

    def detect_drift_of(self, stack_id, unless_since):
        assert unless_since == SINCE
        if stack_id == 'bad':
            raise ValueError('no credentials')
        self.begun.append(stack_id)


@pytest.fixture
def rows(monkeypatch):
    found = {}

    def swap(_context, row_id, values, engine_id):
        assert found[row_id].engine_id == engine_id
        vars(found[row_id]).update(values)
        return True

    detection = drift_keeper._Detection
    monkeypatch.setattr(orphaned_work.judge, 'Judge', Judge)
    monkeypatch.setattr(detection, 'in_progress',
                        lambda _context: list(found.values()))
    monkeypatch.setattr(detection, 'get_by_id',
                        lambda _context, row_id: found[row_id])
    monkeypatch.setattr(detection, 'swap', swap)
    monkeypatch.setattr(drift_keeper._Schedule, 'due',
                        lambda _context, status, limit: [])
    monkeypatch.setattr(
        detection, 'due', lambda _context, status, seconds, limit:
        [(each, SINCE) for each in ('bad', 'one', 'two', 'three')][:limit])
    return found


@pytest.fixture
def every_hour():
    cfg.CONF.set_override('interval', 3600, 'drift')
    yield
    cfg.CONF.clear_override('interval', 'drift')


def row_of(engine_id, attempts=None, **more):
    return types.SimpleNamespace(
        id='id', engine_id=engine_id, attempts=attempts, creator_id=None,
        running='stack', status='DETECTION_IN_PROGRESS', **more)


def keeper():
    detector = Detector()
    return drift_keeper.DriftKeeper(
        types.SimpleNamespace(engine_id='mine', pool=types.SimpleNamespace(
            active=list)), detector), detector


def look(rows, row):
    rows['id'] = row
    found, detector = keeper()
    found.run_once()
    return detector


def test_detection_of_a_dead_engine_is_taken_over(rows):
    row = row_of('dead')
    assert look(rows, row).carried_on == [row]
    assert (row.engine_id, row.attempts) == ('mine', 1)


def test_detection_of_a_live_engine_is_left_alone(rows):
    row = row_of('alive')
    assert look(rows, row).carried_on == []
    assert row.engine_id == 'alive'


def test_detection_is_given_up_after_some_engines(rows):
    row = row_of('dead', orphaned_work.ATTEMPTS - 1)
    assert look(rows, row).carried_on == []
    assert (row.status, row.engine_id, row.running) == (
        'DETECTION_FAILED', None, None)


def test_nothing_is_begun_unless_it_is_wanted(rows):
    found, detector = keeper()
    found.run_once()
    assert detector.begun == []


def test_stacks_with_a_schedule_need_no_option(rows, monkeypatch):
    monkeypatch.setattr(drift_keeper._Schedule, 'due',
                        lambda _context, status, limit:
                        [('four', SINCE)][:limit])
    found, detector = keeper()
    found.run_once()
    found.run_once()
    assert detector.begun == ['four']


def test_what_is_due_is_begun_though_one_cannot_be(rows, every_hour):
    found, detector = keeper()
    found.run_once()
    assert detector.begun == ['one']
    # The next look comes when a part of the interval has passed.
    found.run_once()
    assert detector.begun == ['one']


def test_engine_that_has_its_share_begins_nothing(rows, every_hour):
    rows['1'], rows['2'] = row_of('mine'), row_of('mine')
    found, detector = keeper()
    found.run_once()
    assert detector.begun == []
