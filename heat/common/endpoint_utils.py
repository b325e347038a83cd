"""Where Keystone is."""
from oslo_config import cfg

from heat.common import config
from heat.common import lazy

_discover = lazy.module('keystoneauth1.discover')
_session = lazy.module('keystoneauth1.session')

_WWW_URI = cfg.StrOpt('www_authenticate_uri', deprecated_name='auth_uri')


def _www_authenticate_uri(conf):
    """Return what the filter that checks tokens tells clients.

    It declares its options itself, and is large: engines do without it.
    """
    return config.of_library(conf, 'keystone_authtoken', _WWW_URI)


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
        session = _session.Session(**config.get_ssl_options('keystone'))
        discovery = _discover.Discover(session,
                                       url=conf.clients_keystone.auth_uri)
        return discovery.url_for('3.0')
    uri = _www_authenticate_uri(conf)
    return uri.replace('v2.0', 'v3') if uri and v3 else uri
