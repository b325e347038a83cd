"""The engine as a service: its calls, and how its parts stop."""
import inspect

import pytest

from heat.engine import service
from heat.rpc import api as rpc_api
from heat.rpc import client as rpc_client


class Asked(Exception):
    """What a client would have sent."""


#: What the client has besides the calls of the engine.
OWN = frozenset(['call', 'cast', 'make_msg', 'local_error_name',
                 'ignore_error_named', 'ignore_error_by_name'])
CALLS = sorted(
    name for name, _method in inspect.getmembers(rpc_client.EngineClient,
                                                 inspect.isfunction)
    if not name.startswith('_') and name not in OWN
    and hasattr(service.EngineService, name))


@pytest.fixture
def client(monkeypatch):
    """Return a client that raises what it would send."""
    def send(self, ctxt, msg, *_args, **_options):
        raise Asked(*msg)

    for name in ('call', 'cast'):
        monkeypatch.setattr(rpc_client.EngineClient, name, send)
    return object.__new__(rpc_client.EngineClient)


def test_there_are_many_calls():
    assert len(CALLS) > 60


@pytest.mark.parametrize('name', CALLS)
def test_engine_takes_what_clients_send(client, name):
    signature = inspect.signature(getattr(client, name))
    needed = [each.name for each in signature.parameters.values()
              if each.default is each.empty][1:]
    with pytest.raises(Asked) as asked:
        getattr(client, name)(None, **dict.fromkeys(needed))
    method, arguments = asked.value.args
    inspect.signature(getattr(service.EngineService, method)).bind(
        None, None, **arguments)


def test_version_is_that_of_the_protocol():
    assert service.EngineService.RPC_API_VERSION == rpc_api.RPC_API_VERSION


class Part:
    def __init__(self, error=None):
        self.error = error
        self.stopped = 0

    def stop(self):
        self.stopped += 1
        if self.error is not None:
            raise self.error


def test_a_part_that_does_not_stop_keeps_no_other_from_it(caplog):
    parts = [Part(), Part(OSError('stuck')), Part()]
    stopped = list(parts)
    service._stop_together(parts)
    assert [each.stopped for each in stopped] == [1, 1, 1]
    assert parts == []
    assert caplog.text.count('Stopping Part failed') == 1
    # A second stop has nothing left to do.
    service._stop_together(parts)
    assert [each.stopped for each in stopped] == [1, 1, 1]
