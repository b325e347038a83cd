"""Health and figures of an engine over HTTP."""
import types

from oslo_config import cfg
import prometheus_client
import pytest

from heat.common import metrics
from heat.engine.process import load
from heat.engine.process import monitor


class Client:
    """Reaches ourselves by the broker, or does not."""

    def __init__(self):
        self.answer = None

    def trouble(self, context, engine_id):
        assert engine_id == 'engine'
        return self.answer


class Endpoint:
    answer = None

    def trouble(self, context):
        return self.answer


@pytest.fixture
def parts(monkeypatch):
    found = load.Load(
        tasks_ready=1, tasks_waiting=2, writes_queued=3,
        resources_in_flight=4, resources_queued=5, stacks=6)
    monkeypatch.setattr(load, 'current', lambda engine, runner: found)
    # The monitor registers itself there.
    monkeypatch.setattr(metrics, '_refreshers', {})
    client, endpoint = Client(), Endpoint()
    engine = types.SimpleNamespace(engine_id='engine', listener_client=client)
    return monitor.Monitor(engine, None, endpoint), client, endpoint


def asked(server, path):
    """Return (status, text) of an answer."""
    started = []
    body = server.application(
        {'PATH_INFO': path, 'REQUEST_METHOD': 'GET'},
        lambda status, headers: started.append((status, dict(headers))))
    text = b''.join(body).decode()
    status, headers = started[0]
    if 'Content-Length' in headers:
        assert int(headers['Content-Length']) == len(text)
    return int(status.split()[0]), text


def test_engine_that_is_well(parts):
    for path in ('/healthcheck', '/healthcheck/'):
        assert asked(parts[0], path) == (200, 'OK\n')


@pytest.mark.parametrize('part', [1, 2])
def test_engine_that_is_not_well_says_no_more(parts, part):
    parts[part].answer = 'db:3306 is away'
    assert asked(parts[0], '/healthcheck') == (503, 'UNAVAILABLE\n')


@pytest.mark.parametrize('path', ['', '/', '/other', '/healthcheck/x'])
def test_there_is_nothing_else(parts, path):
    assert asked(parts[0], path) == (404, '')


def test_figures_are_those_of_the_moment(parts):
    status, text = asked(parts[0], '/metrics')
    assert status == 200
    parts[0].run_once()
    figures = {
        ('heat_engine_tasks', 'ready'): 1,
        ('heat_engine_tasks', 'waiting'): 2,
        ('heat_engine_writes_queued', None): 3,
        ('heat_engine_nodes_in_flight', None): 4,
        ('heat_engine_nodes_queued', None): 5}
    for (name, state), value in figures.items():
        assert prometheus_client.REGISTRY.get_sample_value(
            name, {'state': state} if state else {}) == value
        assert name in text


def test_without_a_port_nobody_listens(parts):
    assert cfg.CONF.engine_monitor.bind_port is None
    parts[0].start()
    parts[0].stop()
