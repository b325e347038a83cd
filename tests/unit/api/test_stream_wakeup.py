"""Wake-ups travel from engines to all API processes that listen."""
import threading

import pytest

from heat.api.openstack.v1.streams import wakeup
from heat.common import context as heat_context
from heat.common import messaging
from heat.rpc import event_client


@pytest.fixture
def transport():
    messaging.setup('fake://')
    yield
    messaging.cleanup()


def receiver():
    woken = threading.Event()
    made = wakeup.Receiver(woken.set)
    made.start()
    return made, woken


def test_all_that_listen_are_woken(transport):
    context = heat_context.get_admin_context()
    client = event_client.EventClient()
    # While nobody listens it is dropped.
    client.stored(context)
    (first, one), (second, other) = receiver(), receiver()
    assert not one.is_set()
    assert client.stored(context)
    assert one.wait(30)
    assert other.wait(30)
    second.stop()
    one.clear()
    other.clear()
    client.stored(context)
    assert one.wait(30)
    assert not other.is_set()
    first.stop()


def test_events_come_without_a_broker_too():
    with pytest.raises(RuntimeError):
        messaging.get_rpc_server(None)
    made, woken = receiver()
    assert not woken.is_set()
    made.stop()


def test_wake_up_that_cannot_be_sent_is_dropped(transport, monkeypatch):
    client = event_client.EventClient()
    sent = []

    class Away:
        def cast(self, _context, method):
            sent.append(method)
            raise ConnectionError('away')

    monkeypatch.setattr(client, '_client', Away())
    assert not client.stored(heat_context.get_admin_context())
    assert sent == ['stored']
