"""Run the APIs as processes of their own; no engine is in them."""
from oslo_config import cfg

from heat.cmd import launcher
from heat.cmd import local_reading
from heat.cmd import pipeline
from heat.cmd import preflight
from heat.cmd import reporting
from heat.cmd import settings
from heat.common import broker_probe
from heat.common import lazy
from heat.common import profiler
from heat.common import wsgi_server

# Loaded by the child that runs them only.
checks = lazy.module('heat.cmd.checks')

CONF = cfg.CONF


def _prepare(name, group):
    """See that an API can serve before processes are made."""
    preflight.examine(lambda: checks.for_api(name, group))
    preflight.look_once('the broker', broker_probe.check)
    local_reading.prepare()
    profiler.setup(name, CONF.host)


@reporting.one_line
def run_api(argv=None):
    """Serve the REST API; return the exit code."""
    return _run('heat-api', 'heat_api', argv)


@reporting.one_line
def run_api_cfn(argv=None):
    """Serve the CloudFormation-compatible API; return the exit code."""
    return _run('heat-api-cfn', 'heat_api_cfn', argv)


@reporting.one_line
def run_api_cloudwatch(argv=None):
    """Serve the CloudWatch-compatible API; return the exit code."""
    return _run('heat-api-cloudwatch', 'heat_api_cloudwatch', argv)


def _run(name, group, argv):
    settings.parse(name, argv)
    _prepare(name, group)
    server = wsgi_server.Server(group, name=name)
    # Before there are processes: they share the port, none can find it
    # taken, and what waits to be accepted outlives the one that dies.
    server.listen()

    def part():
        server.application = pipeline.application(name)
        return server

    return launcher.run(name, part,
                        launcher.default_workers(CONF[group].workers),
                        with_database=CONF.api_reads_database)
