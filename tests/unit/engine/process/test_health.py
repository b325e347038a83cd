"""Whether an engine can work, for those who ask."""
import pytest

from heat.engine.process import health
from heat.objects import transaction


@pytest.fixture
def ping(monkeypatch):
    """Return what the database answers to a ping, as a list."""
    answers = []

    def ping():
        if answers and isinstance(answers[-1], Exception):
            raise answers[-1]

    monkeypatch.setattr(transaction, 'ping', ping)
    return answers


def test_engine_that_is_well(ping):
    assert health.Health().trouble(None) is None


def test_database_that_is_away(ping):
    ping.append(ConnectionError('db:3306 is away'))
    endpoint = health.Health()
    # Nobody learns where it is.
    assert endpoint.trouble(None) == 'the database cannot be reached'
    assert endpoint.standstill() is None


def test_part_that_stands_still_is_named_first(ping):
    ping.append(ConnectionError())
    endpoint = health.Health(lambda: 'the task pool')
    assert endpoint.trouble(None) == 'the task pool makes no progress'
