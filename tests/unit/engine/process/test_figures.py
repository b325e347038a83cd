"""Figures of an engine process."""
import math

import pytest

from heat.common import metrics
from heat.db import engine_setup
from heat.engine.lifecycle import record
from heat.engine.process import figures


@pytest.fixture
def clock(monkeypatch):
    """Let no time pass but what the test says."""
    reading = [1000.0]
    monkeypatch.setattr(metrics.timeutils, 'wallclock', lambda: reading[0])
    monkeypatch.setattr(metrics, 'RECENT_ACTIONS', metrics.Recent())
    return reading


def end_actions(number, result, seconds=1.0, kind='Test::Figures'):
    for _i in range(number):
        metrics.count_action(kind, 'CREATE', str(result), seconds)


def grown(before, name):
    return getattr(figures.current(), name) - getattr(before, name)


@pytest.mark.parametrize(('result', 'done', 'failed'), [
    (record.Outcome.COMPLETE, 2, 0), (record.Outcome.REPLACED, 2, 0),
    (record.Outcome.FAILED, 0, 2), (record.TIMED_OUT, 0, 2),
    (record.CANCELLED, 0, 0)])
def test_actions_are_done_or_failed(result, done, failed):
    before = figures.current()
    end_actions(1, result)
    end_actions(1, result, kind='Test::Other')
    assert (grown(before, 'actions_done'),
            grown(before, 'actions_failed')) == (done, failed)


def test_mean_time_is_that_of_all_actions(monkeypatch):
    monkeypatch.setattr(metrics, 'ACTION_SECONDS', type(
        metrics.ACTION_SECONDS)('test_seconds', 'For this test.',
                                ['type', 'action'], registry=None))
    assert figures.current().action_seconds is None
    end_actions(1, 'COMPLETE', 1)
    end_actions(1, 'FAILED', 4, kind='Test::Other')
    assert figures.current().action_seconds == 2.5


def test_rate_is_that_of_the_last_minute(clock):
    end_actions(30, 'COMPLETE')
    clock[0] += 50
    end_actions(30, 'FAILED')
    assert figures.current().actions_per_second == 1
    clock[0] += 30
    assert figures.current().actions_per_second == 0.5
    clock[0] += 60
    assert figures.current().actions_per_second == 0


def test_a_minute_is_all_that_is_kept(clock):
    for _i in range(200):
        clock[0] += 1
        end_actions(1, 'COMPLETE')
    assert figures.current().actions_per_second == 1


@pytest.mark.parametrize(('status', 'failed'), [
    (200, 0), (302, 0), (404, 0), (500, 1), (503, 1), (None, 1)])
def test_only_a_service_that_is_in_trouble_has_failed(status, failed):
    before = figures.current()
    metrics.count_cloud_request(status)
    assert grown(before, 'cloud_requests') == 1
    assert grown(before, 'cloud_requests_failed') == failed


def test_statements_are_counted():
    before = figures.current()
    engine_setup.COUNTERS.add('statements', 3)
    assert grown(before, 'sql_statements') == 3


def test_the_process_itself():
    before = figures.current()
    assert before.memory_bytes > 2 ** 20
    end = before.cpu_seconds + 0.05
    while figures.current().cpu_seconds < end:
        math.factorial(2000)


def test_memory_may_be_unknown(monkeypatch, tmp_path):
    monkeypatch.setattr(figures, '_MEMORY', tmp_path / 'absent')
    assert figures.current().memory_bytes is None
