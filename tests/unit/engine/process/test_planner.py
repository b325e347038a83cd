"""The planning of a dead engine is taken over."""
import types

import pytest

from heat.engine.process import orphaned_work
from heat.engine.process import planner


class Judge:
    """Finds that the engine called dead is."""

    silent: dict = {}
    leaseless: dict = {}

    def __init__(self, *_args):
        pass

    def dead(self, engines):
        return {'dead'} & engines


@pytest.fixture
def rows(monkeypatch):
    found = {}

    def swap(_context, row_id, _status, values, engine_id):
        assert found[row_id].engine_id == engine_id
        vars(found[row_id]).update(values)
        return True

    monkeypatch.setattr(orphaned_work.judge, 'Judge', Judge)
    monkeypatch.setattr(planner._Set, 'in_progress',
                        lambda _context: list(found.values()))
    monkeypatch.setattr(planner._Set, 'get_by_id',
                        lambda _context, row_id: found[row_id])
    monkeypatch.setattr(planner._Set, 'swap', swap)
    return found


def look(rows, engine_id, attempts=None):
    """Look once at a change set; return it, and those planned again."""
    again = []
    rows['id'] = row = types.SimpleNamespace(
        id='id', engine_id=engine_id, attempts=attempts,
        status='CREATE_IN_PROGRESS')
    planner.Planner(types.SimpleNamespace(engine_id='mine'),
                    again.append).run_once()
    return row, again


def test_work_of_a_dead_engine_is_taken_over(rows):
    row, again = look(rows, 'dead')
    assert (row.engine_id, row.attempts, again) == ('mine', 1, [row])


def test_work_of_a_live_engine_is_left_alone(rows):
    row, again = look(rows, 'alive')
    assert (row.engine_id, again) == ('alive', [])


def test_planning_is_given_up_after_some_engines(rows):
    row, again = look(rows, 'dead', orphaned_work.ATTEMPTS - 1)
    assert (row.status, row.engine_id, again) == ('FAILED', None, [])
