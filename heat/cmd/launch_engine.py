"""Run engines as processes of their own."""
from oslo_config import cfg

from heat.cmd import backend
from heat.cmd import launcher
from heat.cmd import preflight
from heat.cmd import reporting
from heat.cmd import settings
from heat.common import broker_probe
from heat.common import config
from heat.common import lazy
from heat.common import profiler
from heat.db import session
from heat.engine import service as engine_service
from heat.engine.process import watchdog
from heat.rpc import api as rpc_api

# Loaded by the child that runs them only.
checks = lazy.module('heat.cmd.checks')

CONF = cfg.CONF


@reporting.one_line
def run_engine(argv=None):
    """Run engines; return the exit code."""
    settings.parse('heat-engine', argv)
    preflight.examine(lambda: checks.for_engine())
    config.startup_sanity_check()
    preflight.wait_for_database()
    preflight.wait_for('the broker', broker_probe.check)
    profiler.setup('heat-engine', CONF.host)
    if CONF.profiler.enabled and CONF.profiler.trace_sqlalchemy:
        session.trace_statements()
    return launcher.run(
        'heat-engine', lambda: engine_service.EngineService(
            CONF.host, rpc_api.ENGINE_TOPIC,
            native=watchdog.Native(*backend.native())),
        launcher.default_workers(CONF.num_engine_workers),
        with_database=True)
