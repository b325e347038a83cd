"""What all tests have in common."""
import gc


def pytest_collection_finish():
    """Have garbage collections leave out what stays to the end anyway.

    So many tests are many objects; each full collection looked at them all.
    """
    gc.collect()
    gc.freeze()
