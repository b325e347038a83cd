"""Caches shared between requests, as operators configure them."""
import functools

from oslo_cache import core
from oslo_config import cfg

from heat.common import config


def register_cache_configurations(conf):
    """Make the options of oslo.cache known, and ours with them."""
    core.configure(conf)
    config.register_opts(conf)
    return conf


@functools.cache
def get_cache_region():
    """Return the configured cache region of this process."""
    conf = register_cache_configurations(cfg.CONF)
    return core.configure_cache_region(conf, core.create_region())


def reset():
    """Forget the region, for the configuration has changed."""
    get_cache_region.cache_clear()
