"""Questions of other engines about the work of this one."""
import pytest

from heat.common import context as heat_context
from heat.engine.process import listener
from heat.engine.tasks import stack_tasks

IDENTITY = {'tenant': 'project', 'stack_name': 'st', 'stack_id': 'id',
            'path': ''}


class Groups:
    def __init__(self):
        self.calls = []

    def stop(self, stack_id):
        self.calls.append(('stop', stack_id))

    def send(self, stack_id, message):
        self.calls.append((message, stack_id))


@pytest.fixture
def groups():
    return Groups()


@pytest.fixture
def context():
    return heat_context.get_admin_context()


def test_tasks_of_a_stack_are_stopped(groups, context):
    listener.EngineListener(groups).stop_stack(context, IDENTITY)
    assert groups.calls == [('stop', 'id')]


@pytest.mark.parametrize('message', stack_tasks.MESSAGES)
def test_messages_are_passed_on(groups, context, message):
    listener.EngineListener(groups).send(context, IDENTITY, message)
    assert groups.calls == [(message, 'id')]


def test_messages_of_a_later_release_are_left_alone(groups, context):
    listener.EngineListener(groups).send(context, IDENTITY, 'dance')
    assert groups.calls == []


@pytest.mark.parametrize('well', [True, False])
def test_answer_says_whether_there_is_progress(groups, well):
    assert listener.EngineListener(groups, lambda: well).listening(
        None) is well


def test_load_is_that_of_the_moment(groups):
    numbers = iter([{'tasks_ready': 1}, {'tasks_ready': 2}])
    asked = listener.EngineListener(groups, load=lambda: next(numbers))
    assert asked.load(None) == {'tasks_ready': 1}
    assert asked.load(None) == {'tasks_ready': 2}
    assert listener.EngineListener(groups).load(None) == {}
