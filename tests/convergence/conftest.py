"""Fixtures of the simulated engines."""
from tests.convergence.fixtures import make_world
from tests.convergence.fixtures import world

__all__ = ['make_world', 'world']
