"""Where Keystone is."""
import functools

from keystoneauth1 import discover
from keystoneauth1 import session
from oslo_config import cfg
from oslo_log import log as logging

from heat.common import config
from heat.common import exception
from heat.common import opts_auth

LOG = logging.getLogger(__name__)

_WWW_URI = cfg.StrOpt('www_authenticate_uri', deprecated_name='auth_uri')
_AUTH_URL = cfg.StrOpt('auth_url')
_ENDPOINT = cfg.StrOpt('endpoint_override')
_MULTI_CLOUD = cfg.BoolOpt('multi_cloud', default=False)
_CLOUDS = cfg.ListOpt('clouds', default=[])

_AUTHTOKEN = 'keystone_authtoken'


def _www_authenticate_uri(conf):
    """Return what the filter that checks tokens tells clients.

    It declares its options itself, and is large: engines do without it.
    """
    return config.of_library(conf, _AUTHTOKEN, _WWW_URI)


def is_configured(conf=cfg.CONF):
    """Return whether an option names the Keystone of the service."""
    return bool(conf.clients_keystone.auth_uri or
                _www_authenticate_uri(conf) or
                config.of_library(conf, _AUTHTOKEN, _AUTH_URL))


def get_auth_uri(v3=True, conf=cfg.CONF):
    """Return the public URL of Keystone, or None if it is not configured.

    [clients_keystone] auth_uri is asked for the URL of its v3 API; else it
    is what the token filter tells clients.

    :param v3: whether to turn a v2 URL into one of v3.
    """
    if conf.clients_keystone.auth_uri:
        tls = config.get_ssl_options('keystone')
        found = _discovered(conf.clients_keystone.auth_uri, tls['verify'],
                            tls['cert'])
        if found is None:
            # It may have one the next time.
            _discovered.cache_clear()
        return found
    uri = _www_authenticate_uri(conf)
    return uri.replace('v2.0', 'v3') if uri and v3 else uri


@functools.lru_cache(maxsize=8)
def _discovered(uri, verify, cert):
    """Return where a Keystone says that its v3 API is; it is asked once."""
    asking = session.Session(verify=verify, cert=cert)
    return discover.Discover(asking, url=uri).url_for('3.0')


def service_auth_uri(conf=cfg.CONF):
    """Return the URL of the v3 API to which secrets of the service may go.

    No request has a say in it.

    :raises AuthorizationFailure: no option names it.
    """
    uri = get_auth_uri(conf=conf) or config.of_library(conf, _AUTHTOKEN,
                                                       _AUTH_URL)
    if not uri:
        LOG.error('Keystone API endpoint is not set: neither '
                  '[clients_keystone] auth_uri nor [keystone_authtoken] '
                  'www_authenticate_uri')
        raise exception.AuthorizationFailure()
    return uri.replace('v2.0', 'v3')


def is_trusted(uri, conf=cfg.CONF):
    """Return whether an option names a Keystone that a request named."""
    return _base(uri) in {_base(each) for each in _trusted(conf) if each}


def _trusted(conf):
    """Yield the URLs of the Keystones that users may come from."""
    yield conf.clients_keystone.auth_uri
    yield _www_authenticate_uri(conf)
    yield config.of_library(conf, _AUTHTOKEN, _AUTH_URL)
    if conf.auth_password.multi_cloud:
        yield from conf.auth_password.allowed_auth_uris
    groups = [opts_auth.EC2_GROUP]
    if config.of_library(conf, opts_auth.EC2_GROUP, _MULTI_CLOUD):
        groups += [f'{opts_auth.EC2_GROUP}.{name}' for name in
                   config.of_library(conf, opts_auth.EC2_GROUP, _CLOUDS)]
    for group in groups:
        yield config.of_library(conf, group, _ENDPOINT)
        yield config.of_library(conf, group, _AUTH_URL)


def _base(uri):
    """Return a URL without the version at its end."""
    return uri.rstrip('/').removesuffix('/v3').removesuffix('/v2.0').rstrip(
        '/')
