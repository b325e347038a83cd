"""Fixtures that several modules here use."""
import pytest

from heat.common import request_budget
from heat.engine.clients import kept_answers
from heat.engine.clients import shared_looks
from tests.convergence.fixtures import make_world
from tests.convergence.fixtures import world
from tests.fakes import stacks

__all__ = ['make_world', 'world']


@pytest.fixture(autouse=True)
def _nobody_waits():
    """Forget who waited for things of the same project before, and answers.
    """
    shared_looks.LOOKS.forget()
    kept_answers.KEPT.forget()


@pytest.fixture(params=['legacy', 'convergence'])
def engine(request, monkeypatch):
    """Return what carries stacks through their actions, for each driver."""
    return stacks.Engine(
        monkeypatch, convergence=request.param == 'convergence')


@pytest.fixture
def set_limits():
    """Return a function that sets the limits of expressions."""
    def set_limits(**values):
        request_budget.configure(request_budget.Limits(**values))

    before = request_budget.limits()
    set_limits()
    yield set_limits
    request_budget.configure(before)
