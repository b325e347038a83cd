"""Run the APIs as processes of their own; no engine is in them."""
from oslo_config import cfg

from heat.cmd import launcher
from heat.cmd import pipeline
from heat.cmd import settings
from heat.common import profiler
from heat.common import wsgi_server

CONF = cfg.CONF


@launcher.complains
def run_api(argv=None):
    """Serve the REST API; return the exit code."""
    settings.parse('heat-api', argv)
    profiler.setup('heat-api', CONF.host)
    pipeline.check('heat-api')
    return launcher.run(
        'heat-api', lambda: wsgi_server.Server(
            'heat_api', pipeline.application('heat-api'), 'heat-api'),
        launcher.default_workers(CONF.heat_api.workers))


@launcher.complains
def run_api_cfn(argv=None):
    """Serve the CloudFormation-compatible API; return the exit code."""
    settings.parse('heat-api-cfn', argv)
    profiler.setup('heat-api-cfn', CONF.host)
    pipeline.check('heat-api-cfn')
    return launcher.run(
        'heat-api-cfn', lambda: wsgi_server.Server(
            'heat_api_cfn', pipeline.application('heat-api-cfn'),
            'heat-api-cfn'),
        launcher.default_workers(CONF.heat_api_cfn.workers))
