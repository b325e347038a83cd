"""Custom constraints that need no cloud service to judge a value."""
import datetime
import functools
import ipaddress
import json
from typing import Any
import zoneinfo

import croniter
import netaddr
from oslo_utils import timeutils as oslo_timeutils

from heat.common import netutils
from heat.common import request_budget
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import constraints

#: What names each minute, hour, day, month and weekday is shorter.
_CRON_LENGTH = 1000


class TestConstraintDelay(constraints.BaseCustomConstraint):
    """Accepts anything, after as many seconds as the value says."""

    # Test runners take the name for a test.
    __test__ = False

    def validate_with_client(self, client: Any, value: Any) -> None:
        timeutils.sleep(value)


class LocalConstraint(constraints.BaseCustomConstraint):
    """A constraint that check() judges; it raises ValueError to refuse.

    A value whose text is empty is accepted where allow_empty says so: an
    explicit null arrives as one.
    """

    allow_empty = False

    def check(self, value: str) -> None:
        """Raise ValueError, saying why, if the value is not valid."""
        raise NotImplementedError()

    def validate(self, value: Any, context: Any,
                 template: Any = None) -> bool:
        if self.allow_empty and (value is None or value == ''):
            return True
        try:
            with request_budget.work():
                request_budget.check()
                self.check(str(value))
        except ValueError as exc:
            self._error_message = str(exc)
            return False
        return True


class IPConstraint(LocalConstraint):
    """An IPv4 or IPv6 address."""

    def check(self, value: str) -> None:
        if not (netaddr.valid_ipv4(value, netaddr.INET_PTON) or
                netaddr.valid_ipv6(value)):
            raise ValueError(_('Invalid IP address'))


class MACConstraint(LocalConstraint):
    """A MAC address."""

    def check(self, value: str) -> None:
        if not netaddr.valid_mac(value):
            raise ValueError(_('Invalid MAC address'))


class DNSNameConstraint(LocalConstraint):
    """A DNS name, relative or absolute."""

    def check(self, value: str) -> None:
        netutils.validate_dns_format(value)


class RelativeDNSNameConstraint(DNSNameConstraint):
    """A DNS name that a domain will be put behind."""

    allow_empty = True

    #: A dot and a top level domain of two letters must still fit.
    MAX_LENGTH = netutils.FQDN_MAX_LEN - 3

    def check(self, value: str) -> None:
        super().check(value)
        if value.endswith('.'):
            raise ValueError(
                _("'%s' is a fully qualified name, a relative one is needed "
                  "(without a dot at its end)") % value)
        if len(value) > self.MAX_LENGTH:
            raise ValueError(
                _("'%(data)s' exceeds the %(limit)s characters of a relative "
                  "DNS name") % {'data': value, 'limit': self.MAX_LENGTH})


class DNSDomainConstraint(DNSNameConstraint):
    """A fully qualified DNS domain, with a dot at its end."""

    allow_empty = True

    def check(self, value: str) -> None:
        super().check(value)
        if not value.endswith('.'):
            raise ValueError(
                _("'%s' must end with a dot to be a fully qualified domain "
                  "name") % value)


class CIDRConstraint(LocalConstraint):
    """A network as address/prefix; bits of a host may be set."""

    def check(self, value: str) -> None:
        _address, _slash, prefix = value.partition('/')
        if not (prefix.isascii() and prefix.isdigit()):
            raise ValueError(
                _('Invalid net cidr %s: it must be an address, a slash and '
                  'the number of bits of the prefix') % value)
        try:
            ipaddress.ip_interface(value)
        except ValueError as exc:
            raise ValueError(_('Invalid net cidr %(value)s: %(reason)s') % {
                'value': value, 'reason': exc}) from exc


class IPCIDRConstraint(LocalConstraint):
    """An address, or a network as address/prefix."""

    def check(self, value: str) -> None:
        if '/' in value:
            CIDRConstraint().check(value)
        else:
            IPConstraint().check(value)


class ISO8601Constraint(LocalConstraint):
    """A time in ISO 8601 format."""

    def check(self, value: str) -> None:
        _time_from(value)


class CRONExpressionConstraint(LocalConstraint):
    """A cron expression."""

    allow_empty = True

    def check(self, value: str) -> None:
        if len(value) > _CRON_LENGTH:
            raise ValueError(
                _('Invalid CRON expression: it has %(length)d characters, '
                  'at most %(limit)d are allowed')
                % {'length': len(value), 'limit': _CRON_LENGTH})
        try:
            croniter.croniter(value)
        except (ValueError, KeyError, AttributeError) as exc:
            raise ValueError(
                _('Invalid CRON expression: %s') % exc) from exc


class TimezoneConstraint(LocalConstraint):
    """The name of a time zone of the IANA database."""

    allow_empty = True

    def check(self, value: str) -> None:
        if value not in _zone_names():
            raise ValueError(_('Invalid timezone: %s') % value)


class ExpirationConstraint(LocalConstraint):
    """A time in ISO 8601 format, UTC unless it says otherwise, to come."""

    allow_empty = True

    def check(self, value: str) -> None:
        moment = oslo_timeutils.normalize_time(_time_from(value))
        if moment <= timeutils.utcnow():
            raise ValueError(
                _('Expiration %s is invalid: the time has passed') % value)


class JsonStringConstraint(LocalConstraint):
    """The text of a JSON document."""

    allow_empty = True

    def check(self, value: str) -> None:
        try:
            json.loads(value)
        except ValueError as exc:
            raise ValueError(
                _('The value is no JSON document: %s') % exc) from exc


def _time_from(value: str) -> datetime.datetime:
    try:
        return oslo_timeutils.parse_isotime(value)
    except ValueError as exc:
        raise ValueError(
            _("'%(value)s' is no time in ISO 8601 format: %(reason)s") % {
                'value': value, 'reason': exc}) from exc


@functools.lru_cache(maxsize=1)
def _zone_names() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())
