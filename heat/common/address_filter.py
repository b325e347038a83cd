"""Refuse addresses that a user must not make the service connect to.

Those of the public internet, and the networks that the operator allows.
"""
import ipaddress

from oslo_config import cfg
from oslo_config import types

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

#: Networks that are not the public internet. All are listed because versions
#: of Python differ in their definition of global addresses.
DENIED: tuple[Network, ...] = tuple(map(ipaddress.ip_network, (
    '0.0.0.0/8',            # this host
    '10.0.0.0/8',           # private
    '100.64.0.0/10',        # carrier-grade NAT; metadata of some clouds
    '127.0.0.0/8',          # loopback
    '168.63.129.16/32',     # metadata of a cloud, at a public address
    '169.254.0.0/16',       # link-local; metadata of most clouds
    '172.16.0.0/12',        # private
    '192.0.0.0/24',         # protocol assignments; metadata of a cloud
    '192.0.2.0/24',         # documentation
    '192.88.99.0/24',       # relays of 6to4
    '192.168.0.0/16',       # private
    '198.18.0.0/15',        # benchmarks
    '198.51.100.0/24',      # documentation
    '203.0.113.0/24',       # documentation
    '224.0.0.0/4',          # multicast
    '240.0.0.0/4',          # reserved; broadcast
    '::/96',                # unspecified, loopback, IPv4-compatible
    '::ffff:0:0/96',        # IPv4-mapped
    '::ffff:0:0:0/96',      # IPv4-translated
    '64:ff9b::/96',         # NAT64
    '64:ff9b:1::/48',       # NAT64, local
    '100::/64',             # discard
    '2001::/23',            # Teredo and other protocol assignments
    '2001:db8::/32',        # documentation
    '2002::/16',            # 6to4
    '3fff::/20',            # documentation
    '5f00::/16',            # segment routing
    'fc00::/7',             # private
    'fe80::/10',            # link-local
    'fec0::/10',            # site-local
    'ff00::/8',             # multicast
)))

#: Networks whose addresses end in one of IPv4.
_ENDING_IN_IPV4 = tuple(map(ipaddress.ip_network, (
    '::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96',
    '64:ff9b:1::/96')))


class NetworkType(types.ConfigType):  # type: ignore[misc]
    """The type of an option that holds a network, like 10.0.0.0/8."""

    def __init__(self) -> None:
        super().__init__(type_name='network value')

    def __call__(self, value: object) -> Network:
        if isinstance(value, Network):
            return value
        return ipaddress.ip_network(str(value).strip(), strict=False)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return 'Network'

    def _formatter(self, value: object) -> str:
        return str(value)


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public internet."""
    return (address.is_global and not address.is_multicast and
            not _is_in(address, DENIED))


def is_allowed(text: str) -> bool:
    """Return whether the service may connect to an address.

    An IPv6 address that stands for one of IPv4 is allowed only if that one
    is, too: a gateway may lead back into a network of the operator.
    """
    address = ipaddress.ip_address(text.partition('%')[0])
    allowed = cfg.CONF.allowed_fetch_networks
    return all(_is_in(each, allowed) or is_public(each)
               for each in (address, *_embedded(address)))


def _is_in(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address.version == network.version and address in network
               for network in networks)


def _embedded(address: Address) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.sixtofour, *(address.teredo or ())]
    # The unspecified address and loopback look like compatible ones.
    if int(address) > 1 and _is_in(address, _ENDING_IN_IPV4):
        found.append(ipaddress.IPv4Address(int(address) & 0xffffffff))
    return [each for each in found if each is not None]
