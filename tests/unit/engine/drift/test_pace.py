"""What is read of each region is spaced out."""
import pytest

from heat.engine.drift import pace


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(pace.timeutils, 'wallclock', lambda: now[0])
    return now


def test_detections_of_a_region_share_its_pace(clock):
    found = pace.Pace()
    assert found.delay('north', 1, 2) == 0.5
    assert found.delay('north', 3, 2) == 2
    assert found.delay('south', 1, 2) == 0.5
    clock[0] += 1.5
    assert found.delay('north', 1, 2) == 1
    # What nobody has used is not saved up.
    clock[0] += 1000
    assert found.delay('north', 1, 2) == 0.5


def test_nothing_waits_without_a_limit_or_a_read(clock):
    found = pace.Pace()
    assert found.delay('north', 100, 0) == 0
    assert found.delay('north', 0, 2) == 0
    assert found.delay('north', 1, 2) == 0.5
