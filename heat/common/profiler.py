"""Tracing of requests by osprofiler."""
from oslo_config import cfg
from oslo_log import log as logging
from osprofiler import initializer
from osprofiler import opts
from osprofiler import web

from heat.common import context

LOG = logging.getLogger(__name__)


def setup(binary, host, conf=cfg.CONF):
    """Switch tracing on or off for this process, as configured."""
    opts.set_defaults(conf)
    if not conf.profiler.enabled:
        web.disable()
        return
    initializer.init_from_conf(
        conf=conf, context=context.get_admin_context().to_dict(),
        project='heat', service=binary, host=host)
    LOG.info('Tracing of requests is on; it is triggered by requests that '
             'are signed with one of the keys in [profiler] hmac_keys')
