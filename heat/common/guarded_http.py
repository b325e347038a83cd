"""HTTP that looks where a connection has led before it says anything.

A name can stand for one address when it is looked up to be checked, and for
another when it is connected to. So what is checked is the other end of the
connection itself.
"""
import ipaddress
import socket

from heat.common import lazy

adapters = lazy.module('requests.adapters')
connection = lazy.module('urllib3.connection')
connectionpool = lazy.module('urllib3.connectionpool')
requests = lazy.module('requests')
urllib3_exceptions = lazy.module('urllib3.exceptions')
utils = lazy.module('requests.utils')

#: Addresses in which a gateway embeds those of the older protocol.
_NAT64 = ipaddress.ip_network('64:ff9b::/96')


def is_private(address):
    """Tell whether an address is not one of the internet."""
    found = ipaddress.ip_address(address.partition('%')[0])
    if found.version == 6 and found.ipv4_mapped is not None:
        # Versions of Python differ in what they think of these.
        found = found.ipv4_mapped
    return any(not each.is_global or each.is_multicast
               for each in (found, *_embedded(found)))


def _embedded(address):
    """Return the IPv4 addresses that an IPv6 address stands for."""
    if address.version == 4:
        return ()
    found = [address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xffffffff))
    return tuple(each for each in found if each is not None)


def has_proxy(url):
    """Tell whether the environment has a proxy fetch a URL."""
    return bool(utils.select_proxy(
        url, utils.get_environ_proxies(url, no_proxy=None)))


def names_private(host):
    """Tell whether any address of a name is not one of the internet."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        # It cannot be connected to either.
        return False
    return any(is_private(address[0]) for *_rest, address in found)


class Guard:
    """Where the connections of one session may lead.

    :ivar has_refused: whether one was ended because of that
    """

    def __init__(self):
        self._outside_only = False
        self._began_inside = None
        self.has_refused = False

    def stay_outside(self):
        """Refuse private addresses, unless the first one was one."""
        self._outside_only = not self._began_inside

    def check(self, sock):
        """Raise OSError, and close, if a connection leads astray."""
        private = is_private(sock.getpeername()[0])
        if self._began_inside is None:
            self._began_inside = private
        if private and self._outside_only:
            self.has_refused = True
            sock.close()
            raise ConnectionRefusedError('a private address')


def session(guard):
    """Return a session of requests whose connections are checked.

    Those to a proxy are not: where it connects to, it alone knows.
    """
    made = requests.Session()
    adapter = lazy.child(_Adapter, adapters, 'HTTPAdapter')
    for scheme in ('http://', 'https://'):
        made.mount(scheme, adapter(guard))
    return made


class _Adapter:
    """Makes connections of the guarded kind."""

    def __init__(self, guard):
        self._guard = guard
        super().__init__()

    def init_poolmanager(self, *args, **kwargs):
        """Make the manager of pools, with pools of our own."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {
            'http': _pool_class(connectionpool.HTTPConnectionPool,
                                connection.HTTPConnection, self._guard),
            'https': _pool_class(connectionpool.HTTPSConnectionPool,
                                 connection.HTTPSConnection, self._guard),
        }


def _pool_class(pool_base, connection_base, guard):
    class Connection(connection_base):
        """Checks a connection before TLS, and before the request."""

        def _new_conn(self):
            sock = super()._new_conn()
            try:
                guard.check(sock)
            except OSError as error:
                raise urllib3_exceptions.NewConnectionError(
                    self, 'not allowed') from error
            return sock

    class Pool(pool_base):
        """Makes these connections."""

        ConnectionCls = Connection

    return Pool
