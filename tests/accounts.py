"""Keep what whoever runs the tests has set for a cloud out of the tests."""
import contextlib
import os

import pytest

_HERE = '127.0.0.1,localhost'


@contextlib.contextmanager
def forgotten(directory):
    """Let clients know of no cloud, nor of a proxy on the way to here.

    :param directory: where to write what stands for the settings of a user.
    """
    settings = directory / 'clouds.yaml'
    settings.write_text('clouds: {}\n')
    with pytest.MonkeyPatch.context() as patch:
        for name in [each for each in os.environ if each.startswith('OS_')]:
            patch.delenv(name)
        # The first of several files that there is counts.
        patch.setenv('OS_CLIENT_CONFIG_FILE', str(settings))
        for name in 'no_proxy', 'NO_PROXY':
            patch.setenv(name, _HERE)
        yield
