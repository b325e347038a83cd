"""Run engines as processes of their own."""
from oslo_config import cfg

from heat.cmd import launcher
from heat.cmd import settings
from heat.common import config
from heat.common import profiler
from heat.db import session
from heat.engine import service as engine_service
from heat.rpc import api as rpc_api

CONF = cfg.CONF


@launcher.complains
def run_engine(argv=None):
    """Run engines; return the exit code."""
    settings.parse('heat-engine', argv)
    config.startup_sanity_check()
    if profiler.is_enabled():
        profiler.setup('heat-engine', CONF.host)
        if CONF.profiler.trace_sqlalchemy:
            session.trace_statements()
    return launcher.run(
        'heat-engine', lambda: engine_service.EngineService(
            CONF.host, rpc_api.ENGINE_TOPIC),
        launcher.default_workers(CONF.num_engine_workers),
        with_database=True)
