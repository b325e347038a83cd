"""The tasks of a stack, and the messages to them."""
import pytest

from heat.engine.tasks import stack_tasks
from tests.fakes import stacks


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def test_group_calls_functions_and_runs_tasks(engine):
    seen = []

    def task(word):
        seen.append(word)
        yield
        seen.append(word.upper())

    engine.groups.start('s', seen.append, 'plain')
    engine.groups.start('s', task, 'made')
    engine.groups.start('s', task('given'))
    assert len(engine.groups.tasks_of('s')) == 3
    engine.pool.run()
    assert sorted(seen) == ['GIVEN', 'MADE', 'given', 'made', 'plain']
    assert engine.groups.is_idle('s')


def test_group_delivers_messages(engine):
    seen = []

    def task():
        try:
            while True:
                yield
        except stack_tasks.ForcedCancel as cancel:
            seen.append(cancel.with_rollback)

    engine.groups.start('s', task)
    engine.pool.step()
    engine.groups.send('s', stack_tasks.CANCEL_WITH_ROLLBACK)
    engine.pool.run()
    assert seen == [True]


def test_messages_are_a_closed_set(engine):
    with pytest.raises(ValueError, match='Unknown message'):
        engine.groups.send('id', 'explode')
    assert stack_tasks.MESSAGES == ('cancel', 'cancel_with_rollback')
