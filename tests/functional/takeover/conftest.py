"""Fixtures of the tests that take over what Heat left."""
import logging

import pytest


@pytest.fixture(autouse=True)
def _no_errors(caplog):
    """Fail a test in which the service logs an error."""
    yield
    errors = [record.getMessage() for record in caplog.get_records('call')
              if record.levelno >= logging.ERROR]
    assert not errors, errors
