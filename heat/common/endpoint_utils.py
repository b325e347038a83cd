"""Where Keystone is."""
from keystoneauth1 import discover
from keystoneauth1 import session as ks_session

# Declares the options of [keystone_authtoken] when it is imported.
import keystonemiddleware.auth_token  # noqa: F401
from oslo_config import cfg

from heat.common import config


def is_configured(conf=cfg.CONF):
    """Tell whether it is configured where Keystone is."""
    return bool(conf.clients_keystone.auth_uri or
                conf.keystone_authtoken.www_authenticate_uri or
                getattr(conf.keystone_authtoken, 'auth_url', None))


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
    uri = conf.keystone_authtoken.www_authenticate_uri
    return uri.replace('v2.0', 'v3') if uri and v3 else uri
