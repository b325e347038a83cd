"""Fixtures of the simulated engines, and how much is simulated."""
from tests.convergence.fixtures import make_world
from tests.convergence.fixtures import world

__all__ = ['make_world', 'world']


def pytest_addoption(parser):
    """Let whoever runs the tests ask for more stories, or for others.

    By default there are so many as take some seconds; the functional tests
    of tox have thousands.
    """
    parser.addoption('--runs', type=int, default=96,
                     help='how many stories of a stack are simulated')
    parser.addoption('--story-seed', type=int, default=0,
                     help='which stories are simulated')
