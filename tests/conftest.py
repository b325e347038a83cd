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
    """Have garbage collections leave out what stays to the end anyway.

    So many tests are many objects; each full collection looked at them all.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _leaves_the_global_environment(monkeypatch):
    """Restore the global environment, which later tests may rely on.

    A process fills it once, so one that a test left would stay to the end.
    """
    monkeypatch.setattr(environment, '_global_environment',
                        environment._global_environment)
