"""Databases without rows, and types that have done nothing yet."""
import pytest

from tests.fakes import database
from tests.fakes import stack as fake_stack
from tests.unit.engine.lifecycle import remotes
from tests.unit.engine.lifecycle import things


@pytest.fixture
def no_things(monkeypatch):
    """Use a database without things."""
    database.emptied_sqlite()
    monkeypatch.setattr(things.Thing, 'asked', [])


@pytest.fixture
def script(monkeypatch):
    """Return what handlers of remotes do: {name: result or error}."""
    database.emptied_sqlite()
    monkeypatch.setattr(remotes.Remote, 'log', [])
    script = {}
    monkeypatch.setattr(remotes.Remote, 'script', script)
    return script


@pytest.fixture
def clock(monkeypatch):
    """Let time pass only when somebody waits."""
    return fake_stack.Clock(monkeypatch)


@pytest.fixture
def stack():
    """Return a stack of one remote, "r"."""
    return remotes.make_stack()


@pytest.fixture
def res(stack):
    """Return the stored remote of the stack."""
    return stack.stored('r')
