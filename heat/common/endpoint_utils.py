"""Where Keystone is."""
from keystoneauth1 import discover
from keystoneauth1 import session as ks_session
from oslo_config import cfg
from oslo_utils import importutils

from heat.common import config


def get_auth_uri(v3=True, conf=cfg.CONF):
    """Return the public URL of Keystone, asking it for the v3 one.

    Taken from [clients_keystone] auth_uri, else from what the token filter
    tells clients. None if neither is set.
    """
    if conf.clients_keystone.auth_uri:
        session = ks_session.Session(**config.get_ssl_options('keystone'))
        discovery = discover.Discover(session,
                                      url=conf.clients_keystone.auth_uri)
        return discovery.url_for('3.0')
    # The token filter's options exist once its module is loaded.
    importutils.import_module('keystonemiddleware.auth_token')
    uri = conf.keystone_authtoken.www_authenticate_uri
    return uri.replace('v2.0', 'v3') if uri and v3 else uri
