"""Fixtures: each pipeline in front of a fake engine, Keystone, an attacker.

A test module takes the names it uses from here.
"""
import pytest

from tests.security import identity_service
from tests.security import pipelines


@pytest.fixture(scope='module')
def keystone():
    """Return the Keystone of the configuration."""
    served = identity_service.Keystone()
    with served.served() as served.url:
        yield served


@pytest.fixture(scope='module')
def attacker():
    """Return a server that nobody must ever ask anything."""
    served = identity_service.Attacker()
    with served.served() as served.url:
        yield served
    assert served.asked == []


@pytest.fixture(scope='module')
def front(chosen, keystone, tmp_path_factory):
    """Return an API with the pipeline that the module has chosen."""
    with pytest.MonkeyPatch.context() as patch:
        yield pipelines.Front(chosen, keystone.url, patch,
                              tmp_path_factory.mktemp('front'))
    pipelines.forget()
