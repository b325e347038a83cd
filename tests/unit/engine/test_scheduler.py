"""What plugins find of the scheduler."""
import pytest

from heat.engine import scheduler
from heat.engine.tasks import scheduler as real


@pytest.mark.parametrize('name', [
    'ExceptionGroup', 'TaskRunner', 'TimedCancel', 'Timeout', 'WaitFor',
    'WaitForAny'])
def test_names_are_those_of_the_scheduler(name):
    assert getattr(scheduler, name) is getattr(real, name)
    assert name in scheduler.__all__


def test_plugin_runs_a_task_to_its_end():
    steps = []

    def task(word):
        steps.append(word)
        yield
        steps.append(word.upper())

    scheduler.TaskRunner(task, 'go')(wait_time=0)
    assert steps == ['go', 'GO']
