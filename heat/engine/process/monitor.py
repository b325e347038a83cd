"""The HTTP endpoint of an engine for operators: health and metrics.

Off unless [engine_monitor] bind_port is configured. There is no more to it
than two paths; who may reach the port may read them.
"""
from collections.abc import Iterable
import types
from typing import Any
from wsgiref import types as wsgi_types

from oslo_config import cfg

from heat.common import context as heat_context
from heat.common import health
from heat.common import metrics
from heat.common import wsgi_server
from heat.engine.cluster import interface as cluster_interface
from heat.engine.convergence import runner as traversal_runner
from heat.engine.process import load
from heat.engine.tasks import periodic

#: Seconds between two looks at how much there is to do.
_INTERVAL = 5
_UNWELL = 'UNAVAILABLE\n'
_WELL = 'OK\n'

_RUNNING = metrics.gauge('heat_engine_nodes_in_flight',
                         'Resources that are being visited.')
_QUEUED = metrics.gauge('heat_engine_nodes_queued',
                        'Resources that are ready and wait for their turn.')
_TASKS = metrics.gauge('heat_engine_tasks',
                       'Tasks that have not ended, by what they do.',
                       ['state'])
_WRITES = metrics.gauge('heat_engine_writes_queued',
                        'Writes that wait for the next commit.')


class Monitor(periodic.Periodic):
    """A small HTTP server beside the engine.

    :param engine_context: how much there is to do; its client reaches
        ourselves by the broker
    :param runner: that of the engine's traversals
    :param endpoint: service_health.Health
    """

    name = 'heat-monitor'
    failure = 'Looking up how much there is to do failed'

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 runner: traversal_runner.TraversalRunner, endpoint: Any
                 ) -> None:
        super().__init__()
        self._engine = engine_context
        self._health = endpoint
        self._broker = health.Watch('The broker', self._ask_broker)
        self._runner = runner
        self._server: Any = None
        metrics.on_scrape('engine', self.run_once)

    def start(self) -> None:
        """Listen, if there is a port to listen on."""
        options = cfg.CONF.engine_monitor
        if options.bind_port is None:
            return
        self._server = wsgi_server.Server(types.SimpleNamespace(
            bind_host=options.bind_host, bind_port=options.bind_port,
            workers=1, backlog=16, threads=4, cert_file=None,
            key_file=None, max_header_line=8192, tcp_keepidle=60,
            client_socket_timeout=60), self.application,
            'heat-engine-monitor',
            # Several engines of a machine have the same port.
            shares_port=True)
        self._server.start()
        super().start()

    def stop(self) -> None:
        """Listen no more."""
        super().stop()
        if self._server is not None:
            self._server.stop(timeout=2)
            self._server = None

    def interval(self) -> float:
        """Return the seconds between two looks.

        They are for the others: the process that is asked looks at once,
        but it may be another one.
        """
        return _INTERVAL

    def application(self, environ: wsgi_types.WSGIEnvironment,
                    start_response: wsgi_types.StartResponse
                    ) -> Iterable[bytes]:
        """Answer a request."""
        heat_context.forget()
        path = environ.get('PATH_INFO', '').rstrip('/')
        if path == '/metrics':
            shown: Iterable[bytes] = metrics.application(
                environ, start_response)
            return shown
        if path != '/healthcheck':
            return _answer(start_response, '404 Not Found', '')
        if self._health.trouble(None) or self._broker.trouble():
            return _answer(start_response, '503 Service Unavailable',
                           _UNWELL)
        return _answer(start_response, '200 OK', _WELL)

    def _ask_broker(self) -> str | None:
        """Return what keeps a message from getting back to us, or None."""
        trouble: str | None = self._engine.listener_client.trouble(
            heat_context.get_admin_context(), self._engine.engine_id)
        return trouble

    def run_once(self) -> None:
        """Look up how much there is to do."""
        found = load.current(self._engine, self._runner)
        _TASKS.labels('ready').set(found.tasks_ready)
        _TASKS.labels('waiting').set(found.tasks_waiting)
        _WRITES.set(found.writes_queued)
        _RUNNING.set(found.resources_in_flight)
        _QUEUED.set(found.resources_queued)


def _answer(start_response: wsgi_types.StartResponse, status: str, text: Any
            ) -> list[bytes]:
    body = text.encode()
    start_response(status, [('Content-Type', 'text/plain'),
                            ('Content-Length', str(len(body)))])
    return [body]
