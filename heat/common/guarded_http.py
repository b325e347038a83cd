"""HTTP that connects only to addresses which the service may reach.

A name is resolved once, for each connection, and the connection is made to
an address that has been checked: a name could stand for one address when it
is checked, and for another one when it is connected to. TLS still verifies
the name, and the name is still what the header Host says.
"""
import socket
from typing import Any
from urllib import parse

import requests
from requests import adapters
from requests import auth
from requests import utils
from urllib3 import connection
from urllib3 import connectionpool
from urllib3 import exceptions as urllib3_exceptions

from heat.common import address_filter
from heat.common.i18n import _

#: How many addresses of a host are tried; each may take a whole timeout.
_MOST_ADDRESSES = 3


class AddressRefused(OSError):
    """A name stands for no address that the service may connect to."""

    def __init__(self):
        super().__init__(_('an address outside the public internet and the '
                           'networks of the option allowed_fetch_networks'))


def _addresses(host, port):
    """Return the addresses of a host; OSError if there are none."""
    found = socket.getaddrinfo(host.strip('[]'), port,
                               type=socket.SOCK_STREAM)
    return list(dict.fromkeys(address[0] for *_rest, address in found))


def _allowed_addresses(host, port):
    """Return those addresses of a host that may be connected to.

    :raises AddressRefused: there are addresses, but all are denied.
    :raises OSError: the name cannot be resolved.
    """
    allowed = [each for each in _addresses(host, port)
               if address_filter.is_allowed(each)]
    if not allowed:
        raise AddressRefused
    return allowed[:_MOST_ADDRESSES]


def session():
    """Return a session of requests whose connections are checked.

    It sends no credentials but those in a URL: a file like .netrc belongs
    to the operator.
    """
    made = requests.Session()
    made.auth = _credentials_of_url
    mount(made, adapter())
    return made


def _credentials_of_url(request):
    user, password = utils.get_auth_from_url(request.url)
    if user or password:
        return auth.HTTPBasicAuth(user, password)(request)
    return request


def mount(made, used):
    """Have a session use an adapter for all its requests."""
    for scheme in ('http://', 'https://'):
        made.mount(scheme, used)


def adapter(parent=None, **options):
    """Return an adapter of requests whose connections are checked.

    :param parent: the class of adapters to begin with.
    """
    if parent is None:
        parent = adapters.HTTPAdapter
    return type('GuardedAdapter', (_Adapter, parent), {})(**options)


class _Adapter:
    """Makes connections of the guarded kind."""

    poolmanager: Any

    def init_poolmanager(self, *args, **kwargs):
        """Make the manager of pools, with pools of our own."""
        # The other base is known when the class is made.
        super().init_poolmanager(*args, **kwargs)  # type: ignore[misc]
        self.poolmanager.pool_classes_by_scheme = {
            'http': _pool_class(connectionpool.HTTPConnectionPool,
                                connection.HTTPConnection),
            'https': _pool_class(connectionpool.HTTPSConnectionPool,
                                 connection.HTTPSConnection),
        }

    def send(self, request, *args, **kwargs):
        """Send a request, unless a proxy would lead it astray.

        Connections to a proxy are the operator's choice. Where the proxy
        connects to, only the name tells.
        """
        if utils.select_proxy(request.url, kwargs.get('proxies')):
            _check_name(request)
        return super().send(  # type: ignore[misc]
            request, *args, **kwargs)


def _check_name(request):
    """Raise ConnectionError if a host has an address that is denied."""
    try:
        found = _addresses(parse.urlsplit(request.url).hostname or '', None)
    except (OSError, UnicodeError):
        # The proxy may know names that are unknown here.
        return
    if not all(map(address_filter.is_allowed, found)):
        error = AddressRefused()
        raise requests.ConnectionError(error, request=request) from error


def _pool_class(pool_base, connection_base):
    class Connection(connection_base):  # type: ignore[valid-type,misc]
        """Connects to checked addresses only."""

        _dns_host: str

        def _new_conn(self):
            name = self._dns_host
            try:
                return _connected(self, super()._new_conn)
            finally:
                # TLS verifies the name.
                self._dns_host = name

    class Pool(pool_base):  # type: ignore[valid-type,misc]
        """Makes these connections."""

        ConnectionCls = Connection

    return Pool


def _connected(made, connect):
    """Return a socket that is connected to an allowed address."""
    # NOTE: urllib3 connects to this, and verifies certificates by `host`.
    try:
        addresses = _allowed_addresses(
            made._dns_host, made.port)  # noqa: SLF001 (see above)
    except (OSError, UnicodeError) as error:
        raise urllib3_exceptions.NewConnectionError(
            made, 'no address to connect to') from error
    for address in addresses[:-1]:
        made._dns_host = address  # noqa: SLF001 (see above)
        try:
            return connect()
        except urllib3_exceptions.HTTPError:
            # Another address of the same host may answer.
            continue
    made._dns_host = addresses[-1]  # noqa: SLF001 (see above)
    return connect()
