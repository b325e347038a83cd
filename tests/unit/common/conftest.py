"""Fixtures of the tests of heat.common."""
import contextlib

from oslo_config import cfg
import pytest

from heat.common import config
from tests import serving


class Settings:
    """Sets options for the length of a test."""

    def __init__(self, conf):
        self._conf = conf
        self._changed = []

    def set(self, group=None, **values):
        """Set options of a group."""
        for name, value in values.items():
            self._conf.set_override(name, value, group=group)
            self._changed.append((name, group))

    def clear(self):
        """Undo everything."""
        for name, group in self._changed:
            self._conf.clear_override(name, group=group)
        self._changed.clear()


@pytest.fixture
def conf():
    """Return what sets options until the test ends."""
    config.register_opts()
    # Looking for files needs a configuration that was read.
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    settings = Settings(cfg.CONF)
    yield settings
    settings.clear()


@pytest.fixture
def serve():
    """Return a function that lets a socket server serve until the end."""
    with contextlib.ExitStack() as ending:
        yield lambda server: ending.enter_context(serving.serving(server))
