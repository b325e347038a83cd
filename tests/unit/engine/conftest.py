"""Fixtures that several modules here use."""
from tests.convergence.fixtures import make_world
from tests.convergence.fixtures import world

__all__ = ['make_world', 'world']
