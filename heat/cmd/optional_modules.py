"""Modules that only some options need, and the extras that bring them."""
import importlib.util

from oslo_config import cfg

#: Value of [cache] backend -> (module, extra of this distribution).
CACHES = {
    'dogpile.cache.bmemcached': ('bmemcached', 'bmemcached'),
    'dogpile.cache.memcached': ('memcache', 'memcache'),
    'dogpile.cache.pylibmc': ('pylibmc', 'pylibmc'),
    'dogpile.cache.pymemcache': ('pymemcache', 'pymemcache'),
    'dogpile.cache.redis': ('redis', 'redis'),
    'dogpile.cache.redis_cluster': ('redis', 'redis'),
    'dogpile.cache.redis_sentinel': ('redis', 'redis'),
    'dogpile.cache.valkey': ('valkey', 'valkey'),
    'dogpile.cache.valkey_cluster': ('valkey', 'valkey'),
    'dogpile.cache.valkey_sentinel': ('valkey', 'valkey'),
    'oslo_cache.etcd3gw': ('etcd3gw', 'etcd3gw'),
    'oslo_cache.memcache_pool': ('memcache', 'memcache'),
}

#: Driver in [database] connection -> the same.
DATABASES = {
    'mysqldb': ('MySQLdb', 'mysqlclient'),
    'psycopg': ('psycopg', 'psycopg'),
}

#: Transport in transport_url -> the same.
TRANSPORTS = {'kafka': ('confluent_kafka', 'kafka')}

#: Scheme of [profiler] connection_string -> the same.
PROFILERS = {
    'elasticsearch': ('elasticsearch', 'elasticsearch'),
    'mongodb': ('pymongo', 'mongodb'),
    'otlp': ('opentelemetry', 'otlp'),
    'redis': ('redis', 'redis'),
    'redissentinel': ('redis', 'redis'),
}



def missing(option, module, extra):
    """Return the sentence for the operator, or None if it is installed."""
    if importlib.util.find_spec(module) is not None:
        return None
    return (f'{option} needs the Python module {module}, which is not '
            f'installed; pip install openstack-heat[{extra}]')


def of_log(conf=cfg.CONF):
    """Return what logging as it is configured lacks, as a list."""
    found = conf.use_journal and missing(
        '[DEFAULT] use_journal', 'systemd', 'journald')
    return [found] if found else []


def of_cache(conf=cfg.CONF):
    """Return what [cache] lacks; its options have to be registered."""
    if not conf.cache.enabled:
        return []
    backend = conf.cache.backend
    option = f'[cache] backend = {backend}'
    if backend in CACHES:
        module, extra = CACHES[backend]
        if backend == 'oslo_cache.memcache_pool' and (
                conf.cache.memcache_sasl_enabled):
            module, extra = 'bmemcached', 'bmemcached'
        found = missing(option, module, extra)
        return [found] if found else []
    return []


def of_tokens(conf=cfg.CONF):
    """Return what [keystone_authtoken] lacks."""
    group = conf.keystone_authtoken
    if not group.memcached_servers:
        return []
    option = '[keystone_authtoken] memcached_servers'
    found = (missing(option, 'bmemcached', 'bmemcached')
             if group.memcache_sasl_enabled or group.memcache_tls_enabled
             else missing(option, 'memcache', 'memcache'))
    return [found] if found else []


def of_database(conf=cfg.CONF):
    """Return what [database] connection lacks."""
    name = (conf.database.connection or '').partition('://')[0]
    driver = name.partition('+')[2]
    if driver not in DATABASES:
        return []
    found = missing(f'[database] connection = {name}://...',
                    *DATABASES[driver])
    return [found] if found else []


def of_transport(transport):
    """Return what a transport of oslo.messaging lacks."""
    if transport not in TRANSPORTS:
        return []
    found = missing(f'[DEFAULT] transport_url = {transport}://...',
                    *TRANSPORTS[transport])
    return [found] if found else []


def of_profiler(conf=cfg.CONF):
    """Return what [profiler] lacks."""
    if not conf.profiler.enabled:
        return []
    text = conf.profiler.connection_string
    scheme = text.partition(':')[0].partition('+')[0]
    if scheme not in PROFILERS:
        return []
    found = missing(f'[profiler] connection_string = {scheme}://...',
                    *PROFILERS[scheme])
    return [found] if found else []
