"""Metrics of this process in the format of Prometheus.

Each label takes few values: names of routes, RPC methods and resource types
that the code itself declares, words of state, classes of errors. Names that
users choose are never among them.

Where the environment variable PROMETHEUS_MULTIPROC_DIR names a directory,
the processes of a service keep their figures there, and each of them
answers for all. The library looks at it when it is imported.
"""
import collections
from collections.abc import Callable
import http
import os
import pathlib
import re
import threading

import prometheus_client
from prometheus_client import multiprocess
from prometheus_client import registry

from heat.common import processes
from heat.common import timeutils

# Without them each series of a counter or histogram would have a companion
# that says when it began.
prometheus_client.disable_created_metrics()

CONTENT_TYPE = prometheus_client.CONTENT_TYPE_LATEST
DIRECTORY_VARIABLE = 'PROMETHEUS_MULTIPROC_DIR'

#: Label of what has no name of ours: a path nobody serves, a type that is a
#: template of a user.
OTHER = 'other'
TEMPLATE = 'template'

#: Outcome of a request that got no answer or a server error.
ERROR = 'error'

_QUICK = (.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30)
_SLOW = (.1, .5, 1, 5, 15, 60, 300, 900, 3600)

REQUESTS = prometheus_client.Counter(
    'heat_api_requests', 'Requests answered, by route and status.',
    ['api', 'method', 'route', 'status'])
REQUEST_SECONDS = prometheus_client.Histogram(
    'heat_api_request_duration_seconds', 'Time until a request is answered.',
    ['api', 'method', 'route'], buckets=_QUICK)

RPC_SENT = prometheus_client.Counter(
    'heat_rpc_sent', 'Calls and casts made, by what came of them.',
    ['method', 'kind', 'outcome'])
RPC_SENT_SECONDS = prometheus_client.Histogram(
    'heat_rpc_sent_duration_seconds', 'Time until a call is answered.',
    ['method'], buckets=_QUICK)
RPC_SERVED = prometheus_client.Counter(
    'heat_rpc_served', 'Calls and casts served, by what came of them.',
    ['method', 'outcome'])
RPC_SERVED_SECONDS = prometheus_client.Histogram(
    'heat_rpc_served_duration_seconds', 'Time that serving a call takes.',
    ['method'], buckets=_QUICK)

ACTIONS = prometheus_client.Counter(
    'heat_resource_actions', 'Actions of resources that came to their end.',
    ['type', 'action', 'result'])
ACTION_SECONDS = prometheus_client.Histogram(
    'heat_resource_action_duration_seconds',
    'Time from the beginning of an action to its end.',
    ['type', 'action'], buckets=_SLOW)
STACK_ACTIONS = prometheus_client.Counter(
    'heat_stack_actions', 'Actions of stacks that came to their end.',
    ['action', 'result'])
CLAIMS_STOLEN = prometheus_client.Counter(
    'heat_claims_stolen', 'Resources and stacks taken over from an engine '
    'that is gone.', ['kind'])

DRIFT_DETECTIONS = prometheus_client.Counter(
    'heat_drift_detections', 'Detections of drift that were completed.',
    ['drift'])
STACKS_DRIFTED = prometheus_client.Counter(
    'heat_stacks_drifted', 'Stacks found to have drifted that were in sync, '
    'or had not been looked at, before.')

CLOUD_REQUESTS = prometheus_client.Counter(
    'heat_cloud_requests', 'Requests to cloud services by outcome, not '
    'counting repetitions.', ['outcome'])

CLOUD_WAIT_SECONDS = prometheus_client.Histogram(
    'heat_cloud_request_wait_seconds', 'Time that a request to a cloud '
    'service waits because enough others are in progress.', buckets=_QUICK)

DATABASE_RETRIES = prometheus_client.Counter(
    'heat_database_retries', 'Transactions tried again, by the reason.',
    ['reason'])

#: Where an application says, in the environment of a request, which of its
#: routes the request took.
ROUTE_VARIABLE = 'heat.route'


class Recent:
    """Counts the events of the last minute."""

    WINDOW = 60

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds: collections.deque[list[int]] = collections.deque(
            maxlen=self.WINDOW)

    def add(self) -> None:
        """Count an event that happens now."""
        now = int(timeutils.wallclock())
        with self._lock:
            if self._seconds and self._seconds[-1][0] >= now:
                self._seconds[-1][1] += 1
            else:
                self._seconds.append([now, 1])

    def per_second(self) -> float:
        """Return the mean number of events per second."""
        first = int(timeutils.wallclock()) - self.WINDOW
        with self._lock:
            return sum(number for second, number in self._seconds
                       if second > first) / self.WINDOW


#: Resource actions that ended in this process.
RECENT_ACTIONS = Recent()

_refreshers: dict[str, Callable[[], None]] = {}


def count_action(kind: str, action: str, result: str, seconds: float) -> None:
    """Count a resource action that has ended."""
    ACTIONS.labels(kind, action, result).inc()
    ACTION_SECONDS.labels(kind, action).observe(seconds)
    RECENT_ACTIONS.add()


def count_cloud_request(status: int | None) -> None:
    """Count a request to a cloud service.

    :param status: the HTTP status; None if there was no answer
    """
    if status is None or status >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
        outcome = ERROR
    else:
        outcome = 'ok' if status < http.HTTPStatus.BAD_REQUEST else 'refused'
    CLOUD_REQUESTS.labels(outcome).inc()


def gauge(name, documentation, labels=()):
    """Return a figure that is looked up; processes add theirs up."""
    return prometheus_client.Gauge(name, documentation, labels,
                                   multiprocess_mode='livesum')


def on_scrape(name, refresh):
    """Have a function without arguments called before figures are shown.

    It takes the place of an earlier one of the same name.
    """
    _refreshers[name] = refresh


def refresh():
    """Bring those figures up to date that are looked up, not counted."""
    for each in list(_refreshers.values()):
        each()


def text():
    """Return all figures, as bytes."""
    refresh()
    return prometheus_client.generate_latest(_source())


def application(environ, start_response):
    """Show all figures, as a WSGI application."""
    if environ['REQUEST_METHOD'] not in ('GET', 'HEAD'):
        start_response('405 Method Not Allowed', [
            ('Allow', 'GET, HEAD'), ('Content-Length', '0')])
        return []
    body = text()
    start_response('200 OK', [('Content-Type', CONTENT_TYPE),
                              ('Content-Length', str(len(body)))])
    return [] if environ['REQUEST_METHOD'] == 'HEAD' else [body]


def _source():
    directory = os.environ.get(DIRECTORY_VARIABLE)
    if not directory:
        return prometheus_client.REGISTRY
    _forget_the_dead(pathlib.Path(directory))
    source = registry.CollectorRegistry()
    multiprocess.MultiProcessCollector(source, path=directory)
    return source


def _forget_the_dead(directory):
    """Leave out what processes that are gone had in hand."""
    for path in directory.glob('gauge_live*.db'):
        pid = re.fullmatch(r'.*_(\d+)', path.stem)
        if pid and not processes.is_alive(int(pid.group(1))):
            path.unlink(missing_ok=True)
