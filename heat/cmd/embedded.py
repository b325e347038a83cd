"""API and engine in one process: SQLite, in-process RPC, no token.

Needs no configuration file. Everyone who reaches the port is an
administrator, so it listens on this machine only unless allow_remote is on.
"""
import os
import signal
import threading

from oslo_config import cfg
from oslo_log import log as logging

from heat.cmd import backend
from heat.cmd import counters
from heat.cmd import local_reading
from heat.cmd import pipeline
from heat.cmd import preflight
from heat.cmd import report
from heat.cmd import reporting
from heat.cmd import settings
from heat.common import broker_probe
from heat.common import config
from heat.common import exception
from heat.common import lazy
from heat.common import local_requests
from heat.common import messaging
from heat.common import startup
from heat.common import wsgi_server
from heat.db import api as db_api
from heat.db import migration
from heat.db import probe
from heat.engine import resources
from heat.engine import service as engine_service
from heat.engine.process import watchdog
from heat.engine.resources import plugin_loader
from heat.rpc import api as rpc_api

# Loaded by the child that runs them only.
checks = lazy.module('heat.cmd.checks')

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

_APIS = ('heat_api', 'heat_api_cfn', 'heat_api_cloudwatch')

CLI_OPTIONS = [
    cfg.HostAddressOpt('bind-host', help='Address the API listens on; '
                                         '127.0.0.1 when not configured.'),
    cfg.PortOpt('bind-port', help='Port the API listens on; '
                                  '8004 when not configured.'),
    cfg.BoolOpt('allow-remote', default=False,
                help='Allow listening on an address that other machines '
                     'reach, although nobody has to authenticate: everyone '
                     'who reaches the port is an administrator.'),
]


def _configure(argv):
    CONF.register_cli_opts(CLI_OPTIONS)
    for group in _APIS:
        CONF.set_default('bind_host', '127.0.0.1', group)
        CONF.set_default('workers', 1, group)
    CONF.set_default('use_stderr', True)
    settings.parse('heat-all', argv)
    preflight.examine(lambda: [checks.options], meanwhile=_load)
    if CONF.bind_host:
        for group in _APIS:
            CONF.set_override('bind_host', CONF.bind_host, group)
    if CONF.bind_port:
        CONF.set_override('bind_port', CONF.bind_port, 'heat_api')
    settings.embedded_defaults(CONF)
    check_addresses()
    config.startup_sanity_check()


def _load():
    """Import what the service needs sooner or later.

    On several cores a start takes less time if that happens while the
    configuration is examined.
    """
    for _module in plugin_loader.builtin_modules(resources):
        pass


def check_addresses():
    """Raise Error if others would be administrators unintentionally."""
    if CONF.paste_deploy.flavor != 'noauth' or CONF.allow_remote:
        return
    for group in _APIS if CONF.cloudwatch.enabled else _APIS[:2]:
        host = CONF[group].bind_host
        if not local_requests.is_loopback(host):
            raise exception.Error(
                f'[{group}] bind_host is {host}, which other machines may '
                'reach, and nobody has to authenticate. Listen on 127.0.0.1, '
                'choose a pipeline by [paste_deploy] flavor that '
                'authenticates, or allow this by --allow-remote.')


class Embedded:
    """The whole service in this process."""

    def __init__(self):
        backend.prepare_connections(CONF.database.connection)
        db_api.configure()
        migration.db_sync()
        has_broker = settings.is_configured(CONF, 'transport_url')
        messaging.setup(url=None if has_broker else 'fake://')
        self._api = wsgi_server.Server('heat_api', name='heat-api')
        self._cfn: wsgi_server.Server | None = wsgi_server.Server(
            'heat_api_cfn', name='heat-api-cfn')
        self._cloudwatch = wsgi_server.Server(
            'heat_api_cloudwatch', name='heat-api-cloudwatch'
            ) if CONF.cloudwatch.enabled else None
        self._engine = engine_service.EngineService(
            CONF.host, rpc_api.ENGINE_TOPIC, alone=not has_broker,
            native=watchdog.Native(*backend.native()))

    def start(self):
        """Take the ports, start the engine, then answer requests."""
        self._api.listen()
        self._listen_cfn()
        if self._cloudwatch is not None:
            self._cloudwatch.listen()
        self._engine.start()
        if CONF.api_reads_database:
            local_reading.begin()
        self._api.start(pipeline.application('heat-api', has_console=True))
        if self._cfn is not None:
            self._cfn.start(pipeline.application('heat-api-cfn'))
        if self._cloudwatch is not None:
            self._cloudwatch.start(
                pipeline.application('heat-api-cloudwatch'))
        backend.spare_collections()

    def _listen_cfn(self):
        """Take the port of the cfn API; do without if it is not free.

        Unless somebody has configured it: then it is wanted.
        """
        if self._cfn is None:
            return
        try:
            self._cfn.listen()
        except exception.Error as error:
            if settings.is_configured(CONF, 'bind_port', 'heat_api_cfn'):
                raise
            LOG.warning('The CloudFormation API is not served: %s', error)
            self._cfn = None

    def stop(self):
        """Answer what was asked, then stop the engine."""
        for server in (self._cloudwatch, self._cfn, self._api):
            if server is not None:
                server.stop(timeout=10)
        self._engine.stop(grace=10)
        messaging.cleanup()

    def reset(self):
        """Take over what can change while running."""
        self._engine.reset()


def _examine():
    """See that everything that is configured can work."""
    has_cfn = settings.is_configured(CONF, 'bind_port', 'heat_api_cfn')
    has_cloudwatch = CONF.cloudwatch.enabled
    groups = [group for group, is_served in zip(
        _APIS, (True, has_cfn, has_cloudwatch), strict=True) if is_served]
    preflight.examine(lambda: checks.for_embedded(
        groups, ['heat-api-cloudwatch'] if has_cloudwatch else []))
    preflight.wait_for('the database', probe.check)
    if settings.is_configured(CONF, 'transport_url'):
        preflight.wait_for('the broker', broker_probe.check)


@reporting.one_line
def main(argv=None):
    """Serve until SIGTERM or SIGINT; return the exit code."""
    _configure(argv)
    _examine()
    wake, wanted = threading.Event(), []

    def on_signal(number, _frame):
        wanted.append(number)
        wake.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    report.prepare('heat-all')
    report.watch('heat-all')
    try:
        both = Embedded()
        counters.publish()
        both.start()
    except Exception as error:
        if not isinstance(error, exception.Error):
            LOG.exception('Defect while starting')
        reporting.complain(startup.cause(error))
        # Parts that have started may have threads that nobody ends.
        os._exit(1)
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
