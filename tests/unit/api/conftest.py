"""Fixtures of the tests of the APIs."""
from oslo_config import cfg
import pytest

from heat.common import policy
from tests.fakes import rest
from tests.fakes import rpc


@pytest.fixture
def engine():
    """Return an engine without answers."""
    return rpc.FakeEngineClient()


@pytest.fixture
def api(engine):
    """Return an API asked by a member of the project p."""
    # Policy looks for its file, which needs a configuration that was read.
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    policy.reset()
    yield rest.Api(engine)
    policy.reset()
