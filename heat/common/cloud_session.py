"""HTTP sessions to the services of a cloud: pooled, bounded, patient.

Connections are shared by all sessions of the process. No request waits
longer than an option says, and one that a service has certainly not taken,
or that does no harm when it is taken twice, is sent again.
"""
import contextlib
import functools
import http
import http.cookiejar
import queue
import threading
import time

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import session as ks_session
from oslo_config import cfg
import requests
from requests import adapters
from urllib3 import exceptions as urllib3_exceptions

from heat.common import call_limits
from heat.common import cloud_error
from heat.common import guarded_http
from heat.common import metrics
from heat.common import network_quota
from heat.common import outside
from heat.common import timeutils

#: Methods whose repetition changes nothing (RFC 9110, 9.2.2).
_REPEATABLE = frozenset(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
#: Answers after which a repeatable request may succeed.
_PASSING = [500, 502, 503, 504]
#: Answers that say that a request has not been taken, for now.
_NOT_TAKEN = [429, 503]

#: Seconds after which Keystone is asked again for what it has forbidden.
_THINKING_AGAIN = 0.1

#: How many connections to one host are kept, and for how many seconds. A
#: service that runs on eventlet has a green thread for each connection, not
#: for each request, and only a hundred of them: what is kept after a burst
#: of requests locks others out until it is closed.
_KEPT = 16
_KEPT_FOR = 5

#: Seconds after which a service is asked for its versions again.
_VERSIONS_HOLD = 300


class _Versions(dict):
    """The versions of services by URL, for all sessions.

    It is the same for all users. Without it each operation, and each of
    the threads that begin one, would ask all of its services.
    """

    def __init__(self):
        super().__init__()
        self._asked: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._thread = _Asking()

    @contextlib.contextmanager
    def asked_once(self):
        """Let one thread ask a service, and the others wait for it, here."""
        self._thread.depth += 1
        try:
            yield
        finally:
            self._thread.depth -= 1
            self._let_go()

    def get(self, url, default=None):
        """Return what is known and not too old."""
        known = self._known(url)
        if known is None and self._thread.depth:
            known = self._wait_or_ask(url)
        return default if known is None else known

    def __setitem__(self, url, found):
        if self._known(url) is not found:
            super().__setitem__(
                url, (timeutils.wallclock() + _VERSIONS_HOLD, found))
        if self._thread.url == url:
            self._let_go()

    def _known(self, url):
        until, found = super().get(url, (0, None))
        return found if timeutils.wallclock() <= until else None

    def _wait_or_ask(self, url):
        """Return what another thread found out, or None: ask yourself."""
        # One URL a thread, so that no two wait for each other.
        self._let_go()
        with self._lock:
            other = self._asked.get(url)
            if other is None:
                self._asked[url] = threading.Event()
                self._thread.url = url
                return None
        other.wait(cfg.CONF.client_request_timeout)
        return self._known(url)

    def _let_go(self):
        url, self._thread.url = self._thread.url, None
        if url is not None:
            with self._lock:
                self._asked.pop(url).set()


class _Asking(threading.local):
    """The service whose versions a thread is asking for."""

    depth = 0
    url: str | None = None


_versions = _Versions()


class CloudSession(ks_session.Session):
    """A keystoneauth session as the engine needs it.

    :param guarded: whether where it leads is the choice of a user, not of
        the operator
    :param tls: `verify` and `cert` of the session
    """

    def __init__(self, auth=None, guarded=False, **tls):
        super().__init__(auth=auth,
                         session=_pool(tls.get('verify'), tls.get('cert'),
                                       guarded),
                         timeout=cfg.CONF.client_request_timeout,
                         discovery_cache=_versions, **tls)

    def get_endpoint(self, *args, **kwargs):
        """Return the URL of a service, or None."""
        with _versions.asked_once():
            return super().get_endpoint(*args, **kwargs)

    def get_endpoint_data(self, *args, **kwargs):
        """Return what is known of a service and its versions, or None."""
        with _versions.asked_once():
            return super().get_endpoint_data(*args, **kwargs)

    def request(  # type: ignore[override]
            self, url, method, **kwargs):
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
        with outside.waiting():
            return self._patiently(url, method, kwargs, again, limit)

    def _patiently(self, url, method, kwargs, again, limit):
        """Send a request, again if it was certainly not taken."""
        service = (kwargs.get('endpoint_filter') or {}).get('service_type')
        for tries_left in range(0 if again else limit, -1, -1):
            try:
                answer = self._sent(url, method, kwargs, service, limit)
            except ks_exceptions.HttpError as error:
                metrics.count_cloud_request(error.http_status)
                cloud_error.mark(error.response, service)
                raise
            except ks_exceptions.ConnectionError as error:
                if tries_left and _was_never_sent(error):
                    time.sleep(timeutils.retry_backoff_delay(
                        limit - tries_left + 1, jitter_max=0.5))
                    continue
                metrics.count_cloud_request(None)
                raise _as_told(error, cloud_error.unreachable(
                    service, method, error,
                    kwargs.get('global_request_id'))) from error
            metrics.count_cloud_request(answer.status_code)
            return cloud_error.mark(answer, service)

    def _sent(self, url, method, kwargs, service, limit):
        """Return the answer to a request, repeated if it is refused wrongly.
        """
        send = functools.partial(super().request, url, method, **kwargs)
        if limit > 0 and service == 'identity':
            return _unless_forbidden(send)
        if limit > 0 and service == 'network' and method.upper() == 'POST':
            return self._once_counted(send, kwargs.get('auth'))
        return send()

    def _once_counted(self, send, auth):
        """Return Neutron's answer, once it counts no resource twice.

        See heat.common.network_quota.
        """
        def ask(url):
            with contextlib.suppress(ks_exceptions.ClientException):
                return super(CloudSession, self).request(
                    url, 'GET', auth=auth, raise_exc=False)
            return None

        project = functools.partial(self.get_project_id, auth)
        for pause in network_quota.PAUSES:
            try:
                answer = send()
            except ks_exceptions.Conflict as conflict:
                if not network_quota.is_momentary(conflict.response, project,
                                                  ask):
                    raise
            else:
                if not network_quota.is_momentary(answer, project, ask):
                    return answer
            time.sleep(pause)
        return send()


def _unless_forbidden(send):
    """Return Keystone's answer; repeat a request that it forbids once.

    If several threads serve requests, Keystone sometimes confuses the tokens
    of two requests, since its filter remembers the last one.
    """
    with contextlib.suppress(ks_exceptions.Forbidden):
        answer = send()
        if answer.status_code != http.HTTPStatus.FORBIDDEN:
            return answer
    time.sleep(_THINKING_AGAIN)
    return send()


@functools.lru_cache(maxsize=32)
def _pool(verify, cert, guarded):
    """Return what keeps connections to hosts that are trusted alike."""
    pool = requests.Session()
    # Cookies of one user must not be shown for another.
    pool.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(
        allowed_domains=[]))
    guarded_http.mount(pool, guarded_http.adapter(
        _Adapter, pool_maxsize=_KEPT) if guarded else _Adapter(
            pool_maxsize=_KEPT))
    return pool


