"""Fixtures that several modules here use."""
import types

import pytest

from heat.common import timeutils


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that only the test sets."""
    now = types.SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now.seconds)
    return now
