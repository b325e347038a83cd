"""Fixtures that make worlds of simulated engines."""
import random

from oslo_config import cfg
import pytest

from heat.common import config
from heat.engine import environment
from tests.convergence import world as simulation


def configure():
    """Read an empty configuration.

    Policies are looked for in the directories of a configuration, which
    fails after tests of a service that leave none.
    """
    config.register_opts(cfg.CONF)
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])


@pytest.fixture
def make_world(monkeypatch):
    """Return a function that makes a world; leave no trace of it."""
    configure()

    def make(seed=0, **options):
        return simulation.World(monkeypatch, random.Random(seed), **options)

    yield make
    environment.set_global_env(None)


@pytest.fixture
def world(make_world):
    """Return a world of two engines."""
    return make_world()