class _Adapter(adapters.HTTPAdapter):
    """Limits the calls to a service, and closes unused connections.

    It closes, every few seconds, the connections that nobody uses then.
    """

    def __init__(self, **kwargs):
        self._closes = threading.Lock()
        # Hosts that users choose do not displace those of the operator.
        self._limits = call_limits.CallLimits()
        super().__init__(**kwargs)

    def send(self, request, *args, **kwargs):
        """Send a request over one of the connections, when it is its turn."""
        try:
            with self._limits.one_call(request.method,
                                       request.url) as answers:
                answer = super().send(request, *args, **kwargs)
                answers.append(answer.status_code)
            return answer
        finally:
            if self._closes.acquire(blocking=False):
                timer = threading.Timer(_KEPT_FOR, self._close_unused)
                timer.daemon = True
                timer.start()

    def _close_unused(self):
        self._closes.release()
        pools = self.poolmanager.pools
        for key in pools.keys():
            pool = pools.get(key)
            # One that is closed has no queue any more.
            if pool is not None and pool.pool is not None:
                _close_waiting(pool.pool)


def _close_waiting(connections):
    """Close those in the queue of a pool; it opens them again at need."""
    waiting = []
    try:
        while True:
            waiting.append(connections.get(block=False))
    except queue.Empty:
        pass
    for connection in waiting:
        if connection is not None:
            connection.close()
        try:
            connections.put(connection, block=False)
        except queue.Full:
            # Another came back meanwhile.
            pass


def _is_refused(error):
    return any(isinstance(cause, guarded_http.AddressRefused)
               for cause in cloud_error.causes(error))


def _as_told(error, text):
    kind = type(error)
    if issubclass(kind, ks_exceptions.UnknownConnectionError):
        kind = ks_exceptions.ConnectFailure
    return kind(text)


def _was_never_sent(error):
    """Return whether there was no connection over which to send anything."""
    if _is_refused(error):
        # It stays so.
        return False
    return any(isinstance(cause, (
        requests.ConnectTimeout, urllib3_exceptions.NewConnectionError,
        urllib3_exceptions.ConnectTimeoutError))
        for cause in cloud_error.causes(error))
