"""Caches shared between requests, as operators configure them."""
import threading

from oslo_cache import core
from oslo_config import cfg

from heat.common import config

_region = None
_lock = threading.Lock()


def register_cache_configurations(conf):
    """Make the options of oslo.cache known, and ours with them."""
    core.configure(conf)
    config.register_opts(conf)
    return conf


def get_cache_region():
    """Return the configured cache region of this process."""
    global _region
    with _lock:
        if _region is None:
            conf = register_cache_configurations(cfg.CONF)
            _region = core.configure_cache_region(conf, core.create_region())
        return _region


def reset():
    """Forget the region, for the configuration has changed."""
    global _region
    with _lock:
        _region = None
