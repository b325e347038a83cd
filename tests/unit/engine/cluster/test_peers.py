"""The periodic check for other engines."""
import pytest

from heat.common import context as heat_context
from heat.engine.cluster import peers
from heat.objects import service as service_objects
from tests.fakes import stack as fake_stack


@pytest.fixture
def engines(monkeypatch):
    """Return the engines that are alive; a list of each look at them."""
    alive, looks = set(), []

    def look(context):
        looks.append(context)
        return set(alive)

    monkeypatch.setattr(service_objects.Service, 'alive_engines', look)
    return alive, looks


@pytest.fixture
def clock(monkeypatch):
    return fake_stack.Clock(monkeypatch)


CONTEXT = heat_context.get_admin_context()


@pytest.mark.parametrize(('alive', 'answer'), [
    ((), False), (('me',), False), (('me', 'other'), True),
    (('other',), True)])
def test_others_count_and_oneself_does_not(engines, alive, answer):
    engines[0].update(alive)
    assert peers.Peers('me').are_alive(CONTEXT) is answer


def test_the_list_is_read_again_after_a_while(engines, clock):
    alive, looks = engines
    asking = peers.Peers('me')
    assert not asking.are_alive(CONTEXT)
    alive.add('other')
    clock.sleep(4.9)
    assert not asking.are_alive(CONTEXT)
    assert len(looks) == 1
    clock.sleep(0.2)
    assert asking.are_alive(CONTEXT)
    assert len(looks) == 2


def test_a_look_that_fails_is_not_repeated_at_once(monkeypatch, clock):
    def fail(context):
        raise ConnectionError

    monkeypatch.setattr(service_objects.Service, 'alive_engines', fail)
    asking = peers.Peers('me')
    with pytest.raises(ConnectionError):
        asking.are_alive(CONTEXT)
    # Alone until the next look.
    assert asking.are_alive(CONTEXT) is False
