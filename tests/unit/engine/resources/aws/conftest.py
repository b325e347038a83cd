"""Fixtures: what servers of EC2 are made of, in memory."""
from tests.unit.engine.resources.openstack.nova import conftest

world = conftest.world
