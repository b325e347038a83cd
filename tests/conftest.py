"""What all tests have in common."""
import gc

import hypothesis

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
