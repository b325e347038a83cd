"""HTTP sessions to the services of a cloud: pooled, bounded, patient.

Connections are shared by all sessions of the process. No request waits
longer than an option says, and one that a service has certainly not taken,
or that does no harm when it is taken twice, is sent again.
"""
import functools
import http.cookiejar
import time

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import session as ks_session
from oslo_config import cfg
import requests
from requests import adapters
import urllib3.exceptions

from heat.common import cloud_error
from heat.common import timeutils

#: Methods whose repetition changes nothing (RFC 9110, 9.2.2).
_REPEATABLE = frozenset(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
#: Answers after which a repeatable request may succeed.
_PASSING = [500, 502, 503, 504]
#: Answers that say that a request has not been taken, for now.
_NOT_TAKEN = [429, 503]

#: How many connections to one host are kept.
_KEPT = 32

#: Seconds after which a service is asked for its versions again.
_VERSIONS_HOLD = 300


class _Versions(dict):
    """What services say of their versions, by URL, for all sessions.

    It is the same for all users. Without it each operation, and each of
    the threads that begin one, would ask all of its services.
    """

    def get(self, url, default=None):
        """Return what is known and not too old."""
        known = super().get(url)
        if known is None or known[0] < timeutils.wallclock():
            return default
        return known[1]

    def __setitem__(self, url, found):
        if self.get(url) is not found:
            super().__setitem__(
                url, (timeutils.wallclock() + _VERSIONS_HOLD, found))


_versions = _Versions()


class CloudSession(ks_session.Session):
    """A keystoneauth session as the engine needs it."""

    def __init__(self, auth=None, **tls):
        """Arguments are those of the parent; `verify` and `cert` too."""
        super().__init__(auth=auth,
                         session=_pool(tls.get('verify'), tls.get('cert')),
                         timeout=cfg.CONF.client_request_timeout,
                         discovery_cache=_versions, **tls)

    def request(self, url, method, **kwargs):
        """Send a request, and say of an answer which service gave it.

        :raises ConnectionError: of keystoneauth; there was no answer, and
            the text says from whom.
        """
        again = method.upper() in _REPEATABLE
        limit = max(cfg.CONF.client_retry_limit, 0)
        if kwargs.get('connect_retries') is None:
            # Others are repeated below, where it is known how they failed.
            kwargs['connect_retries'] = limit if again else 0
        if not kwargs.get('status_code_retries'):
            kwargs['status_code_retries'] = limit
            kwargs['retriable_status_codes'] = (
                _PASSING + _NOT_TAKEN if again else _NOT_TAKEN)
        service = (kwargs.get('endpoint_filter') or {}).get('service_type')
        for tries_left in range(0 if again else limit, -1, -1):
            try:
                answer = super().request(url, method, **kwargs)
            except ks_exceptions.HttpError as error:
                cloud_error.mark(error.response, service)
                raise
            except ks_exceptions.ConnectionError as error:
                if tries_left and _was_never_sent(error):
                    time.sleep(timeutils.retry_backoff_delay(
                        limit - tries_left + 1, jitter_max=0.5))
                    continue
                raise _as_told(error, cloud_error.unreachable(
                    service, method, error,
                    kwargs.get('global_request_id'))) from error
            return cloud_error.mark(answer, service)


@functools.lru_cache(maxsize=32)
def _pool(verify, cert):
    """Return what keeps connections to hosts that are trusted alike."""
    pool = requests.Session()
    # Cookies of one user must not be shown for another.
    pool.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(
        allowed_domains=[]))
    for scheme in ('http://', 'https://'):
        pool.mount(scheme, adapters.HTTPAdapter(pool_maxsize=_KEPT))
    return pool


def _as_told(error, text):
    kind = type(error)
    if issubclass(kind, ks_exceptions.UnknownConnectionError):
        kind = ks_exceptions.ConnectFailure
    return kind(text)


def _was_never_sent(error):
    """Tell whether there was no connection over which to send anything."""
    return any(isinstance(cause, (
        requests.ConnectTimeout, urllib3.exceptions.NewConnectionError,
        urllib3.exceptions.ConnectTimeoutError))
        for cause in cloud_error.causes(error))
