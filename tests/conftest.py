"""What all tests have in common."""
import gc

import hypothesis
import pytest

from heat.engine import environment

# How long an example takes depends on what else the machine does.
hypothesis.settings.register_profile(
    'heat', deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile('heat')


def pytest_collection_finish():
    """Begin the tests without what importing them has left.

    So many tests are many objects; each full collection looked at them all.
    Some modules read the global environment, which made an empty one.
    """
    environment.set_global_env(None)
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _leaves_the_global_environment():
    """Restore the global environment, which later tests may rely on.

    A process fills it once, so what a test sets would stay to the end. It
    does without monkeypatch, which would then be undone after all other
    fixtures of a test instead of in its turn.
    """
    before = environment._global_environment
    yield
    environment.set_global_env(before)
