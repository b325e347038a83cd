"""Fixtures: the whole service behind a Keystone, and who uses it."""

import pytest

from tests import accounts
from tests.functional import conftest as functional
from tests.security import treasure as treasure_module
from tests.security import world as world_module

conf = functional.conf


@pytest.fixture(scope='module', autouse=True)
def _no_account(tmp_path_factory):
    with accounts.forgotten(tmp_path_factory.mktemp('account')):
        yield


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service with real tokens, keys and policies."""
    with pytest.MonkeyPatch.context() as patch, world_module.running(
            patch, tmp_path_factory.mktemp('world')) as running:
        yield running


@pytest.fixture(scope='module')
def victim(world):
    """Return the project whose property is at stake."""
    return world.project('victim')


@pytest.fixture(scope='module')
def attacker(world):
    """Return the project of somebody who is after it."""
    return world.project('attacker')


@pytest.fixture(scope='module')
def treasure(victim):
    """Return what the victim owns."""
    return treasure_module.Treasure.of(victim)


@pytest.fixture(scope='module')
def own(attacker):
    """Return what the attacker owns."""
    return treasure_module.Treasure.of(attacker)


@pytest.fixture(params=['convergence', 'legacy'])
def driver(request, conf, world):
    """Have new stacks driven by one driver, then by the other."""
    conf('convergence_engine', request.param == 'convergence')
    return request.param


@pytest.fixture
def rules(conf, tmp_path, world):
    """Return a function that has an operator's rules apply."""
    yield from functional.operator_rules(conf, tmp_path)
