"""Count requests, and show Prometheus what this process has counted."""
from collections.abc import Callable, Iterable
import ipaddress
from typing import Any
from wsgiref import types as wsgi_types

from oslo_config import cfg

from heat.common import metrics
from heat.common import timeutils

#: Where an application says which of its routes a request took.
ROUTE = metrics.ROUTE_VARIABLE

_METHODS = frozenset(('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE',
                      'OPTIONS'))


class Metrics:
    """Serves one path, and counts all other requests.

    :param api: what the API is called in the figures.
    """

    def __init__(self, application: wsgi_types.WSGIApplication, api: str,
                 path: str) -> None:
        self.application = application
        self.api = api
        self.path = path
        self._allowed = [ipaddress.ip_network(each) for each in
                         cfg.CONF.metrics.allowed_source_ranges]

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        if environ.get('PATH_INFO', '').rstrip('/') == self.path:
            return self._show(environ, start_response)
        return self._count(environ, start_response)

    def _show(self, environ: wsgi_types.WSGIEnvironment,
              start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        if not self._is_allowed(environ):
            # As if there were nothing here.
            start_response('404 Not Found', [('Content-Length', '0')])
            return []
        return metrics.application(environ, start_response)

    def _is_allowed(self, environ: wsgi_types.WSGIEnvironment) -> bool:
        if environ.get('HTTP_X_FORWARDED_FOR') or (
                environ.get('HTTP_FORWARDED')):
            # It comes through a proxy, from nobody knows where.
            return False
        try:
            source = ipaddress.ip_address(environ.get('REMOTE_ADDR', ''))
        except ValueError:
            return False
        source = getattr(source, 'ipv4_mapped', None) or source
        return any(source in network for network in self._allowed)

    def _count(self, environ: wsgi_types.WSGIEnvironment,
               start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        began, status = timeutils.wallclock(), ['500']

        def start(line: Any, headers: Any, exc_info: Any = None) -> Any:
            status[0] = line.partition(' ')[0]
            return start_response(line, headers, exc_info)

        try:
            return self.application(environ, start)
        finally:
            method = environ['REQUEST_METHOD']
            if method not in _METHODS:
                method = metrics.OTHER
            route = environ.get(ROUTE) or metrics.OTHER
            metrics.REQUESTS.labels(self.api, method, route,
                                    status[0]).inc()
            metrics.REQUEST_SECONDS.labels(self.api, method, route).observe(
                timeutils.wallclock() - began)


def filter_factory(global_conf: Any, api: str = 'heat-api',
                   path: str = '/metrics', **local_conf: str
                   ) -> Callable[[wsgi_types.WSGIApplication], Any]:
    """Make the filter."""
    return lambda application: Metrics(application, api, path)
