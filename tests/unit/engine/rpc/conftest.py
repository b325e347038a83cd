"""An engine whose calls are made in the test's own thread."""
import pytest

from tests.fakes import stacks


@pytest.fixture
def engine(monkeypatch):
    """Return an engine with a database without rows."""
    return stacks.Engine(monkeypatch)
