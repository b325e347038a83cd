"""Notifications of groups that change their size."""
import pytest

from heat.engine.notification import autoscaling
from tests.fakes import stacks


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def test_autoscaling_notifications(engine, notifier):
    stack = engine.stack('resources: {}')
    autoscaling.send(stack, adjustment=1, adjustment_type='x', capacity=3,
                     groupname='g', message='grown', suffix='end')
    autoscaling.send(stack)
    assert [(level, kind) for level, kind, _p in notifier.sent] == [
        ('INFO', 'orchestration.autoscaling.end'),
        ('ERROR', 'orchestration.autoscaling.error')]
    assert notifier.sent[0][2]['capacity'] == 3
