"""Run the services as processes of their own, several of each if asked."""
import functools
import os
import sys

from oslo_config import cfg
from oslo_log import log as logging
from oslo_service import service

from heat.cmd import counters
from heat.cmd import pipeline
from heat.cmd import settings
from heat.common import config
from heat.common import exception
from heat.common import messaging
from heat.common import profiler
from heat.common import wsgi_server
from heat.db import api as db_api
from heat.engine import service as engine_service
from heat.rpc import api as rpc_api

CONF = cfg.CONF
LOG = logging.getLogger(__name__)


class Process(service.ServiceBase):
    """What the launcher runs in each process: connect, then start a part.

    Connections are made after the fork, never inherited.
    """

    def __init__(self, make_part, *, with_database=False):
        self._make_part = make_part
        self._with_database = with_database
        self._part = None

    def start(self):
        """Connect to what is needed and start serving."""
        if self._with_database:
            db_api.configure()
        messaging.setup()
        counters.publish()
        self._part = self._make_part()
        self._part.start()

    def stop(self):
        """Serve no more, and close what was opened."""
        if self._part is not None:
            self._part.stop()
            messaging.cleanup()

    def wait(self):
        """Return when the part has ended."""
        if self._part is not None:
            self._part.wait()

    def reset(self):
        """Take over what can change while running (SIGHUP)."""
        logging.setup(CONF, 'heat')


def _default_workers(configured):
    return configured or max(1, os.cpu_count() or 1)


def _complains(main):
    """Turn a configuration that cannot work into a message and exit 1."""
    @functools.wraps(main)
    def wrapped(argv=None):
        try:
            return main(argv)
        except exception.Error as error:
            print(f'ERROR: {error}', file=sys.stderr)
            return 1
    return wrapped


def _run(make_part, workers, **kwargs):
    process = Process(make_part, **kwargs)
    return service.launch(CONF, process, workers=workers,
                          restart_method='mutate').wait() or 0


@_complains
def run_engine(argv=None):
    """Run engines; return the exit code."""
    settings.parse('heat-engine', argv)
    config.startup_sanity_check()
    profiler.setup('heat-engine', CONF.host)
    return _run(lambda: engine_service.EngineService(
        CONF.host, rpc_api.ENGINE_TOPIC),
        _default_workers(CONF.num_engine_workers), with_database=True)


@_complains
def run_api(argv=None):
    """Serve the REST API; return the exit code."""
    settings.parse('heat-api', argv)
    profiler.setup('heat-api', CONF.host)
    pipeline.check('heat-api')
    return _run(lambda: wsgi_server.Server(
        'heat_api', pipeline.application('heat-api'), 'heat-api'),
        _default_workers(CONF.heat_api.workers))


@_complains
def run_api_cfn(argv=None):
    """Serve the CloudFormation-compatible API; return the exit code."""
    settings.parse('heat-api-cfn', argv)
    profiler.setup('heat-api-cfn', CONF.host)
    pipeline.check('heat-api-cfn')
    return _run(lambda: wsgi_server.Server(
        'heat_api_cfn', pipeline.application('heat-api-cfn'),
        'heat-api-cfn'),
        _default_workers(CONF.heat_api_cfn.workers))
