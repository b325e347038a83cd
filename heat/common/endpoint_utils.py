"""Where Keystone is."""
import functools

from keystoneauth1 import discover
from keystoneauth1 import session as ks_session
from oslo_config import cfg

from heat.common import config


def _www_authenticate_uri(conf):
    """Return what the filter that checks tokens tells clients.

    It declares its options itself, and is large: engines do without it.
    """
    try:
        return conf.keystone_authtoken.www_authenticate_uri
    except cfg.NoSuchOptError:
        return _read_from(tuple(getattr(conf, 'config_file', None) or ()),
                          tuple(getattr(conf, 'config_dir', None) or ()))


@functools.lru_cache(maxsize=4)
def _read_from(files, directories):
    conf = cfg.ConfigOpts()
    conf.register_opt(cfg.StrOpt('www_authenticate_uri',
                                 deprecated_name='auth_uri'),
                      group='keystone_authtoken')
    conf(args=[], project='heat', default_config_files=list(files),
         default_config_dirs=list(directories))
    return conf.keystone_authtoken.www_authenticate_uri


def is_configured(conf=cfg.CONF):
    """Tell whether it is configured where Keystone is."""
    return bool(conf.clients_keystone.auth_uri or
                _www_authenticate_uri(conf) or
                getattr(getattr(conf, 'keystone_authtoken', None),
                        'auth_url', None))


def get_auth_uri(v3=True, conf=cfg.CONF):
    """Return the public URL of Keystone, or None if it is not configured.

    [clients_keystone] auth_uri is asked for the URL of its v3 API; else it
    is what the token filter tells clients.

    :param v3: whether to turn a v2 URL into one of v3.
    """
    if conf.clients_keystone.auth_uri:
        session = ks_session.Session(**config.get_ssl_options('keystone'))
        discovery = discover.Discover(session,
                                      url=conf.clients_keystone.auth_uri)
        return discovery.url_for('3.0')
    uri = _www_authenticate_uri(conf)
    return uri.replace('v2.0', 'v3') if uri and v3 else uri
