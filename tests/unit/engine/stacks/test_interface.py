"""What the core asks of stacks and resources is what these have."""
import pytest

from heat.engine.stacks import interface
from tests.fakes import stacks

TEMPLATE = """
resources:
  a: {type: Test::Thing, properties: {value: v}}
"""


@pytest.fixture
def stack(monkeypatch):
    engine = stacks.Engine(monkeypatch)
    return engine.reload(engine.create(TEMPLATE))


def members(protocol):
    """Return the members that a protocol states."""
    stated = {name for part in protocol.__mro__[:-1]
              for name in (*vars(part),
                           *vars(part).get('__annotations__', ()))}
    return {name for name in stated
            if not name.startswith(('__', '_abc_', '_is_'))}


def missing(thing, protocol):
    found = members(protocol)
    assert 'name' in found or 'give_up' in found
    return {name for name in found if not hasattr(thing, name)}


def test_a_stored_stack_has_all_that_is_asked_of_stacks(stack):
    assert missing(stack, interface.Stack) == set()
    assert missing(stack.resources, interface.Resources) == set()


def test_a_stored_resource_has_all_that_is_asked_of_resources(stack):
    assert missing(stack['a'], interface.Resource) == set()
