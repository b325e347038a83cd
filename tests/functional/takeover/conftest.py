"""Fixtures of the tests that take over what Heat left."""
import logging

import pytest

from tests.functional.takeover import stories


def pytest_generate_tests(metafunc):
    """Let the tests of a family of types have each of its stacks."""
    if 'name' in metafunc.fixturenames and hasattr(metafunc.cls, 'KINDS'):
        metafunc.parametrize('name', [
            name for name, (_kind, case) in stories.possible(
                metafunc.cls.KINDS).items() if metafunc.function.suits(case)])


@pytest.fixture(autouse=True)
def _no_errors(caplog):
    """Fail a test in which the service logs an error."""
    yield
    errors = [record.getMessage() for record in caplog.get_records('call')
              if record.levelno >= logging.ERROR]
    assert not errors, errors


@pytest.fixture(scope='class')
def world(request, tmp_path_factory):
    """Return the service over the stacks of a family of types."""
    with stories.taken_over(tmp_path_factory.mktemp('heat'),
                            request.cls.KINDS) as made:
        yield made
