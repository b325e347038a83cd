"""openstacksdk, and connections of it that act for a context.

It is large, and imported when the first client is made or the first error
judged: no other module imports it.
"""
from heat.common import config
from heat.common import lazy

connection = lazy.module('openstack.connection')
exceptions = lazy.module('openstack.exceptions')
image = lazy.module('openstack.image.v2.image')
resource = lazy.module('openstack.resource')
server = lazy.module('openstack.compute.v2.server')
utils = lazy.module('openstack.utils')


def connect(context, auth=None, region_name=None, interface=None,
            service='keystone', tls=None):
    """Return a connection; it authenticates when it is first used.

    :param auth: a keystoneauth plugin, by default the user's own
    :param interface: which endpoints of the catalogue, by default those
        that the options of the service name
    :param tls: `verify` and `cert` of the session, by default as the
        options of the service say
    """
    session = type(context.keystone_session)(
        auth=auth if auth is not None else context.auth_plugin,
        **(tls or config.get_ssl_options(service)))
    return connection.Connection(
        session=session,
        region_name=region_name,
        global_request_id=context.request_id,
        interface=interface or config.get_client_option(
            service, 'endpoint_type'))
