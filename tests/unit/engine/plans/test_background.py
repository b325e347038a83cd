"""Planning as a task: what becomes of the row of a change set."""
import pytest

from heat.engine.plans import background


@pytest.fixture
def written(monkeypatch):
    """Return what is written; a test may have the row taken away."""
    found = []

    def swap(_context, change_set_id, status, values, engine_id):
        assert (change_set_id, status, engine_id) == (
            'id', 'CREATE_IN_PROGRESS', 'engine')
        found.append(dict(values))
        return 'taken' not in found

    monkeypatch.setattr(background._Set, 'swap', swap)
    return found


def run(steps, outcome=lambda: {'status': 'AVAILABLE'}):
    return list(background.plan_task(None, 'id', 'engine', steps, outcome))


def test_outcome_is_written_at_the_end(written):
    run(iter([None, None]))
    assert written == [{'status': 'AVAILABLE', 'planned': 2,
                        'engine_id': None}]


def test_progress_is_recorded_and_others_have_their_turn(written,
                                                         monkeypatch):
    monkeypatch.setattr(background, '_RECORD', -1)
    monkeypatch.setattr(background, '_TURN', -1)
    assert len(run(iter([None, None]))) == 2
    assert [each['planned'] for each in written] == [1, 2, 2]


def test_work_on_a_row_of_another_engine_ends(written, monkeypatch):
    monkeypatch.setattr(background, '_RECORD', -1)
    written.append('taken')
    run(iter([None, None]))
    assert written == ['taken', {'planned': 1}]


def test_error_is_the_reason_of_the_failure(written):
    def steps():
        yield
        raise ValueError('no luck')

    run(steps())
    assert written == [{'status': 'FAILED', 'status_reason': 'no luck',
                        'engine_id': None}]
