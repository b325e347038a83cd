"""openstacksdk, and connections of it that act for a context.

It is large, and imported when the first client is made or the first error
judged: no other module imports it.
"""
import copy
import logging

from oslo_config import cfg
from oslo_utils import strutils

from heat.common import config
from heat.common import lazy

connection = lazy.module('openstack.connection')
exceptions = lazy.module('openstack.exceptions')
image = lazy.module('openstack.image.v2.image')
resource = lazy.module('openstack.resource')
server = lazy.module('openstack.compute.v2.server')
utils = lazy.module('openstack.utils')

#: Services whose microversion an operator may bound, by the option.
_BOUNDED = {'block_storage': 'max_cinder_api_microversion',
            'baremetal': 'max_ironic_api_microversion'}


def connect(context, auth=None, region_name=None, interface=None,
            service='keystone', tls=None, guarded=False):
    """Return a connection; it authenticates when it is first used.

    :param auth: a keystoneauth plugin, by default the user's own
    :param interface: which endpoints of the catalogue, by default those
        that the options of the service name
    :param tls: `verify` and `cert` of the session, by default as the
        options of the service say
    :param guarded: whether where the plugin leads is the choice of a user,
        who may not have us connect to private addresses
    """
    session = type(context.keystone_session)(
        auth=auth if auth is not None else context.auth_plugin,
        **(tls or config.get_ssl_options(service)),
        **({'guarded': True} if guarded else {}))
    made = connection.Connection(
        session=session,
        region_name=region_name,
        global_request_id=context.request_id,
        interface=interface or config.get_client_option(
            service, 'endpoint_type'))
    for name, option in _BOUNDED.items():
        version = getattr(cfg.CONF, option)
        if version:
            made.config.config[f'{name}_default_microversion'] = str(version)
    return made


def shown(found):
    """Return what a service answered about a thing, by the names it uses.

    The SDK gives a thing a value for every name it knows: null, or [] for
    tags. A name that is not in the answer of the service is not shown.
    """
    # NOTE: to_dict() has all names.
    body = found._body  # noqa: SLF001 (openstacksdk, see above)
    return copy.deepcopy(body.attributes)


def logger_of(service):
    """Return where requests to a service are logged, None for nowhere else.

    With [clients_<service>] http_log_debug each is, without passwords.
    """
    if not config.get_client_option(service, 'http_log_debug'):
        return None
    logger = logging.getLogger(f'heat.http.{service}')
    if not any(isinstance(each, _Masking) for each in logger.filters):
        logger.addFilter(_Masking())
        logger.setLevel(logging.DEBUG)
    return logger


class _Masking(logging.Filter):
    """Strikes passwords out of what is logged."""

    def filter(self, record):
        """Change the record; it is always logged."""
        record.msg = strutils.mask_password(record.getMessage())
        record.args = ()
        return True
