"""The rows of the recorded database, read through the records."""
import pytest

from tests.fakes import peer
from tests.fakes.peer_checks import *  # noqa: F403 (the tests)


@pytest.fixture(autouse=True)
def loaded(fresh_database):
    peer.load_rows()
