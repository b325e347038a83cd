"""The package of this directory, and what a service has answered."""
import json
import pathlib
import sys
import warnings

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

with warnings.catch_warnings():
    # The client libraries use what others have deprecated.
    warnings.simplefilter('ignore')
    import heatclient.client  # noqa: F401
    from openstackclient import shell  # noqa: F401


@pytest.fixture
def recorded():
    """Return a function that reads an answer of a service."""
    def read(name):
        return json.loads((HERE / 'recorded' / f'{name}.json').read_text())

    return read
