"""API and engine in one process: SQLite, in-process RPC, no token.

Needs no configuration file. Whoever reaches the port is an administrator,
so it listens on 127.0.0.1 unless told otherwise.
"""
import signal
import sys
import threading

from oslo_config import cfg
from oslo_log import log as logging

from heat.cmd import counters
from heat.cmd import pipeline
from heat.cmd import settings
from heat.common import config
from heat.common import exception
from heat.common import messaging
from heat.common import wsgi_server
from heat.db import api as db_api
from heat.db import migration
from heat.engine import service as engine_service
from heat.rpc import api as rpc_api

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

CLI_OPTIONS = [
    cfg.HostAddressOpt('bind-host', help='Address the API listens on; '
                                         '127.0.0.1 when not configured.'),
    cfg.PortOpt('bind-port', help='Port the API listens on; '
                                  '8004 when not configured.'),
]


def _configure(argv):
    CONF.register_cli_opts(CLI_OPTIONS)
    CONF.set_default('bind_host', '127.0.0.1', 'heat_api')
    CONF.set_default('workers', 1, 'heat_api')
    CONF.set_default('use_stderr', True)
    settings.parse('heat-all', argv)
    if CONF.bind_host:
        CONF.set_override('bind_host', CONF.bind_host, 'heat_api')
    if CONF.bind_port:
        CONF.set_override('bind_port', CONF.bind_port, 'heat_api')
    settings.embedded_defaults(CONF)
    config.startup_sanity_check()


class Embedded:
    """The whole service in this process."""

    def __init__(self):
        db_api.configure()
        migration.db_sync()
        has_broker = settings.is_configured(CONF, 'transport_url')
        messaging.setup(url=None if has_broker else 'fake://')
        self._api = wsgi_server.Server('heat_api', name='heat-api')
        self._engine = engine_service.EngineService(
            CONF.host, rpc_api.ENGINE_TOPIC, alone=not has_broker)

    def start(self):
        """Take the port, start the engine, then answer requests."""
        self._api.listen()
        self._engine.start()
        self._api.start(pipeline.application('heat-api'))

    def stop(self):
        """Answer what was asked, then stop the engine."""
        self._api.stop(timeout=10)
        self._engine.stop(grace=10)
        messaging.cleanup()

    def reset(self):
        """Take over what can change while running."""
        self._engine.reset()


def main(argv=None):
    """Serve until SIGTERM or SIGINT; return the exit code."""
    _configure(argv)
    wake, wanted = threading.Event(), []

    def on_signal(number, _frame):
        wanted.append(number)
        wake.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    try:
        both = Embedded()
        counters.publish()
        both.start()
    except exception.Error as error:
        print(f'ERROR: {error}', file=sys.stderr)
        return 1
    try:
        while True:
            # Signals are noticed between waits on every backend.
            wake.wait(1)
            wake.clear()
            while wanted:
                if wanted.pop(0) != signal.SIGHUP:
                    return 0
                both.reset()
    finally:
        both.stop()
